"""PostgreSQL ranks by rows of word, place and weight; SQLite has its own index of words."""

from alembic import op

revision = "0010"
down_revision = "0009"

# The weight stands in the index: a query reads no row of the table.
TABLES = [
    """
    CREATE TABLE search_word (
        word TEXT COLLATE "C" NOT NULL,
        seq BIGINT NOT NULL,
        weight REAL NOT NULL,
        PRIMARY KEY (word, seq) INCLUDE (weight)
    )
    """,
    """
    CREATE TABLE search_token (
        token TEXT COLLATE "C" NOT NULL,
        seq BIGINT NOT NULL,
        PRIMARY KEY (token, seq)
    )
    """,
    "CREATE TABLE search_size (docs BIGINT NOT NULL)",
]
# What was indexed before is read from its own words: the last place of one is the length.
FILL = [
    """
    INSERT INTO search_word (word, seq, weight)
    SELECT said.lexeme, t.seq, cardinality(said.positions) * 2.2
      / (cardinality(said.positions) + 1.2 * (0.25 + 0.75 * size.words / 16))
    FROM search_text t, unnest(t.words) said,
      LATERAL (SELECT max(place) AS words FROM unnest(t.words) u, unnest(u.positions) place) size
    """,
    "INSERT INTO search_token (token, seq) SELECT DISTINCT unnest(acl), seq FROM search_text",
    "INSERT INTO search_size (docs) SELECT count(*) FROM search_text",
    "DROP INDEX search_text_words",
    "DROP INDEX search_text_acl",
]
BACK = [
    "DROP TABLE search_size",
    "DROP TABLE search_token",
    "DROP TABLE search_word",
    "CREATE INDEX search_text_words ON search_text USING gin (words)",
    "CREATE INDEX search_text_acl ON search_text USING gin (acl)",
]


def upgrade() -> None:
    """Make the rows from what is indexed, and drop the indexes that nothing reads any more."""
    _on_postgres([*TABLES, *FILL])


def downgrade() -> None:
    """Take them away; what is indexed stays."""
    _on_postgres(BACK)


def _on_postgres(statements: list[str]) -> None:
    if op.get_bind().dialect.name == "postgresql":
        for statement in statements:
            op.execute(statement)
