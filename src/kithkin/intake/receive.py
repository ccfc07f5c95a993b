"""A message comes in: who sent it, what the agent is told of them, and who gets it."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from kithkin.accounts import agents, inbox
from kithkin.accounts import store as accounts
from kithkin.accounts.model import Account, Agent
from kithkin.canonical import require_text
from kithkin.chats import store as chats
from kithkin.chats.model import Chat
from kithkin.chats.model import Kind as ChatKind
from kithkin.clock import moment, stamp
from kithkin.config import Config, ConnectorSettings
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import is_handle, normalised
from kithkin.contacts.model import ACCOUNT, Address, Contact, Known
from kithkin.contacts.preamble import preamble, spoken
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import InvalidInput, NotAllowed
from kithkin.identity import people_file, self_person
from kithkin.identity.address_book import name_of
from kithkin.ids import ChatId, ItemId, MemoryId
from kithkin.language.secrets import masked
from kithkin.memories import remember
from kithkin.personas.voices import STEWARD, Voice, voice_in
from kithkin.ports import Extractor
from kithkin.questions import ask, owner_notice
from kithkin.questions import store as questions
from kithkin.questions.answers import NAME
from kithkin.questions.model import Question
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.soil import received
from kithkin.soil import store as soil
from kithkin.soil.model import Message

_LONGEST = 1_000_000
_LONGEST_NAME = 200
_LATELY = timedelta(hours=1)
_MOST_NOTICES = 5


class Incoming(Struct, frozen=True):
    """What a connector states: only it says who speaks, where, who is there, and if it is sure."""

    channel: str
    sender: str
    """The channel's stable id of the sender; never the id of a group."""
    text: str
    username: str | None = None
    name: str | None = None
    chat: str | None = None
    """The channel's id of the chat; without it, a private chat with the sender."""
    kind: ChatKind | None = None
    participants: tuple[str, ...] = ()
    title: str | None = None
    verified: bool = False
    provider_id: str | None = None
    sent_at: datetime | None = None
    reply_to: str | None = None
    """The provider's id of the message this one answers."""
    subject: str | None = None


class Identity(Struct, frozen=True):
    """Who sent a message, as data."""

    contact_id: str
    entity_id: str
    name: str
    roles: tuple[str, ...]
    standing: str
    verified: bool
    channel: str


class Received(Struct, frozen=True):
    """A message that is in, whose words it holds, and the agents it went to."""

    preamble: str
    identity: Identity
    message: ItemId
    chat: ChatId
    routed: tuple[str, ...]
    duplicate: bool = False
    learned: tuple[MemoryId, ...] = ()


class _Arrival(Struct, frozen=True):
    """A message as it came: checked, its sender's address in the one way it is written."""

    message: Incoming
    sender: Address
    where: str
    """The channel's id of the chat."""
    connector: str
    config: Config

    @property
    def settings(self) -> ConnectorSettings:
        """What the connector may do; one that nobody set up brings the channel it is named for."""
        unset = ConnectorSettings(channels=(self.connector,))
        return self.config.connectors.get(self.connector, unset)


def receive(
    db: Database,
    message: Incoming,
    *,
    connector: str,
    config: Config,
    extractor: Extractor | None = None,
    by: By,
) -> Received:
    """Take a message in: identity, item, chat, inboxes and the owner's notice commit together.

    What it says is remembered with it; a model that reads it does so once it is safe.
    """
    arrival = _arrival(message, connector, config)
    with people_file.kept(db, by=by):
        with db.transaction() as tx:
            received = _received(tx, arrival, by=by)
            if extractor is None:
                return _remembered(db, arrival, received, None, by=by)
        return _remembered(db, arrival, received, extractor, by=by)


def _remembered(
    db: Database, arrival: _Arrival, received: Received, extractor: Extractor | None, *, by: By
) -> Received:
    blocked = received.identity.standing == "blocked"
    if received.duplicate or blocked or not arrival.settings.learns:
        return received
    with db.snapshot() as tx:
        heard_by = _voices(tx, arrival, contacts.get(tx, received.identity.contact_id))
    steward = next((voice for voice in heard_by if voice.is_steward), None)
    if steward is None and len(heard_by) > 1:
        # Said to several personas at once: each agent learns it for its own.
        return received
    said = remember.learn_from(
        db,
        received.message,
        account=None,
        extractor=extractor,
        voice=steward or heard_by[0],
        by=by,
    )
    return replace(received, learned=tuple(one.memory.id for one in said.learned))


