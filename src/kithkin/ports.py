"""What the world supplies to Kithkin."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct


class PastVersion(Struct, frozen=True):
    """A text as somebody left it at some time, with their words about it."""

    content: str
    author: str
    at: datetime
    message: str = ""


class Clock(Protocol):
    """Says what time it is, in UTC."""

    def now(self) -> datetime:
        """The present moment, with its zone."""
        ...


class Outgoing(Struct, frozen=True):
    """What a channel is given to send. The same key again is the same message."""

    key: str
    channel: str
    to: tuple[str, ...]
    text: str
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    subject: str | None = None
    tool: str = "notify"
    arguments: Mapping[str, Any] = {}


class Channel(Protocol):
    """Sends messages out. A message it does not take raises `DeliveryFailed`."""

    def send(self, message: Outgoing, /) -> str | None:
        """Send it; the provider's own id of it, when it says one."""
        ...
