"""What extraction proposes. Nothing here knows who is meant: `memories.learn` resolves it."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from kithkin.memories.model import Kind, Quote


class Who(Struct, frozen=True):
    """How somebody was referred to in a message."""

    said: str
    """The reference; "me" for the speaker, "she" for whoever was spoken of before."""
    name: str = ""
    is_sure: bool = True
    """False when it is somebody only if a person of that name is known."""

    @property
    def is_speaker(self) -> bool:
        """Whether the speaker is meant."""
        return self.said == "me"


class Mentioned(Struct, frozen=True):
    """The people a clause begins with, and where its verb may begin."""

    who: tuple[Who, ...]
    end: int


FindMention = Callable[[str, int], Mentioned]
"""Who a text is about when a clause begins at a place: supplied by who knows people."""


class Said(Struct, frozen=True):
    """A message to learn from: its words, when it was said, and who reads names in it."""

    text: str
    at: datetime
    """In the zone of the speaker: "tomorrow" is their tomorrow."""
    mentioned_at: FindMention
    before: Who | None = None
    """Whom the turn before was about: who "she" may be."""


class Fact(Struct, frozen=True, tag=True):
    """Something said of people, in the third person and without them: "likes hiking"."""

    who: tuple[Who, ...]
    content: str
    kind: Kind
    quote: Quote
    confidence: float = 0.9
    until: datetime | None = None
    """The last day it speaks of."""


class Related(Struct, frozen=True, tag=True):
    """What one is to another: "Sarah is Tom's sister"."""

    who: Who
    term: str
    of: Who
    quote: Quote
    confidence: float = 0.95


class SelfNamed(Struct, frozen=True, tag=True):
    """What the speaker wants to be called: "call me Dave"."""

    name: str
    quote: Quote
    confidence: float = 0.95


class Corrected(Struct, frozen=True, tag=True):
    """A value that replaces one just said: "actually it's the 14th"."""

    value: str
    quote: Quote
    confidence: float = 0.8


Proposal = Fact | Related | SelfNamed | Corrected
