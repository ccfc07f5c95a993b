"""What a dialect supplies to `Database`."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from kithkin.db.transactions import Dialect, Tx

if TYPE_CHECKING:
    from sqlalchemy import Engine as AlchemyEngine


class Watch(Protocol):
    """Wakes up when any process has changed the realm."""

    def wait(self, seconds: float) -> bool:
        """Whether something may have changed; False when the time passed and nothing did."""
        ...

    def close(self) -> None:
        """Stop watching."""
        ...


class Engine(Protocol):
    """One dialect: how to begin, end and inspect."""

    dialect: Dialect

    def begin(self, *, writable: bool) -> Tx:
        """Open a transaction or snapshot on this thread. Waits for its turn, up to a limit."""
        ...

    def end(self, tx: Tx, /, *, commit: bool) -> None:
        """Commit or roll back, and give the connection back."""
        ...

    def translated(self) -> AbstractContextManager[None]:
        """Turn the driver's errors into the tree of `kithkin.errors`."""
        ...

    def revision(self) -> str | None:
        """The migration the store stands at; None when it has no tables yet."""
        ...

    def migrating(self) -> "AbstractContextManager[AlchemyEngine]":
        """An engine for Alembic whose transactions exclude all other writers."""
        ...

    def watch(self) -> Watch:
        """Watch for changes, on a connection of its own."""
        ...

    def scrub(self) -> bool:
        """Make sure erased bytes are gone from the files; False when readers hold them back."""
        ...

    def version(self) -> str:
        """The name and version of the database program."""
        ...

    def size(self) -> int:
        """Bytes the store takes."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
