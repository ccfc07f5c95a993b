"""Whole realms in one file: a backup is a SQLite realm, whichever database it came from."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kithkin.db.database import Database
from kithkin.db.folder import FILE, secured
from kithkin.db.schema import TABLES
from kithkin.db.sqlite import SqliteEngine
from kithkin.db.transactions import Tx
from kithkin.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from kithkin.db.transactions import Row

Progress = Callable[[int, int], None]
_PAGES = 2000
_BATCH = 2000


def take(db: Database, file: Path, *, progress: Progress | None = None) -> None:
    """Write one consistent state of the realm to a new file, while others go on writing."""
    with secured(file) as partial:
        if isinstance(db.engine, SqliteEngine):
            _copy_pages(db, db.engine, partial, progress=progress)
        else:
            _copy_rows_out(db, partial, progress=progress)


def take_back(db: Database, file: Path, *, replace: bool, progress: Progress | None = None) -> None:
    """Make the realm what a backup says. One that holds anything is replaced only when told to."""
    if not _is_empty(db) and not replace:
        raise Refused(
            "This realm is not empty. Restore into a new one, or say --replace to lose what it "
            "holds now."
        )
    if isinstance(db.engine, SqliteEngine):
        _take_pages(db.engine, file, progress=progress)
    elif _is_empty(db):
        _copy_rows_in(db, file, progress=progress)
    else:
        raise Refused(
            "On PostgreSQL a backup is restored into an empty realm: name a new one with --realm."
        )


def read_backup(file: Path) -> sqlite3.Connection:
    """Open a backup for reading only, whatever else the file may be."""
    if not file.is_file():
        raise InvalidInput(f"There is no file {file}.")
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("SELECT seq FROM ledger_head").fetchone()
    except sqlite3.Error as error:
        connection.close()
        raise InvalidInput(f"{file} is no backup of a realm: {error}.") from error
    return connection


def _copy_pages(
    db: Database, engine: SqliteEngine, file: Path, *, progress: Progress | None
) -> None:
    # The snapshot stays open while pages are copied: what others commit meanwhile is not in it.
    with db.snapshot(), closing(sqlite3.connect(file)) as target:
        engine.connection().backup(target, pages=_PAGES, progress=_counting(progress))
        # A single file that opens anywhere: no write-ahead log beside it.
        target.execute("PRAGMA journal_mode = DELETE")


def _take_pages(engine: SqliteEngine, file: Path, *, progress: Progress | None) -> None:
    with closing(read_backup(file)) as source, engine.translated():
        source.backup(engine.connection(), pages=_PAGES, progress=_counting(progress))
        engine.connection().execute("PRAGMA journal_mode = WAL")


def _counting(progress: Progress | None) -> Callable[[int, int, int], object] | None:
    if progress is None:
        return None
    return lambda _status, left, total: progress(total - left, total)


def _copy_rows_out(db: Database, file: Path, *, progress: Progress | None) -> None:
    home = file.with_name(f"{file.name}.realm")
    with Database.open(home) as target:
        with db.snapshot() as source, target.transaction() as sink:
            _copy(source, sink, progress=progress)
        target.engine.scrub()
    _collapse(home / FILE)
    (home / FILE).replace(file)
    for left in home.iterdir():
        left.unlink()
    home.rmdir()


def _collapse(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def _copy_rows_in(db: Database, file: Path, *, progress: Progress | None) -> None:
    with closing(read_backup(file)) as connection, db.transaction() as sink:
        source = Tx(connection.execute, connection.executemany, dialect="sqlite", writable=False)
        _copy(source, sink, progress=progress)


def _copy(source: Tx, sink: Tx, *, progress: Progress | None) -> None:
    total = sum(_count(source, table) for table in TABLES)
    done = 0
    sink.execute("DELETE FROM ledger_head", {})
    for table in TABLES:
        columns = _columns(source if source.dialect == "sqlite" else sink, table)
        for rows in _batches(source, table, columns):
            sink.executemany(
                _insert(table, columns), [dict(zip(columns, row, strict=True)) for row in rows]
            )
            done += len(rows)
            if progress:
                progress(done, total)


def _batches(source: Tx, table: str, columns: list[str]) -> "Iterator[list[Row]]":
    select = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {columns[0]}"  # noqa: S608 - ours
    if source.dialect == "sqlite":
        rows: Any = source.execute(select, {})
        while batch := rows.fetchmany(_BATCH):
            yield batch
        return
    source.execute(f"DECLARE copying NO SCROLL CURSOR FOR {select}", {})
    while batch := source.execute(f"FETCH {_BATCH} FROM copying", {}).fetchall():
        yield batch
    source.execute("CLOSE copying", {})


def _columns(sqlite_side: Tx, table: str) -> list[str]:
    rows = sqlite_side.execute("SELECT name FROM pragma_table_info(:table)", {"table": table})
    return [row[0] for row in rows]


def _insert(table: str, columns: list[str]) -> str:
    values = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608 - ours


def _count(tx: Tx, table: str) -> int:
    return int(tx.execute(f"SELECT count(*) FROM {table}", {}).fetchone()[0])  # noqa: S608 - ours


def _is_empty(db: Database) -> bool:
    with db.snapshot() as tx:
        return bool(tx.execute("SELECT seq = 0 FROM ledger_head", {}).fetchone()[0])
