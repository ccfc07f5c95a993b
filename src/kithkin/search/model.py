"""What is indexed, what is asked, and what is found."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import Struct

DocKind = Literal["message", "memory"]
ASKS: Final = 1
"""It is a question: what follows it answers it."""
TIMED: Final = 2
"""It speaks of a day or a time."""


class Doc(Struct, frozen=True):
    """One thing that can be found. Its place in the index is its place in the ledger."""

    seq: int
    id: str
    kind: DocKind
    text: str
    acl: tuple[str, ...]
    """Tokens of who may see it; only whoever holds one of them is looked for."""
    said_at: str
    chat: str | None = None
    said_by: str | None = None
    marks: int = 0
    """ASKS and TIMED, or neither."""
    record: str = "{}"
    """Kept for whoever decides who may see it: the index does not read it."""


class Query(Struct, frozen=True):
    """Words to look for; with `acl`, only among what one of these tokens opens."""

    words: tuple[str, ...]
    acl: tuple[str, ...] | None = None
    """None: everything, for the owner alone."""


class Hit(Struct, frozen=True):
    """Something found, without its words."""

    seq: int
    id: str
    kind: DocKind
    chat: str | None
    said_by: str | None
    said_at: str
    marks: int
    record: str
    score: float = 0.0


def hit_of(row: Sequence[Any], score: float = 0.0) -> Hit:
    """A row of the index as it is found."""
    seq, doc, kind, chat, said_by, said_at, marks, record = row[:8]
    return Hit(seq, doc, kind, chat, said_by, said_at, marks, record, score)


class Beside(Struct, frozen=True):
    """A turn beside one that was found: how many turns after it, or before."""

    of: int
    """The place of the one that was found."""
    steps: int
    hit: Hit
