"""SQLite: one file, WAL, one connection per thread."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakSet

from kithkin import errors
from kithkin.db.folder import database_file
from kithkin.db.transactions import Dialect, Tx

if TYPE_CHECKING:
    from sqlalchemy import Engine as AlchemyEngine

# FULL: a commit that was acknowledged survives a power cut. secure_delete: erased words leave no
# bytes behind. recursive_triggers: INSERT OR REPLACE cannot slip past the triggers on Soil.
# The checkpoint interval and cache keep the cost of a commit flat as the file grows.
_PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA recursive_triggers = ON;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA cache_size = -65536;
"""

_REFUSALS: Final = {
    sqlite3.SQLITE_BUSY: errors.StorageBusy,
    sqlite3.SQLITE_LOCKED: errors.StorageBusy,
    sqlite3.SQLITE_FULL: errors.StorageFull,
    sqlite3.SQLITE_READONLY: errors.StorageReadOnly,
    sqlite3.SQLITE_PERM: errors.StorageReadOnly,
    sqlite3.SQLITE_CANTOPEN: errors.StorageReadOnly,
    sqlite3.SQLITE_CORRUPT: errors.StorageDamaged,
    sqlite3.SQLITE_NOTADB: errors.StorageDamaged,
    sqlite3.SQLITE_CONSTRAINT: errors.StorageRefused,
    sqlite3.SQLITE_IOERR: errors.StorageFull,
}
_ADVICE: Final = {
    errors.StorageBusy: "Other writers held the realm too long; nothing changed, try again",
    errors.StorageFull: "The disk is full or failing; the last committed state is intact",
    errors.StorageReadOnly: "The realm's folder cannot be written to; check its permissions",
    errors.StorageDamaged: "The file is damaged; `kithkin restore FILE --replace` puts a backup in",
    errors.StorageRefused: "The database refused the write; nothing changed",
}


_LOOK_EVERY: Final = 0.05


class _Connection(sqlite3.Connection):
    """A connection that can be referred to weakly."""


class _Held:
    """A thread's hold on its connection: when the thread dies, the connection closes."""

    def __init__(self, connection: _Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        # The driver's own references form a cycle, so dropping the last of ours closes nothing.
        self.connection.close()


class SqliteEngine:
    """One file, opened once by every thread that uses it."""

    dialect: Dialect = "sqlite"

    def __init__(self, file: Path, *, busy_seconds: float) -> None:
        self.file = file
        self._busy_seconds = busy_seconds
        self._here = threading.local()
        self._open: WeakSet[_Connection] = WeakSet()
        self._guard = threading.Lock()
        self._turn = threading.Lock()

    @classmethod
    def open(cls, folder: Path, *, create: bool, busy_seconds: float) -> Self:
        """Open a folder's file, making it if it is not there."""
        return cls(database_file(folder, create=create), busy_seconds=busy_seconds)

    def begin(self, *, writable: bool) -> Tx:
        """Writers queue up at BEGIN IMMEDIATE, where waiting is safe: nothing was read yet.

        A snapshot is the state at its first read.
        """
        connection = self.connection()
        if writable:
            self._take_turn(connection)
        else:
            connection.execute("BEGIN")
        return Tx(
            connection.execute, connection.executemany, dialect=self.dialect, writable=writable
        )

    def end(self, tx: Tx, *, commit: bool) -> None:
        """Commit or roll back."""
        try:
            self._finish(self.connection(), commit=commit)
        finally:
            if tx.writable:
                self._turn.release()

    def _finish(self, connection: _Connection, *, commit: bool) -> None:
        try:
            if commit:
                connection.execute("COMMIT")
        finally:
            _roll_back(connection)

    def _take_turn(self, connection: _Connection) -> None:
        """Wait for the threads of this process first: the driver looks again only now and then."""
        if not self._turn.acquire(timeout=self._busy_seconds):
            raise errors.StorageBusy(f"{_ADVICE[errors.StorageBusy]}.")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._turn.release()
            raise

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn the driver's errors into ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise _refusal(error) from error
        except OverflowError as error:
            raise errors.InvalidInput("A number is too large to be kept.") from error

    def revision(self) -> str | None:
        """The migration the file stands at."""
        with self.translated():
            connection = self.connection()
            known = connection.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
            ).fetchone()
            if known is None:
                return None
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            return row[0] if row else None

    @contextmanager
    def migrating(self) -> Iterator["AlchemyEngine"]:
        """An Alembic engine on this thread's connection, holding the write lock."""
        from sqlalchemy import create_engine, event, pool  # noqa: PLC0415 - only to migrate

        engine = create_engine("sqlite://", creator=self.connection, poolclass=pool.StaticPool)
        event.listen(engine, "begin", lambda c: c.exec_driver_sql("BEGIN IMMEDIATE"))
        connection = self.connection()
        # A migration may copy a table that others refer to; references are whole at its end.
        connection.execute("PRAGMA foreign_keys = OFF")
        try:
            with self.translated():
                yield engine
        finally:
            connection.execute("PRAGMA foreign_keys = ON")

    def watch(self) -> "SqliteWatch":
        """Watch the file for the commits of every other connection, of any process."""
        return SqliteWatch(self._connect())

    def scrub(self) -> bool:
        """Empty the write-ahead log, where erased pages would otherwise linger."""
        with self.translated():
            busy, _, _ = self.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def version(self) -> str:
        """The version of the library."""
        return f"SQLite {sqlite3.sqlite_version}"

    def size(self) -> int:
        """Bytes of the file and its log."""
        files = (self.file, self.file.with_name(self.file.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close the connections of every thread."""
        with self._guard:
            for connection in list(self._open):
                connection.close()
        self._here = threading.local()

    def connection(self) -> _Connection:
        """This thread's connection."""
        held: _Held | None = getattr(self._here, "held", None)
        if held is None:
            held = self._here.held = _Held(self._connect())
        return held.connection

    def _connect(self) -> _Connection:
        with self.translated():
            connection = sqlite3.connect(
                self.file,
                timeout=self._busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=512,
                factory=_Connection,
            )
            try:
                connection.executescript(_PRAGMAS)
            except sqlite3.Error:
                connection.close()
                raise
        with self._guard:
            self._open.add(connection)
        return connection


class SqliteWatch:
    """Looks at the file's data version, which costs microseconds, a few times a second."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._seen = self._version()

    def wait(self, seconds: float) -> bool:
        """Whether another connection committed."""
        deadline = time.monotonic() + seconds
        while (version := self._version()) == self._seen:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, _LOOK_EVERY))
        self._seen = version
        return True

    def close(self) -> None:
        """Stop watching."""
        self._connection.close()

    def _version(self) -> int:
        row = self._connection.execute("PRAGMA data_version").fetchone()
        return int(row[0])


def _roll_back(connection: sqlite3.Connection) -> None:
    # A full disk may have rolled back already.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _refusal(error: sqlite3.Error) -> errors.StorageError:
    # The low byte is the primary code; the rest says which kind of it.
    primary = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    kind = _REFUSALS.get(primary)
    if kind is None:
        return errors.StorageError(f"The database failed: {error}.")
    return kind(f"{_ADVICE[kind]}: {error}.")
