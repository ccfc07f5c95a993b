"""Erase words for good: the hashes stay, so that the ledger still verifies."""

from msgspec import Struct

from kithkin.contacts import store as contacts
from kithkin.core import store as core
from kithkin.core import timeline
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput
from kithkin.ids import PersonId
from kithkin.journeys import people_file
from kithkin.people import store as people
from kithkin.relations import store as relations
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent

_BY_ENTITY = "EntityDelta"


class Erasure(Struct, frozen=True):
    """What was erased, and whether every byte of it has left the files."""

    erased: tuple[str, ...]
    scrubbed: bool


def erase(db: Database, uuid: str, *, by: By) -> Erasure:
    """Erase an item, with what is believed about it, or an entity with its whole history.

    A person goes with their addresses, their merges and their lines in `people.jsonl`.
    """
    with db.transaction() as tx:
        erase_one = _erase_item if soil.exists(tx, uuid) else _erase_entity
        erased = erase_one(tx, uuid, now=by.now)
        event = SystemEvent(event_type="erased", payload={"ids": erased, "actor": by.actor})
        soil.append(tx, event, now=by.now)
    people_file.drop(db, erased)
    return Erasure(erased=tuple(erased), scrubbed=db.engine.scrub())


def _erase_item(tx: Tx, uuid: str, *, now: str) -> list[str]:
    item = soil.get(tx, uuid)
    if item.type == _BY_ENTITY:
        raise InvalidInput(f"{uuid} is one change of an entity: erase the whole entity instead.")
    soil.erase(tx, uuid, now=now)
    if item.type == "Relation":
        relations.erase_metadata(tx, item)
    belief = timeline.override_of(tx, uuid)
    return [uuid, *(_erase_entity(tx, belief.uuid, now=now) if belief else ())]


def _erase_entity(tx: Tx, uuid: str, *, now: str) -> list[str]:
    erased = [uuid, *_of_person(tx, uuid)]
    for one in erased:
        core.erase(tx, one, now=now)
    return erased


def _of_person(tx: Tx, uuid: str) -> list[str]:
    """What names a person beside their own record: their contact, and merges they took part in."""
    if core.get(tx, uuid).type != people.PERSON:
        return []
    contact = contacts.contact_of(tx, PersonId(uuid))
    merges = [merge.id for merge in people.merges_of(tx, uuid)]
    return [*([contact.id] if contact else ()), *merges]
