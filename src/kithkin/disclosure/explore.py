"""Look: at the timeline, at one thing, at its past, at what has changed since."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct

from kithkin.clock import moment, stamp
from kithkin.core import notices, timeline
from kithkin.core import store as core
from kithkin.core.delta import diff, fold
from kithkin.core.model import Entity, FieldDiff, Notice, Version
from kithkin.core.timeline import Shown, Window
from kithkin.db import Database, Tx
from kithkin.errors import Erased, InvalidInput, NotFound
from kithkin.relations import store as relations
from kithkin.relations.model import Edge
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item

_SCAN = 500


class Wanted(Struct, frozen=True):
    """What to show of the timeline."""

    type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    clock: Literal["realized", "canonical"] = "realized"
    text: str | None = None
    related_to: str | None = None
    everything: bool = False
    limit: int = 20
    before: str | None = None
    """The `next` of the page before."""


class Page(Struct, frozen=True):
    """A part of the timeline; `next` asks for the one after it."""

    items: tuple[Shown, ...]
    next: str | None


class ItemView(Struct, frozen=True):
    """One item with everything known about it."""

    shown: Shown
    undone: bool
    relations: tuple[Edge, ...]


def show_timeline(db: Database, wanted: Wanted) -> Page:
    """Items newest first. A text is looked for in what items say, whatever its case."""
    if not 1 <= wanted.limit <= 1000:  # noqa: PLR2004 - the documented bound
        raise InvalidInput(f"A page holds 1 to 1000 items, not {wanted.limit}.")
    with db.snapshot() as tx:
        if wanted.related_to:
            return Page(items=tuple(_related(tx, wanted)[: wanted.limit]), next=None)
        found, more = _scan(tx, wanted)
    return page_of(found, wanted, more=more)


def page_of(found: Sequence[Shown], wanted: Wanted, *, more: bool) -> Page:
    """As many as are wanted, and where the next page begins if there is more."""
    items = tuple(found[: wanted.limit])
    more = more or len(found) > wanted.limit
    return Page(items, next=_cursor(items[-1], wanted) if items and more else None)


def full_id(db: Database, start: str) -> str:
    """The one id that begins so: of an item, an entity or a relation."""
    if not start.strip():
        raise InvalidInput("The id is empty: `kithkin timeline` and the lists show ids.")
    with db.snapshot() as tx:
        found = {
            *soil.starting_with(tx, start),
            *core.starting_with(tx, start),
            *relations.starting_with(tx, start),
        }
    if start in found:
        return start
    if not found:
        raise NotFound(f"There is nothing with the id {start}.")
    if len(found) > 1:
        raise InvalidInput(f"{start!r} begins several ids; give more of it.")
    return found.pop()


def show_item(db: Database, uuid: str) -> ItemView:
    """An item, what the user believes about it, and what it is connected with."""
    with db.snapshot() as tx:
        return ItemView(
            shown=_shown(tx, soil.get(tx, uuid)),
            undone=soil.is_undone(tx, uuid),
            relations=tuple(relations.around(tx, uuid)),
        )


def show_entity(db: Database, uuid: str) -> Entity:
    """An entity as it is believed now."""
    with db.snapshot() as tx:
        return core.get(tx, uuid)


def list_entities(
    db: Database, *, type_name: str | None, after: str | None, limit: int
) -> list[Entity]:
    """Entities oldest first, after the one whose id is given."""
    with db.snapshot() as tx:
        last = core.get(tx, after) if after else None
        place = (last.created_at, last.uuid) if last else ("", "")
        return core.listed(tx, type_name=type_name, after=place, limit=limit)


def history(db: Database, uuid: str) -> list[Version]:
    """Every version of an entity."""
    with db.snapshot() as tx:
        return core.history(tx, uuid)


def at(db: Database, uuid: str, when: datetime) -> dict[str, Any]:
    """An entity's fields as they were believed at a moment."""
    with db.snapshot() as tx:
        steps = [step for step in core.history(tx, uuid) if step.at <= stamp(when)]
        if not steps:
            raise NotFound(f"{uuid} was not there yet at {stamp(when)}.")
        return _state(uuid, steps)


def compare(db: Database, uuid: str, old: int, new: int) -> list[FieldDiff]:
    """What differs between two versions of an entity."""
    with db.snapshot() as tx:
        return diff(core.state_at(tx, uuid, old), core.state_at(tx, uuid, new))


