"""Two records of one person become one, and can become two again."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kithkin.errors import Refused
from kithkin.ids import PersonId, SpeakerKey
from kithkin.language.kinship import meaning_of
from kithkin.language.names import plausible
from kithkin.people.lookup_keys import is_placeholder, is_relational
from kithkin.people.model import AliasEntry, Person, RelationshipClaim

ClaimKey = tuple[str, SpeakerKey | None]
AliasKey = tuple[str, SpeakerKey | None]
Entry = TypeVar("Entry")
Key = TypeVar("Key", bound=Hashable)


class MergePlan(Struct, frozen=True):
    """Both records as they will be, and what moves from the secondary to the primary."""

    primary: Person
    secondary: Person
    aliases_moved: tuple[AliasEntry, ...]
    claims_moved: tuple[RelationshipClaim, ...]
    groups_moved: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """What a human should look at first; nothing here stops the merge."""


class UnmergePlan(Struct, frozen=True):
    """Both records as they will be when they are two again."""

    primary: Person
    secondary: Person


def claim_key(claim: RelationshipClaim) -> ClaimKey:
    """Claims are one when the same speaker states the same term."""
    return meaning_of(claim.relationship), claim.stated_by


def alias_key(alias: AliasEntry) -> AliasKey:
    """Aliases are one whatever their case, but a phrase ("my wife") is its adder's own."""
    return alias.value.casefold(), alias.added_by if is_relational(alias.value) else None


def _name_key(name: str) -> AliasKey:
    return name.casefold(), None


def plan_merge(
    primary: Person,
    secondary: Person,
    *,
    now: datetime,
    get: Callable[[PersonId], Person | None],
    added_by: SpeakerKey | None = None,
) -> MergePlan:
    """What merging would do: nothing is lost, the secondary stays as a redirect.

    `get` finds other records, so that a chain that leads back is refused.
    """
    _check_mergeable(primary, secondary, get)
    named = AliasEntry(secondary.name, added_by or secondary.created_by, now)
    moved_aliases = _new_aliases(primary, [*secondary.aliases, named])
    moved_claims = _new_claims(primary, secondary.relationships)
    moved_groups = tuple(group for group in secondary.groups if group not in primary.groups)
    return MergePlan(
        primary=replace(
            primary,
            aliases=(*primary.aliases, *moved_aliases),
            relationships=(*primary.relationships, *moved_claims),
            groups=(*primary.groups, *moved_groups),
            updated_at=now,
        ),
        secondary=replace(secondary, merged_into=primary.id, updated_at=now),
        aliases_moved=moved_aliases,
        claims_moved=moved_claims,
        groups_moved=moved_groups,
        conflicts=_conflicts(primary, secondary),
    )


def _check_mergeable(
    primary: Person, secondary: Person, get: Callable[[PersonId], Person | None]
) -> None:
    if primary.id == secondary.id:
        raise Refused(f"{primary.name} cannot be merged into the same record: name two people.")
    if secondary.merged_into is not None:
        raise Refused(
            f"{secondary.name} ({secondary.id}) is already merged into {secondary.merged_into}: "
            "unmerge it first."
        )
    if _leads_to(primary, secondary.id, get):
        raise Refused(
            f"{primary.name} is merged into {secondary.name}: merge the other way round, "
            "or unmerge first."
        )
    if primary.merged_into is not None:
        raise Refused(
            f"{primary.name} ({primary.id}) is merged into {primary.merged_into}: "
            "merge into that record instead."
        )


def _leads_to(person: Person, target: PersonId, get: Callable[[PersonId], Person | None]) -> bool:
    seen: set[PersonId] = set()
    current: Person | None = person
    while current and current.merged_into is not None and current.id not in seen:
        if current.merged_into == target:
            return True
        seen.add(current.id)
        current = get(current.merged_into)
    return False


def _new_aliases(primary: Person, offered: Iterable[AliasEntry]) -> tuple[AliasEntry, ...]:
    have = {_name_key(primary.name), *map(alias_key, primary.aliases)}
    new = {alias_key(alias): alias for alias in reversed(tuple(offered))}
    return tuple(alias for key, alias in reversed(new.items()) if key not in have)


