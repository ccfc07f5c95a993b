"""Whether a sentence means somebody who is known already, in the same world or another."""

from collections.abc import Collection

from kithkin.ids import SpeakerKey
from kithkin.language.kinship import meaning_of
from kithkin.language.words import fold
from kithkin.people.introductions import Introduction
from kithkin.people.lookup_keys import is_placeholder
from kithkin.people.model import Person
from kithkin.people.resolve_name import rough_fit


def names_another(told: Introduction, person: Person, speaker: Collection[SpeakerKey]) -> bool:
    """Whether a fiction states a relationship that this person of another world does not have.

    Frodo's "my daughter Alice" is not Betty, and his "my boss Betty" is not the real Betty either;
    a bare "my daughter" names nobody else.
    """
    if told.relationship is None or not gives_name(told):
        return False
    term = meaning_of(told.relationship)
    has_claim = any(
        claim.stated_by in speaker and meaning_of(claim.relationship) == term
        for claim in person.relationships
    )
    return not has_claim or rough_fit(told.name, person) is None


def is_misnamed(told: Introduction, person: Person) -> bool:
    """Whether "my wife Julia" leads to somebody with a name of their own that is not Julia."""
    return gives_name(told) and not is_placeholder(person) and rough_fit(told.name, person) is None


def gives_name(told: Introduction) -> bool:
    """Whether a sentence says a name: the word for what somebody is stands where it says none."""
    return told.relationship is not None and fold(told.name) != fold(told.relationship)
