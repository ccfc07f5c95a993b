"""Personas: their look-up rows, and which memories wait for a human's word."""

from kithkin.db import ddl

revision = "0008"
down_revision = "0007"

TABLES = [
    """
    CREATE TABLE persona_lookup (
        persona TEXT PRIMARY KEY,
        steward INTEGER NOT NULL CHECK (steward IN (0, 1)),
        archived INTEGER NOT NULL CHECK (archived IN (0, 1) AND archived + steward < 2)
    )
    """,
    "CREATE UNIQUE INDEX one_steward ON persona_lookup (steward) WHERE steward = 1",
    """
    CREATE TABLE persona_name (
        key TEXT PRIMARY KEY,
        persona TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX persona_name_persona ON persona_name (persona)",
    # What a persona goes on seeing while a human has not spoken, and what it would change.
    """
    CREATE TABLE memory_held (
        memory TEXT PRIMARY KEY,
        persona TEXT NOT NULL,
        changes TEXT
    )
    """,
    "CREATE INDEX memory_held_persona ON memory_held (persona)",
]


def upgrade() -> None:
    """Make the tables."""
    ddl.create(TABLES)


def downgrade() -> None:
    """Take them away: a rebuild after the next upgrade writes them again."""
    ddl.drop(["memory_held", "persona_name", "persona_lookup"])
