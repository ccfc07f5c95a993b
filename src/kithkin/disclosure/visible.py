"""Everything that can be looked at, as one audience may see it: the rule stands before all."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from kithkin.conversations import reference_lookup
from kithkin.conversations import store as conversations
from kithkin.conversations.branch_edit import View as Branch
from kithkin.conversations.model import Resolved
from kithkin.conversations.reader import Step
from kithkin.conversations.reference_lookup import Backlink
from kithkin.core import store as core
from kithkin.core.model import Entity, FieldDiff, Notice, Version
from kithkin.core.timeline import Shown
from kithkin.db import Database
from kithkin.disclosure import explore, items
from kithkin.disclosure.explore import ItemView, Page, Wanted
from kithkin.disclosure.people import Telling
from kithkin.disclosure.rule import Audience
from kithkin.disclosure.view import View
from kithkin.identity.self_person import speaker_in
from kithkin.language.model import AmbiguousRef, DanglingRef, FragmentRef, ItemRef, LogRef
from kithkin.memories.learn import Remembered
from kithkin.memories.model import Memory
from kithkin.people import store as people
from kithkin.people.model import Person
from kithkin.people.prompt import build_people_section
from kithkin.personas import voices
from kithkin.relations import relation_edit
from kithkin.relations.model import Edge
from kithkin.relations.relation_edit import Trace
from kithkin.soil import store as soil
from kithkin.upkeep import project_folder
from kithkin.upkeep.project_folder import Taken

Answer = TypeVar("Answer")
_PAGE = 500


class Seen:
    """A realm as an audience may see it. Without one: as its owner's own eyes do."""

    def __init__(
        self, db: Database, audience: Audience | None, *, now: Callable[[], datetime]
    ) -> None:
        self._db, self._audience, self._now = db, audience, now

    def timeline(self, wanted: Wanted) -> Page:
        """What happened, newest first, as far as it may be seen."""
        if self._audience is None:
            return explore.show_timeline(self._db, wanted)
        with self._view() as view:
            shown = list(islice(self._happened(view, wanted), wanted.limit + 1))
        return explore.page_of(shown, wanted, more=False)

    def item(self, uuid: str) -> ItemView:
        """One item, without connections to what may not be seen."""
        with self._view() as view:
            items.require_item(view, soil.get(view.tx, uuid))
            found = explore.show_item(self._db, uuid)
            edges = tuple(edge for edge in found.relations if items.joins(view, edge))
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

    def entities(
        self, type_name: str | None = None, *, after: str | None = None, limit: int = 100
    ) -> list[Entity]:
        """Entities oldest first, after the one whose id is given."""
        found: list[Entity] = []
        with self._view() as view:
            while len(found) < limit:
                size = limit if self._audience is None else _PAGE
                page = explore.list_entities(self._db, type_name=type_name, after=after, limit=size)
                found += [one for one in page if items.may_see_entity(view, one)]
                if len(page) < size:
                    break
                after = page[-1].uuid
        return found[:limit]

    def changes(
        self, *, after: int | None = None, subscriber: str | None = None, limit: int = 100
    ) -> list[Notice]:
        """Changes of what may be seen, in order after a cursor."""
        found: list[Notice] = []
        with self._view() as view:
            while len(found) < limit:
                size = limit if self._audience is None else _PAGE
                page = explore.changes(self._db, after=after, subscriber=subscriber, limit=size)
                found += [one for one in page if items.sees(view, one.entity_uuid, one.entity_type)]
                if len(page) < size:
                    break
                after = page[-1].cursor
        return found[:limit]

    def around(self, uuid: str) -> list[Edge]:
        """The connections of something with what may be seen."""
        with self._view() as view:
            if not items.sees_end(view, uuid):
                return []
            return [
                edge for edge in relation_edit.around(self._db, uuid) if items.joins(view, edge)
            ]

    def trace(self, uuid: str) -> Trace:
        """What caused something and what it caused, as far as each step may be seen."""
        with self._view() as view:
            items.require_item(view, soil.get(view.tx, uuid))
            found = relation_edit.trace(self._db, uuid)
            causes = [one for one in found.causes if items.sees_item(view, one)]
            effects = [e for e in found.effects if all(items.sees_item(view, one) for one in e)]
        root = causes[-1] if causes else uuid
        return replace(found, root=root, causes=tuple(causes), effects=tuple(effects))

    def steps(self, steps: Iterable[Step]) -> list[Step]:
        """The steps of a story that may be seen."""
        with self._view() as view:
            return [one for one in steps if items.sees_item(view, one.item)]

    def backlinks(self, links: Iterable[Backlink]) -> list[Backlink]:
        """The references from what may be seen."""
        with self._view() as view:
            return [one for one in links if items.sees_end(view, one.source)]

    def references(self, found: Iterable[Resolved]) -> list[Resolved]:
        """References, those to what may not be seen leading nowhere."""
        with self._view() as view:
            return [self._reference(view, one) for one in found]

    def branch(self, shown: Branch) -> Branch:
        """A branch without what may not be seen of it."""
        with self._view() as view:
            kept = [one for one in shown.items if items.may_see_item(view, one)]
            own = [one for one in shown.items[-shown.own :] if one in kept] if shown.own else []
        return replace(shown, items=tuple(kept), own=len(own))

    def gist(self, branch: str) -> str:
        """A branch in a few words that may be seen."""
        with self._view() as view:
            return _gist(view, branch)

    def export(self, project: str | None, folder: Path) -> Taken:
        """Write a project out, without what may not be seen of it."""
        with self._view() as view:
            sees = partial(items.may_see_item, view)
            return project_folder.export(self._db, project, folder, sees=sees)

    def people_section(
        self, speaker: str | None, *, most: int = 50, most_characters: int = 4000
    ) -> str:
        """The known people for a prompt: all names, and only the claims that may be told."""
        with self._view() as view:
            return build_people_section(
                map(Telling(self._audience).person, self._known(view)),
                sender=speaker_in(view.tx, speaker),
                most=most,
                most_characters=most_characters,
            )

    def _known(self, view: View) -> Iterator[Person]:
        """Everybody of the worlds the voice sees."""
        groups = self._audience.groups if self._audience else None
        for person in people.everyone(view.tx, merged=False):
            if groups is None or voices.sees(groups, person):
                yield person

    def people(self, everyone: Iterable[Person]) -> list[Person]:
        """People as they may be told of."""
        return list(map(Telling(self._audience).person, everyone))

    def remembered(self, found: Remembered) -> Remembered:
        """What became of a message, without what others said of the people and things in it."""
        heard = replace(found.heard, person=self.people([found.heard.person])[0])
        return replace(
            found,
            heard=heard,
            persons=tuple(self.people(found.persons)),
            superseded=self.own_words(found.superseded),
        )

    def own_words(self, said: Iterable[Memory]) -> tuple[Memory, ...]:
        """What this audience said itself: what replaces others' words does not repeat them."""
        keys = None if self._audience is None else self._audience.keys
        return tuple(one for one in said if keys is None or one.speaker in keys)

    def _happened(self, view: View, wanted: Wanted) -> Iterator[Shown]:
        asked = replace(wanted, limit=max(wanted.limit, _PAGE))
        while True:
            page = explore.show_timeline(self._db, asked)
            yield from (one for one in page.items if items.may_see_item(view, one.item))
            if page.next is None:
                return
            asked = replace(asked, before=page.next)

    @contextmanager
    def _view(self) -> Iterator[View]:
        with self._db.snapshot() as tx:
            yield View(tx, self._audience, now=self._now())

    def _entity(self, uuid: str, look: Callable[[], Answer]) -> Answer:
        with self._view() as view:
            items.require_entity(view, core.get(view.tx, uuid))
            return look()

    def _reference(self, view: View, one: Resolved) -> Resolved:
        match one.ref:
            case FragmentRef(message_uuid=uuid) | ItemRef(uuid=uuid):
                seen = items.sees_end(view, uuid)
            case AmbiguousRef(candidates):
                seen = all(items.sees_item(view, each.message_uuid) for each in candidates)
            case LogRef(uuid=uuid):
                return replace(one, ref=LogRef(uuid, _gist(view, uuid)))
            case _:
                seen = True
        nowhere = DanglingRef(f"There is nothing for you to see at {one.mention.raw}.")
        return one if seen else replace(one, ref=nowhere)


def _gist(view: View, branch: str) -> str:
    log = conversations.get_log(view.tx, branch)
    return reference_lookup.gist(view.tx, log, sees=partial(items.may_see_item, view))
