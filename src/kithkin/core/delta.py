"""What changed between two states, small enough to keep forever and enough to go either way."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kithkin.core.model import FieldDiff
from kithkin.errors import InvalidInput

Fields = Mapping[str, Any]
"""An entity's hashed content: its data, and the envelope's links when they are set."""
Changes = Mapping[str, Any]
"""Per field: `[old, new]`, or for a list what was removed and added and where."""

LINKS: Final = ("group_id", "superseded_by", "derived_from")
ENVELOPE: Final = frozenset(
    (
        *LINKS,
        "uuid",
        "type",
        "hash",
        "previous_hash",
        "version",
        "created_at",
        "updated_at",
        "superseded_at",
    )
)


def require_free_names(data: Fields) -> None:
    """Refuse data whose fields would be taken for the envelope's."""
    taken = sorted(ENVELOPE.intersection(data))
    if taken:
        raise InvalidInput(f"These names belong to every entity: {', '.join(taken)}. Rename them.")


def present(fields: Fields) -> dict[str, Any]:
    """A field that is null is a field that is absent: one way to say nothing."""
    return {name: value for name, value in fields.items() if value is not None}


def changes_between(old: Fields, new: Fields) -> dict[str, Any]:
    """The changes that lead from one state to the other; empty when they are the same."""
    return {
        name: _change(old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if not _same(old.get(name), new.get(name))
    }


def apply(state: Fields, changes: Changes) -> dict[str, Any]:
    """The state after the changes."""
    after = dict(state)
    for name, change in changes.items():
        value = change[1] if isinstance(change, list) else _spliced(after.get(name), change)
        if value is None:
            after.pop(name, None)
        else:
            after[name] = value
    return after


def fold(steps: Iterable[Changes]) -> dict[str, Any]:
    """The state after all steps from nothing."""
    state: dict[str, Any] = {}
    for changes in steps:
        state = apply(state, changes)
    return state


def diff(old: Fields, new: Fields) -> list[FieldDiff]:
    """Each field that differs, with both values whole."""
    return [
        FieldDiff(field=name, old=old.get(name), new=new.get(name))
        for name in changes_between(old, new)
    ]


def _change(old: Any, new: Any) -> Any:
    if isinstance(old, list) and isinstance(new, list):
        return _splice(old, new)
    return [old, new]


def _splice(old: list[Any], new: list[Any]) -> dict[str, Any]:
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and _same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < shorter - head and _same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    return {
        "at": head,
        "removed": old[head : len(old) - tail],
        "added": new[head : len(new) - tail],
    }


def _spliced(old: list[Any] | None, edit: Mapping[str, Any]) -> list[Any]:
    before = old or []
    at = edit["at"]
    return [*before[:at], *edit["added"], *before[at + len(edit["removed"]) :]]


def _same(old: Any, new: Any) -> bool:
    # 1, 1.0 and True are equal to Python and different texts to the hash.
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[name], new[name]) for name in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) is type(new) and bool(old == new)
