"""How what is known is told: the context of a prompt, and an answer without a model."""

from collections.abc import Iterable, Sequence

from kithkin.clock import moment
from kithkin.db import Database, Tx
from kithkin.memories import recall
from kithkin.memories.recall import Recalled
from kithkin.people import store as people
from kithkin.people.prompt import escaped


def context(db: Database, found: Sequence[Recalled], *, tokens: int) -> str:
    """What was recalled, for a prompt: within a bound, and marked so that it is never learned."""
    with db.snapshot() as tx:
        return recall.context(found, lambda person: name_of(tx, person), tokens=tokens)


def name_of(tx: Tx, person: str) -> str:
    """A person's name, on one line and without markup."""
    known = people.get(tx, person)
    return escaped(known.name) if known else "somebody"


def joined(parts: Iterable[str]) -> str:
    """A list as people say it; nothing, of an empty one."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def day(when: str) -> str:
    """A day as people say it: "15 Nov"."""
    moment_ = moment(when)
    return f"{moment_.day} {moment_:%b}"
