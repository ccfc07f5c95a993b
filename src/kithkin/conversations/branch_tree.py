"""The tree of branches: who grows from whom, what may be collapsed, what a branch shows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from kithkin.conversations.model import Log, Tree
from kithkin.errors import InvalidInput, NotFound, Refused

ItemsOf = Callable[[str], Sequence[str]]
"""The items of a branch itself, in order."""
Value = TypeVar("Value")
_LONGEST_NAME: Final = 200


def descendants(logs: Iterable[Log], uuid: str) -> list[Log]:
    """Everything that grows from a branch, however far, in the order of the stack."""
    family = {uuid}
    found = []
    for log in sorted(logs, key=lambda one: one.number):
        if log.parent_uuid in family:
            family.add(log.uuid)
            found.append(log)
    return found


def can_collapse(logs: Iterable[Log], uuid: str) -> bool:
    """Whether no branch that grows from this one goes on: children and their children too."""
    return not any(log.active for log in descendants(logs, uuid))


def require_collapsible(logs: Sequence[Log], log: Log) -> None:
    """Refuse to collapse what goes on further down, or is collapsed already."""
    if not log.active:
        raise Refused(
            f"{log.uuid} is collapsed already. `kithkin branch reopen` takes it up again."
        )
    going_on = [one.uuid for one in descendants(logs, log.uuid) if one.active]
    if going_on:
        raise Refused(
            f"Cannot collapse a branch with active children: collapse {', '.join(going_on)} first."
        )


def require_active(log: Log) -> None:
    """Refuse to add to a collapsed branch."""
    if not log.active:
        raise Refused(
            f"{log.uuid} is collapsed: `kithkin branch reopen {log.uuid}` goes on in a new branch."
        )


def active_above(logs: Mapping[str, Log], log: Log) -> Log | None:
    """The nearest branch above that still goes on; None when there is none."""
    parent = logs.get(log.parent_uuid or "")
    while parent and not parent.active:
        parent = logs.get(parent.parent_uuid or "")
    return parent


def view(logs: Mapping[str, Log], log: Log, items_of: ItemsOf) -> list[str]:
    """What a branch shows: the parent's view up to the fork, then its own items.

    One that was reopened shows all of the branch it continues.
    """
    chain = [log]
    while above := logs.get(chain[-1].continues or "") or logs.get(chain[-1].parent_uuid or ""):
        chain.append(above)
    shown: list[str] = []
    for one in reversed(chain):
        if one.continues not in logs:
            shown = up_to(shown, one.forked_at)
        shown += items_of(one.uuid)
    return shown


def up_to(values: Sequence[Value], last: Value | None) -> list[Value]:
    """The values up to and with one of them; none of them when it is not there."""
    return list(values[: values.index(last) + 1]) if last is not None and last in values else []


def tree(logs: Sequence[Log]) -> list[Tree]:
    """The branches as they grow from each other, roots first, in the order of the stack."""

    def grown(log: Log) -> Tree:
        children = (one for one in logs if one.parent_uuid == log.uuid)
        return Tree(log, tuple(map(grown, sorted(children, key=lambda one: one.number))))

    known = {log.uuid for log in logs}
    roots = (log for log in logs if log.parent_uuid not in known)
    return [grown(log) for log in sorted(roots, key=lambda one: one.number)]


def require_participant(name: str) -> str:
    """A participant's name as it is kept: an actor's, or a person's id."""
    kept = name.strip()
    if not kept or not kept.isprintable() or len(kept) > _LONGEST_NAME:
        raise InvalidInput(f"{name[:80]!r} cannot name a participant: say who, such as agent.")
    return kept


def require_known(items: Sequence[str], item: str, *, where: str) -> str:
    """An item that has to be among others."""
    if item not in items:
        raise NotFound(f"{item} is not in {where}. `kithkin branch show` lists its items.")
    return item
