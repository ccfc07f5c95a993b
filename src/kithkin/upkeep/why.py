"""Why anything is believed or happened: back to the words, the speaker and the address."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from kithkin.chats import store as chats
from kithkin.contacts import store as contacts
from kithkin.core import store as core
from kithkin.db import Database, Tx
from kithkin.disclosure import items
from kithkin.disclosure.rule import Audience
from kithkin.disclosure.view import View
from kithkin.errors import Erased, NotFound
from kithkin.ids import PersonId
from kithkin.memories import store as memories
from kithkin.memories.merged_records import trust_in
from kithkin.memories.model import AboutSpeaker, AboutUnresolved, AboutWorld, Memory
from kithkin.people import store as people
from kithkin.relations import store as relations
from kithkin.soil import store as soil
from kithkin.soil.content import content_of, fields_of
from kithkin.soil.model import Item, Message

_DEEPEST = 50


class Why(Struct, frozen=True, omit_defaults=True):
    """One step: what it is, what it says, and what it rests on."""

    what: str
    says: str
    id: str | None = None
    at: str | None = None
    because: tuple["Why", ...] = ()
    details: dict[str, Any] = {}


def why(db: Database, uuid: str, *, audience: Audience | None, now: datetime) -> Why:
    """The chain behind a memory, a message or an action; what may not be seen is not there."""
    with db.snapshot() as tx:
        view = View(tx, audience, now=now)
        if soil.exists(tx, uuid):
            item = soil.get(tx, uuid)
            items.require_item(view, item)
            return _item(view, item, depth=0)
        entity = core.get(tx, uuid)
        items.require_entity(view, entity)
        if entity.type == memories.MEMORY:
            return _memory(view, memories.get(tx, uuid))
        return _entity(view, uuid)


def _memory(view: View, memory: Memory) -> Why:
    tx = view.tx
    because = [_quote(view, memory)] if memory.quote or memory.item else [_by_hand(tx, memory)]
    because += [
        Why("replaced", old.content, old.id, old.observed_at.isoformat())
        for old in memories.replaced_by(tx, memory.id)
        if items.may_see_entity(view, core.get(tx, old.id))
    ]
    if memory.superseded_by and items.sees(view, memory.superseded_by):
        newer = memories.get(tx, memory.superseded_by)
        because.append(Why("replaced by", newer.content, newer.id, newer.observed_at.isoformat()))
    return Why(
        "memory",
        f"{_about(tx, memory)}: {memory.content}",
        memory.id,
        memory.observed_at.isoformat(),
        tuple(because),
        {
            "kind": memory.kind,
            "trust": trust_in(tx, memory),
            "sensitivity": memory.sensitivity,
            "confidence": memory.confidence,
        },
    )


def _about(tx: Tx, memory: Memory) -> str:
    match memory.about:
        case AboutSpeaker():
            return name_of(tx, memory.said_by) if memory.said_by else "the speaker"
        case AboutWorld():
            return "the world"
        case AboutUnresolved(said=said):
            return f"somebody called {said!r}, not known whom"
        case _:
            return ", ".join(name_of(tx, person) for person in memory.subject_person_ids)


def _quote(view: View, memory: Memory) -> Why:
    quote = memory.quote
    says = f'"{quote.text}"' if quote else "its words"
    span = {"start": quote.start, "end": quote.end} if quote else {}
    source = soil.get(view.tx, memory.item) if memory.item else None
    if source and items.may_see_item(view, source):
        return Why("quote", says, because=(_item(view, source, depth=1),), details=span)
    return Why("quote", says, details=span)


def _by_hand(tx: Tx, memory: Memory) -> Why:
    first = core.history(tx, memory.id)[0]
    return Why("written down", f"by {first.actor}", at=first.at)


def _item(view: View, item: Item, *, depth: int) -> Why:
    if item.data is None:
        return Why(item.type, "(erased)", item.uuid, item.realized_at)
    content = content_of(item)
    if isinstance(content, Message):
        because: tuple[Why, ...] = (_speaker(view, content),)
        return Why(
            "message",
            content.description,
            item.uuid,
            item.canonical_at,
            (*because, *_causes(view, item, depth)),
            _where(view.tx, content),
        )
    return Why(item.type, _gist(item), item.uuid, item.canonical_at, _causes(view, item, depth))


def _causes(view: View, item: Item, depth: int) -> tuple[Why, ...]:
    if depth >= _DEEPEST:
        return ()
    edges = relations.around(view.tx, item.uuid)
    causes = [e.source.id for e in edges if e.kind == "triggers" and e.target.id == item.uuid]
    found = [soil.get(view.tx, uuid) for uuid in causes if soil.exists(view.tx, uuid)]
    return tuple(
        _item(view, one, depth=depth + 1) for one in found if items.may_see_item(view, one)
    )


def _speaker(view: View, message: Message) -> Why:
    tx = view.tx
    person = people.get(tx, message.person) if message.person else None
    vouched = "vouched for" if message.verified else "not vouched for"
    address = Why("address", message.sender, details={"verified": message.verified})
    if person is None:
        return Why("speaker", f"{message.sender}, {vouched}", because=(address,))
    # Where else somebody is reached is told to them alone.
    known = items.is_alone(view, PersonId(person.id))
    keys = sorted(contacts.keys_of(tx, PersonId(person.id)))
    return Why(
        "speaker",
        f"{person.name}, {vouched}",
        person.id,
        because=(address,),
        details={"addresses": keys} if known else {},
    )


def _where(tx: Tx, message: Message) -> dict[str, Any]:
    if message.chat is None or message.chat_version is None:
        return {}
    try:
        chat = chats.at(tx, message.chat, message.chat_version)
    except (NotFound, Erased):
        return {"chat": message.chat}
    there = [name_of(tx, person) for person in chat.participants]
    return {"chat": chat.value, "kind": chat.kind, "there": there}


def _entity(view: View, uuid: str) -> Why:
    steps = core.history(view.tx, uuid)
    entity = core.get(view.tx, uuid)
    because = tuple(
        Why(
            "change",
            f"version {step.version} by {step.actor}: {step.reason or 'no reason given'}",
            step.item,
            step.at,
        )
        for step in reversed(steps)
    )
    return Why(entity.type, uuid, uuid, entity.updated_at, because)


def _gist(item: Item) -> str:
    fields = fields_of(item)
    names = ("description", "operation", "event_type", "label", "title")
    return next((str(fields[name]) for name in names if fields.get(name)), item.type)


def name_of(tx: Tx, person: str) -> str:
    """A person's name."""
    known = people.get(tx, person)
    return known.name if known else "somebody"
