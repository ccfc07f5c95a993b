"""Friends: who asked whom, and how often somebody asks and writes."""

from kithkin.db import ddl

revision = "0006"
down_revision = "0005"

TABLES = [
    """
    CREATE TABLE connections (
        user_a_id TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        user_b_id TEXT NOT NULL REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        requested_a INTEGER NOT NULL DEFAULT 0 CHECK (requested_a IN (0, 1)),
        requested_b INTEGER NOT NULL DEFAULT 0 CHECK (requested_b IN (0, 1)),
        requested_a_at TEXT CHECK (requested_a = 0 OR requested_a_at IS NOT NULL),
        requested_b_at TEXT CHECK (requested_b = 0 OR requested_b_at IS NOT NULL),
        cooldown_until_a TEXT,
        cooldown_until_b TEXT,
        ended_by TEXT CHECK (ended_by IN (user_a_id, user_b_id)),
        blocked_by_a INTEGER NOT NULL DEFAULT 0 CHECK (blocked_by_a IN (0, 1)),
        blocked_by_b INTEGER NOT NULL DEFAULT 0 CHECK (blocked_by_b IN (0, 1)),
        pair TEXT NOT NULL UNIQUE REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        PRIMARY KEY (user_a_id, user_b_id),
        CHECK (user_a_id < user_b_id)
    )
    """,
    "CREATE INDEX connections_user_b ON connections (user_b_id)",
    # Counts only: what was asked and written stands in the ledger.
    """
    CREATE TABLE friend_use (
        account TEXT NOT NULL,
        use TEXT NOT NULL,
        at TEXT NOT NULL,
        other TEXT NOT NULL
    )
    """,
    "CREATE INDEX friend_use_in_all ON friend_use (account, use, at)",
    "CREATE INDEX friend_use_of_one ON friend_use (account, other, use, at)",
]


def upgrade() -> None:
    """Make the tables."""
    ddl.create(TABLES)


def downgrade() -> None:
    """Take them away: a rebuild after the next upgrade writes the pairs again."""
    ddl.drop(["friend_use", "connections"])
