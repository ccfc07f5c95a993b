"""Tables written once, for SQLite; how PostgreSQL's differ."""

from collections.abc import Iterable

from alembic import op


def create(statements: Iterable[str]) -> None:
    """Run a migration's statements in the dialect of the store that is being migrated."""
    postgres = op.get_bind().dialect.name == "postgresql"
    for statement in statements:
        op.execute(_for_postgres(statement) if postgres else statement)


def drop(tables: Iterable[str]) -> None:
    """Take tables away, with everything in them."""
    for table in tables:
        op.execute(f"DROP TABLE {table}")


def _for_postgres(ddl: str) -> str:
    # Byte order, so that times and ids sort as they do on SQLite whatever the server's locale.
    return (
        ddl.replace(" TEXT", ' TEXT COLLATE "C"')
        .replace(" INTEGER", " BIGINT")
        .replace(" REAL", " DOUBLE PRECISION")
        .replace(" BLOB", " BYTEA")
        .replace(" WITHOUT ROWID", "")
    )
