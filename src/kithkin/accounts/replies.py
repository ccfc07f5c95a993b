"""Which message a call answers: one that came to the same account, from who is still there."""

from kithkin.accounts import agents, inbox
from kithkin.accounts.model import Reply
from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of
from kithkin.db import Tx
from kithkin.ids import AccountId, ChatId
from kithkin.soil import store as soil
from kithkin.soil.content import content_of
from kithkin.soil.model import Item, Message


def message_in(tx: Tx, item: str) -> tuple[Item, Message] | None:
    """A message that stands: not erased, not taken back."""
    found = soil.get(tx, item)
    if found.type != "Message" or found.data is None or soil.is_undone(tx, found.uuid):
        return None
    content = content_of(found)
    return (found, content) if isinstance(content, Message) else None


def reply_to(tx: Tx, item: str, *, account: AccountId | None, now: str) -> Reply | None:
    """What a call that names this item as its cause answers; None when it answers nothing."""
    found = message_in(tx, item)
    whose = account or agents.owner_account(tx).id
    if found is None or not inbox.was_delivered(tx, whose, found[0].uuid):
        return None
    came, message = found
    if message.person is None:
        return None
    address = address_of(message.sender)
    contact = contacts.at(tx, address)
    # The address may have passed to somebody else since: then this answers nobody.
    if contact is None or contact.person != message.person or contact.standing != "settled":
        return None
    return Reply(
        item=came.uuid,
        contact=contact.id,
        chat=ChatId(message.chat) if message.chat else None,
        channel=address.type,
        address=address.value,
        verified=message.verified,
        age_seconds=(moment(now) - moment(came.realized_at)).total_seconds(),
    )
