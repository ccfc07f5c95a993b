"""The disclosure rule on every other way of looking: items, entities, changes, connections.

What an audience may not see is said not to be there. What nobody said is taken for the private word
of whoever it belongs to.
"""

from collections.abc import Collection

from kithkin.chats import store as chats
from kithkin.core import store as core
from kithkin.core import timeline
from kithkin.core.model import Entity
from kithkin.disclosure import ownership
from kithkin.disclosure.rule import Record, Shown, decide
from kithkin.disclosure.view import View
from kithkin.errors import NotFound
from kithkin.ids import PersonId
from kithkin.memories import store as memories
from kithkin.people import store as people
from kithkin.relations import store as relations
from kithkin.relations.model import Edge
from kithkin.search import store as search
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item


def may_see_item(view: View, item: Item) -> bool:
    """Whether an audience may be shown an item; one whose words are erased is the owner's alone."""
    if view.audience is None or item.data is None:
        return view.audience is None
    fields = fields_of(item)
    match item.type:
        case "EntityDelta":
            return sees(view, fields["entity_uuid"], fields["entity_type"])
        case "Message" if fields.get("chat"):
            return _is_shown(view, item.uuid)
        case "Undo":
            return sees_item(view, fields["undoes"])
        case "Relation":
            return sees_end(view, fields["source"]) and sees_end(view, fields["target"])
        case _:
            return _is_of(view, ownership.of_item(view.tx, fields))


def may_see_entity(view: View, entity: Entity) -> bool:
    """Whether an audience may be shown an entity with its whole history."""
    return view.audience is None or sees(view, entity.uuid, entity.type)


def sees(view: View, uuid: str, type_name: str = memories.MEMORY) -> bool:
    """The same, by its id and type."""
    if view.audience is None:
        return True
    match type_name:
        case memories.MEMORY:
            return _is_shown(view, uuid)
        case chats.CHAT:
            return _was_there(view, uuid)
        case people.PERSON:
            # The record holds who calls them what: it is theirs alone. Names are told elsewhere.
            return _is_of(view, [PersonId(uuid)])
        case timeline.OVERRIDE | relations.RELATION:
            return _sees_ends(view, core.get(view.tx, uuid))
        case _:
            return _is_of(view, ownership.of_entity(view.tx, uuid, type_name))


def sees_item(view: View, uuid: str) -> bool:
    """Whether an audience may be shown the item of that id."""
    return soil.exists(view.tx, uuid) and may_see_item(view, soil.get(view.tx, uuid))


def sees_end(view: View, uuid: str) -> bool:
    """Whether an audience may be shown what a connection leads to."""
    if view.audience is None:
        return True
    # A fragment is a part of its message, named before the mark.
    whole = uuid.partition("#")[0]
    if core.exists(view.tx, whole):
        return may_see_entity(view, core.get(view.tx, whole))
    return sees_item(view, whole)


def joins(view: View, edge: Edge) -> bool:
    """Whether an audience may be shown a connection: both its ends."""
    return sees_end(view, edge.source.id) and sees_end(view, edge.target.id)


def require_item(view: View, item: Item) -> None:
    """Refuse what may not be seen, in the words for what is not there."""
    if not may_see_item(view, item):
        raise NotFound(f"There is no item {item.uuid} for you to see.")


def require_entity(view: View, entity: Entity) -> None:
    """The same for an entity."""
    if not may_see_entity(view, entity):
        raise NotFound(f"There is no entity {entity.uuid} for you to see.")


def _is_shown(view: View, uuid: str) -> bool:
    hit = search.get(view.tx, uuid)
    return hit is not None and isinstance(view.decide_hit(hit), Shown)


def _was_there(view: View, chat: str) -> bool:
    audience = view.audience
    if audience is None or not audience.hearers:
        return audience is None
    if core.get(view.tx, chat).data is None:
        return False
    there = set(chats.get(view.tx, chat).participants)
    return all(hearer.verified and hearer.ids.intersection(there) for hearer in audience.hearers)


def is_alone(view: View, person: PersonId) -> bool:
    """Whether somebody is certainly the only one who hears it."""
    return _is_of(view, [person])


def _is_of(view: View, persons: Collection[PersonId]) -> bool:
    """Whether it is the private word of whoever hears it."""
    audience = view.audience
    return audience is None or any(
        isinstance(decide(Record(source="private", said_by=one), audience, now=view.now), Shown)
        for one in persons
    )


def _sees_ends(view: View, entity: Entity) -> bool:
    """What is believed of an item, or of two things, is as visible as they are."""
    data = entity.data or {}
    ends = [data[name] for name in ("item", "source", "target") if name in data]
    return bool(ends) and all(sees_end(view, end) for end in ends)
