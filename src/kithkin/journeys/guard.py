"""The disclosure rule on every other way of looking: items, entities, changes, connections.

What an audience may not see is said not to be there. What nobody can place is not shown: a note, a
tool call or an entity of another kind says nothing of who may hear it.
"""

from kithkin.chats import store as chats
from kithkin.core.model import Entity
from kithkin.errors import NotFound
from kithkin.ids import PersonId
from kithkin.journeys import voices
from kithkin.journeys.view import View
from kithkin.memories import store as memories
from kithkin.memories.disclosure import Shown
from kithkin.people import store as people
from kithkin.search import store as search
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item


def may_see_item(view: View, item: Item) -> bool:
    """Whether an audience may be shown an item: a message, or a change of what it may see."""
    if view.audience is None:
        return True
    if item.type == "EntityDelta":
        fields = fields_of(item)
        return sees(view, fields["entity_uuid"], fields["entity_type"])
    return item.type == "Message" and _is_shown(view, item.uuid)


def may_see_entity(view: View, entity: Entity) -> bool:
    """Whether an audience may be shown an entity with its whole history."""
    return view.audience is None or sees(view, entity.uuid, entity.type)


def sees(view: View, uuid: str, type_name: str = memories.MEMORY) -> bool:
    """The same, by its id and type."""
    if view.audience is None:
        return True
    if type_name == memories.MEMORY:
        return _is_shown(view, uuid)
    if type_name == chats.CHAT:
        return _was_there(view, uuid)
    # A person's record holds who calls them what: it is theirs alone. Names are told elsewhere.
    return type_name == people.PERSON and _is_alone(view, PersonId(uuid))


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
    there = set(chats.get(view.tx, chat).participants)
    return all(hearer.verified and hearer.ids.intersection(there) for hearer in audience.hearers)


def _is_alone(view: View, person: PersonId) -> bool:
    audience = view.audience
    if audience is None or len(audience.hearers) != 1:
        return audience is None
    hearer = audience.hearers[0]
    if not hearer.verified or person not in hearer.ids:
        return False
    # A persona that does not see the real world does not see who its human is there.
    known = people.get(view.tx, person)
    return known is not None and voices.sees(audience.groups, known)
