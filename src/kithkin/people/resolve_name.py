"""Who is meant by a name or handle: the speaker's own people, then everyone, then likeness."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kithkin.ids import SpeakerKey
from kithkin.language.names import PLAUSIBLE, likeness, titles_conflict
from kithkin.language.words import Name, fold, may_hold, name_of
from kithkin.people.chat_context import around, nearest
from kithkin.people.claims import Fit, current
from kithkin.people.directory import MOST_CANDIDATES, Directory
from kithkin.people.lookup_keys import exact_keys, is_placeholder, is_relational, rough_keys
from kithkin.people.model import (
    Ambiguous,
    ByAlias,
    ByLikeness,
    ByName,
    BySurroundings,
    Context,
    Evidence,
    Found,
    Person,
    Resolution,
    Speaker,
    Unknown,
)

_LEVEL = 0.06
"""Likenesses closer than this are a tie."""


class Asking(Struct, frozen=True):
    """Who asks, where, and among whom."""

    people: Directory
    speaker: Speaker | None
    context: Context | None = None


def by_name(said: str, asking: Asking) -> Resolution:
    """Who is called this: exactly first, and by likeness only when one person is plausible."""
    exact = by_exact_name(said, asking)
    return _by_likeness(said, asking) if isinstance(exact, Unknown) else exact


def by_exact_name(said: str, asking: Asking) -> Resolution:
    """Who has this name or alias, in whole or in part: the speaker's own people first."""
    keys = exact_keys(said)
    own = _fitting(said, _own(keys, asking), asking)
    if own and min(fit.rank for fit in own) == 0:
        return settled(said, own, asking, how="among the speaker's own people")
    everyone = _everyone(keys, asking)
    if fits := _fitting(said, everyone, asking):
        fits = _with_whom_is_here(said, fits, asking)
        return _sure(settled(said, fits, asking, how="the only one of that name"), everyone)
    return Unknown(f"nobody known is called {said!r}")


def _by_likeness(said: str, asking: Asking) -> Resolution:
    keys = rough_keys(said)
    everyone = asking.people.named(keys)
    candidates = (*_own(keys, asking), *_nearby(asking), *everyone)
    if fits := _alike(said, candidates, asking):
        # Having been around often makes nobody's nickname likelier: only this chat decides.
        here = replace(asking.context, presence={}) if asking.context else None
        asked = Asking(asking.people, asking.speaker, here)
        return _sure(settled(said, fits, asked, how="the only plausible likeness"), everyone)
    return Unknown(f"nobody known is called {said!r}, or anything like it")


def _sure(answer: Resolution, everyone: Sequence[Person]) -> Resolution:
    """Nobody is the only one among more people than were looked at, unless the chat says so."""
    if not isinstance(answer, Found) or len(everyone) < MOST_CANDIDATES:
        return answer
    if any(isinstance(each, BySurroundings) for each in answer.evidence):
        return answer
    return Ambiguous((answer.person,), "too many names are like it to be sure", answer.evidence)


def _with_whom_is_here(said: str, fits: Sequence[Fit], asking: Asking) -> Sequence[Fit]:
    """A stranger's exact name does not beat the Samuel in the room who is called Sam."""
    here = set(around(asking.context))
    if not here or any(fit.person.id in here for fit in fits):
        return fits
    alike = _alike(said, _nearby(asking), asking)
    return [*fits, *(Fit(fit.person, 0, fit.evidence) for fit in alike)]


def _own(keys: Sequence[str], asking: Asking) -> Sequence[Person]:
    """The speaker's connections, but not the speaker: nobody means themselves by a name."""
    if asking.speaker is None:
        return ()
    known = asking.people.named(keys, known_to=asking.speaker.keys)
    return [person for person in known if person.id != asking.speaker.person]


def _everyone(keys: Sequence[str], asking: Asking) -> Sequence[Person]:
    found = asking.people.named(keys)
    # A store stops counting at a limit; whoever is present must not fall behind it.
    return found if len(found) < MOST_CANDIDATES else [*_nearby(asking), *found]


