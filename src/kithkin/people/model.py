"""A person, the names and handles they go by, and who said what they are to whom."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from kithkin.ids import PersonId, SpeakerKey


# gc=False on these three: a file brings hundreds of thousands, and what is read from JSON cannot
# form a cycle.
class AliasEntry(Struct, frozen=True, gc=False):
    """A name, handle or phrase ("my wife") for a person, and who added it."""

    value: str
    added_by: SpeakerKey | None = None
    created_at: datetime | None = None


class RelationshipClaim(Struct, frozen=True, gc=False):
    """What a person is to whoever stated it: keyed by person, term and speaker."""

    relationship: str
    stated_by: SpeakerKey | None = None
    created_at: datetime | None = None


class Person(Struct, frozen=True, gc=False):
    """Who somebody is. A merged person stays as a redirect to the one it went into."""

    id: PersonId
    name: str
    created_by: SpeakerKey | None
    created_at: datetime
    updated_at: datetime
    relationships: tuple[RelationshipClaim, ...] = ()
    aliases: tuple[AliasEntry, ...] = ()
    merged_into: PersonId | None = None
    metadata: Mapping[str, Any] | None = None
    groups: tuple[str, ...] = ()

    @property
    def relationship(self) -> str | None:
        """The first claim's term, as the old single-relationship API had it."""
        return self.relationships[0].relationship if self.relationships else None


class Speaker(Struct, frozen=True):
    """Who is speaking: every key of that human, and their own person when it is known."""

    keys: frozenset[SpeakerKey]
    person: PersonId | None = None


class Turn(Struct, frozen=True):
    """Something said a moment ago."""

    speaker: PersonId | None
    text: str


class Context(Struct, frozen=True):
    """What surrounds a reference: where it stands, who is there, what was said before."""

    text: str = ""
    """The sentence the reference stands in."""
    at: int | None = None
    """Where in `text` the reference begins, when the caller knows."""
    participants: tuple[PersonId, ...] = ()
    turns: tuple[Turn, ...] = ()
    """What was said before, the latest last."""
    presence: Mapping[PersonId, int] = {}
    """How often each person has been around so far: in how many chats they were seen."""


class ByClaim(Struct, frozen=True, tag=True):
    """The owner of the phrase ("my", "Tom's") stated this about the person."""

    person_id: PersonId
    claim: RelationshipClaim


class ByAlias(Struct, frozen=True, tag=True):
    """The person goes by this alias."""

    person_id: PersonId
    alias: AliasEntry


class ByName(Struct, frozen=True, tag=True):
    """What was said is the person's name, or a part of it."""

    person_id: PersonId
    name: str


class ByLikeness(Struct, frozen=True, tag=True):
    """What was said is like one of the person's names: a nickname, a slip, a handle."""

    person_id: PersonId
    name: str
    score: float


class ByInverse(Struct, frozen=True, tag=True):
    """The person stated the matching claim from their side. Offered, never enough."""

    person_id: PersonId
    claim: RelationshipClaim
    of: PersonId | None = None
    """Whom they stated it about."""


class BySurroundings(Struct, frozen=True, tag=True):
    """The chat, not the name, decided between several people."""

    person_id: PersonId
    why: str


Evidence = ByClaim | ByAlias | ByName | ByLikeness | ByInverse | BySurroundings


class Found(Struct, frozen=True, tag=True):
    """One person is meant, and the evidence says why."""

    person: Person
    reason: str
    evidence: tuple[Evidence, ...] = ()


class Ambiguous(Struct, frozen=True, tag=True):
    """Several people fit equally, or one fits only from the other side: ask, never guess."""

    candidates: tuple[Person, ...]
    reason: str
    evidence: tuple[Evidence, ...] = ()


class Unknown(Struct, frozen=True, tag=True):
    """Nobody known is meant."""

    reason: str


Resolution = Found | Ambiguous | Unknown
