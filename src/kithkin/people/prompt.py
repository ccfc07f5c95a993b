"""The people an agent is told about before it answers."""

import re
from collections.abc import Iterable, Sequence

from kithkin.ids import REAL
from kithkin.language.kinship import meaning_of
from kithkin.people.model import Person, Speaker

_HEAD = "## Known People\n\nThese are people you know about:\n\n"
_FOOT = "\n\nUse these when interpreting references like 'my wife' or 'Sarah'."
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
_LONGEST_NAME = 80


def build_people_section(
    people: Iterable[Person],
    *,
    sender: Speaker | None,
    most: int = 50,
    most_characters: int = 4000,
) -> str:
    """The specification's section, the most recently relevant first, or "" when nobody is known.

    The sender is left out, and the sender's own word for a person comes before everybody else's.
    """
    me = sender.person if sender else None
    shown = [p for p in people if p.id != me and p.merged_into is None and not _is_self(p, sender)]
    shown.sort(key=lambda person: (person.updated_at, person.id), reverse=True)
    lines = [_line(person, sender) for person in shown]
    kept = _within(lines, most, most_characters - len(_HEAD) - len(_FOOT))
    if len(kept) < len(lines):
        kept = [*kept, f"- …and {len(lines) - len(kept)} more"]
    return _HEAD + "\n".join(kept) + _FOOT if lines else ""


def _is_self(person: Person, sender: Speaker | None) -> bool:
    return sender is not None and any(
        claim.relationship == "self" and claim.stated_by in sender.keys
        for claim in person.relationships
    )


def _within(lines: Sequence[str], most: int, most_characters: int) -> list[str]:
    kept: list[str] = []
    left = most_characters
    for line in lines[:most]:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return kept


def _line(person: Person, sender: Speaker | None) -> str:
    # Whoever sees several worlds has to know whose people these are.
    world = [f"in {group}" for group in person.groups if group != REAL]
    terms = ", ".join(map(escaped, [*_terms(person, sender), *world]))
    return f"- **{escaped(person.name)}**" + (f" ({terms})" if terms else "")


def _terms(person: Person, sender: Speaker | None) -> Sequence[str]:
    keys = sender.keys if sender else frozenset()
    claims = [claim for claim in person.relationships if claim.relationship != "self"]
    own = [claim for claim in claims if claim.stated_by in keys]
    distinct: dict[str, str] = {}
    for claim in own or claims:
        distinct.setdefault(meaning_of(claim.relationship), claim.relationship)
    return tuple(distinct.values())


def escaped(text: str) -> str:
    """The text on one line, with nothing in it that could pass for markup."""
    # Not printable are line ends, controls, direction marks and the tags that hide a text.
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    shortened = line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…"
    return _MARKUP.sub(r"\\\1", shortened)
