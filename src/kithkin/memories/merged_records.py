"""A memory's trust and claims, with every record of a merged person counted as that person."""

from kithkin.db import Tx
from kithkin.identity.records import records_of
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
