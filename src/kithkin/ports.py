"""What the world supplies to Kithkin."""

from datetime import datetime
from typing import Protocol

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