def _arrival(message: Incoming, connector: str, config: Config) -> _Arrival:
    if not message.sender.strip():
        raise InvalidInput("A message has a sender: give the channel's stable id of who wrote it.")
    if not require_text(message.text, what="The message").strip():
        raise InvalidInput("The message is empty: there is nothing to take in.")
    if len(message.text) > _LONGEST:
        raise InvalidInput(f"The message has over {_LONGEST:,} characters; send it as a document.")
    sender = normalised(message.channel, message.sender)
    if sender.type == ACCOUNT:
        raise NotAllowed("An account's own words come from its agents: no connector brings them.")
    if is_handle(sender):
        raise InvalidInput(
            f"{message.sender} is a handle, which may be somebody else's tomorrow: give the stable "
            "id as the sender and the handle as the username."
        )
    where = (message.chat or "").strip() or sender.value
    # A name of any length is no reason to lose a message.
    named = replace(
        message,
        name=(message.name or "")[:_LONGEST_NAME] or None,
        username=(message.username or "")[:_LONGEST_NAME] or None,
    )
    arrival = _Arrival(named, sender, where, connector, config)
    # One that names no channel brings the one it is named for, never all of them.
    allowed = arrival.settings.channels or (connector,)
    if sender.type not in allowed:
        raise NotAllowed(
            f"This connector brings messages of {', '.join(allowed)}, not of {sender.type}."
        )
    return arrival


def _received(tx: Tx, arrival: _Arrival, *, by: By) -> Received:
    message, address = arrival.message, arrival.sender
    before = _taken_in(tx, arrival)
    contact = _contact(tx, arrival, by=by)
    sender = Known(contact, name_of(tx, contact), message.verified)
    chat = _chat(tx, arrival, contact, by=by)
    item = before or _append(tx, arrival, contact, chat, by=by)
    routed = () if before else _route(tx, arrival, contact, item, by=by)
    if contact.standing == "pending" and not before:
        _ask_who(tx, arrival, sender, by=by)
    return Received(
        preamble=preamble(sender, channel=address.type, verified=message.verified),
        identity=_identity(sender, address),
        message=item,
        chat=chat.id,
        routed=tuple(agent.id for agent in routed),
        duplicate=before is not None,
    )


def _taken_in(tx: Tx, arrival: _Arrival) -> ItemId | None:
    """The item of the same message, when it is delivered a second time."""
    provider_id = arrival.message.provider_id
    if provider_id is None:
        return None
    place = received.Place(arrival.sender.type, arrival.where)
    return received.item_of(tx, place, provider_id, sender=arrival.sender.key)


def _replied_to(tx: Tx, arrival: _Arrival) -> ItemId | None:
    """The item, of whomever, that the message replies to."""
    if arrival.message.reply_to is None:
        return None
    place = received.Place(arrival.sender.type, arrival.where)
    return received.item_of(tx, place, arrival.message.reply_to, sender=None)


def _contact(tx: Tx, arrival: _Arrival, *, by: By) -> Contact:
    message, address = arrival.message, arrival.sender
    known = contacts.at(tx, address)
    if known is None:
        return _new_contact(tx, arrival, by=by)
    if not message.verified:
        return known
    # Only a sender who is vouched for changes what they are called.
    self_person.met(tx, address, username=message.username, name=message.name, by=by)
    if all(one.verified for one in known.addresses if one.key == address.key):
        return known
    addresses = tuple(
        replace(one, verified=True) if one.key == address.key else one for one in known.addresses
    )
    return contacts.save(tx, replace(known, addresses=addresses), by=by)


def _new_contact(tx: Tx, arrival: _Arrival, *, by: By) -> Contact:
    """Person, contact and address in one go. A connector that makes accounts knows its people."""
    message = arrival.message
    address = replace(arrival.sender, verified=message.verified)
    met = self_person.met(tx, address, username=message.username, name=message.name, by=by)
    contact = contacts.of_person(tx, met.person.id)
    if not (arrival.settings.creates_accounts and message.verified):
        return contact
    if accounts.of_key(tx, arrival.connector, address.value) is None:
        account = agents.new_account(tx, met.person.name, met.person.id, by)
        agents.link_connector(tx, account, arrival.connector, address.value, by=by)
    return contacts.save(tx, replace(contact, standing="settled"), by=by)


def _chat(tx: Tx, arrival: _Arrival, contact: Contact, *, by: By) -> Chat:
    message, address = arrival.message, arrival.sender
    known = chats.find(tx, address.type, arrival.where)
    there = (contact.person, *_participants(tx, arrival))
    # A participant known only by an address becomes a person once they have spoken.
    before = tuple(_person_or_key(tx, one) for one in known.participants) if known else ()
    chat = Chat(
        id=known.id if known else chats.new_id(),
        channel=address.type,
        value=arrival.where,
        kind=_kind(arrival, known),
        participants=tuple(dict.fromkeys(there if message.participants else (*before, *there))),
        title=message.title or (known.title if known else None),
        version=known.version if known else 0,
    )
    return chat if known == chat else chats.save(tx, chat, by=by)


def _kind(arrival: _Arrival, known: Chat | None) -> ChatKind:
    """A chat in which a second person was once seen stays one that several may read."""
    if known is not None and known.kind == "shared":
        return "shared"
    return arrival.message.kind or (
        "private" if arrival.where == arrival.sender.value else "shared"
    )


