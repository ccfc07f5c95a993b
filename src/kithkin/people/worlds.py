"""People of a fiction beside real ones: whether a sentence means the one who is known already."""

from collections.abc import Collection

from kithkin.ids import SpeakerKey
from kithkin.people.introduce import Introduction
from kithkin.people.model import Person
from kithkin.people.naming import rough_fit
from kithkin.people.terms import meaning_of
from kithkin.people.words import fold


def names_another(told: Introduction, person: Person, speaker: Collection[SpeakerKey]) -> bool:
    """Whether a fiction states a relationship that this person of another world does not have.

    Frodo's "my daughter Alice" is not Betty, and his "my boss Betty" is not the real Betty either;
    a bare "my daughter" names nobody else.
    """
    if told.relationship is None or fold(told.name) == fold(told.relationship):
        return False
    term = meaning_of(told.relationship)
    has_claim = any(
        claim.stated_by in speaker and meaning_of(claim.relationship) == term
        for claim in person.relationships
    )
    return not has_claim or rough_fit(told.name, person) is None
