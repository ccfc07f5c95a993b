"""Making somebody's acquaintance: the name and the relationship that a sentence gives."""

import re
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from kithkin.ids import PersonId, SpeakerKey
from kithkin.language.kinship import TERM_IN_TEXT, Term, term_of
from kithkin.language.names_in_text import aligned, ends_with_name, starts_with_name
from kithkin.language.person_references import (
    BareTerm,
    Handle,
    My,
    Named,
    Possessive,
    parse_reference,
)
from kithkin.language.words import fold, key_of
from kithkin.people.model import AliasEntry, Person, RelationshipClaim

_MINE = re.compile(rf"(?<![\w'-])(?:my|our)\s+({TERM_IN_TEXT})")
_SAYS_NAME = re.compile(
    r"(?:'s (?:first |full |real )?name(?: is|'s)| is (?:named|called)| named| called"
    r"|,? whose name is| goes by)\s+"
)
_IS = re.compile(r"(?: is|'s)\s+(?=\S)")
_NEXT_TO = re.compile(r",?\s+(?=\S)")
_BRACKET = re.compile(r"\s*\(\s*(?=\S)")
_ENDS = re.compile(r"\s*(?:$|[.,;:!?)])")
_IN_A_LIST = re.compile(r",?\s*(?:and|or|&)\b")
_LONGEST_LINK = 8
_NAME_IS_MY = re.compile(r"(?:,\s*|\s+is\s+|'s\s+)$")


class Introduction(Struct, frozen=True):
    """Who is to be made known: a name, what they are to the speaker, and how they were called."""

    name: str
    relationship: str | None = None
    alias: str | None = None


def introduce(said: str, *, hint: str = "") -> Introduction | None:
    """What is known of somebody new who was called `said` in the sentence `hint`.

    Without a name in the sentence the term itself stands for it ("Wife"). None when `said` names
    no person, or one whom the speaker cannot introduce ("my cat", "your sister").
    """
    reference = parse_reference(said)
    match reference:
        case My(term, name) | BareTerm(term, name):
            given = name if isinstance(reference, My) else ""
            found = given or name_in(hint, term) or _title_cased(term.label)
            return _made(said, _title_cased(found), term.label)
        case Named(name):
            return _made(said, _title_cased(name), _relationship_in(hint, name))
        case Handle(handle):
            return _made(said, handle, None)
        case Possessive():
            return _made(said, _name_after(hint, said) or _title_cased(said), None)
        case _:
            return None


def _made(said: str, name: str, relationship: str | None) -> Introduction | None:
    if not key_of(name):
        return None
    plain = " ".join(said.split()).lstrip("@")
    return Introduction(name, relationship, plain if fold(plain) != fold(name) else None)


def name_in(text: str, term: Term) -> str:
    """The name that `text` gives to the speaker's own `term`, or ""."""
    found = (name for met, name in introductions(text) if met.meaning == term.meaning)
    return next(found, "")


def _relationship_in(text: str, name: str) -> str | None:
    key = key_of(name)
    met = (term.label for term, given in introductions(text) if key_of(given) == key)
    return next(met, None)


def introductions(text: str) -> Iterator[tuple[Term, str]]:
    """Every "my TERM" in the text that comes with a name: "my wife Sarah", "Li Wei, my boss,"."""
    low = aligned(text)
    for match in _MINE.finditer(low):
        term = term_of(match[1])
        name = _after(text, low, match.end()) or _before(text, low, match)
        if term and name:
            yield term, name


def _name_after(text: str, phrase: str) -> str:
    at = aligned(text).find(aligned(phrase))
    return _after(text, aligned(text), at + len(phrase)) if at >= 0 else ""


def _after(text: str, low: str, end: int) -> str:
    if said := _SAYS_NAME.match(low, end):
        return starts_with_name(text, said.end())
    if opened := _BRACKET.match(low, end):
        return starts_with_name(text, opened.end())
    if named := _IS.match(low, end):
        name = starts_with_name(text, named.end())
        return name if name and _ENDS.match(low, named.end() + len(name)) else ""
    beside = _NEXT_TO.match(low, end)
    return _beside(text, low, beside) if beside else ""


def _beside(text: str, low: str, gap: re.Match[str]) -> str:
    name = starts_with_name(text, gap.end())
    after_comma = gap[0].startswith(",")
    end = gap.end() + len(name)
    if after_comma and (_IN_A_LIST.match(low, end) or not _ENDS.match(low, end)):
        return ""
    return name


def _before(text: str, low: str, match: re.Match[str]) -> str:
    """The name in "Li Wei, my colleague, …" or "Sarah is my wife"."""
    link = _NAME_IS_MY.search(low, max(0, match.start() - _LONGEST_LINK), match.start())
    if link is None:
        return ""
    beside = link[0].startswith(",")
    if beside and not _ENDS.match(low, match.end()):
        return ""
    return ends_with_name(text, link.start())


def _title_cased(name: str) -> str:
    """A capital for each word, unless the name has capitals of its own."""
    plain = " ".join(name.split())
    if plain != plain.lower() and plain != plain.upper():
        return plain
    return re.sub(r"(?:^|(?<=[\s-])|(?<=\b[Oo]'))\w", lambda m: m[0].upper(), plain.lower())


def new_person(
    introduction: Introduction, *, person_id: PersonId, speaker: SpeakerKey | None, now: datetime
) -> Person:
    """The record of somebody just introduced, with who introduced them on every part."""
    alias, term = introduction.alias, introduction.relationship
    return Person(
        id=person_id,
        name=introduction.name,
        created_by=speaker,
        created_at=now,
        updated_at=now,
        aliases=(AliasEntry(alias, speaker, now),) if alias else (),
        relationships=(RelationshipClaim(term, speaker, now),) if term else (),
    )
