"""People: the look-up rows of names, of who calls whom what, and of who has which address."""

from kithkin.db import ddl

revision = "0002"
down_revision = "0001"

TABLES = [
    # Clustered by key, the best matches first: a common first name is read up to a limit.
    """
    CREATE TABLE person_key (
        key TEXT NOT NULL,
        rank INTEGER NOT NULL,
        person TEXT NOT NULL,
        PRIMARY KEY (key, rank, person)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE person_connection (
        speaker TEXT NOT NULL,
        term TEXT NOT NULL,
        person TEXT NOT NULL,
        PRIMARY KEY (person, speaker, term)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX person_connection_speaker ON person_connection (speaker, term)",
    """
    CREATE TABLE address (
        type TEXT NOT NULL,
        value TEXT NOT NULL,
        contact TEXT NOT NULL,
        person TEXT NOT NULL,
        PRIMARY KEY (type, value)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX address_person ON address (person)",
    "CREATE TABLE contact_person (person TEXT PRIMARY KEY, contact TEXT NOT NULL)",
    """
    CREATE TABLE merge_lookup (
        merge_id TEXT PRIMARY KEY,
        main TEXT NOT NULL,
        secondary TEXT NOT NULL,
        undone INTEGER NOT NULL
    )
    """,
    "CREATE INDEX merge_main ON merge_lookup (main)",
    "CREATE INDEX merge_secondary ON merge_lookup (secondary)",
]


def upgrade() -> None:
    """Make the look-up tables."""
    ddl.create(TABLES)


def downgrade() -> None:
    """Take them away: a rebuild after the next upgrade writes them again."""
    ddl.drop(("merge_lookup", "contact_person", "address", "person_connection", "person_key"))
