"""Everything that can be looked at, as one audience may see it: the rule stands before all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kithkin.core import notices
from kithkin.core import store as core
from kithkin.core.model import Entity, FieldDiff, Notice, Version
from kithkin.db import Database
from kithkin.ids import PersonId
from kithkin.journeys import connect, explore, guard, voices
from kithkin.journeys.connect import Trace
from kithkin.journeys.explore import ItemView, Page, Wanted
from kithkin.journeys.identify import Directory, speaker_in
from kithkin.journeys.view import View
from kithkin.memories.disclosure import Audience, Record, Shown, decide
from kithkin.people import store as people
from kithkin.people.model import Person, RelationshipClaim, Speaker
from kithkin.people.prompt import build_people_section
from kithkin.relations import store as relations
from kithkin.relations.model import Edge, End
from kithkin.soil import store as soil

Answer = TypeVar("Answer")
_MOST_PAGES = 1000


class Seen:
    """A realm as an audience may see it."""

    def __init__(self, db: Database, audience: Audience, *, now: Callable[[], datetime]) -> None:
        self._db, self._audience, self._now = db, audience, now

    def timeline(self, wanted: Wanted) -> Page:
        """What happened, newest first, as far as it may be seen."""
        shown = []
        asked = wanted
        with self._view() as view:
            for _ in range(_MOST_PAGES):
                page = explore.show_timeline(self._db, asked)
                shown += [one for one in page.items if guard.may_see_item(view, one.item)]
                if len(shown) >= wanted.limit or page.next is None:
                    break
                asked = replace(asked, before=page.next)
        more = page.next if len(shown) <= wanted.limit else None
        return Page(items=tuple(shown[: wanted.limit]), next=more)

    def item(self, uuid: str) -> ItemView:
        """One item, without connections to what may not be seen."""
        with self._view() as view:
            guard.require_item(view, soil.get(view.tx, uuid))
            found = explore.show_item(self._db, uuid)
            edges = tuple(edge for edge in found.relations if self._joins(view, edge))
        return replace(found, relations=edges)

    def entity(self, uuid: str) -> Entity:
        """An entity as it is believed now."""
        return self._entity(uuid, lambda: explore.show_entity(self._db, uuid))

    def history(self, uuid: str) -> list[Version]:
        """Every version of an entity."""
        return self._entity(uuid, lambda: explore.history(self._db, uuid))

    def at(self, uuid: str, when: datetime) -> dict[str, Any]:
        """An entity as it was believed at a moment."""
        return self._entity(uuid, lambda: explore.at(self._db, uuid, when))

    def diff(self, uuid: str, old: int, new: int) -> list[FieldDiff]:
        """What differs between two versions."""
        return self._entity(uuid, lambda: explore.compare(self._db, uuid, old, new))

    def entities(self, type_name: str | None = None, *, limit: int = 100) -> list[Entity]:
        """Entities oldest first."""
        found: list[Entity] = []
        place = ("", "")
        with self._view() as view:
            while page := core.listed(view.tx, type_name=type_name, after=place, limit=500):
                found += [one for one in page if guard.may_see_entity(view, one)]
                place = (page[-1].created_at, page[-1].uuid)
                if len(found) >= limit:
                    break
        return found[:limit]

    def changes(self, *, after: int = 0, limit: int = 100) -> list[Notice]:
        """Changes of what may be seen, in order after a cursor."""
        found: list[Notice] = []
        with self._view() as view:
            while page := notices.after(view.tx, after, limit=500):
                found += [one for one in page if guard.sees(view, one.entity_uuid, one.entity_type)]
                after = page[-1].cursor
                if len(found) >= limit:
                    break
        return found[:limit]

    def around(self, uuid: str) -> list[Edge]:
        """The connections of something with what may be seen."""
        with self._view() as view:
            if not self._sees_end(view, End(uuid, _end_type(view, uuid))):
                return []
            return [edge for edge in relations.around(view.tx, uuid) if self._joins(view, edge)]

    def trace(self, uuid: str) -> Trace:
        """What caused something and what it caused, as far as each step may be seen."""
        with self._view() as view:
            guard.require_item(view, soil.get(view.tx, uuid))
            found = connect.trace(self._db, uuid)
            seen = [one for one in found.causes if self._sees_item(view, one)]
            effects = [one for one in found.effects if all(self._sees_item(view, e) for e in one)]
        root = seen[-1] if seen else uuid
        return replace(found, root=root, causes=tuple(seen), effects=tuple(effects))

    def people_section(self, speaker: str, *, most: int = 50, most_characters: int = 4000) -> str:
        """The known people for a prompt: all names, and only the claims that may be told."""
        with self._view() as view:
            sender = speaker_in(view.tx, speaker)
            telling = _Telling(Directory(view.tx), self._audience, sender, self._now())
            return build_people_section(
                map(telling.as_told, filter(telling.sees, people.everyone(view.tx, merged=False))),
                sender=sender,
                most=most,
                most_characters=most_characters,
            )

    @contextmanager
    def _view(self) -> Iterator[View]:
        with self._db.snapshot() as tx:
            yield View(tx, self._audience, now=self._now())

    def _entity(self, uuid: str, look: Callable[[], Answer]) -> Answer:
        with self._view() as view:
            guard.require_entity(view, core.get(view.tx, uuid))
            return look()

    def _joins(self, view: View, edge: Edge) -> bool:
        return self._sees_end(view, edge.source) and self._sees_end(view, edge.target)

    def _sees_end(self, view: View, end: End) -> bool:
        if end.type == "item":
            return self._sees_item(view, end.id)
        return core.exists(view.tx, end.id) and guard.may_see_entity(
            view, core.get(view.tx, end.id)
        )

    def _sees_item(self, view: View, uuid: str) -> bool:
        return soil.exists(view.tx, uuid) and guard.may_see_item(view, soil.get(view.tx, uuid))


def _end_type(view: View, uuid: str) -> Any:
    return "item" if soil.exists(view.tx, uuid) else "entity"


class _Telling(Struct, frozen=True):
    """Whom a person is told about, to decide on each claim: what somebody is to me is mine."""

    within: Directory
    audience: Audience
    sender: Speaker | None
    now: datetime

    def sees(self, person: Person) -> bool:
        """Whether the person belongs to a group that the voice sees."""
        return voices.sees(self.audience.groups, person)

    def as_told(self, person: Person) -> Person:
        """The person with the claims that may be told."""
        claims = tuple(claim for claim in person.relationships if self._may_tell(claim, person))
        # The group that is a persona's alone has no name to be told.
        groups = tuple(one for one in person.groups if one != self.audience.persona)
        return replace(person, relationships=claims, groups=groups)

    def _may_tell(self, claim: RelationshipClaim, person: Person) -> bool:
        alone = len(self.audience.hearers) == 1 and self.sender is not None
        if alone and self.sender and claim.stated_by in self.sender.keys:
            return True
        said_by = claim.stated_by if claim.stated_by and ":" in claim.stated_by else None
        sayer = self.within.person_of(said_by) if said_by else None
        record = Record(source="private", said_by=sayer, subjects=(PersonId(person.id),))
        return isinstance(decide(record, self.audience, now=self.now), Shown)
