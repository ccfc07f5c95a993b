"""Erase words for good: the hashes stay, so that the ledger still verifies."""

from collections.abc import Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

from kithkin.artifacts import commits
from kithkin.artifacts import store as artifacts
from kithkin.auth import store as door
from kithkin.chats import store as chats
from kithkin.contacts import store as contacts
from kithkin.conversations import store as conversations
from kithkin.core import store as core
from kithkin.core import timeline
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import InvalidInput
from kithkin.identity import people_file
from kithkin.identity.records import records_of
from kithkin.ids import PersonId
from kithkin.memories import store as memories
from kithkin.memories.memory_edit import archive
from kithkin.memories.model import Memory
from kithkin.people import store as people
from kithkin.questions import store as questions
from kithkin.relations import store as relations
from kithkin.search import store as search
from kithkin.search import vectors
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import SystemEvent
from kithkin.upkeep import person_erasure

_BY_ENTITY = "EntityDelta"
_BY_ARTIFACT = "ArtifactDelta"


class Erasure(Struct, frozen=True):
    """What was erased, and whether every byte of it has left the files."""

    erased: tuple[str, ...]
    scrubbed: bool


class Forgetting(Struct, frozen=True):
    """What was forgotten, or would be."""

    what: str
    memories: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    """The person, their contact, merges and private chats; or the chat itself."""
    mentions: tuple[str, ...] = ()
    """Messages of others that something forgotten was taken from: they stay, unless asked."""
    backups: tuple[str, ...] = ()
    """Backups that still hold it: delete them, or keep them knowingly."""
    archive_reason: str = "forgotten"
    done: bool = False
    scrubbed: bool = False


class Manner(Struct, frozen=True):
    """How to forget. As usual: erase everything, and not the words of others."""

    done: bool = False
    """False: only say what would go."""
    erase: bool = True
    """False: archive the memories as forgotten, and leave every word where it is."""
    keep_record: bool = False
    """Leave the person's own record."""
    with_mentions: bool = False
    """Erase messages of others that speak of the person too."""


def erase(db: Database, uuid: str, *, by: By) -> Erasure:
    """Erase an item, with what is believed of it, or an entity with its whole history.

    A person goes with their addresses, their merges and their lines in `people.jsonl`; an artifact
    with every commit and the edits proposed for it.
    """
    with db.transaction() as tx:
        erase_one = _erase_item if soil.exists(tx, uuid) else _erase_entity
        erased = erase_one(tx, uuid, now=by.now)
        door.forget_replies(tx)
        search.scrub(tx)
        event = SystemEvent(event_type="erased", payload={"ids": erased, "actor": by.actor})
        soil.append(tx, event, now=by.now)
    people_file.drop(db, erased)
    return Erasure(erased=tuple(erased), scrubbed=db.engine.scrub())


def forget_memory(db: Database, memory: str, manner: Manner, *, by: By) -> Forgetting:
    """Forget one thing, with the message it was taken from and all that those words taught."""
    with db.snapshot() as tx:
        known = memories.get(tx, memory)
        same = memories.from_item(tx, known.item) if known.item else [known]
        plan = Forgetting(
            what=memory,
            memories=tuple(one.id for one in same if one.quote == known.quote or one == known),
            messages=(known.item,) if known.item and not _is_erased(tx, known.item) else (),
        )
    return _carry_out(db, plan, manner, by=by)


def forget_person(db: Database, person: str, manner: Manner, *, by: By) -> Forgetting:
    """Forget somebody: what they said, what is known of them, and who they are."""
    with db.snapshot() as tx:
        ids = records_of(tx, people.require(tx, person).id)
        plan = _of_person_plan(tx, person, ids, manner)
    done = _carry_out(db, plan, manner, by=by)
    if done.done and plan.records:
        with db.transaction() as tx:
            _leave_chats(tx, ids, by=by)
    return done


def forget_chat(db: Database, chat: str, manner: Manner, *, by: By) -> Forgetting:
    """Forget everything that was said in a chat, and what was learned there."""
    with db.snapshot() as tx:
        known = chats.get(tx, chat)
        plan = Forgetting(
            what=known.id,
            memories=tuple(one.id for one in memories.learned_in(tx, known.id)),
            messages=tuple(hit.id for hit in search.said_in(tx, known.id)),
            records=() if manner.keep_record else (known.id,),
        )
    return _carry_out(db, plan, manner, by=by)


def _leave_chats(tx: Tx, ids: Collection[PersonId], *, by: By) -> None:
    """Whoever is forgotten reads no answers: an unknown reader would close the chat to the rest."""
    for chat in sorted({place.rpartition("@")[0] for place in search.places_of(tx, ids)}):
        if core.get(tx, chat).data is not None:
            known = chats.get(tx, chat)
            left = tuple(one for one in known.participants if one not in ids)
            chats.save(tx, replace(known, participants=left), by=by)


def _of_person_plan(tx: Tx, person: str, ids: Collection[PersonId], manner: Manner) -> Forgetting:
    about = memories.all_about(tx, ids)
    known = {one.id: one for one in (*about, *memories.said_by(tx, ids))}
    own = [hit.id for hit in search.said_by(tx, ids) if hit.kind == "message"]
    mentions = _sources(tx, known.values(), besides=own)
    return Forgetting(
        what=person,
        memories=tuple(known),
        messages=tuple([*own, *mentions] if manner.with_mentions else own),
        records=() if manner.keep_record else tuple(_records(tx, ids)),
        mentions=() if manner.with_mentions else tuple(mentions),
    )


def _sources(tx: Tx, found: Iterable[Memory], *, besides: Collection[str]) -> list[str]:
    items = dict.fromkeys(one.item for one in found if one.item and one.item not in besides)
    return [item for item in items if not _is_erased(tx, item)]


