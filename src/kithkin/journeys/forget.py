"""Erase words for good: the hashes stay, so that the ledger still verifies."""

from msgspec import Struct

from kithkin.artifacts import commits
from kithkin.artifacts import store as artifacts
from kithkin.contacts import store as contacts
from kithkin.conversations import store as conversations
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
_BY_ARTIFACT = "ArtifactDelta"


class Erasure(Struct, frozen=True):
    """What was erased, and whether every byte of it has left the files."""

    erased: tuple[str, ...]
    scrubbed: bool


def erase(db: Database, uuid: str, *, by: By) -> Erasure:
    """Erase an item, with what is believed about it, or an entity with its whole history.

    A person goes with their addresses, their merges and their lines in `people.jsonl`; an artifact
    with every commit and the edits proposed for it.
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
    if item.type == _BY_ARTIFACT:
        raise InvalidInput(f"{uuid} is one commit of an artifact: erase the artifact instead.")
    soil.erase(tx, uuid, now=now)
    conversations.forget_item(tx, uuid)
    if item.type == "Relation":
        relations.erase_metadata(tx, item)
    belief = timeline.override_of(tx, uuid)
    return [uuid, *(_erase_entity(tx, belief.uuid, now=now) if belief else ())]


def _erase_entity(tx: Tx, uuid: str, *, now: str) -> list[str]:
    erased = [uuid, *_of_person(tx, uuid), *_staged_for(tx, uuid)]
    written = _of_artifact(tx, uuid)
    for one in erased:
        core.erase(tx, one, now=now)
    for item in written:
        soil.erase(tx, item, now=now)
    return [*erased, *written]


def _of_person(tx: Tx, uuid: str) -> list[str]:
    """What names a person beside their own record: their contact, and merges they took part in."""
    if core.get(tx, uuid).type != people.PERSON:
        return []
    contact = contacts.contact_of(tx, PersonId(uuid))
    merges = [merge.id for merge in people.merges_of(tx, uuid)]
    return [*([contact.id] if contact else ()), *merges]


def _staged_for(tx: Tx, uuid: str) -> list[str]:
    """The edits that were proposed for an artifact: they quote it."""
    if core.get(tx, uuid).type != artifacts.ARTIFACT:
        return []
    return [proposal.uuid for proposal in artifacts.proposals(tx, uuid, pending=False)]


def _of_artifact(tx: Tx, uuid: str) -> list[str]:
    """The items that hold an artifact's words: its commits, and what it was first called."""
    if core.get(tx, uuid).type != artifacts.ARTIFACT:
        return []
    return [*artifacts.created_by(tx, uuid), *commits.items_of(tx, uuid)]
