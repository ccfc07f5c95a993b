"""Record what happened, take back a slip, correct what is believed about it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kithkin.canonical import require_text
from kithkin.clock import stamp
from kithkin.core import timeline
from kithkin.core.model import By, Entity
from kithkin.db import Database
from kithkin.disclosure import indexing
from kithkin.errors import InvalidInput, NotAllowed, UndoRefused
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.search import store as search
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import (
    ArtifactCreated,
    ArtifactDelta,
    Content,
    EntityDelta,
    Item,
    Message,
    Relation,
    SystemEvent,
    Undo,
)
from kithkin.soil.undo import require_undoable

OWN_EVENTS: Final = frozenset(
    (
        "gate",
        "sent",
        "failed",
        "secret_revealed",
        "key_rotated",
        "erased",
        "backup",
        "sweep",
    )
)
"""What only Kithkin itself says that it did."""


def record(
    db: Database,
    content: Content,
    *,
    by: By,
    canonical_at: datetime | None = None,
    because_of: str | None = None,
) -> Item:
    """Append a fact, with what triggered it when that is known."""
    _require_recordable(content)
    happened = stamp(canonical_at) if canonical_at else None
    with db.transaction() as tx:
        item = soil.append(tx, content, now=by.now, canonical_at=happened)
        indexing.index_item(tx, item)
        if because_of:
            cause = End(soil.get(tx, because_of).uuid, "item")
            effect = End(item.uuid, "item")
            relations.relate(tx, KINDS["triggers"], source=cause, target=effect, by=by)
    return item


def undo(db: Database, uuid: str, *, by: By) -> Item:
    """Leave an item out of the timeline, within five minutes of recording it."""
    with db.transaction() as tx:
        item = soil.get(tx, uuid)
        _require_own_words(item)
        require_undoable(item, now=by.now, undone=soil.is_undone(tx, uuid))
        soil.undo(tx, Undo(undoes=uuid, actor=by.actor, reason=by.reason), now=by.now)
        if item.type == "Message":
            search.remove(tx, [item.seq])
    return item


def correct(
    db: Database,
    uuid: str,
    beliefs: Mapping[str, Any],
    *,
    by: By,
    canonical_at: datetime | None = None,
) -> Entity:
    """Believe something else about an item than it says; the item itself never changes."""
    held = dict(beliefs)
    if canonical_at:
        held["canonical_at"] = stamp(canonical_at)
    if not held:
        raise InvalidInput("Say what to correct: a time, or a field and its value.")
    if "item" in held:
        raise InvalidInput("'item' names the item itself; call the belief something else.")
    with db.transaction() as tx:
        soil.get(tx, uuid)
        return timeline.override(tx, uuid, held, by=by)


def _require_own_words(item: Item) -> None:
    """Refuse to take back what Kithkin recorded of itself, or what somebody else wrote."""
    fields = fields_of(item)
    audited = item.type == "SystemEvent" and fields.get("event_type") in OWN_EVENTS
    sent = item.type == "ToolCall" and fields.get("operation") == "send"
    if audited or sent or (item.type == "Message" and fields.get("person")):
        raise UndoRefused("This is a record of what happened: it is erased by the owner, or kept.")


def require_unforged(content: Content) -> None:
    """Refuse what only a connector or Kithkin itself may say that happened."""
    if isinstance(content, Message) and (
        content.verified or content.person or content.chat or content.answers
    ):
        raise NotAllowed(
            "Only a connector says who wrote a message, where, and that it is sure: "
            "`kithkin receive` takes one in."
        )
    if isinstance(content, SystemEvent) and content.event_type in OWN_EVENTS:
        raise NotAllowed(f"A {content.event_type!r} event is written by Kithkin alone.")


def _require_recordable(content: Content) -> None:
    if isinstance(content, EntityDelta | Undo | Relation):
        raise InvalidInput(
            f"A {type(content).__name__} is written by the change it records: change the entity, "
            "undo the item or relate the ends instead."
        )
    require_unforged(content)
    if isinstance(content, ArtifactCreated | ArtifactDelta):
        raise InvalidInput(
            f"A {type(content).__name__} is written by `kithkin artifact`: create or edit one."
        )
    described = getattr(content, "description", None)
    if described is not None and not require_text(described, what="The text").strip():
        raise InvalidInput("There is nothing to record: the text is empty.")
