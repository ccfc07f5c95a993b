"""What one audience may see: the rule, on everything the index finds."""

from datetime import datetime
from functools import cached_property
from typing import Final

import msgspec
from msgspec.structs import replace

from kithkin.contacts import store as contacts
from kithkin.db import Tx
from kithkin.ids import MemoryId, PersonId, SpeakerKey
from kithkin.memories import store as memories
from kithkin.memories.access import Indexed, tokens_for
from kithkin.memories.disclosure import Audience, Decision, Hidden, Shown, decide
from kithkin.memories.lifetimes import has_expired
from kithkin.people.model import Person
from kithkin.search import store as search
from kithkin.search.model import Hit

_LONGEST_CHAIN: Final = 20
decode = msgspec.json.Decoder(Indexed)
"""Reads what the index keeps of a document for the rule."""


class View:
    """What one audience may see, within a snapshot. None: the owner, who sees all."""

    def __init__(self, tx: Tx, audience: Audience | None, *, now: datetime) -> None:
        self.tx, self.audience, self.now = tx, audience, now
        self._places = self._common_places()
        self._decided: dict[str, Decision] = {}

    def tokens(self) -> tuple[str, ...] | None:
        """What narrows the index to what this audience may see."""
        return None if self.audience is None else tokens_for(self.audience, self._places)

    def decide(self, indexed: Indexed, *, depth: int = 0) -> Decision:
        """Whether this audience may be told; what replaced it is asked first."""
        if self.audience is None:
            return self._decide_for_owner(indexed)
        record = indexed.record
        if indexed.place in self._places:
            heard = tuple(next(iter(hearer.ids)) for hearer in self.audience.hearers if hearer.ids)
            record = replace(record, heard_by=heard)
        newer = self._newer(indexed, depth) if indexed.superseded_by else None
        return decide(record, self.audience, now=self.now, successor=newer)

    def _decide_for_owner(self, indexed: Indexed) -> Decision:
        record = indexed.record
        over = has_expired(record.expires_at, now=self.now)
        if record.state != "kept" or indexed.superseded_by is not None or over:
            return Hidden("it no longer stands")
        return Shown("the owner sees all")

    def decide_hit(self, hit: Hit) -> Decision:
        """The decision on something the index found."""
        if hit.id in self._held and self._is_replaced(hit.id):
            return Hidden("this persona was told something else, which waits for a human's word")
        # Most of what was said in one chat has the very same record.
        decision = self._decided.get(hit.record)
        if decision is None:
            decision = self._decided[hit.record] = self.decide(decode.decode(hit.record))
        return decision

    @cached_property
    def _held(self) -> dict[str, MemoryId]:
        """What the voice goes on seeing otherwise than everybody else."""
        persona = self.audience.persona if self.audience else None
        return memories.held_by(self.tx, persona) if persona else {}

    def _is_replaced(self, memory: str) -> bool:
        hit = search.get(self.tx, self._held[memory])
        return hit is not None and isinstance(self.decide_hit(hit), Shown)

    @cached_property
    def present(self) -> frozenset[PersonId]:
        """Every record of everyone who will read the answer."""
        hearers = self.audience.hearers if self.audience else ()
        return frozenset(one for hearer in hearers for one in hearer.ids)

    def knows(self, person: Person) -> bool:
        """Whether somebody who will read the answer has spoken of this person."""
        said = {claim.stated_by for claim in person.relationships} | {person.created_by}
        return bool(self._keys.intersection(said | {alias.added_by for alias in person.aliases}))

    @cached_property
    def _keys(self) -> frozenset[SpeakerKey]:
        return frozenset(key for one in self.present for key in contacts.keys_of(self.tx, one))

    def _newer(self, indexed: Indexed, depth: int) -> Decision | None:
        hit = search.get(self.tx, indexed.superseded_by or "")
        if hit is None or depth >= _LONGEST_CHAIN:
            return None
        newer = decode.decode(hit.record)
        decision = self.decide(newer, depth=depth + 1)
        # What was itself replaced by something visible hides the old one all the more.
        replaced = newer.superseded_by and isinstance(self._newer(newer, depth + 1), Shown)
        return Shown("something newer still") if replaced else decision

    def _common_places(self) -> frozenset[str]:
        if self.audience is None or not self.audience.hearers:
            return frozenset()
        return search.common_places(self.tx, [hearer.ids for hearer in self.audience.hearers])
