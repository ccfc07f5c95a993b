"""PostgreSQL: one schema per realm, idle connections kept, one writer per realm at a time."""

import re
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import psycopg
from psycopg import errors as pg
from psycopg import sql as composing

from kithkin import errors
from kithkin.db.sql import for_psycopg
from kithkin.db.transactions import Dialect, Params, Tx

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Engine as AlchemyEngine

Connection = psycopg.Connection[tuple[Any, ...]]

_REALM: Final = re.compile(r"(?!pg_|public$|information_schema$)[a-z][a-z0-9_]{0,62}")
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 0.5
_LONGEST_PATIENCE: Final = 10.0
_MOST_IDLE: Final = 32


class PostgresEngine:
    """One realm in one schema of a server."""

    dialect: Dialect = "postgres"

    def __init__(self, connect: Callable[[], Connection], *, realm: str, patience: float) -> None:
        self.realm = realm
        self._connect = connect
        self._idle: deque[Connection] = deque()
        self._patience = patience
        self._here = threading.local()
        # One writer at a time, as on SQLite: every write appends to the same ledger, and whoever
        # waits here has read nothing yet, so nothing needs to be retried or can deadlock.
        self._begin_writing = f"BEGIN; SELECT pg_advisory_xact_lock({_lock_key(realm)})"

    @classmethod
    def connect(cls, url: str, *, realm: str, create: bool, busy_seconds: float) -> Self:
        """Reach the server. Connections are made as threads need them."""
        if not _REALM.fullmatch(realm):
            raise errors.InvalidInput(
                f"{realm!r} cannot name a realm: use a-z, 0-9 and _, starting with a letter."
            )
        options = f"-c search_path={realm} -c lock_timeout={int(busy_seconds * 1000)}"

        def connect() -> Connection:
            return psycopg.connect(url, autocommit=True, options=options)

        engine = cls(connect, realm=realm, patience=min(busy_seconds, _LONGEST_PATIENCE))
        try:
            engine._require_realm(create=create)
        except BaseException:
            engine.close()
            raise
        return engine

    def begin(self, *, writable: bool) -> Tx:
        """Begin on a live connection: a dead one is replaced, since nothing has run on it yet."""
        connection = self._begun(self._begin_writing if writable else _BEGIN_READING)
        self._here.connection = connection
        return Tx(
            _execute(connection),
            _executemany(connection),
            dialect=self.dialect,
            writable=writable,
        )

    def end(self, tx: Tx, *, commit: bool) -> None:
        """Commit or roll back, and keep the connection for the next."""
        connection: Connection = self._here.connection
        del self._here.connection
        try:
            if commit:
                _commit(connection, writable=tx.writable)
            elif not connection.closed:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            # The connection is dropped; the failure that matters is the one under way.
            if commit:
                raise
        finally:
            self._give_back(connection)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn the driver's errors into ours."""
        try:
            yield
        except psycopg.Error as error:
            raise _refusal(error) from error

    def revision(self) -> str | None:
        """The migration the schema stands at."""
        with self.translated(), self._borrowed() as connection:
            found = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
            if found is None or found[0] is None:
                return None
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            return row[0] if row else None

    @contextmanager
    def migrating(self) -> Iterator["AlchemyEngine"]:
        """An Alembic engine on one connection, holding the realm's write lock."""
        from sqlalchemy import create_engine, event, pool  # noqa: PLC0415 - only to migrate

        with self.translated(), self._borrowed() as connection:
            connection.autocommit = False
            engine = create_engine(
                "postgresql+psycopg://", creator=lambda: connection, poolclass=pool.StaticPool
            )
            lock = f"SELECT pg_advisory_xact_lock({_lock_key(self.realm)})"
            event.listen(engine, "begin", lambda c: c.exec_driver_sql(lock))
            try:
                yield engine
            finally:
                connection.rollback()
                connection.autocommit = True

    def watch(self) -> "PostgresWatch":
        """Listen for what triggers tell of changes, in any process."""
        return PostgresWatch(self._connect, realm=self.realm)

    def scrub(self) -> bool:
        """Rewrite the tables that erasure touched: old row versions hold the erased words."""
        with self.translated(), self._borrowed() as connection:
            for (table,) in connection.execute(
                "SELECT relname FROM pg_class WHERE relkind = 'r'"
                " AND relnamespace = current_schema()::regnamespace"
            ).fetchall():
                connection.execute(
                    composing.SQL("VACUUM (FULL) {}").format(composing.Identifier(table))
                )
        return True

    def version(self) -> str:
        """The version of the server."""
        with self.translated(), self._borrowed() as connection:
            number = connection.info.server_version
        return f"PostgreSQL {number // 10000}.{number % 10000}"

    def size(self) -> int:
        """Bytes of the schema's tables and indexes."""
        with self.translated(), self._borrowed() as connection:
            row = connection.execute(
                "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
                " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
            ).fetchone()
        return int(row[0]) if row else 0

    def close(self) -> None:
        """Close every connection."""
        while self._idle:
            self._idle.pop().close()

    def _require_realm(self, *, create: bool) -> None:
        name = composing.Identifier(self.realm)
        with self.translated(), self._borrowed() as connection:
            known = connection.execute(
                "SELECT 1 FROM pg_namespace WHERE nspname = %s", (self.realm,)
            ).fetchone()
            if known:
                return
            if not create:
                raise errors.NotFound(
                    f"There is no realm {self.realm!r} on this server. `kithkin init` makes one."
                )
            try:
                connection.execute(composing.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
            except pg.UniqueViolation:
                # Two first starts at once: the other made it.
                return

    def _begun(self, statement: str) -> Connection:
        """A connection on which the first statement ran. Until then a retry is always safe."""
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                return self._first(statement)
            except pg.LockNotAvailable:
                raise
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise errors.StorageUnreachable(
                        "The PostgreSQL server does not answer; nothing was changed. Check the "
                        f"address given with --db, and that the server runs: {error}"
                    ) from error
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _first(self, statement: str) -> Connection:
        try:
            # The one given back last is the likeliest to be alive.
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        try:
            connection.execute(statement)
        except psycopg.Error:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: Connection) -> None:
        if not connection.closed and len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    @contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        connection = self._begun("SELECT 1")
        try:
            yield connection
        finally:
            self._give_back(connection)


