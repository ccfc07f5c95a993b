"""Projects: the look-up rows of branches, fragments, labels and commits; frames and snapshots."""

from kithkin.db import ddl

revision = "0005"
down_revision = "0004"

TABLES = [
    "CREATE TABLE project_name (name TEXT PRIMARY KEY, project TEXT NOT NULL)",
    """
    CREATE TABLE conversation_log (
        log TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        number INTEGER NOT NULL,
        UNIQUE (project, number)
    )
    """,
    # A place is that of the relation in the ledger which put the item there.
    """
    CREATE TABLE log_item (
        log TEXT NOT NULL,
        place INTEGER NOT NULL,
        item TEXT NOT NULL,
        PRIMARY KEY (log, place)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX log_item_item ON log_item (item)",
    """
    CREATE TABLE fragment (
        id TEXT NOT NULL,
        log TEXT NOT NULL,
        item TEXT NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (id, log, item, position)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX fragment_item ON fragment (item)",
    "CREATE INDEX fragment_log ON fragment (log)",
    "CREATE TABLE scratchpad (project TEXT PRIMARY KEY, entity TEXT NOT NULL)",
    """
    CREATE TABLE frame (
        project TEXT NOT NULL,
        participant TEXT NOT NULL,
        log TEXT NOT NULL,
        head TEXT,
        PRIMARY KEY (project, participant)
    )
    """,
    """
    CREATE TABLE viewport (
        project TEXT NOT NULL,
        participant TEXT NOT NULL,
        artifact TEXT NOT NULL,
        first_line INTEGER NOT NULL,
        last_line INTEGER NOT NULL,
        tool_call TEXT NOT NULL,
        looked_at TEXT NOT NULL,
        PRIMARY KEY (project, participant)
    )
    """,
    """
    CREATE TABLE artifact_label (
        project TEXT NOT NULL,
        label TEXT NOT NULL,
        artifact TEXT NOT NULL,
        current INTEGER NOT NULL,
        PRIMARY KEY (project, label, artifact)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX artifact_label_artifact ON artifact_label (artifact)",
    """
    CREATE UNIQUE INDEX artifact_label_current ON artifact_label (project, label)
    WHERE current = 1
    """,
    """
    CREATE TABLE artifact_commit (
        artifact TEXT NOT NULL,
        hash TEXT NOT NULL,
        parent TEXT,
        item TEXT NOT NULL,
        seq INTEGER NOT NULL,
        depth INTEGER NOT NULL,
        replay INTEGER NOT NULL,
        aside INTEGER NOT NULL,
        PRIMARY KEY (artifact, hash)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX artifact_commit_seq ON artifact_commit (artifact, seq)",
    """
    CREATE TABLE artifact_snapshot (
        artifact TEXT NOT NULL,
        hash TEXT NOT NULL,
        content BLOB NOT NULL,
        PRIMARY KEY (artifact, hash)
    )
    """,
    """
    CREATE TABLE proposal_lookup (
        proposal TEXT PRIMARY KEY,
        artifact TEXT NOT NULL,
        pending INTEGER NOT NULL
    )
    """,
    "CREATE INDEX proposal_artifact ON proposal_lookup (artifact)",
]


def upgrade() -> None:
    """Make the tables."""
    ddl.create(TABLES)


def downgrade() -> None:
    """Take them away: a rebuild after the next upgrade writes all but frames and viewports."""
    ddl.drop(
        (
            "proposal_lookup",
            "artifact_snapshot",
            "artifact_commit",
            "artifact_label",
            "viewport",
            "frame",
            "scratchpad",
            "fragment",
            "log_item",
            "conversation_log",
            "project_name",
        )
    )
