"""What the world supplies to Kithkin: values of its own, so that nobody outside needs ours."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

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


class Utterance(Struct, frozen=True):
    """Something said, for an extractor to read. Nothing in it was recalled."""

    text: str
    said_at: datetime
    speaker_name: str
    before: tuple[str, ...] = ()
    """What was said just before, the latest last."""


class Extracted(Struct, frozen=True):
    """What an extractor proposes. It is believed only if its quote stands in the message."""

    content: str
    """In the third person, without the subject: "likes hiking"."""
    quote: str
    about: tuple[str, ...]
    """As they were called: "me", "Sarah", "my wife". Nobody: about the world."""
    kind: Literal[
        "preference",
        "identity",
        "relationship",
        "knowledge",
        "context",
        "event",
        "task",
        "observation",
    ] = "knowledge"
    confidence: float = 0.5
    sensitivity: Literal["public", "personal", "sensitive"] = "public"


class Extractor(Protocol):
    """Reads messages for what they say. It proposes; a deterministic check disposes."""

    def extract(self, said: Utterance) -> Sequence[Extracted]:
        """What may be learned; raises `ModelUnavailable` when it cannot say."""
        ...


class Prompted(Struct, frozen=True):
    """What a responder is given: the people known, what was recalled, and what was said."""

    people: str
    context: str
    said: str
    speaker_name: str
    search: Callable[[str], str] | None = None
    """Looks for more that may be told, as marked text."""


class Responder(Protocol):
    """Answers in words."""

    def respond(self, prompted: Prompted) -> Iterator[str]:
        """The answer, piece by piece; raises `ModelUnavailable` when there is none."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose nearness is nearness in meaning."""

    @property
    def name(self) -> str:
        """Which model this is: vectors of different models are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, all of one length."""
        ...


class Doubted(Struct, frozen=True):
    """One thing a human was asked about: what it is, its value, and who brought it up."""

    name: str
    value: str
    persona: str


class AnswerReader(Protocol):
    """Reads what somebody answered about several things. It proposes; a rule disposes."""

    def read(
        self, text: str, asked: Sequence[Doubted]
    ) -> Sequence[Literal["keep", "move", "remove", "unclear"]]:
        """A verdict for each thing asked; raises `ModelUnavailable` when it cannot say."""
        ...


class Models(Struct, frozen=True):
    """The language models a realm is used with. Without them, rules do the work."""

    extractor: Extractor | None = None
    responder: Responder | None = None
    embedder: Embedder | None = None
    reader: AnswerReader | None = None
