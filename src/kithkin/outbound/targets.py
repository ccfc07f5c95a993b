"""Whom a call would reach: each argument that names somebody, led to a contact or a chat."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from kithkin.chats import store as chats
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import is_handle, normalised
from kithkin.contacts.model import ACCOUNT, Address, Contact, address_at
from kithkin.contacts.preamble import spoken
from kithkin.db import Tx
from kithkin.errors import InvalidInput, NotFound
from kithkin.outbound.model import Aim, Call, Sending, Target
from kithkin.outbound.tools import Tool, aims, channel_of
from kithkin.people import store as people

_USUAL: Final = ("telegram", "email")


def targets_of(tx: Tx, call: Call, tool: Tool) -> tuple[Target, ...]:
    """Everybody a call would reach; one that names nobody and notifies reaches the owner."""
    found = tuple(_target(tx, aim) for aim in aims(call, tool))
    if found or call.tool != "notify":
        return found
    owner = contacts.owner(tx)
    return (_reached(tx, Aim("", "owner", channel_of(call, tool)), owner),) if owner else ()


def channels_of(contact: Contact) -> Sequence[str]:
    """The channels a contact can be reached by, the preferred one first."""
    have = [one.type for one in contact.addresses if not one.secured and one.type != ACCOUNT]
    order = (contact.preferred_channel, *_USUAL, *have)
    return tuple(dict.fromkeys(one for one in order if one in have))


def still_reaches(tx: Tx, sending: Sending) -> bool:
    """Whether the addresses of an approved action are still those of the same people."""
    return all(_same_holder(tx, target) for target in sending.targets)


def _target(tx: Tx, aim: Aim) -> Target:
    """What cannot be resolved stays so: a human decides."""
    if aim.argument.startswith("contact_id"):
        try:
            return _reached(tx, aim, contacts.get(tx, aim.value))
        except NotFound:
            return Target(aim.argument, aim.value, aim.channel)
    plain = Target(aim.argument, aim.value, aim.channel, None if aim.value == "?" else aim.value)
    if aim.channel is None:
        return plain
    try:
        address = normalised(aim.channel, aim.value)
    except InvalidInput:
        # What is no address is sent to nobody, whatever a pattern says.
        return replace(plain, recipient=None)
    # What is compared is what is sent.
    sent = f"@{address.value}" if is_handle(address) else address.value
    return _at_address(tx, replace(plain, value=address.value, recipient=sent), address)


def _at_address(tx: Tx, target: Target, address: Address) -> Target:
    chat = chats.find(tx, address.type, address.value)
    if chat is not None and chat.kind == "shared":
        name = spoken(chat.title or f"chat {chat.value}")
        return replace(target, chat=chat.id, chat_version=chat.version, name=name)
    contact = contacts.at(tx, address)
    return _known(tx, target, contact) if contact else target


def _reached(tx: Tx, aim: Aim, contact: Contact) -> Target:
    while contact.merged_into is not None:
        contact = contacts.get(tx, contact.merged_into)
    channels = [aim.channel] if aim.channel else channels_of(contact)
    found = (address_at(contact, channel) for channel in channels)
    address = next((one for one in found if one), None)
    target = Target(
        aim.argument,
        aim.value,
        address.type if address else aim.channel,
        address.value if address else None,
    )
    return _known(tx, target, contact)


def _known(tx: Tx, target: Target, contact: Contact) -> Target:
    return replace(
        target,
        contact=contact.id,
        person=contact.person,
        is_owner=contact.is_owner,
        name=spoken(contact.name or people.require(tx, contact.person).name),
    )


def _same_holder(tx: Tx, target: Target) -> bool:
    if target.channel is None or target.recipient is None or target.chat is not None:
        return True
    try:
        contact = contacts.at(tx, normalised(target.channel, target.recipient))
    except InvalidInput:
        return target.contact is None
    return (contact.id if contact else None) == target.contact
