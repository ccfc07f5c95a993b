"""Every record of one human counts as that human: in trust, and in what replaces what."""

from kithkin.db import Tx
from kithkin.ids import PersonId
from kithkin.memories import store as memories
from kithkin.memories.model import (
    Memory,
    Trust,
)
from kithkin.memories.supersession import (
    Claimed,
    claimed,
)
from kithkin.memories.trust import trust_of
from kithkin.people import store as people


def records_of(tx: Tx, person: PersonId) -> frozenset[PersonId]:
    """Every record of the same human: the one given, those merged into it, what it went into."""
    found = people.get(tx, person)
    top = person
    seen = {person}
    while found is not None and found.merged_into is not None and found.merged_into not in seen:
        top = found.merged_into
        seen.add(top)
        found = people.get(tx, top)
    waiting = [top]
    while waiting:
        for merge in people.merges_of(tx, waiting.pop()):
            below = merge.before.id
            if not merge.undone and below not in seen and merge.plan.primary.id in seen:
                seen.add(below)
                waiting.append(below)
    return frozenset(seen | {top})


def trust_in(tx: Tx, memory: Memory) -> Trust:
    """How far a memory is trusted, all records of a merged person counting as one."""
    said_by = records_of(tx, memory.said_by) if memory.said_by else frozenset()
    return trust_of(memory.about, said_by=said_by)


def claim_of(tx: Tx, memory: Memory) -> Claimed:
    """A memory as a side of a supersession: all records of a human are that human."""
    said_by = records_of(tx, memory.said_by) if memory.said_by else frozenset()
    about: set[PersonId] = set()
    for person in memories.subjects(memory):
        about |= records_of(tx, PersonId(person))
    return claimed(memory, said_by=said_by, about=about)