class PostgresWatch:
    """Listens on a connection of its own; a lost one counts as a change: one may be missed."""

    def __init__(self, connect: Callable[[], Connection], *, realm: str) -> None:
        self._connect = connect
        self._realm = realm
        self._connection: Connection | None = None

    def wait(self, seconds: float) -> bool:
        """Whether the realm changed."""
        try:
            if self._connection is None:
                self._connection = self._connect()
                self._connection.execute("LISTEN kithkin_changes")
                return True
            told = self._connection.notifies(timeout=seconds, stop_after=1)
            return any(one.payload == self._realm for one in told)
        except psycopg.OperationalError:
            self.close()
            time.sleep(min(seconds, _LONGEST_PAUSE))
            return True

    def close(self) -> None:
        """Stop listening."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _execute(connection: Connection) -> Any:
    def execute(sql: str, params: Params | None = None, /) -> Any:
        return connection.execute(for_psycopg(sql), params)

    return execute


def _executemany(connection: Connection) -> Any:
    def executemany(sql: str, params: "Iterable[Params]", /) -> None:
        connection.cursor().executemany(for_psycopg(sql), params)

    return executemany


def _commit(connection: Connection, *, writable: bool) -> None:
    try:
        connection.execute("COMMIT")
    except psycopg.OperationalError as error:
        if not writable:
            raise
        raise errors.CommitUncertain(
            "The connection was lost while committing: the change may or may not have been made. "
            "Read back before trying again."
        ) from error


def _lock_key(realm: str) -> int:
    return zlib.crc32(f"kithkin:{realm}".encode())


def _refusal(error: psycopg.Error) -> errors.StorageError:
    match error:
        case pg.LockNotAvailable():
            return errors.StorageBusy(
                "Other writers held the realm too long; nothing changed, try again."
            )
        case pg.DiskFull() | pg.OutOfMemory():
            return errors.StorageFull(f"The server has no space left: {error}")
        case pg.ReadOnlySqlTransaction() | pg.InsufficientPrivilege():
            return errors.StorageReadOnly(f"This user may not write to the realm: {error}")
        case psycopg.IntegrityError() | pg.RaiseException():
            return errors.StorageRefused(
                f"The database refused the write; nothing changed: {error}"
            )
        case psycopg.OperationalError():
            return errors.StorageUnreachable(
                f"The connection to PostgreSQL was lost; nothing was changed: {error}"
            )
        case _:
            return errors.StorageError(f"The database failed: {error}")
