"""What a look-up table holds, so that one reference among a million people reads few rows.

A store keeps `lookup_keys` rows as (key, person, kind), and `connections` rows as
(speaker, term, person). Exact look-ups ask for one key. Nicknames and slips of spelling are
expanded when asking, not when storing: each name word costs two rows.
"""

from collections.abc import Iterable
from itertools import pairwise
from string import ascii_lowercase
from typing import Literal

from msgspec import Struct

from kithkin.ids import SpeakerKey
from kithkin.language.kinship import meaning_of, term_of
from kithkin.language.names import other_forms, skeleton
from kithkin.language.person_references import BareTerm, Handle, My, Named, parse_reference
from kithkin.language.words import Name, fold, key_of, name_of
from kithkin.people.model import AliasEntry, Person

Kind = Literal["name", "alias", "word", "pair", "sound"]
_LONGEST_KEY = 200
_SHORTEST_SLIP, _LONGEST_SLIP = 4, 24
_SHORTEST_HANDLE = 5
_BY_NAME = (Named, Handle)


class Connection(Struct, frozen=True, gc=False):
    """Somebody who said something about a person, and what they call them ("" for a name)."""

    speaker: SpeakerKey
    term: str


def lookup_keys(person: Person) -> tuple[tuple[str, Kind], ...]:
    """The keys by which a person is found by name; a merged one only redirects its full name."""
    if person.merged_into is not None:
        return ((_bounded(key_of(person.name)), "name"),)
    rows: dict[str, Kind] = {}
    if not is_placeholder(person):
        _add_name(rows, person.name, "name")
    for alias in person.aliases:
        if not is_relational(alias.value):
            _add_name(rows, alias.value, "alias")
    return tuple([(key[:_LONGEST_KEY], kind) for key, kind in rows.items()])


def _add_name(rows: dict[str, Kind], text: str, kind: Kind) -> None:
    name = name_of(text)
    rows.setdefault(name.key, kind)
    if len(name.words) > 1:
        for word in name.words:
            rows.setdefault(word, "word")
        for pair in pairs_of(name):
            rows.setdefault(pair, "pair")
    for sound in sounds_of(name):
        rows.setdefault(sound, "sound")


def pairs_of(name: Name) -> tuple[str, ...]:
    """Words said together: neighbours, and the first with the last."""
    words = name.words
    ends = [f"{words[0]} {words[-1]}"] if len(words) > 1 else []
    return tuple(dict.fromkeys([*ends, *map(" ".join, pairwise(words))]))


def sounds_of(name: Name) -> list[str]:
    """How each word sounds, marked so that it never meets a spelling."""
    return [
        f"~{sound}"
        for word in name.words
        if word.isalpha() and word.isascii() and len(sound := skeleton(word)) > 1
    ]


def _bounded(key: str) -> str:
    return key[:_LONGEST_KEY]


def is_relational(alias: str) -> bool:
    """Whether an alias says what somebody is to somebody: it then holds for one speaker only."""
    if alias.isalnum() and not alias.isalpha():
        return False  # a handle with a number, as most are
    return not isinstance(parse_reference(alias), _BY_NAME)


def is_placeholder(person: Person) -> bool:
    """Whether the name only says what they are to somebody ("Wife", "Tom's sister").

    A real name can be a word for kin too ("Nan"): it is a placeholder when a claim repeats it.
    """
    term = term_of(person.name)
    if term is None:
        return "'" in fold(person.name) and is_relational(person.name)
    return any(meaning_of(claim.relationship) == term.meaning for claim in person.relationships)


def connections(person: Person) -> tuple[Connection, ...]:
    """Who is connected to this person, and by which term: the rows behind "my X"."""
    if person.merged_into is not None:
        return ()
    claimed = (
        Connection(claim.stated_by, meaning_of(claim.relationship))
        for claim in person.relationships
        if claim.stated_by is not None
    )
    added = (
        Connection(alias.added_by, alias_term(alias))
        for alias in person.aliases
        if alias.added_by is not None
    )
    return tuple(dict.fromkeys([*claimed, *added]))


def alias_term(alias: AliasEntry) -> str:
    """The meaning of an alias like "my wife", the phrase of one like "Tom's sister", else ""."""
    match parse_reference(alias.value):
        case Named() | Handle():
            return ""
        case My(term=term) | BareTerm(term=term):
            return term.meaning
        case _:
            return fold(alias.value)


def exact_keys(said: str) -> tuple[str, ...]:
    """The keys of everyone who may be called exactly this, in whole or by a part of the name."""
    name = name_of(said)
    whole = " ".join(name.words)
    return tuple(dict.fromkeys(map(_bounded, (name.key, whole, *pairs_of(name)[:1]))))


def rough_keys(said: str) -> tuple[str, ...]:
    """The keys of everyone who may be meant by a nickname, a slip of spelling or a handle."""
    words = name_of(said).words
    if not words:
        return ()
    if len(words) == 1:
        return _unique(_variants(words[0]), sounds_of(name_of(said)), _handle_parts(words[0]))
    first, last = words[0], words[-1]
    firsts = (f"{other} {last}" for other in _variants(first))
    lasts = (f"{first} {other}" for other in one_slip_away(last))
    return _unique(firsts, lasts, (f"{last} {first}", first + last))


def _unique(*groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_bounded(key) for group in groups for key in group))


def _variants(word: str) -> Iterable[str]:
    return (*sorted(other_forms(word)), *one_slip_away(word))


def one_slip_away(word: str) -> tuple[str, ...]:
    """Every spelling one letter off; none for short words, where it is another name."""
    if not _SHORTEST_SLIP <= len(word) <= _LONGEST_SLIP or not (word.isascii() and word.isalpha()):
        return ()
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    dropped = [a + b[1:] for a, b in halves if b]
    swapped = [a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1]
    changed = [a + c + b[1:] for a, b in halves if b for c in ascii_lowercase]
    added = [a + c + b for a, b in halves for c in ascii_lowercase]
    return tuple(dict.fromkeys(dropped + swapped + changed + added))


def _handle_parts(handle: str) -> tuple[str, ...]:
    """The names a handle may be made of: "jsmith" is a Smith, "johnsmith" is "john smith"."""
    bare = handle.rstrip("0123456789")
    if not _SHORTEST_HANDLE <= len(bare) <= _LONGEST_SLIP:
        return (bare,)
    splits = (f"{bare[:i]} {bare[i:]}" for i in range(2, len(bare) - 1))
    return (bare, bare[1:], bare[:-1], *splits)