def _new_claims(
    primary: Person, offered: Iterable[RelationshipClaim]
) -> tuple[RelationshipClaim, ...]:
    have = set(map(claim_key, primary.relationships))
    new = {claim_key(claim): claim for claim in reversed(tuple(offered))}
    return tuple(claim for key, claim in reversed(new.items()) if key not in have)


def _conflicts(primary: Person, secondary: Person) -> tuple[str, ...]:
    found = []
    if not plausible(secondary.name, primary.name) and not is_placeholder(secondary):
        found.append(f"the names {primary.name!r} and {secondary.name!r} are not alike")
    mine, theirs = _claims_by_speaker(primary), _claims_by_speaker(secondary)
    for speaker in mine.keys() & theirs.keys():
        if not mine[speaker] & theirs[speaker]:
            ours, others = ", ".join(sorted(mine[speaker])), ", ".join(sorted(theirs[speaker]))
            found.append(f"{speaker} calls one {ours} and the other {others}")
    if _selves(primary) and _selves(secondary):
        found.append("both have spoken for themselves")
    return tuple(found)


def _claims_by_speaker(person: Person) -> dict[SpeakerKey, set[str]]:
    claims: dict[SpeakerKey, set[str]] = {}
    for meaning, speaker in map(claim_key, person.relationships):
        if speaker is not None:
            claims.setdefault(speaker, set()).add(meaning)
    return claims


def _selves(person: Person) -> bool:
    return any(claim.relationship == "self" for claim in person.relationships)


def plan_unmerge(
    plan: MergePlan,
    *,
    before: Person,
    primary: Person,
    secondary: Person,
    others: Sequence[Person] = (),
    now: datetime,
) -> UnmergePlan:
    """Make two records of one again: `before` is the secondary as it was, the rest is as it is.

    What was changed on the primary since stays there. What had moved goes back, unless it was
    removed since; what another record merged into the primary (`others`) also has, stays too.
    """
    _check_unmergeable(primary, secondary)
    return UnmergePlan(
        primary=_without_moved(primary, plan, others, now),
        secondary=replace(
            before,
            aliases=_not_removed(before.aliases, plan.aliases_moved, primary.aliases, alias_key),
            relationships=_not_removed(
                before.relationships, plan.claims_moved, primary.relationships, claim_key
            ),
            merged_into=None,
            updated_at=now,
        ),
    )


def _check_unmergeable(primary: Person, secondary: Person) -> None:
    if secondary.merged_into != primary.id:
        raise Refused(f"{secondary.name} is not merged into {primary.name}: nothing to undo.")
    if primary.merged_into is not None:
        raise Refused(
            f"{primary.name} was merged into {primary.merged_into} since: unmerge that first."
        )


def _without_moved(
    primary: Person, plan: MergePlan, others: Sequence[Person], now: datetime
) -> Person:
    aliases = {alias_key(alias) for alias in plan.aliases_moved}
    aliases -= {alias_key(alias) for other in others for alias in other.aliases}
    aliases -= {_name_key(other.name) for other in others}
    claims = {claim_key(claim) for claim in plan.claims_moved}
    claims -= {claim_key(claim) for other in others for claim in other.relationships}
    groups = set(plan.groups_moved).difference(*(other.groups for other in others))
    return replace(
        primary,
        aliases=tuple(alias for alias in primary.aliases if alias_key(alias) not in aliases),
        relationships=tuple(c for c in primary.relationships if claim_key(c) not in claims),
        groups=tuple(group for group in primary.groups if group not in groups),
        updated_at=now,
    )


def _not_removed(
    before: Sequence[Entry],
    moved: Sequence[Entry],
    now: Sequence[Entry],
    key: Callable[[Entry], Key],
) -> tuple[Entry, ...]:
    """The entries as they were, less those that moved and were taken from the primary since."""
    removed = set(map(key, moved)) - set(map(key, now))
    return tuple(entry for entry in before if key(entry) not in removed)
