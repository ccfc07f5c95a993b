"""Who is meant, as one audience may be told."""

from datetime import UTC, datetime

from kithkin.disclosure.people import Telling
from kithkin.disclosure.rule import Audience, Hearer
from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.model import (
    Ambiguous,
    ByClaim,
    ByName,
    BySurroundings,
    Found,
    Person,
    RelationshipClaim,
    Unknown,
)

NOW = datetime(2026, 1, 15, tzinfo=UTC)
ME, OTHER = SpeakerKey("telegram:1"), SpeakerKey("telegram:9")
TELLING = Telling(Audience((Hearer(frozenset(), verified=True),), keys=frozenset([ME])))


def person(name: str) -> Person:
    return Person(id=PersonId(name), name=name, created_by=None, created_at=NOW, updated_at=NOW)


def claimed(who: Person, by: SpeakerKey) -> ByClaim:
    return ByClaim(who.id, RelationshipClaim("therapist", by, NOW))


def test_somebody_known_only_by_what_another_calls_them_is_not_told() -> None:
    anna = person("Anna")
    found = Found(anna, "said so", (claimed(anna, OTHER), BySurroundings(anna.id, "is here")))
    assert isinstance(TELLING.resolution(found), Unknown)
    own = Found(anna, "said so", (claimed(anna, ME),))
    assert TELLING.resolution(own) == own


def test_of_several_only_those_are_told_whom_something_tellable_leads_to() -> None:
    anna, bea = person("Anna"), person("Bea")
    both = Ambiguous((anna, bea), "two", (ByName(anna.id, "Anna"), claimed(bea, OTHER)))
    told = TELLING.resolution(both)
    assert isinstance(told, Ambiguous)
    assert told.candidates == (anna,)
    assert told.evidence == (ByName(anna.id, "Anna"),)
    assert Telling(None).resolution(both) == both
