"""Chats: the look-up rows of where things are said."""

from kithkin.db import ddl

revision = "0003"
down_revision = "0002"

TABLES = [
    """
    CREATE TABLE chat_key (
        channel TEXT NOT NULL,
        value TEXT NOT NULL,
        chat TEXT NOT NULL,
        PRIMARY KEY (channel, value)
    ) WITHOUT ROWID
    """,
]


def upgrade() -> None:
    """Make the look-up table."""
    ddl.create(TABLES)


def downgrade() -> None:
    """Take it away: a rebuild after the next upgrade writes it again."""
    ddl.drop(["chat_key"])
