"""Small people for rules to decide about."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.directory import Roster
from kithkin.people.model import AliasEntry, Person, RelationshipClaim, Speaker

THEN = datetime(2026, 1, 15, 10, tzinfo=UTC)
NOW = datetime(2026, 2, 1, 10, tzinfo=UTC)


def key(speaker: str) -> SpeakerKey:
    return SpeakerKey(speaker if ":" in speaker else f"telegram:{speaker}")


def person(
    name: str,
    *,
    claims: Iterable[tuple[str, str]] = (),
    aliases: Iterable[str | tuple[str, str]] = (),
    **fields: object,
) -> Person:
    """A person whose id is the name; claims are (term, speaker), aliases (value, adder)."""
    base = Person(
        id=PersonId(str(fields.get("id", name))),
        name=name,
        created_by=None,
        created_at=THEN,
        updated_at=THEN,
        relationships=tuple(RelationshipClaim(term, key(who)) for term, who in claims),
        aliases=tuple(_alias(alias) for alias in aliases),
    )
    merged_into = fields.get("merged_into")
    return base if merged_into is None else _merged(base, str(merged_into))


def _alias(alias: str | tuple[str, str]) -> AliasEntry:
    if isinstance(alias, str):
        return AliasEntry(alias)
    return AliasEntry(alias[0], key(alias[1]))


def _merged(base: Person, into: str) -> Person:
    return Person(
        id=base.id,
        name=base.name,
        created_by=base.created_by,
        created_at=base.created_at,
        updated_at=base.updated_at,
        relationships=base.relationships,
        aliases=base.aliases,
        merged_into=PersonId(into),
    )


def speaker(*keys: str, person: str | None = None) -> Speaker:
    return Speaker(frozenset(map(key, keys)), PersonId(person) if person else None)


def roster(*people: Person, speakers: Mapping[str, Iterable[str]] | None = None) -> Roster:
    """The people, and which of them speak under which keys."""
    keys = {PersonId(who): set(map(key, ids)) for who, ids in (speakers or {}).items()}
    return Roster(people, keys)
