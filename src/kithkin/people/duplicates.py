"""Which records may be one person: proposed with a score and reasons, never merged here."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kithkin.ids import PersonId
from kithkin.language.names import derived_handles, likeness, other_forms, titles_conflict
from kithkin.language.words import Name, fold, name_of, word_set
from kithkin.people.lookup_keys import is_placeholder, is_relational, sounds_of
from kithkin.people.merge import claim_key
from kithkin.people.model import Person

Id = TypeVar("Id", bound=Hashable)

LIKELY = 0.85
"""The least score at which two records are proposed as one person."""
_MOST_OF_ONE_KEY = 60
"""A key that so many share tells nobody apart; it is not used to find pairs."""
_SHORTEST_HANDLE = 3
_ALIKE = 0.88
_UNLIKE = 0.5
_SHORTEST_MADE = 5
_GENERIC_HANDLES = word_set(
    "admin code contact dev devel developer email git github gitlab hello home info lists mail "
    "me nobody noreply none office opensource private root spam support test user users work"
)


class Profile(Struct, Generic[Id], frozen=True):
    """What tells a record apart: its names and its handles."""

    id: Id
    names: tuple[Name, ...]
    handles: frozenset[str] = frozenset()
    spelt_out: tuple[Name, ...] = ()
    """Names that a handle spells out."""
    claims: frozenset[tuple[str, str]] = frozenset()


class Pair(Struct, Generic[Id], frozen=True):
    """Two records that may be one person, how surely, and why."""

    first: Id
    second: Id
    score: float
    reasons: tuple[str, ...]


def profile(record: Id, *, names: Iterable[str], handles: Iterable[str] = ()) -> "Profile[Id]":
    """A record to compare; a handle that says nothing ("info") is left out."""
    handles = tuple(handles)
    parsed = (name_of(name) for name in names)
    return Profile(
        id=record,
        names=tuple(dict.fromkeys(name for name in parsed if name.words)),
        handles=frozenset(filter(None, map(handle_key, handles))),
        spelt_out=tuple(filter(None, map(_name_in, handles))),
    )


def _name_in(handle: str) -> Name | None:
    """The name that a handle spells out: "nia.quist"."""
    words = name_of(handle).words
    whole = len(words) > 1 and all(word.isalpha() and len(word) > 1 for word in words)
    return Name(" ".join(words), words) if whole else None


def handle_key(handle: str) -> str:
    """A handle as it is compared: letters and digits, or "" when it tells nobody apart."""
    letters = "".join(letter for letter in fold(handle).lstrip("@") if letter.isalnum())
    key = letters.rstrip("0123456789") or letters
    return key if len(key) >= _SHORTEST_HANDLE and key not in _GENERIC_HANDLES else ""


def duplicates(people: Iterable[Person], *, at_least: float = LIKELY) -> Sequence[Pair[PersonId]]:
    """Pairs of living records that may be one person, the surest first."""
    profiles = [_of_person(person) for person in people if person.merged_into is None]
    found = [pair for pair in likely_pairs(profiles) if pair.score >= at_least]
    return sorted(found, key=lambda pair: (-pair.score, pair.first, pair.second))


def _of_person(person: Person) -> Profile[PersonId]:
    aliases = [alias.value for alias in person.aliases if not is_relational(alias.value)]
    named = [] if is_placeholder(person) else [person.name]
    known = profile(
        person.id,
        names=[*named, *(alias for alias in aliases if " " in alias.strip())],
        handles=[alias for alias in aliases if " " not in alias.strip()],
    )
    claims = frozenset((term, by) for term, by in map(claim_key, person.relationships) if by)
    return replace(known, claims=claims)


def likely_pairs(profiles: Sequence[Profile[Id]]) -> Iterator[Pair[Id]]:
    """Every pair that shares a rough key and has some reason to be one person."""
    by_key: dict[str, list[int]] = defaultdict(list)
    for index, each in enumerate(profiles):
        for key in _blocking_keys(each):
            by_key[key].append(index)
    seen: set[tuple[int, int]] = set()
    for sharing in by_key.values():
        if len(sharing) <= _MOST_OF_ONE_KEY:
            seen.update(combinations(sharing, 2))
    for first, second in sorted(seen):
        if pair := compared(profiles[first], profiles[second]):
            yield pair


def _blocking_keys(each: Profile[Id]) -> Collection[str]:
    keys = {f"@{handle}" for handle in each.handles}
    for name in (*each.names, *each.spelt_out):
        keys.update(sounds_of(name), name.words, (f"@{name.key.replace(' ', '')}",))
        if len(name.words) > 1:
            keys.update(f"@{handle}" for handle in derived_handles(name))
            forms = {name.words[0], *other_forms(name.words[0])}
            keys.update(f"{form} {name.words[-1]}" for form in forms)
    return keys


def compared(a: Profile[Id], b: Profile[Id]) -> Pair[Id] | None:
    """The pair with its score and reasons; None when nothing speaks for it or something against."""
    if any(names_conflict(ours, theirs) for ours in a.names for theirs in b.names):
        return None
    found = [*_by_handles(a, b), *_by_names(a, b)]
    if not found:
        return None
    shared = a.claims & b.claims
    score = max(score for score, _ in found) + (0.05 if shared else 0.0)
    reasons = dict.fromkeys(reason for _, reason in sorted(found, reverse=True))
    claimed = {f"{by} calls both {term}": None for term, by in sorted(shared)}
    return Pair(a.id, b.id, round(min(score, 1.0), 3), (*reasons, *claimed))


def names_conflict(a: Name, b: Name) -> bool:
    """Whether two names cannot be one person's: Mr and Mrs, or two full names unlike each other."""
    if titles_conflict(a, b):
        return True
    shared = len({*a.words} & {*b.words})
    if 1 in (len(a.words), len(b.words)) or shared in (len(a.words), len(b.words)):
        return False
    return max(_whole_likeness(a, b), likeness(a.key, b.key)) < _UNLIKE


