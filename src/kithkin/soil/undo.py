"""Whether an item may still be undone."""

from datetime import timedelta
from typing import Final

from kithkin.clock import moment
from kithkin.errors import UndoRefused
from kithkin.soil.model import Item

WINDOW: Final = timedelta(seconds=300)
_INSTEAD: Final = {
    "EntityDelta": "Revert the entity instead: `kithkin entity revert`.",
    "Relation": "A relation in Soil is permanent.",
    "Undo": "Record the item again instead.",
    "ArtifactCreated": "Relabel the artifact, or erase it.",
    "ArtifactDelta": "Take the commit back instead: `kithkin artifact revert --only`.",
}


def require_undoable(item: Item, *, now: str, undone: bool) -> None:
    """Refuse when the window has closed, it was undone already, or it is undone another way."""
    if item.type in _INSTEAD:
        raise UndoRefused(f"{item.uuid} is a {item.type}. {_INSTEAD[item.type]}")
    if undone:
        raise UndoRefused(f"{item.uuid} was undone already.")
    age = moment(now) - moment(item.realized_at)
    if age > WINDOW:
        raise UndoRefused(
            f"{item.uuid} was recorded {int(age.total_seconds())} seconds ago; undo works for "
            f"{int(WINDOW.total_seconds())}. Record a correction instead, or erase it."
        )
