"""The facades of the ground: what happened, what is believed, what is connected, what changed."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from kithkin.api.acting import Acting
from kithkin.core import entity_edit
from kithkin.core.model import Entity, FieldDiff, Notice, Version
from kithkin.disclosure import explore
from kithkin.disclosure.explore import ItemView, Page, Wanted
from kithkin.messages import item_record
from kithkin.relations import relation_edit
from kithkin.relations.model import Edge
from kithkin.relations.relation_edit import Trace
from kithkin.soil.content import read_content
from kithkin.soil.model import Content, Item, Note


class Timeline:
    """What happened."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def note(
        self,
        text: str,
        *,
        title: str | None = None,
        at: datetime | None = None,
        because_of: str | None = None,
    ) -> Item:
        """Write something down. `at` says when it happened, if not now."""
        return self.record(Note(description=text, title=title), at=at, because_of=because_of)

    def record(
        self, content: Content, *, at: datetime | None = None, because_of: str | None = None
    ) -> Item:
        """Append a fact of any type, with the item that triggered it when that is known."""
        return item_record.record(
            self._acting.realm,
            content,
            by=self._acting.by(),
            canonical_at=at,
            because_of=because_of,
        )

    def record_json(
        self,
        type_name: str,
        text: str,
        *,
        at: datetime | None = None,
        because_of: str | None = None,
    ) -> Item:
        """Append a fact given as JSON. A type Kithkin does not know is kept byte for byte."""
        return self.record(read_content(type_name, text), at=at, because_of=because_of)

    def undo(self, item: str, *, reason: str | None = None) -> Item:
        """Take back an item within five minutes: it leaves the timeline, not the ledger."""
        return item_record.undo(self._acting.realm, item, by=self._acting.by(reason))

    def correct(
        self,
        item: str,
        beliefs: Mapping[str, Any] | None = None,
        *,
        at: datetime | None = None,
        reason: str | None = None,
    ) -> Entity:
        """Believe something else about an item, such as when it happened. The item stays."""
        return item_record.correct(
            self._acting.realm, item, beliefs or {}, by=self._acting.by(reason), canonical_at=at
        )

    def show(self, item: str, *, speaker: str | None = None, chat: str | None = None) -> ItemView:
        """One item with what is believed about it and what it is connected with."""
        view = self._acting.seen(speaker, chat).item(item)
        self._acting.looked_at(item)
        _keep_alive(self._acting, view.relations)
        return view

    def list(
        self,
        wanted: Wanted | None = None,
        *,
        speaker: str | None = None,
        chat: str | None = None,
    ) -> Page:
        """Items newest first, by type, time, relation or text, a page at a time."""
        return self._acting.seen(speaker, chat).timeline(wanted or Wanted())


