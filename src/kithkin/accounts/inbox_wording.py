"""How an agent reads what came for it: whose words they are, then the words."""

from msgspec.structs import replace

from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of
from kithkin.contacts.model import Contact, Known
from kithkin.contacts.preamble import preamble
from kithkin.db import Tx
from kithkin.friends.messages import friend_message
from kithkin.ids import FRIEND, PersonId
from kithkin.people import store as people
from kithkin.soil.content import content_of
from kithkin.soil.model import Item, Message, SystemEvent


def as_read(tx: Tx, item: Item) -> str | None:
    """The text of a message or notice; None of what is not words, or not there any more."""
    content = content_of(item) if item.data is not None else None
    if isinstance(content, SystemEvent):
        text = (content.payload or {}).get("text")
        return text if isinstance(text, str) else None
    if not isinstance(content, Message) or content.person is None:
        return None
    contact = contact_now(tx, PersonId(content.person))
    if contact is None:
        return None
    return _message(tx, content, contact)


def contact_now(tx: Tx, person: PersonId) -> Contact | None:
    """The contact of a person, or of whom they were merged into."""
    contact = contacts.contact_of(tx, person)
    while contact is not None and contact.merged_into is not None:
        contact = contacts.get(tx, contact.merged_into)
    return contact


def _message(tx: Tx, message: Message, contact: Contact) -> str:
    channel = address_of(message.sender).type
    words = message.description
    if channel == FRIEND:
        words = friend_message((message.subject or "").removeprefix(f"{FRIEND}:"), words)
        # An agent wrote it: it has its person's name, and none of their authority.
        contact = replace(contact, roles=())
    name = contact.name or people.require(tx, contact.person).name
    line = preamble(
        Known(contact, name, message.verified), channel=channel, verified=message.verified
    )
    return f"{line}\n{words}"
