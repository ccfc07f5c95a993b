"""What is said and believed, put into the index with who may see it; written again by a rebuild."""

import re
from typing import Final

import msgspec

from kithkin.chats import store as chats
from kithkin.chats.model import Chat
from kithkin.clock import stamp
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import Entity
from kithkin.db import Tx
from kithkin.disclosure.access_tokens import Indexed, place_of, tokens_of
from kithkin.disclosure.rule import Record, Source
from kithkin.errors import Erased, NotFound
from kithkin.ids import REAL, ChatId, PersonId
from kithkin.language.sensitivity import sensitivity_of
from kithkin.language.word_lists import WORD
from kithkin.memories import store as memories
from kithkin.memories.model import AboutUnresolved, Memory
from kithkin.search import store as search
from kithkin.search.model import ASKS, TIMED, Doc
from kithkin.soil import store as soil
from kithkin.soil.content import content_of, fields_of
from kithkin.soil.model import Item, Message

AGENT = "agent"
"""The channel of what Kithkin itself says: it is kept, and never found or learned from."""
FORGOTTEN = "forgotten"
"""The event that says which items are not to be learned from again."""


def index_item(tx: Tx, item: Item, chat: Chat | None = None) -> None:
    """Make a message findable. `chat` spares reading the chat it was said in."""
    doc = message_doc(tx, item, chat)
    if doc:
        search.put(tx, [doc])


def message_doc(tx: Tx, item: Item, chat: Chat | None = None) -> Doc | None:
    """A message as the index holds it; None for what is no message of a person."""
    if item.type != "Message" or item.data is None:
        return None
    message = content_of(item)
    if not isinstance(message, Message) or message.sender.startswith(f"{AGENT}:"):
        return None
    there = chat or _chat_then(tx, message)
    indexed = Indexed(
        Record(
            source=there.kind if there else "unknown",
            chat=there.id if there else None,
            said_by=PersonId(message.person) if message.person else None,
            sensitivity=sensitivity_of(message.description),
            groups=message.groups or (REAL,),
        ),
        place=_place(tx, there),
    )
    return Doc(
        seq=item.seq,
        id=item.uuid,
        kind="message",
        text=message.description,
        acl=tokens_of(indexed),
        chat=there.id if there else None,
        said_by=message.person,
        said_at=item.canonical_at,
        marks=_marks(message.description),
        record=msgspec.json.encode(indexed).decode(),
    )


def memory_doc(tx: Tx, memory: Memory) -> Doc:
    """A memory as the index holds it: its own words and those it was taken from."""
    there = _state_of(tx, memory.chat, memory.chat_version)
    indexed = Indexed(
        record_of(memory),
        place=_place(tx, there),
        superseded_by=memory.superseded_by,
    )
    return Doc(
        seq=memories.seq_of(tx, memory.id),
        id=memory.id,
        kind="memory",
        text=_words(memory),
        acl=tokens_of(indexed) if memory.archived_at is None else (),
        chat=memory.chat,
        said_by=memory.said_by,
        said_at=stamp(memory.observed_at),
        marks=_marks(memory.content),
        record=msgspec.json.encode(indexed).decode(),
    )


_TIME_WORDS: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|recently|weekend|week|month|year|\d{4}"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)


def _marks(text: str) -> int:
    # A caption or an attachment in brackets may follow the question.
    asks = text.partition(" [")[0].rstrip().endswith("?")
    return (ASKS if asks else 0) | (TIMED if _TIME_WORDS.search(text) else 0)


def record_of(memory: Memory) -> Record:
    """What the disclosure rule needs to know of a memory, but for who was there."""
    # Whom it is about is not known: it is told nowhere but where it was said.
    stays = memory.private or isinstance(memory.about, AboutUnresolved)
    return Record(
        source=memory.source,
        chat=memory.chat,
        said_by=memory.said_by,
        subjects=tuple(map(PersonId, memories.subjects(memory))),
        sensitivity=memory.sensitivity,
        portable=memory.portable,
        private=stays,
        groups=memory.groups,
        state="archived" if memory.archived_at else "kept",
        expires_at=memory.expires_at,
        doubted_by=memory.doubt.persona if memory.doubt else None,
    )


def source_of(chat: Chat | None) -> Source:
    """Where something said in this chat comes from."""
    return chat.kind if chat else "unknown"


def _words(memory: Memory) -> str:
    if memory.quote is None:
        return memory.content
    said = {word.lower() for word in WORD.findall(memory.quote.text)}
    more = [word for word in WORD.findall(memory.content) if word.lower() not in said]
    return " ".join([memory.quote.text, *more])


def _chat_then(tx: Tx, message: Message) -> Chat | None:
    return _state_of(tx, ChatId(message.chat) if message.chat else None, message.chat_version)


def _state_of(tx: Tx, chat: ChatId | None, version: int | None) -> Chat | None:
    if chat is None or version is None:
        return None
    try:
        now = chats.get(tx, chat)
        return now if now.version == version else chats.at(tx, chat, version)
    except (NotFound, Erased):
        return None


def _place(tx: Tx, chat: Chat | None) -> str | None:
    """Where it was said, if several people were there to hear it."""
    if chat is None or chat.kind != "shared":
        return None
    name = place_of(chat.id, chat.version)
    search.place(tx, name, chat.participants)
    return name


def refill(tx: Tx) -> None:
    """Write the index of messages and the forgotten items again; memories follow their entities."""
    for item in soil.of_types(tx, ("Message", "SystemEvent")):
        if item.type == "SystemEvent":
            restore_forgotten(tx, item)
        elif not soil.is_undone(tx, item.uuid):
            index_item(tx, item)


def write_anew(tx: Tx) -> None:
    """Write the whole index again, from what the realm holds."""
    search.clear(tx)
    refill(tx)
    for entity in core.walk(tx):
        if entity.type == memories.MEMORY and entity.data is not None:
            search.put(tx, [memory_doc(tx, memories.memory_from(entity))])


def restore_forgotten(tx: Tx, item: Item) -> None:
    """The look-up rows of an event that says what was forgotten."""
    fields = fields_of(item)
    if fields.get("event_type") == FORGOTTEN:
        for uuid in (fields.get("payload") or {}).get("items", ()):
            memories.forget_item(tx, uuid)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    memories.project(tx, before, after)
    old = memory_doc(tx, memories.memory_from(before)) if before and before.data else None
    if after.data is None:
        if old:
            search.remove(tx, [old.seq])
        return
    new = memory_doc(tx, memories.memory_from(after))
    if old is None:
        search.put(tx, [new])
    elif (old.text, old.acl) != (new.text, new.acl):
        search.replace(tx, new)
    elif old != new:
        search.set_record(tx, new.seq, new.record)


def _clear(tx: Tx) -> None:
    memories.clear(tx)
    memories.clear_forgotten(tx)
    search.clear(tx)


lookup_rows.register(
    memories.MEMORY,
    lookup_rows.Projection(commands="`kithkin memory`", project=_project, clear=_clear),
)