class Entities:
    """What is believed now, and how it came to be believed."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def add(
        self,
        type_name: str,
        data: Mapping[str, Any],
        *,
        reason: str | None = None,
        derived_from: str | None = None,
        group_id: str | None = None,
    ) -> Entity:
        """Believe something new."""
        return entity_edit.add(
            self._acting.realm,
            type_name,
            data,
            by=self._acting.by(reason),
            derived_from=derived_from,
            group_id=group_id,
        )

    def change(
        self,
        entity: str,
        fields: Mapping[str, Any],
        *,
        based_on: str | None = None,
        based_on_version: int | None = None,
        reason: str | None = None,
    ) -> Entity:
        """Set fields, None removing one. With `based_on`, only if nobody changed it since."""
        return entity_edit.change(
            self._acting.realm,
            entity,
            fields,
            by=self._acting.by(reason),
            based_on=based_on,
            based_on_version=based_on_version,
        )

    def revert(
        self,
        entity: str,
        to_version: int,
        *,
        based_on: str | None = None,
        reason: str | None = None,
    ) -> Entity:
        """Make it what it was at an earlier version. The history grows; nothing is rewound."""
        return entity_edit.revert(
            self._acting.realm,
            entity,
            to_version=to_version,
            by=self._acting.by(reason),
            based_on=based_on,
        )

    def supersede(self, entity: str, *, superseded_by: str, reason: str | None = None) -> Entity:
        """Mark a belief as replaced by another one."""
        return entity_edit.supersede(
            self._acting.realm, entity, superseded_by=superseded_by, by=self._acting.by(reason)
        )

    def show(self, entity: str, *, speaker: str | None = None, chat: str | None = None) -> Entity:
        """The entity as it is believed now."""
        found = self._acting.seen(speaker, chat).entity(entity)
        self._acting.looked_at(entity)
        return found

    def history(
        self, entity: str, *, speaker: str | None = None, chat: str | None = None
    ) -> list[Version]:
        """Every version: who changed what, when and why."""
        return self._acting.seen(speaker, chat).history(entity)

    def at(
        self,
        entity: str,
        when: datetime,
        *,
        speaker: str | None = None,
        chat: str | None = None,
    ) -> dict[str, Any]:
        """The fields as they were believed at a moment."""
        return self._acting.seen(speaker, chat).at(entity, when)

    def diff(
        self,
        entity: str,
        old: int,
        new: int,
        *,
        speaker: str | None = None,
        chat: str | None = None,
    ) -> list[FieldDiff]:
        """What differs between two versions."""
        return self._acting.seen(speaker, chat).diff(entity, old, new)

    def list(
        self,
        type_name: str | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
        speaker: str | None = None,
        chat: str | None = None,
    ) -> list[Entity]:
        """Entities oldest first, after the one whose id is given."""
        return self._acting.seen(speaker, chat).entities(type_name, after=after, limit=limit)


class Relations:
    """How things are connected, and why anything happened."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def relate(
        self,
        kind: str,
        source: str,
        target: str,
        *,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        reason: str | None = None,
    ) -> Edge:
        """Join two things, such as a cause and its effect."""
        return relation_edit.relate(
            self._acting.realm,
            kind,
            source=source,
            target=target,
            by=self._acting.by(reason),
            confidence=confidence,
            metadata=metadata,
        )

    def unrelate(self, relation: str, *, reason: str | None = None) -> Edge:
        """Take back a connection that has not become a permanent fact."""
        return relation_edit.unrelate(self._acting.realm, relation, by=self._acting.by(reason))

    def around(
        self, uuid: str, *, speaker: str | None = None, chat: str | None = None
    ) -> list[Edge]:
        """Every connection something stands in; looking at them keeps them alive."""
        edges = self._acting.seen(speaker, chat).around(uuid)
        _keep_alive(self._acting, edges)
        return edges

    def trace(self, uuid: str, *, speaker: str | None = None, chat: str | None = None) -> Trace:
        """What caused something, back to the root, and everything it caused."""
        return self._acting.seen(speaker, chat).trace(uuid)


class Changes:
    """What changed since somebody last looked."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(
        self,
        *,
        after: int | None = None,
        subscriber: str | None = None,
        limit: int = 100,
        speaker: str | None = None,
        chat: str | None = None,
    ) -> list[Notice]:
        """Changes in order, after a cursor or after what a subscriber has acknowledged."""
        mine = self._own(subscriber) if subscriber else None
        seen = self._acting.seen(speaker, chat)
        return seen.changes(after=after, subscriber=mine, limit=limit)

    def acknowledge(self, subscriber: str, cursor: int) -> None:
        """Remember that a subscriber has dealt with everything up to a cursor."""
        explore.acknowledge(self._acting.db, self._own(subscriber), cursor)

    def _own(self, subscriber: str) -> str:
        """A registered agent's subscribers are its own."""
        agent = self._acting.agent
        return f"{agent.id} {subscriber}" if agent and subscriber.strip() else subscriber


def _keep_alive(acting: Acting, edges: Iterable[Edge]) -> None:
    for edge in edges:
        if edge.layer == "core":
            acting.looked_at(edge.uuid)