def changes(db: Database, *, after: int | None, subscriber: str | None, limit: int) -> list[Notice]:
    """Changes after a cursor, or after what a subscriber has acknowledged."""
    with db.snapshot() as tx:
        if after is None:
            after = notices.cursor_of(tx, subscriber) if subscriber else 0
        return notices.after(tx, after, limit=limit)


def acknowledge(db: Database, subscriber: str, cursor: int) -> None:
    """Remember that a subscriber has dealt with everything up to a cursor."""
    if not subscriber.strip():
        raise InvalidInput("A subscriber needs a name.")
    with db.transaction() as tx:
        notices.move_cursor(tx, subscriber, cursor)


def _state(uuid: str, steps: Sequence[Version]) -> dict[str, Any]:
    if any(step.changes is None for step in steps):
        raise Erased(f"{uuid} was erased; only its hashes are left.")
    return fold(step.changes or {} for step in steps)


def _scan(tx: Tx, wanted: Wanted) -> tuple[list[Shown], bool]:
    internal = wanted.everything or wanted.type in timeline.TOLD_BY_CHANGES
    read = timeline.ledger if internal else timeline.told
    window = _window(wanted)
    size = _SCAN if wanted.text else wanted.limit + 1
    found: list[Shown] = []
    while True:
        batch = read(tx, window, limit=size)
        found.extend(shown for shown in batch if _says(shown.item, wanted.text))
        if len(found) > wanted.limit:
            return [_believed(tx, shown) for shown in found[: wanted.limit]], True
        if len(batch) < size:
            return [_believed(tx, shown) for shown in found], False
        window = msgspec.structs.replace(window, before=_place(batch[-1], wanted))


def _window(wanted: Wanted) -> Window:
    return Window(
        clock=wanted.clock,
        since=stamp(wanted.since) if wanted.since else "",
        until=stamp(wanted.until) if wanted.until else "9999",
        before=_read_cursor(wanted.before) if wanted.before else ("9999", 0),
        type=wanted.type,
    )


def _related(tx: Tx, wanted: Wanted) -> list[Shown]:
    ends = {
        end.id
        for edge in relations.around(tx, wanted.related_to or "")
        for end in (edge.source, edge.target)
        if end.type == "item" and end.id != wanted.related_to
    }
    shown = [_shown(tx, soil.get(tx, uuid)) for uuid in ends]
    window = _window(wanted)
    kept = [
        one
        for one in shown
        if window.since <= _time(one, wanted) < window.until
        and (wanted.type is None or one.item.type == wanted.type)
        and (wanted.everything or not soil.is_undone(tx, one.item.uuid))
        and _says(one.item, wanted.text)
    ]
    return sorted(kept, key=lambda one: (_time(one, wanted), one.item.seq), reverse=True)


def _shown(tx: Tx, item: Item) -> Shown:
    return _believed(tx, Shown(item=item, canonical_at=item.canonical_at))


def _believed(tx: Tx, shown: Shown) -> Shown:
    override = timeline.override_of(tx, shown.item.uuid)
    if override is None or override.data is None:
        return shown
    beliefs = {name: value for name, value in override.data.items() if name != "item"}
    canonical_at = beliefs.pop("canonical_at", shown.item.canonical_at)
    return Shown(item=shown.item, canonical_at=canonical_at, beliefs=beliefs or None)


def _says(item: Item, text: str | None) -> bool:
    return text is None or (
        item.data is not None and text.casefold() in _words(fields_of(item)).casefold()
    )


def _words(value: Any) -> str:
    match value:
        case str():
            return value
        case dict():
            return "\n".join(map(_words, value.values()))
        case list():
            return "\n".join(map(_words, value))
        case _:
            return ""


def _time(shown: Shown, wanted: Wanted) -> str:
    return shown.canonical_at if wanted.clock == "canonical" else shown.item.realized_at


def _place(shown: Shown, wanted: Wanted) -> tuple[str, int]:
    return _time(shown, wanted), shown.item.seq


def _cursor(shown: Shown, wanted: Wanted) -> str:
    time, seq = _place(shown, wanted)
    return f"{time}~{seq}"


def _read_cursor(cursor: str) -> tuple[str, int]:
    time, mark, seq = cursor.partition("~")
    if not mark or not seq.isdecimal():
        raise InvalidInput(f"{cursor!r} is no page mark; take `next` of the page before.")
    return stamp(moment(time)), int(seq)
