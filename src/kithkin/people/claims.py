"""Who somebody is to somebody: read from that somebody's own claims, and from nobody else's."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from kithkin.ids import PersonId
from kithkin.language.kinship import answers_to, looked_up_by, meaning_of
from kithkin.people.directory import Directory
from kithkin.people.lookup_keys import alias_term
from kithkin.people.model import (
    ByAlias,
    ByClaim,
    ByInverse,
    Evidence,
    Person,
    RelationshipClaim,
    Speaker,
)


class Fit(Struct, frozen=True):
    """A person who may be meant. The lower the rank, the better the fit."""

    person: Person
    rank: float
    evidence: Evidence


def called_by(owner: Speaker, meaning: str, people: Directory) -> Sequence[Fit]:
    """Whom `owner` calls this: by the very term, else by one that covers it or is covered."""
    for meanings in ((meaning,), looked_up_by(meaning)):
        candidates = people.called(meanings, by=owner.keys)
        fits = [_claimed(person, meanings, owner) for person in candidates]
        if found := current((fit for fit in fits if fit), people):
            return found
    return ()


def _claimed(person: Person, meanings: Sequence[str], owner: Speaker) -> Fit | None:
    """The evidence that it is the owner's own word; the look-up alone is not believed."""
    for claim in person.relationships:
        if claim.stated_by in owner.keys and meaning_of(claim.relationship) in meanings:
            return Fit(person, 0, ByClaim(person.id, claim))
    for alias in person.aliases:
        if alias.added_by in owner.keys and alias_term(alias) in meanings:
            return Fit(person, 0, ByAlias(person.id, alias))
    return None


def answered_by(owner: Speaker, meaning: str, people: Directory) -> Sequence[Fit]:
    """Who stated the matching claim about `owner`: she calls him husband, so he may call her wife.

    It is their word and not the owner's: to be offered, never to be taken.
    """
    me = people.get(owner.person) if owner.person else None
    me = primary(me, people) if me else None
    if me is None:
        return ()
    answers = answers_to(meaning)
    said = (claim for claim in me.relationships if meaning_of(claim.relationship) in answers)
    fits = [_answering(claim, me.id, people) for claim in said]
    return [fit for fit in current((f for f in fits if f), people) if fit.person.id != me.id]


def _answering(claim: RelationshipClaim, of: PersonId, people: Directory) -> Fit | None:
    person_id = people.person_of(claim.stated_by) if claim.stated_by else None
    person = people.get(person_id) if person_id else None
    return Fit(person, 0, ByInverse(person.id, claim, of)) if person else None


def current(fits: Iterable[Fit], people: Directory) -> Sequence[Fit]:
    """Each living person once, by the best fit; a merged one stands for its primary."""
    best: dict[str, Fit] = {}
    for fit in fits:
        person = primary(fit.person, people)
        if person and (person.id not in best or fit.rank < best[person.id].rank):
            best[person.id] = Fit(person, fit.rank, fit.evidence)
    return tuple(best.values())


def primary(person: Person, people: Directory) -> Person | None:
    """The record a merged one leads to; None when the chain is broken or turns in a circle."""
    seen = {person.id}
    found: Person | None = person
    while found and found.merged_into is not None:
        if found.merged_into in seen:
            return None
        seen.add(found.merged_into)
        found = people.get(found.merged_into)
    return found