def _participants(tx: Tx, arrival: _Arrival) -> list[str]:
    there = (one for one in arrival.message.participants if one.strip())
    keys = (normalised(arrival.sender.type, one).key for one in there)
    return [_person_or_key(tx, key) for key in keys]


def _person_or_key(tx: Tx, one: str) -> str:
    channel, mark, value = one.partition(":")
    if not mark:
        return one
    return contacts.person_at(tx, Address(channel, value)) or one


def _append(tx: Tx, arrival: _Arrival, contact: Contact, chat: Chat, *, by: By) -> ItemId:
    message, address = arrival.message, arrival.sender
    answered = _replied_to(tx, arrival)
    content = Message(
        # A secret that somebody wrote is not kept: it could be recalled.
        description=masked(message.text),
        sender=address.key,
        subject=message.subject,
        person=contact.person,
        chat=chat.id,
        chat_version=chat.version,
        provider_id=message.provider_id,
        verified=message.verified,
        answers=answered,
        groups=_groups(tx, arrival, contact),
    )
    sent_at = stamp(message.sent_at) if message.sent_at else None
    item = soil.append(tx, content, now=by.now, canonical_at=sent_at)
    indexing.index_item(tx, item, chat)
    if message.provider_id:
        place = received.Place(address.type, arrival.where)
        received.remember(tx, place, message.provider_id, sender=address.key, item=item.uuid)
    if answered:
        ends = End(item.uuid, "item"), End(answered, "item")
        relations.relate(tx, KINDS["replies_to"], source=ends[0], target=ends[1], by=by)
    return item.uuid


def _groups(tx: Tx, arrival: _Arrival, contact: Contact) -> tuple[str, ...]:
    """The worlds a message is said in: those of the personas it goes to; real if anybody is."""
    voices = _voices(tx, arrival, contact)
    if any(voice.is_steward for voice in voices):
        return ()
    return tuple(dict.fromkeys(voice.home for voice in voices))


def _voices(tx: Tx, arrival: _Arrival, contact: Contact) -> tuple[Voice, ...]:
    """In whose voices a message is heard; without an agent, in the steward's."""
    agents = [one for _, agents in _destinations(tx, arrival, contact) for one in agents]
    voices = [voice_in(tx, one.persona) if one.persona else STEWARD for one in agents]
    return tuple(dict.fromkeys(voices)) or (STEWARD,)


def _route(
    tx: Tx, arrival: _Arrival, contact: Contact, item: ItemId, *, by: By
) -> tuple[Agent, ...]:
    """Deliver to the agents a message is for. A blocked sender's message is kept, for nobody."""
    if contact.standing == "blocked":
        return ()
    routed: list[Agent] = []
    for account, recipients in _destinations(tx, arrival, contact):
        # Only who certainly wrote may be spoken for.
        sender = arrival.sender.key if arrival.message.verified else None
        inbox.post(tx, account.id, recipients, item, sender=sender, now=by.now)
        routed += recipients
    return tuple(routed)


def _destinations(
    tx: Tx, arrival: _Arrival, contact: Contact
) -> Sequence[tuple[Account, list[Agent]]]:
    routes = [
        one
        for one in arrival.config.routes
        if one.channel == arrival.sender.type and accounts.is_taken(tx, one.nametag.lower())
    ]
    if not routes:
        account = accounts.of_person(tx, contact.person) or agents.owner_account(tx)
        return [(account, accounts.agents_of(tx, account.id, kind="frontend"))]
    found = []
    for route in routes:
        account = accounts.named(tx, route.nametag)
        there = accounts.agents_of(tx, account.id, kind=None if route.agent else "frontend")
        found.append((account, [one for one in there if route.agent in (None, one.name)]))
    return found


def _ask_who(tx: Tx, arrival: _Arrival, sender: Known, *, by: By) -> None:
    contact, address = sender.contact, arrival.sender
    question = Question(
        id=questions.new_id(),
        kind="unknown_sender",
        text=(
            f"Received a message from {spoken(sender.name)} ({address.type}). Who is this? "
            "Reply with a name, or: merge NAME, confirm, archive, block."
        ),
        options=("merge", "confirm", "archive", "block", NAME),
        dedup=ask.unknown_sender(contact.id),
        asked_at=by.now,
        asked_after=0,
        subject=contact.id,
        sources=(address.key,),
    )
    lately = questions.asked_since(tx, question.kind, stamp(moment(by.now) - _LATELY))
    asked, is_new = ask.ask(tx, question, by=by)
    # Strangers by the dozen wait in the queue: they do not ring each time.
    if is_new and lately < _MOST_NOTICES:
        owner_notice.tell_owner(tx, asked, config=arrival.config, by=by)


def _identity(sender: Known, address: Address) -> Identity:
    contact = sender.contact
    return Identity(
        contact_id=contact.id,
        entity_id=contact.person,
        name=sender.name,
        roles=contact.roles,
        standing=contact.standing,
        verified=sender.verified,
        channel=address.type,
    )
