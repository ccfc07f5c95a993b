"""A persona, what it brought up about a human, and what the human said to that."""

from typing import Literal

from msgspec import Struct

from kithkin.ids import REAL, PersonaId

Verdict = Literal["keep", "move", "remove", "unclear"]
"""It is real; it belongs to the role-play; it is to go; or it was not said."""


class Persona(Struct, frozen=True, omit_defaults=True):
    """A voice. What it is told belongs to its primary group; it sees that and its visible ones."""

    id: PersonaId
    name: str
    aliases: tuple[str, ...] = ()
    group_primary: str | None = None
    groups_visible: tuple[str, ...] = (REAL,)
    groups_former: tuple[str, ...] = ()
    """Groups it was once in: what belongs to them is still there for the steward."""
    traits: tuple[str, ...] = ()
    steward: bool = False
    """The one that sees all groups, and asks the human what was real."""
    archived: bool = False


class Change(Struct, frozen=True):
    """What a persona brought up: something new, or another value of something known."""

    persona: PersonaId
    persona_name: str
    is_new: bool
    new: str
    old: str | None = None
    said: str | None = None
    """The words it was taken from, when it was heard and not written."""
    memory: str | None = None
    """The memory that holds the value until a human has spoken."""


class Asked(Struct, frozen=True):
    """One thing a human is asked about, with every change that touched it."""

    name: str
    data_type: str
    changes: tuple[Change, ...]

    @property
    def value(self) -> Change:
        """The latest of the changes: what the human decides on."""
        return self.changes[-1]

    @property
    def personas(self) -> tuple[str, ...]:
        """The names of everyone who brought it up."""
        return tuple(dict.fromkeys(change.persona_name for change in self.changes))


class Raised(Struct, frozen=True, omit_defaults=True):
    """What a question about a doubt holds: the item, every change of it, how it was asked."""

    item: str
    name: str
    data_type: str
    changes: tuple[Change, ...]
    since: int = 0
    """Where in the ledger it came up: what came up first is asked first."""
    times: int = 0
    """How often it was asked without a clear answer."""
    batch: int | None = None
    """The ledger's end when it was last asked: those asked together have the same."""
    place: int | None = None
    asked_at: str | None = None

    def lines(self) -> tuple[Asked, ...]:
        """What is decided by itself: the value of each persona, with the changes before it."""
        said: dict[PersonaId, list[Change]] = {}
        for change in self.changes:
            said.setdefault(change.persona, []).append(change)
        return tuple(Asked(self.name, self.data_type, tuple(all_)) for all_ in said.values())
