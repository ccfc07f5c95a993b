"""A memory: something believed, about somebody, said by a speaker, learned in a chat."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from kithkin.disclosure.rule import Source
from kithkin.ids import REAL, ChatId, ItemId, MemoryId, PersonaId, PersonId, SpeakerKey
from kithkin.language.sensitivity import Sensitivity

Kind = Literal[
    "preference",
    "identity",
    "relationship",
    "knowledge",
    "context",
    "event",
    "task",
    "observation",
]
Trust = Literal["fact", "hearsay", "unknown"]
Scope = Literal["account", "chat"]
"""Whether it is believed of its speaker everywhere, or belongs to the chat it was said in."""
ArchiveReason = Literal["forgotten", "expired", "decayed", "undone", "superseded"]
Profile = Literal["fact", "trait", "topic", "person"]
"""What an item of somebody's profile is."""
Validated = Literal["steward", "human"]
"""At whose word it is believed. What a human confirmed is locked: a change of it is a question."""


class AboutSpeaker(Struct, frozen=True, tag="speaker"):
    """About whoever said it."""


class AboutPersons(Struct, frozen=True, tag="persons"):
    """About other people, or about the speaker among them."""

    persons: tuple[PersonId, ...]


class AboutWorld(Struct, frozen=True, tag="world"):
    """About nobody."""


class AboutUnresolved(Struct, frozen=True, tag="unresolved"):
    """About somebody, and it is not known whom: never taken for the speaker."""

    said: str
    candidates: tuple[PersonId, ...] = ()


About = AboutSpeaker | AboutPersons | AboutWorld | AboutUnresolved


class Quote(Struct, frozen=True):
    """The words it was taken from, and where in the message they stand."""

    text: str
    start: int
    end: int


class Doubt(Struct, frozen=True):
    """A human has yet to say whether this was real or role-play: nobody else sees it meanwhile."""

    persona: PersonaId
    """Who brought it up: the only persona that goes on seeing it."""
    item: MemoryId
    """What the question is about: what it would change, or the first of its kind if it is new."""
    of: MemoryId | None = None
    """What it would change, which everybody else goes on seeing; None when it is new."""


class Memory(Struct, frozen=True):
    """Something believed. `subject_person_ids` is empty exactly when it is about the speaker."""

    id: MemoryId
    content: str
    about: About
    kind: Kind
    observed_at: datetime
    speaker: SpeakerKey | None = None
    said_by: PersonId | None = None
    chat: ChatId | None = None
    chat_version: int | None = None
    scope: Scope = "account"
    source: Source = "unknown"
    item: ItemId | None = None
    """The item in Soil it was derived from."""
    quote: Quote | None = None
    confidence: float = 1.0
    sensitivity: Sensitivity = "public"
    portable: bool = False
    private: bool = False
    """Said to stay in its conversation."""
    groups: tuple[str, ...] = (REAL,)
    doubt: Doubt | None = None
    validated: Validated | None = None
    expires_at: datetime | None = None
    superseded_by: MemoryId | None = None
    archived_at: datetime | None = None
    archive_reason: ArchiveReason | None = None
    name: str | None = None
    profile: Profile | None = None
    """Set, with a name, for an item of a profile."""
    learned_by: PersonaId | None = None
    """The persona it was first told to; it never changes."""
    last_changed_by: PersonaId | None = None

    @property
    def subject_person_ids(self) -> tuple[PersonId, ...]:
        """The specification's field: whom it is about, when not the speaker."""
        return self.about.persons if isinstance(self.about, AboutPersons) else ()
