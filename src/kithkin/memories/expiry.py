"""Let go of what has had its time: expired memories, and passing ones nobody was sure of."""

from datetime import datetime

from msgspec import Struct

from kithkin.clock import moment
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.memories import store as memories
from kithkin.memories.lifetimes import has_decayed
from kithkin.memories.memory_edit import archive
from kithkin.memories.model import Memory

_END = 2**62
_PAGE = 500


class Faded(Struct, frozen=True):
    """What was archived, or would be, by reason."""

    expired: tuple[str, ...] = ()
    decayed: tuple[str, ...] = ()
    done: bool = False


def fade(db: Database, *, by: By, dry_run: bool = True) -> Faded:
    """Archive what expired and what decayed. Everything stays in its history."""
    now = moment(by.now)
    with db.transaction() as tx:
        expired = memories.expired(tx, now)
        gone = {memory.id for memory in expired}
        decayed = [one for one in _standing(tx) if one.id not in gone and _decayed(one, now)]
        if not dry_run:
            for memory in expired:
                archive(tx, memory, "expired", by=by)
            for memory in decayed:
                archive(tx, memory, "decayed", by=by)
    return Faded(tuple(gone), tuple(one.id for one in decayed), done=not dry_run)


def _standing(tx: Tx) -> list[Memory]:
    found: list[Memory] = []
    after = _END
    while page := memories.listed(tx, after=after, limit=_PAGE, everything=False):
        after = page[-1][0]
        found += [memory for _, memory in page]
    return found


def _decayed(memory: Memory, now: datetime) -> bool:
    return has_decayed(
        memory.kind, confidence=memory.confidence, observed_at=memory.observed_at, now=now
    )
