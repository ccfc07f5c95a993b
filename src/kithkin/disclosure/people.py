"""People as an audience may hear of them: names are everybody's, claims whoever's stated them."""

from collections.abc import Iterable

from msgspec.structs import replace

from kithkin.disclosure.rule import Audience
from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.lookup_keys import is_relational
from kithkin.people.model import (
    AliasEntry,
    ByAlias,
    ByClaim,
    ByInverse,
    BySurroundings,
    Evidence,
    Found,
    Person,
    Resolution,
    Unknown,
)


class Telling:
    """What one audience may be told of people. None: the owner's own eyes.

    What somebody is to one is said privately: it is told to the sayer alone.
    """

    def __init__(self, audience: Audience | None) -> None:
        self._audience = audience

    def resolution(self, found: Resolution) -> Resolution:
        """Who is meant, with the evidence that may be told."""
        if isinstance(found, Unknown):
            return found
        evidence = self._evidence(found.evidence)
        if self._rests_on_others(found.evidence):
            return Unknown("nobody said to you who that is")
        if isinstance(found, Found):
            return replace(found, person=self.person(found.person), evidence=evidence)
        told = (
            self.person(person)
            for person in found.candidates
            if not self._rests_on_others(
                one for one in found.evidence if one.person_id == person.id
            )
        )
        return replace(found, candidates=tuple(told), evidence=evidence)

    def person(self, person: Person) -> Person:
        """Somebody, with the names all may know and the claims this audience stated itself."""
        if self._audience is None:
            return person
        return replace(
            person,
            created_by=self._signed(person.created_by),
            relationships=tuple(c for c in person.relationships if self._hears(c.stated_by)),
            aliases=tuple(
                replace(alias, added_by=self._signed(alias.added_by))
                for alias in person.aliases
                if self._hears_alias(alias)
            ),
            metadata=None,
        )

    def _evidence(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        return tuple(one for one in evidence if self._may_tell(one))

    def _rests_on_others(self, evidence: Iterable[Evidence]) -> bool:
        """Whether it is known by what others call people alone: then it is not told.

        Whoever asks for "my wife" in a chat is answered by their own word, whoever else is there.
        """
        told = [one for one in evidence if not isinstance(one, BySurroundings)]
        return bool(told) and not any(self._may_tell(one) or self._asked_by(one) for one in told)

    def _asked_by(self, one: Evidence) -> bool:
        keys = self._audience.asked_by if self._audience else frozenset()
        match one:
            case ByClaim(claim=claim):
                return claim.stated_by in keys
            case ByAlias(alias=alias):
                return alias.added_by in keys
            case _:
                return False

    def _may_tell(self, one: Evidence) -> bool:
        match one:
            case ByClaim(claim=claim):
                return self._hears(claim.stated_by)
            case ByInverse(of=of):
                return of is None or self._is_alone(of)
            case ByAlias(alias=alias):
                return self._hears_alias(alias)
            case _:
                return True

    def _is_alone(self, person: PersonId) -> bool:
        hearers = self._audience.hearers if self._audience else ()
        return self._audience is None or [person in one.ids for one in hearers] == [True]

    def _hears_alias(self, alias: AliasEntry) -> bool:
        return not is_relational(alias.value) or self._hears(alias.added_by)

    def _signed(self, key: SpeakerKey | None) -> SpeakerKey | None:
        """Who said it, if it was this audience: where others are reached is not told."""
        return key if self._hears(key) else None

    def _hears(self, key: SpeakerKey | None) -> bool:
        """Whether what was said under a key may be told."""
        return self._audience is None or key in self._audience.keys