def _is_erased(tx: Tx, item: str) -> bool:
    return soil.get(tx, item).data is None


def _records(tx: Tx, ids: Collection[PersonId]) -> list[str]:
    """Everything that says who a person is: records, contacts, merges, their private chats."""
    found = [uuid for person in sorted(ids) for uuid in (person, *_of_person(tx, person))]
    keys = [key for person in ids for key in contacts.keys_of(tx, person)]
    for key in keys:
        channel, _, value = key.partition(":")
        own = chats.find(tx, channel, value)
        if own and own.kind == "private":
            found.append(own.id)
    return list(dict.fromkeys(found))


def _carry_out(db: Database, plan: Forgetting, manner: Manner, *, by: By) -> Forgetting:
    with db.snapshot() as tx:
        plan = replace(plan, backups=tuple(_backups(tx, plan)))
    if not manner.done:
        return plan
    if not manner.erase:
        _archive(db, plan, by=by)
        return replace(plan, messages=(), records=(), done=True)
    with db.transaction() as tx:
        _erase_all(tx, plan, by=by)
        door.forget_replies(tx)
    people_file.drop(db, plan.records)
    return replace(plan, done=True, scrubbed=db.engine.scrub())


def _archive(db: Database, plan: Forgetting, *, by: By) -> None:
    with db.transaction() as tx:
        for uuid in plan.memories:
            known = memories.get(tx, uuid)
            if known.archived_at is None:
                archive(tx, known, "forgotten", by=by)
        _leave_tombstone(tx, plan, by=by)


def _erase_all(tx: Tx, plan: Forgetting, *, by: By) -> None:
    _leave_tombstone(tx, plan, by=by)
    for uuid in plan.memories:
        _erase_words_of(tx, uuid)
        core.erase(tx, uuid, now=by.now)
        for question in questions.naming(tx, uuid):
            # What was asked about it says what it said.
            core.erase(tx, question, now=by.now)
    for uuid in plan.messages:
        _erase_message(tx, uuid, now=by.now)
    for uuid in plan.records:
        if core.get(tx, uuid).type == people.PERSON:
            person_erasure.empty_queues(tx, PersonId(uuid), now=by.now)
    for uuid in plan.records:
        if core.get(tx, uuid).data is not None:
            core.erase(tx, uuid, now=by.now)
    search.scrub(tx)


def _leave_tombstone(tx: Tx, plan: Forgetting, *, by: By) -> None:
    """Say what was forgotten, by ids alone: nothing is learned from those items again."""
    items = {memories.get(tx, uuid).item for uuid in plan.memories}
    named = sorted({item for item in items if item} | set(plan.messages))
    payload = {
        "actor": by.actor,
        "what": plan.what,
        "memories": list(plan.memories),
        "items": named,
        "archive_reason": plan.archive_reason,
    }
    event = SystemEvent(event_type=indexing.FORGOTTEN, payload=payload)
    indexing.restore_forgotten(tx, soil.append(tx, event, now=by.now))


def _backups(tx: Tx, plan: Forgetting) -> list[str]:
    """Backups taken after the first of it was recorded."""
    places = [memories.seq_of(tx, uuid) for uuid in plan.memories]
    places += [soil.get(tx, uuid).seq for uuid in plan.messages]
    if not places:
        return []
    events = (fields_of(item) for item in soil.of_types(tx, ("SystemEvent",)))
    taken = (e["payload"] for e in events if e.get("event_type") == "backup" and e.get("payload"))
    return [one["file"] for one in taken if one["seq"] >= min(places)]


def _erase_item(tx: Tx, uuid: str, *, now: str) -> list[str]:
    item = soil.get(tx, uuid)
    if item.type == _BY_ENTITY:
        raise InvalidInput(f"{uuid} is one change of an entity: erase the whole entity instead.")
    if item.type == _BY_ARTIFACT:
        raise InvalidInput(f"{uuid} is one commit of an artifact: erase the artifact instead.")
    learned = [memory.id for memory in memories.from_item(tx, uuid)]
    _erase_message(tx, uuid, now=now)
    conversations.forget_item(tx, uuid)
    if item.type == "Relation":
        relations.erase_metadata(tx, item)
    belief = timeline.override_of(tx, uuid)
    held = [*learned, *([belief.uuid] if belief else ())]
    return [uuid, *(one for uuid_ in held for one in _erase_entity(tx, uuid_, now=now))]


def _erase_message(tx: Tx, uuid: str, *, now: str) -> None:
    soil.erase(tx, uuid, now=now)
    _erase_words_of(tx, uuid)


def _erase_words_of(tx: Tx, uuid: str) -> None:
    hit = search.get(tx, uuid)
    if hit is not None:
        vectors.forget(tx, [hit.seq])
        if hit.kind == "message":
            search.remove(tx, [hit.seq])


def _erase_entity(tx: Tx, uuid: str, *, now: str) -> list[str]:
    erased = [uuid, *_of_person(tx, uuid), *_staged_for(tx, uuid)]
    written = _of_artifact(tx, uuid)
    if core.get(tx, uuid).type == people.PERSON:
        person_erasure.empty_queues(tx, PersonId(uuid), now=now)
    for one in erased:
        _erase_words_of(tx, one)
        core.erase(tx, one, now=now)
    for item in written:
        soil.erase(tx, item, now=now)
    return [*erased, *written]


def _of_person(tx: Tx, uuid: str) -> list[str]:
    """What names a person beside their own record: contact, merges, account, questions."""
    if core.get(tx, uuid).type != people.PERSON:
        return []
    return person_erasure.entities_of(tx, PersonId(uuid))


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
