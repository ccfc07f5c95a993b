"""Memories: their look-up rows, and the index of what was said and what is believed."""

from alembic import op

from kithkin.db import ddl

revision = "0007"
down_revision = "0006"

TABLES = [
    """
    CREATE TABLE memory_row (
        memory TEXT PRIMARY KEY,
        seq INTEGER NOT NULL UNIQUE,
        item TEXT,
        chat TEXT,
        said_by TEXT,
        observed_at TEXT NOT NULL,
        expires_at TEXT,
        superseded_by TEXT,
        archived TEXT
    )
    """,
    "CREATE INDEX memory_row_sayer ON memory_row (said_by, seq)",
    "CREATE INDEX memory_row_chat ON memory_row (chat, seq)",
    "CREATE INDEX memory_row_item ON memory_row (item)",
    "CREATE INDEX memory_row_expiry ON memory_row (expires_at) WHERE archived IS NULL",
    "CREATE INDEX memory_row_successor ON memory_row (superseded_by)",
    """
    CREATE TABLE memory_subject (
        person TEXT NOT NULL,
        memory TEXT NOT NULL,
        PRIMARY KEY (person, memory)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX memory_subject_memory ON memory_subject (memory)",
    # By what a statement says of somebody: what it may replace is found without reading the rest.
    """
    CREATE TABLE memory_key (
        person TEXT NOT NULL,
        key TEXT NOT NULL,
        memory TEXT NOT NULL,
        PRIMARY KEY (person, key, memory)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX memory_key_memory ON memory_key (memory)",
    # Only ids: what was forgotten is not learned again from the item it came from.
    "CREATE TABLE forgotten_item (item TEXT PRIMARY KEY)",
    """
    CREATE TABLE search_doc (
        seq INTEGER PRIMARY KEY,
        doc TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        chat TEXT,
        said_by TEXT,
        said_at TEXT NOT NULL,
        marks INTEGER NOT NULL,
        record TEXT NOT NULL
    )
    """,
    "CREATE INDEX search_doc_turn ON search_doc (chat, seq) WHERE kind = 'message'",
    "CREATE INDEX search_doc_sayer ON search_doc (said_by, seq)",
    """
    CREATE TABLE search_place (
        person TEXT NOT NULL,
        place TEXT NOT NULL,
        PRIMARY KEY (person, place)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX search_place_place ON search_place (place)",
    """
    CREATE TABLE search_vector (
        seq INTEGER NOT NULL,
        model TEXT NOT NULL,
        vector BLOB NOT NULL,
        PRIMARY KEY (seq, model)
    )
    """,
]

# The words are ranked; the tokens of who may see a row are matched and weigh nothing.
SQLITE_INDEX = [
    """
    CREATE VIRTUAL TABLE search_text USING fts5 (
        text, acl, tokenize = 'porter unicode61 remove_diacritics 2'
    )
    """,
]
POSTGRES_INDEX = [
    """
    CREATE TABLE search_text (
        seq BIGINT PRIMARY KEY, words tsvector NOT NULL, acl text[] NOT NULL
    )
    """,
    "CREATE INDEX search_text_words ON search_text USING gin (words)",
    "CREATE INDEX search_text_acl ON search_text USING gin (acl)",
]


def upgrade() -> None:
    """Make the look-up tables and the index of words."""
    ddl.create(TABLES)
    postgres = op.get_bind().dialect.name == "postgresql"
    for statement in POSTGRES_INDEX if postgres else SQLITE_INDEX:
        op.execute(statement)


def downgrade() -> None:
    """Take them away: a rebuild after the next upgrade writes them again."""
    ddl.drop(
        (
            "search_text",
            "search_vector",
            "search_place",
            "search_doc",
            "forgotten_item",
            "memory_key",
            "memory_subject",
            "memory_row",
        )
    )