def _by_handles(a: Profile[Id], b: Profile[Id]) -> Iterator[tuple[float, str]]:
    if shared := a.handles & b.handles:
        yield 0.97, f"same handle {min(shared)}"
    for ours, theirs in ((a, b), (b, a)):
        for name in theirs.names:
            if made := ours.handles & _handles_of(name):
                yield 0.9, f"handle {min(made)} is made of a name"


def _handles_of(name: Name) -> frozenset[str]:
    if len(name.words) > 1:
        return derived_handles(name)
    return frozenset([name.key] if len(name.key) >= _SHORTEST_HANDLE else [])


def handle_hints_at(name: Name, handle: str) -> bool:
    """Whether a handle may be made of a name: a part of it, or the beginnings of two ("petgran").

    It tells only when no other name around would do.
    """
    first, last = name.words[0], name.words[-1]
    if handle in name.words:
        return True
    return len(handle) >= _SHORTEST_MADE and any(
        handle.startswith(a[:cut]) and b.startswith(handle[cut:])
        for a, b in ((first, last), (last, first))
        for cut in range(1, min(len(a), len(handle) - 1) + 1)
    )


def _by_names(a: Profile[Id], b: Profile[Id]) -> Iterator[tuple[float, str]]:
    for ours in (*a.names, *a.spelt_out):
        for theirs in (*b.names, *b.spelt_out):
            if (score := names_alike(ours, theirs)) > 0:
                same = "same name" if ours.key == theirs.key else "names alike"
                yield score, f"{same}: {ours.key} / {theirs.key}"


def names_alike(a: Name, b: Name) -> float:
    """How surely two names are one person's; a single first name is never enough."""
    if a.key == b.key:
        return 1.0 if len(a.words) > 1 else 0.8
    if len(a.words) == 1 or len(b.words) == 1:
        return 0.0
    return max(_whole_likeness(a, b), likeness(a.key, b.key) - 0.03)


def _whole_likeness(a: Name, b: Name) -> float:
    """The letters of both names, their words in order: what a slip of the pen leaves alike."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - loaded when first needed

    ratio = float(fuzz.ratio(" ".join(sorted(a.words)), " ".join(sorted(b.words)))) / 100
    return ratio if ratio >= _ALIKE else 0.0
