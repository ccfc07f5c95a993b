"""What one audience may see: the rule, on everything the index finds."""

from datetime import datetime
from functools import cached_property

import msgspec
from msgspec.structs import replace

from kithkin.contacts import store as contacts
from kithkin.db import Tx
from kithkin.disclosure.access_tokens import Indexed, tokens_for
from kithkin.disclosure.rule import Audience, Decision, Hidden, Shown, decide, has_expired
from kithkin.ids import MemoryId, PersonId, SpeakerKey
from kithkin.memories import store as memories
from kithkin.people.model import Person
from kithkin.search import store as search
from kithkin.search.model import Hit

decode = msgspec.json.Decoder(Indexed)
"""Reads what the index keeps of a document for the rule."""


class View:
    """What one audience may see, within a snapshot. None: the owner, who sees all."""

    def __init__(self, tx: Tx, audience: Audience | None, *, now: datetime) -> None:
        self.tx, self.audience, self.now = tx, audience, now
        self._places = self._common_places()
        self._decided: dict[str, Decision] = {}
        self._successors: dict[str, Decision | None] = {}

    def tokens(self) -> tuple[str, ...] | None:
        """What narrows the index to what this audience may see."""
        return None if self.audience is None else tokens_for(self.audience, self._places)

    def decide(self, indexed: Indexed) -> Decision:
        """Whether this audience may be told; what replaced it is asked first."""
        if self.audience is None:
            return self._decide_for_owner(indexed)
        return self._apply_rule(indexed, self.audience, successor=self._successor(indexed))

    def _apply_rule(
        self, indexed: Indexed, audience: Audience, *, successor: Decision | None
    ) -> Decision:
        record = indexed.record
        if indexed.place in self._places:
            heard = tuple(next(iter(hearer.ids)) for hearer in audience.hearers if hearer.ids)
            record = replace(record, heard_by=heard)
        return decide(record, audience, now=self.now, successor=successor)

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

    def _successor(self, indexed: Indexed) -> Decision | None:
        """Shown if anything that took this one's place, at once or later, may be told.

        The chain is walked once, from its newest end: a fact may have been replaced a thousand
        times, and asking each link about all after it would take exponential time.
        """
        links = self._unjudged_successors(indexed)
        oldest = links[-1][1] if links else indexed
        newer = self._successors.get(oldest.superseded_by or "")
        for memory, link in reversed(links):
            # What was itself replaced by something visible hides the old one all the more.
            if self.audience is not None and not isinstance(newer, Shown):
                newer = self._apply_rule(link, self.audience, successor=newer)
            self._successors[memory] = newer
        return newer

    def _unjudged_successors(self, indexed: Indexed) -> list[tuple[str, Indexed]]:
        """What took its place, oldest first, up to the first that was judged before."""
        links: dict[str, Indexed] = {}
        link = indexed
        while (memory := link.superseded_by) and memory not in self._successors:
            hit = search.get(self.tx, memory)
            if hit is None or memory in links:
                break
            link = links[memory] = decode.decode(hit.record)
        return list(links.items())

    def _common_places(self) -> frozenset[str]:
        if self.audience is None or not self.audience.hearers:
            return frozenset()
        return search.common_places(self.tx, [hearer.ids for hearer in self.audience.hearers])
