"""Giving a person another name: the old one stays, nothing is said twice."""

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from kithkin.canonical import require_text
from kithkin.errors import InvalidInput
from kithkin.ids import SpeakerKey
from kithkin.people.merge import alias_key
from kithkin.people.model import AliasEntry, Person

_LONGEST_NAME: Final = 200


def renamed(person: Person, name: str, *, by: SpeakerKey | None, now: datetime) -> Person:
    """The person under a new name; the old one is an alias from now on."""
    if name == person.name:
        return person
    changed = replace(person, name=name, updated_at=now)
    # A name that only says that nobody knew one is not a name to be found by.
    unknown = person.name.startswith("Unknown (")
    return changed if unknown else with_alias(changed, person.name, by=by, now=now)


def with_alias(person: Person, alias: str, *, by: SpeakerKey | None, now: datetime) -> Person:
    """The person with one more alias, unless they have it or are called so anyway."""
    entry = AliasEntry(alias, by, now)
    same_name = alias.casefold() == person.name.casefold()
    if same_name or alias_key(entry) in map(alias_key, person.aliases):
        return person
    return replace(person, aliases=(*person.aliases, entry), updated_at=now)


def checked_name(name: str) -> str:
    """A name on one line, of a length that a name can have."""
    text = " ".join(require_text(name, what="The name").split())
    if not text or len(text) > _LONGEST_NAME:
        raise InvalidInput(f"A name has 1 to {_LONGEST_NAME} characters.")
    return text
