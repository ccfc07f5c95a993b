"""Groups: what a persona sees, where what it is told belongs, and what needs a human's word."""

from collections.abc import Collection, Iterable

from kithkin.errors import InvalidInput
from kithkin.ids import REAL
from kithkin.personas.model import Persona


def visible_to(persona: Persona, everyone: Iterable[Persona]) -> frozenset[str]:
    """The groups a persona sees: its own and those made visible to it; the steward sees all.

    One with no visible groups is isolated: it does not even see the real world.
    """
    if persona.steward:
        return all_groups(everyone)
    own = (persona.group_primary,) if persona.group_primary else ()
    return frozenset((*own, *persona.groups_visible, persona.id))


def all_groups(everyone: Iterable[Persona]) -> frozenset[str]:
    """Every group that has a name. What a persona was told for itself alone has none."""
    named = {REAL}
    for persona in everyone:
        named.update(persona.groups_visible, persona.groups_former)
        named.update((persona.group_primary,) if persona.group_primary else ())
    return frozenset(named)


def home_of(persona: Persona) -> str:
    """Where people and words told to a persona belong.

    Without a group they are the persona's alone, under its id, until a human has spoken.
    """
    return REAL if persona.steward else persona.group_primary or persona.id


def group_for_moving(persona: Persona) -> str:
    """Where role-play goes: the persona's primary group, else a group of its own."""
    return persona.group_primary or persona.name


def groups_when_new(persona: Persona) -> tuple[str, ...]:
    """The groups of an item that a persona is the first to learn."""
    return (REAL,) if persona.steward else (persona.group_primary or REAL,)


def groups_when_updated(persona: Persona, groups: tuple[str, ...]) -> tuple[str, ...]:
    """The groups of an item after a persona changed it: the real world's stays the real world's."""
    if is_global(groups) or persona.steward or persona.group_primary is None:
        return groups
    return tuple(dict.fromkeys((*groups, persona.group_primary)))


def is_global(groups: Collection[str]) -> bool:
    """Whether an item is the real world's: `*`, or no group at all."""
    return not groups or REAL in groups


def needs_word(persona: Persona, groups: Collection[str], *, locked: bool) -> bool:
    """Whether a change waits for a human: a global one by anybody but the steward, or a locked one.

    The specification's detection; what a human confirmed is locked against every persona.
    """
    return locked or (not persona.steward and is_global(groups))


def checked_group(name: str) -> str:
    """A group's name, on one line; the real world is nobody's own."""
    plain = " ".join(name.split())
    if not plain or not plain.isprintable():
        raise InvalidInput(f"{name!r} cannot name a group.")
    return plain


def checked_primary(name: str) -> str:
    """A group that a persona's fiction belongs to."""
    plain = checked_group(name)
    if plain == REAL:
        raise InvalidInput(
            f"{REAL} is the real world, which is no persona's own group: leave the group away."
        )
    return plain