def _nearby(asking: Asking) -> Sequence[Person]:
    people = (asking.people.get(person_id) for person_id in around(asking.context))
    return [person for person in people if person]


def _keys_here(asking: Asking) -> Collection[SpeakerKey]:
    here = asking.context.participants if asking.context else ()
    return {key for person_id in here for key in asking.people.speakers_of(person_id)}


def settled(said: str, fits: Sequence[Fit], asking: Asking, *, how: str) -> Resolution:
    """The best fit when it is alone, or when the chat decides; else all of the best."""
    best = min(fit.rank for fit in fits)
    level = [fit for fit in fits if fit.rank <= best + _LEVEL]
    if len(level) == 1:
        return Found(level[0].person, f"{said!r}: {how}", (level[0].evidence,))
    people = tuple(fit.person for fit in level)
    evidence = tuple(fit.evidence for fit in level)
    if near := nearest(people, asking.context, asking.speaker, _keys_here(asking)):
        decided = BySurroundings(near.person.id, near.why)
        mine = tuple(each for each in evidence if each.person_id == near.person.id)
        return Found(near.person, f"{said!r}: {near.why}", (*mine, decided))
    return Ambiguous(people, f"{said!r} may be any of {len(people)} people", evidence)


def _fitting(said: str, candidates: Iterable[Person], asking: Asking) -> Sequence[Fit]:
    name = name_of(said)
    fits = (exact_fit(name, person) for person in candidates)
    return current((fit for fit in fits if fit), asking.people)


def _alike(said: str, candidates: Iterable[Person], asking: Asking) -> Sequence[Fit]:
    fits = (rough_fit(said, person) for person in candidates)
    return current((fit for fit in fits if fit), asking.people)


def exact_fit(said: Name, person: Person) -> Fit | None:
    """How the name said is the person's: in whole or as a first name, a surname, another part."""
    fits = [
        Fit(person, rank, evidence)
        for text, evidence in _names_holding(said.words[0] if said.words else "", person)
        if (rank := _rank(said, name_of(text))) is not None
    ]
    return min(fits, key=lambda fit: fit.rank, default=None)


def _rank(said: Name, known: Name) -> float | None:
    if titles_conflict(said, known):
        return None
    unsaid = 0.0 if set(known.suffixes) <= set(said.suffixes) else 0.5
    if said.key == known.key:
        return unsaid
    if len(said.words) == 1:
        rank = _part_rank(said, known)
        return None if rank is None else rank + unsaid
    inner = iter(known.words)
    if all(word in inner for word in said.words):
        return 1
    return None


def _part_rank(said: Name, known: Name) -> float | None:
    word = said.words[0]
    order = (known.words[-1], known.words[0]) if said.titles else (known.words[0], known.words[-1])
    if word in order:
        return order.index(word)
    return 2 if word in known.words else None


def rough_fit(said: str, person: Person) -> Fit | None:
    """The person's name most like what was said, when it is like enough."""
    scored = ((likeness(said, text), text) for text, _ in names_with_evidence(person))
    score, text = max(scored, default=(0.0, ""))
    if score < PLAUSIBLE:
        return None
    return Fit(person, 1 - score, ByLikeness(person.id, text, round(score, 3)))


def names_with_evidence(person: Person) -> Iterable[tuple[str, Evidence]]:
    """Every name and handle of a person that holds for all speakers."""
    return _names_holding("", person)


def _names_holding(word: str, person: Person) -> Iterable[tuple[str, Evidence]]:
    if may_hold(person.name, word) and not is_placeholder(person):
        yield person.name, ByName(person.id, person.name)
    for alias in person.aliases:
        if may_hold(alias.value, word) and not is_relational(alias.value):
            yield alias.value, ByAlias(person.id, alias)


def goes_by(person: Person, username: str) -> bool:
    """Whether the person has exactly this name or handle: what a username is looked up by."""
    wanted = fold(username).lstrip("@")
    return any(fold(text).lstrip("@") == wanted for text, _ in names_with_evidence(person))
