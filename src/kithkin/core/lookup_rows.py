"""Look-up rows: written with every change of an entity or item, and again by a rebuild."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from kithkin.core.model import Entity
from kithkin.db import Tx
from kithkin.soil.model import Item

Project = Callable[[Tx, Entity | None, Entity], None]
"""Bring the look-up rows from the state before (None when new) to the state after.

The state after has no data once the entity is erased: its rows go.
"""


class Projection(Struct, frozen=True):
    """How a domain keeps the look-up rows of its entities."""

    project: Project
    clear: Callable[[Tx], None]
    """Empty the rows, for a rebuild to write again."""
    project_new: Callable[[Tx, Iterable[Entity]], None] | None = None
    """The rows of many new entities at once, where that is faster than one by one."""
    commands: str | None = None
    """The commands that change it: the plain entity commands leave it alone."""
    fossilises: bool = False
    """Whether an entity of this type rests once nobody refers to it."""


class ItemProjection(Struct, frozen=True):
    """How a domain keeps look-up rows of items. A rebuild has written the entities before."""

    restore: Callable[[Tx, Item], None]
    clear: Callable[[Tx], None]
    """Empty the rows, for a rebuild to write again."""


_registered: Final[dict[str, Projection]] = {}
_of_items: Final[dict[str, list[ItemProjection]]] = {}


def register(type_name: str, projection: Projection) -> None:
    """Say how a type keeps its look-up rows; a domain's store does so once, when imported."""
    _registered[type_name] = projection


def of(type_name: str) -> Projection | None:
    """How a type keeps its look-up rows; None for one that has none."""
    return _registered.get(type_name)


def registered() -> dict[str, Projection]:
    """Every type that keeps look-up rows."""
    return dict(_registered)


def register_items(type_name: str, projection: ItemProjection) -> None:
    """Say how a domain keeps look-up rows of a type of item."""
    _of_items.setdefault(type_name, []).append(projection)


def of_items(type_name: str) -> Sequence[ItemProjection]:
    """Who keeps look-up rows of a type of item."""
    return _of_items.get(type_name, ())


def item_types() -> list[str]:
    """The types of items that somebody keeps look-up rows of."""
    return sorted(_of_items)


def registered_for_items() -> list[ItemProjection]:
    """Everybody who keeps look-up rows of items."""
    return [projection for several in _of_items.values() for projection in several]
