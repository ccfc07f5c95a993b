"""A chat: where something is said, and who is there to hear it."""

from typing import Literal

from msgspec import Struct

from kithkin.ids import ChatId

Kind = Literal["private", "shared"]


class Chat(Struct, frozen=True):
    """A private chat has one person and the agent in it; a shared one several people."""

    id: ChatId
    channel: str
    value: str
    kind: Kind
    participants: tuple[str, ...] = ()
    """Person ids; the speaker key of somebody nobody knows yet."""
    title: str | None = None
    version: int = 0
    """Which state of the chat this is: a message names the state it was said in."""
