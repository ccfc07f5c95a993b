"""Hear a message: who speaks, where, and the item it becomes."""

from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kithkin.canonical import require_text
from kithkin.chats import store as chats
from kithkin.chats.chat_lookup import chat_named
from kithkin.chats.model import Chat
from kithkin.clock import stamp
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of
from kithkin.contacts.model import ACCOUNT, Address
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import InvalidInput, NotAllowed, Refused
from kithkin.identity.records import records_of
from kithkin.identity.self_person import ensure_self
from kithkin.ids import PersonId, SpeakerKey
from kithkin.language.secrets import masked
from kithkin.people.model import Person
from kithkin.personas.voices import STEWARD, Voice
from kithkin.soil import store as soil
from kithkin.soil.model import Item, Message

_LONGEST = 200_000
_AGENT: Final = "agent:"
"""How the signature of a registered agent begins."""


class Place(Struct, frozen=True):
    """Where somebody speaks. Without a chat: the speaker's own private one."""

    chat: str | None = None
    """The channel's id for the chat, or the id of a chat that is known."""
    shared: bool | None = None
    """None: as the chat is known, else private."""
    members: tuple[str, ...] = ()
    """Others who are there, as speakers."""


class Heard(Struct, frozen=True):
    """A message as it was taken in."""

    item: Item
    text: str
    said_at: datetime
    speaker: SpeakerKey
    person: Person
    chat: Chat
    verified: bool
    voice: Voice = STEWARD
    """Whom it was said to."""


def hear(
    db: Database,
    text: str,
    *,
    speaker: str,
    place: Place,
    at: datetime,
    by: By,
    verified: bool = True,
    voice: Voice = STEWARD,
) -> Heard:
    """Take in a message: its speaker and chat are known afterwards. Secrets in it are masked.

    What is said to a persona belongs to its group.
    """
    said = _checked(text)
    with db.transaction() as tx:
        me = ensure_self(db, speaker, username=None, name=None, by=by).person
        chat = _chat_of(db, tx, speaker, me.id, place, by=by)
        message = Message(
            description=said,
            sender=address_of(speaker).key,
            person=me.id,
            chat=chat.id,
            chat_version=chat.version,
            verified=verified,
            groups=voice.groups,
        )
        item = soil.append(tx, message, now=by.now, canonical_at=stamp(at))
        indexing.index_item(tx, item, chat)
    return Heard(item, said, at, address_of(speaker).key, me, chat, verified, voice)


def _checked(text: str) -> str:
    if not require_text(text, what="The message").strip():
        raise InvalidInput("There is nothing to say: the message is empty.")
    if len(text) > _LONGEST:
        raise InvalidInput(
            f"The message has {len(text):,} characters; at most {_LONGEST:,} fit. Split it."
        )
    return masked(text)


def _chat_of(db: Database, tx: Tx, speaker: str, me: PersonId, place: Place, *, by: By) -> Chat:
    known = chat_named(tx, speaker, place.chat)
    others = [
        ensure_self(db, one, username=None, name=None, by=by).person.id for one in place.members
    ]
    if known is None:
        return _new_chat(tx, speaker, place, (me, *others), by=by)
    # A merge leaves the chat with the record that spoke there first: it is still this human's.
    mine = records_of(tx, me)
    here = not mine.isdisjoint(map(PersonId, known.participants))
    if known.kind == "private" and (place.shared or others or not here):
        raise Refused(
            f"{known.value!r} is a private chat: only one person speaks there. "
            "Name another chat, with --group if several people are in it."
        )
    newcomers = others if here else (me, *others)
    there = tuple(dict.fromkeys((*known.participants, *newcomers)))
    if there == known.participants:
        return known
    if by.actor.startswith(_AGENT):
        # Whoever is there hears what was said there: no agent lets itself or others in.
        raise NotAllowed(
            f"Who is in {known.value!r} is known: only the connector that brings its messages, or "
            "the owner, says who else is."
        )
    return chats.save(tx, replace(known, participants=there), by=by)


def _require_nobodys(tx: Tx, mine: Address, chat: str) -> None:
    """Refuse an agent a chat in which others are to speak later: it would be there before them."""
    if chat == mine.value:
        return
    if mine.type != ACCOUNT or contacts.person_at(tx, Address(ACCOUNT, chat)) is not None:
        raise NotAllowed(f"{chat!r} is no chat of this agent's own: a connector brings its words.")


def _new_chat(tx: Tx, speaker: str, place: Place, there: tuple[PersonId, ...], *, by: By) -> Chat:
    address = address_of(speaker)
    if len(there) > 1 and not place.shared:
        raise InvalidInput("A private chat has one person in it: say --group to name others.")
    if place.shared and place.chat is None:
        raise InvalidInput("A group needs a name: give it with --chat.")
    if by.actor.startswith(_AGENT):
        _require_nobodys(tx, address, place.chat or address.value)
    made = Chat(
        id=chats.new_id(),
        channel=address.type,
        value=place.chat or address.value,
        kind="shared" if place.shared else "private",
        participants=tuple(dict.fromkeys(there)),
    )
    return chats.save(tx, made, by=by)
