"""The cast: which personas there are, and which of them is the steward."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, Refused
from kithkin.ids import REAL, PersonaId
from kithkin.people.rename import checked_name
from kithkin.personas import store as personas
from kithkin.personas.groups import checked_group, checked_primary
from kithkin.personas.model import Persona

STEWARD = "Steward"
SPECIFIED = "Ei"
"""What the specification calls the steward: it goes by this, too."""


class Draft(Struct, frozen=True, omit_defaults=True):
    """What is said of a persona; None leaves it as it is."""

    name: str | None = None
    aliases: tuple[str, ...] | None = None
    group: str | None = None
    """Its primary group; "" for none."""
    sees: tuple[str, ...] | None = None
    """The groups it sees beside its own; an empty one isolates it."""
    traits: tuple[str, ...] | None = None


def ensure_steward(tx: Tx, *, by: By) -> None:
    """Seed the steward, unless there is one: the database allows no second."""
    if not personas.has_steward(tx):
        made = Persona(personas.new_id(), STEWARD, aliases=(SPECIFIED,), steward=True)
        personas.save(tx, made, by=by)


def listed(db: Database, *, archived: bool = False) -> list[Persona]:
    """The personas, oldest first; archived ones only when asked for."""
    with db.snapshot() as tx:
        return [one for one in personas.everyone(tx) if archived or not one.archived]


def show(db: Database, name: str) -> Persona:
    """A persona, by name, alias or id."""
    with db.snapshot() as tx:
        return personas.named(tx, name)


def add(db: Database, draft: Draft, *, by: By) -> Persona:
    """A new persona. It sees the real world unless it is said what it sees."""
    if not draft.name:
        raise InvalidInput("A persona has a name: give it.")
    with db.transaction() as tx:
        blank = Persona(personas.new_id(), draft.name)
        return _saved(tx, blank, draft, by=by)


def edit(db: Database, name: str, draft: Draft, *, by: By) -> Persona:
    """Change a persona. What was told to it stays in the group it was told in."""
    with db.transaction() as tx:
        return _saved(tx, personas.named(tx, name), draft, by=by)


def archive(db: Database, name: str, *, archived: bool = True, by: By) -> Persona:
    """Let a persona speak no more, or again. What it was told stays."""
    with db.transaction() as tx:
        found = personas.named(tx, name)
        if found.steward and archived:
            raise Refused(
                f"{found.name} is the steward: `kithkin persona steward NAME` makes another one "
                "the steward first."
            )
        return personas.save(tx, replace(found, archived=archived), by=by)


def make_steward(db: Database, name: str, *, by: By) -> Persona:
    """Make a persona the steward in place of the one that was."""
    with db.transaction() as tx:
        chosen, before = personas.named(tx, name), personas.steward(tx)
        if chosen.archived:
            raise Refused(f"{chosen.name} was archived: bring it back first.")
        if before and before.id == chosen.id:
            return chosen
        if before:
            # First: there is never more than one.
            personas.save(tx, replace(before, steward=False), by=by)
        return personas.save(tx, replace(chosen, steward=True), by=by)


def _saved(tx: Tx, before: Persona, draft: Draft, *, by: By) -> Persona:
    name = checked_name(draft.name) if draft.name else before.name
    aliases = _distinct(draft.aliases, before.aliases)
    _require_free(tx, before.id, (name, *aliases))
    after = replace(before, name=name, aliases=aliases)
    if draft.group is not None:
        after = _grouped(after, draft.group)
    if draft.sees is not None:
        after = replace(after, groups_visible=_groups(draft.sees), groups_former=_former(before))
    if draft.traits is not None:
        after = replace(after, traits=_distinct(draft.traits, ()))
    return personas.save(tx, after, by=by)


def _grouped(persona: Persona, group: str) -> Persona:
    primary = checked_primary(group) if group.strip() else None
    return replace(persona, group_primary=primary, groups_former=_former(persona))


def _former(persona: Persona) -> tuple[str, ...]:
    """Groups are never lost sight of: what was told in them is still there."""
    own = (persona.group_primary,) if persona.group_primary else ()
    seen = (one for one in persona.groups_visible if one != REAL)
    return tuple(dict.fromkeys((*persona.groups_former, *own, *seen)))


def _groups(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(checked_group, names)))


def _distinct(given: Sequence[str] | None, before: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return before
    return tuple(dict.fromkeys(checked_name(one) for one in given if one.strip()))


def _require_free(tx: Tx, persona: PersonaId, names: Sequence[str]) -> None:
    for name in names:
        taken = personas.find(tx, name)
        if taken is not None and taken != persona:
            known = personas.get(tx, taken)
            raise InvalidInput(f"{known.name} goes by {name!r} already: choose another name.")
