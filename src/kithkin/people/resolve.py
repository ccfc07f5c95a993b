"""Who is meant by what was said."""

from collections.abc import Sequence
from typing import assert_never

from kithkin.language.kinship import Term
from kithkin.language.person_references import (
    BareTerm,
    Handle,
    My,
    Myself,
    Named,
    Possessive,
    Reference,
    Their,
    Thing,
    Your,
    parse_reference,
)
from kithkin.language.words import fold, word_set
from kithkin.people.chat_context import addressee, is_generic
from kithkin.people.claims import Fit, answered_by, called_by, primary
from kithkin.people.directory import Directory
from kithkin.people.model import (
    Ambiguous,
    ByName,
    BySurroundings,
    Context,
    Found,
    Person,
    Resolution,
    Speaker,
    Unknown,
)
from kithkin.people.resolve_name import Asking, by_exact_name, by_name, rough_fit, settled

_CALLED_BY_TERM = word_set("mother father grandmother grandfather aunt uncle")
"""Words used like names: said to a child, "Mom" is the child's mother."""


def resolve(
    said: str, *, speaker: Speaker | None, people: Directory, context: Context | None = None
) -> Resolution:
    """Find who `speaker` means by `said`, looking among their own people first.

    "My X" is answered by the speaker's own claims alone; two Sarahs are reported, never guessed.
    """
    asking = Asking(people, speaker, context)
    return _resolved(parse_reference(said), said, asking)


def _resolved(reference: Reference, said: str, asking: Asking) -> Resolution:
    match reference:
        case Named(name) | Handle(name):
            return by_name(name, asking)
        case Myself():
            return _myself(asking)
        case Their(pronoun, term):
            return Unknown(f"cannot tell whose {term.label} is meant by {pronoun!r}")
        case Thing():
            return Unknown(f"{said!r} is no person")
        case _:
            return _related(reference, said, asking)


def _related(reference: My | Your | BareTerm | Possessive, said: str, asking: Asking) -> Resolution:
    match reference:
        case My(term, name):
            return _mine(term, name, asking)
        case BareTerm(term):
            return _bare(term, said, asking)
        case Your(term):
            return _yours(term, asking)
        case Possessive(owner, term):
            return _by_phrase(said, asking) or _somebodys(owner, term, asking)
        case _:
            assert_never(reference)


def _mine(term: Term, name: str, asking: Asking) -> Resolution:
    if asking.speaker is None:
        return by_name(name, asking) if name else Unknown("no speaker: 'my' is nobody's")
    fits = called_by(asking.speaker, term.meaning, asking.people)
    named = [fit for fit in fits if rough_fit(name, fit.person)] if name else fits
    if named:
        return settled(f"my {term.label}", named, asking, how="the speaker's own word")
    if name:
        return by_name(name, asking)
    return _offered(f"my {term.label}", term, asking.speaker, asking)


def _offered(said: str, term: Term, owner: Speaker, asking: Asking) -> Resolution:
    """What others said from their side: candidates to confirm, never an answer."""
    fits = answered_by(owner, term.meaning, asking.people)
    if not fits:
        return Unknown(f"{said!r}: nobody was named so by the one whose {term.label} it is")
    people = tuple(fit.person for fit in fits)
    reason = f"{said!r} was never said; only the other side stated it"
    return Ambiguous(people, reason, tuple(fit.evidence for fit in fits))


def _bare(term: Term, said: str, asking: Asking) -> Resolution:
    """Take "Dad" for the speaker's own, else a name, else that of whoever is spoken to."""
    if is_generic(asking.context):
        return Unknown(f"{said!r} is said of anybody")
    fits: Sequence[Fit] = ()
    if asking.speaker:
        fits = called_by(asking.speaker, term.meaning, asking.people)
    if fits:
        return settled(said, fits, asking, how="the speaker's own word")
    named = by_exact_name(said, asking)
    calls_out = term.meaning in _CALLED_BY_TERM and not fold(said).startswith("the ")
    return _yours(term, asking) if isinstance(named, Unknown) and calls_out else named


def _yours(term: Term, asking: Asking) -> Resolution:
    other = addressee(asking.context, asking.speaker)
    if other is None:
        return Unknown(f"nobody is spoken to whose {term.label} could be meant")
    owner = Speaker(frozenset(asking.people.speakers_of(other)), other)
    fits = called_by(owner, term.meaning, asking.people)
    if not fits:
        return _offered(f"your {term.label}", term, owner, asking)
    found = settled(f"your {term.label}", fits, asking, how="the word of the one spoken to")
    return _through(found, "said to the one whose claim it is")


def _through(found: Resolution, why: str) -> Resolution:
    if not isinstance(found, Found):
        return found
    decided = BySurroundings(found.person.id, why)
    return Found(found.person, found.reason, (*found.evidence, decided))


def _by_phrase(said: str, asking: Asking) -> Resolution | None:
    """Somebody the speaker once added this very phrase for, as an alias."""
    if asking.speaker is None:
        return None
    fits = called_by(asking.speaker, fold(said), asking.people)
    return settled(said, fits, asking, how="the speaker's own phrase") if fits else None


def _somebodys(owner: Reference, term: Term, asking: Asking) -> Resolution:
    """Resolve the owner first, then the owner's own claims; two owners stay two."""
    found = _resolved(owner, _spoken(owner), asking)
    match found:
        case Unknown():
            return Unknown(f"cannot tell whose {term.label}: {found.reason}")
        case Found(person):
            return _of(person, term, asking)
        case Ambiguous(candidates):
            return _of_any(candidates, term, asking)


def _spoken(owner: Reference) -> str:
    match owner:
        case Named(name) | Handle(name):
            return name
        case BareTerm(_, said):
            return said
        case _:
            return ""


def _of(person: Person, term: Term, asking: Asking) -> Resolution:
    owner = Speaker(frozenset(asking.people.speakers_of(person.id)), person.id)
    said = f"{person.name}'s {term.label}"
    fits = called_by(owner, term.meaning, asking.people)
    if fits:
        return settled(said, fits, asking, how=f"{person.name}'s own word")
    return _offered(said, term, owner, asking)


def _of_any(owners: Sequence[Person], term: Term, asking: Asking) -> Resolution:
    answers = [_of(owner, term, asking) for owner in owners]
    found = [answer for answer in answers if isinstance(answer, Found)]
    if not found:
        return Unknown(f"several people may be meant, and none has a known {term.label}")
    people = {answer.person.id: answer.person for answer in found}
    evidence = tuple(each for answer in found for each in answer.evidence)
    return Ambiguous(tuple(people.values()), f"whose {term.label} is not certain", evidence)


def _myself(asking: Asking) -> Resolution:
    person_id = asking.speaker.person if asking.speaker else None
    me = asking.people.get(person_id) if person_id else None
    me = primary(me, asking.people) if me else None
    return Found(me, "the speaker", (ByName(me.id, me.name),)) if me else Unknown("no speaker")
