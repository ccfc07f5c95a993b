"""Kithkin: the facade an agent is given. Nothing here can do what is the owner's alone."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from kithkin.acting import Acting
from kithkin.core.model import Entity, FieldDiff, Notice, Version
from kithkin.db import Database
from kithkin.ids import PersonId
from kithkin.journeys import connect, explore, identify, merge, people_file, record, revise
from kithkin.journeys.connect import Trace
from kithkin.journeys.explore import ItemView, Page, Wanted
from kithkin.journeys.identify import Introduced, Met
from kithkin.people.duplicates import Pair
from kithkin.people.model import Context, Person, Resolution
from kithkin.people.store import Merge
from kithkin.ports import Clock
from kithkin.relations.model import Edge
from kithkin.soil.content import read_content
from kithkin.soil.model import Content, Item, Note


class People:
    """Who everyone is, who they are to whom, and who is meant."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def find(self, reference: str, *, context: Context | None = None) -> Resolution:
        """Who is meant by a name or handle, whoever asks: Found, Ambiguous or Unknown."""
        return self._resolved(reference, None, context)

    def find_for_speaker(
        self, reference: str, speaker: str, *, context: Context | None = None
    ) -> Resolution:
        """Who a speaker (`channel:id`) means, looking among their own people first."""
        return self._resolved(reference, speaker, context)

    def resolve_or_create(
        self,
        reference: str,
        *,
        speaker: str | None = None,
        content_hint: str = "",
        context: Context | None = None,
    ) -> Introduced:
        """Who is meant, or a new person from the reference and the sentence it stood in."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.resolve_or_create(
                self._acting.db,
                reference,
                speaker=speaker,
                hint=content_hint,
                context=context,
                by=self._acting.by(),
            )

    def ensure_self(
        self, speaker: str, *, username: str | None = None, name: str | None = None
    ) -> Met:
        """The speaker's own person, anchored on the channel's stable id."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.ensure_self(
                self._acting.db, speaker, username=username, name=name, by=self._acting.by()
            )

    def get(self, person: str) -> Person:
        """The record with this id, merged or not."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.get(self._acting.db, person)

    def list_all(self) -> list[Person]:
        """Everybody, without records that were merged into another."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.everyone(self._acting.db, merged=False)

    def get_all(self) -> list[Person]:
        """Every record, merged ones too."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.everyone(self._acting.db, merged=True)

    def find_person_ids_for_username(self, username: str) -> list[PersonId]:
        """The people who go by a username or name, whoever added it."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.find_person_ids_for_username(self._acting.db, username)

    def rename(self, person: str, name: str) -> Person:
        """Give a person another name; the old one stays as an alias."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.rename(self._acting.db, person, name, by=self._acting.by())

    def add_alias(self, person: str, alias: str, *, speaker: str | None = None) -> Person:
        """Another name, handle or phrase for a person, with who added it."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.add_alias(
                self._acting.db, person, alias, speaker=speaker, by=self._acting.by()
            )

    def remove_alias(self, person: str, alias: str, *, speaker: str | None = None) -> Person:
        """Take an alias away. What somebody added for themselves only they can remove."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.remove_alias(
                self._acting.db, person, alias, speaker=speaker, by=self._acting.by()
            )

    def claim_relationship(self, person: str, relationship: str, *, speaker: str) -> Person:
        """State what a person is to a speaker; others' claims stand beside it."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.claim_relationship(
                self._acting.db, person, relationship, speaker=speaker, by=self._acting.by()
            )

    def unclaim_relationship(
        self, person: str, relationship: str, *, speaker: str | None = None
    ) -> Person:
        """Take a claim back."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.unclaim_relationship(
                self._acting.db, person, relationship, speaker=speaker, by=self._acting.by()
            )

    def duplicates(self) -> list[Pair[PersonId]]:
        """Pairs of records that may be one person, with reasons. Nothing is merged."""
        people_file.read(self._acting.db, by=self._acting.by)
        return merge.duplicates(self._acting.db)

    def merges(self, person: str) -> list[Merge]:
        """Every merge a person took part in."""
        return merge.merges_of(self._acting.db, person)

    def prompt_section(
        self, *, speaker: str | None = None, most: int = 50, most_characters: int = 4000
    ) -> str:
        """The known people as an agent's prompt tells of them, the sender left out."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.prompt_section(
            self._acting.db, speaker=speaker, most=most, most_characters=most_characters
        )

    def _resolved(self, reference: str, speaker: str | None, context: Context | None) -> Resolution:
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.resolve(self._acting.db, reference, speaker=speaker, context=context)


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
        return record.record(
            self._acting.db,
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
        return record.undo(self._acting.db, item, by=self._acting.by(reason))

    def correct(
        self,
        item: str,
        beliefs: Mapping[str, Any] | None = None,
        *,
        at: datetime | None = None,
        reason: str | None = None,
    ) -> Entity:
        """Believe something else about an item, such as when it happened. The item stays."""
        return record.correct(
            self._acting.db, item, beliefs or {}, by=self._acting.by(reason), canonical_at=at
        )

    def show(self, item: str) -> ItemView:
        """One item with what is believed about it and what it is connected with."""
        self._acting.looked_at(item)
        return explore.show_item(self._acting.db, item)

    def list(self, wanted: Wanted | None = None) -> Page:
        """Items newest first, by type, time, relation or text, a page at a time."""
        return explore.show_timeline(self._acting.db, wanted or Wanted())


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
        return revise.add(
            self._acting.db,
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
        return revise.change(
            self._acting.db,
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
        return revise.revert(
            self._acting.db,
            entity,
            to_version=to_version,
            by=self._acting.by(reason),
            based_on=based_on,
        )

    def supersede(self, entity: str, *, superseded_by: str, reason: str | None = None) -> Entity:
        """Mark a belief as replaced by another one."""
        return revise.supersede(
            self._acting.db, entity, superseded_by=superseded_by, by=self._acting.by(reason)
        )

    def show(self, entity: str) -> Entity:
        """The entity as it is believed now."""
        self._acting.looked_at(entity)
        return explore.show_entity(self._acting.db, entity)

    def history(self, entity: str) -> list[Version]:
        """Every version: who changed what, when and why."""
        return explore.history(self._acting.db, entity)

    def at(self, entity: str, when: datetime) -> dict[str, Any]:
        """The fields as they were believed at a moment."""
        return explore.at(self._acting.db, entity, when)

    def diff(self, entity: str, old: int, new: int) -> list[FieldDiff]:
        """What differs between two versions."""
        return explore.compare(self._acting.db, entity, old, new)

    def list(
        self, type_name: str | None = None, *, after: str | None = None, limit: int = 100
    ) -> list[Entity]:
        """Entities oldest first, after the one whose id is given."""
        return explore.list_entities(self._acting.db, type_name=type_name, after=after, limit=limit)


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
        return connect.relate(
            self._acting.db,
            kind,
            source=source,
            target=target,
            by=self._acting.by(reason),
            confidence=confidence,
            metadata=metadata,
        )

    def unrelate(self, relation: str, *, reason: str | None = None) -> Edge:
        """Take back a connection that has not become a permanent fact."""
        return connect.unrelate(self._acting.db, relation, by=self._acting.by(reason))

    def around(self, uuid: str) -> list[Edge]:
        """Every connection something stands in; looking at them keeps them alive."""
        edges = connect.around(self._acting.db, uuid)
        for edge in edges:
            if edge.layer == "core":
                self._acting.looked_at(edge.uuid)
        return edges

    def trace(self, uuid: str) -> Trace:
        """What caused something, back to the root, and everything it caused."""
        return connect.trace(self._acting.db, uuid)


class Changes:
    """What changed since somebody last looked."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(
        self, *, after: int | None = None, subscriber: str | None = None, limit: int = 100
    ) -> list[Notice]:
        """Changes in order, after a cursor or after what a subscriber has acknowledged."""
        return explore.changes(self._acting.db, after=after, subscriber=subscriber, limit=limit)

    def acknowledge(self, subscriber: str, cursor: int) -> None:
        """Remember that a subscriber has dealt with everything up to a cursor."""
        explore.acknowledge(self._acting.db, subscriber, cursor)


class Kithkin:
    """One realm, as somebody who acts in it may use it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting
        self.people = People(acting)
        self.timeline = Timeline(acting)
        self.entities = Entities(acting)
        self.relations = Relations(acting)
        self.changes = Changes(acting)

    @classmethod
    def open(
        cls,
        where: str | Path,
        *,
        realm: str = "kithkin",
        actor: str = "owner",
        clock: Clock | None = None,
        create: bool = True,
    ) -> Self:
        """Open a folder, made if it is not there, or a `postgresql://` address."""
        db = Database.open(where, realm=realm, create=create)
        return cls(Acting(db, actor=actor, clock=clock))

    def full_id(self, start: str) -> str:
        """The one id that begins so: people copy the start of an id."""
        return explore.full_id(self._acting.db, start)

    def close(self) -> None:
        """Write what is waiting and close the realm."""
        self._acting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
