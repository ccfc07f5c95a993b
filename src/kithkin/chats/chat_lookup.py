"""Which chat a speaker names."""

from kithkin.chats import store as chats
from kithkin.chats.model import Chat
from kithkin.contacts.addresses import address_of
from kithkin.core import store as core
from kithkin.db import Tx


def chat_named(tx: Tx, speaker: str, chat: str | None) -> Chat | None:
    """The chat a speaker names, or their private one; None when nothing was said there yet."""
    address = address_of(speaker)
    if chat is None:
        return chats.find(tx, address.type, address.value)
    found = chats.find(tx, address.type, chat)
    if found is None and core.exists(tx, chat):
        return chats.get(tx, chat)
    return found
