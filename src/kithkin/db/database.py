"""A realm's database: one SQLite file in a folder, or one schema of a PostgreSQL server."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from kithkin.db import schema
from kithkin.db.dialect import Engine, Watch
from kithkin.db.transactions import Dialect, Tx
from kithkin.errors import InvalidInput, StorageError


class Database:
    """Opens transactions. Threads and processes may share a realm; each thread has its own."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._here = threading.local()

    @classmethod
    def open(
        cls,
        where: str | Path,
        *,
        realm: str = "kithkin",
        create: bool = True,
        busy_seconds: float = 30.0,
    ) -> Self:
        """Open a folder or a `postgresql://` address, creating or upgrading its tables."""
        if str(where).startswith(("postgresql://", "postgres://")):
            engine = _on_postgres(str(where), realm, create=create, busy_seconds=busy_seconds)
        elif "://" in str(where):
            raise InvalidInput(
                f"{where} is neither a folder nor a postgresql:// address. A realm that is served "
                "is reached with `Kithkin.connect`."
            )
        else:
            from kithkin.db.sqlite import SqliteEngine  # noqa: PLC0415 - the same, the other way

            engine = SqliteEngine.open(Path(where), create=create, busy_seconds=busy_seconds)
        try:
            schema.bring_up_to_date(engine)
        except BaseException:
            engine.close()
            raise
        return cls(engine)

    @property
    def dialect(self) -> Dialect:
        """Which of the two this is."""
        return self.engine.dialect

    def watch(self) -> Watch:
        """Wake up when any process changes the realm."""
        return self.engine.watch()

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """Write: all of it or nothing. Inside another transaction, a part of that one."""
        outer: Tx | None = getattr(self._here, "tx", None)
        if outer is None:
            yield from self._outermost(writable=True)
        elif outer.writable:
            yield from self._nested(outer)
        else:
            raise RuntimeError("A snapshot only reads: open the transaction outside of it.")

    @contextmanager
    def snapshot(self) -> Iterator[Tx]:
        """Read one consistent state, whatever others commit. Inside a transaction, its state."""
        outer: Tx | None = getattr(self._here, "tx", None)
        if outer is None:
            yield from self._outermost(writable=False)
        else:
            yield outer

    def _outermost(self, *, writable: bool) -> Iterator[Tx]:
        engine = self.engine
        with engine.translated():
            tx = self._here.tx = engine.begin(writable=writable)
            try:
                yield tx
            except BaseException:
                self._here.tx = None
                engine.end(tx, commit=False)
                raise
            self._here.tx = None
            engine.end(tx, commit=True)

    def _nested(self, tx: Tx) -> Iterator[Tx]:
        # A savepoint, so that a caller who catches the inner failure keeps a sound outer one.
        with self.engine.translated():
            tx.depth += 1
            name = f"nested_{tx.depth}"
            tx.execute(f"SAVEPOINT {name}", {})
            try:
                yield tx
            except BaseException:
                tx.execute(f"ROLLBACK TO SAVEPOINT {name}", {})
                tx.execute(f"RELEASE SAVEPOINT {name}", {})
                raise
            else:
                tx.execute(f"RELEASE SAVEPOINT {name}", {})
            finally:
                tx.depth -= 1

    def close(self) -> None:
        """Close the connections of all threads."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _on_postgres(url: str, realm: str, *, create: bool, busy_seconds: float) -> Engine:
    # psycopg is an extra: an embedded realm must open without it.
    try:
        from kithkin.db.postgres import PostgresEngine  # noqa: PLC0415
    except ImportError as error:
        raise StorageError(
            f"PostgreSQL needs psycopg: `pip install 'kithkin[postgres]'` ({error})."
        ) from error
    return PostgresEngine.connect(url, realm=realm, create=create, busy_seconds=busy_seconds)
