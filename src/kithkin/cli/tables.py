"""How things look to a person: tables, short ids, times as people say them."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from kithkin.cli.realm import Progress
from kithkin.clock import moment
from kithkin.core.timeline import Shown
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item

_UNITS = (
    ("second", 60),
    ("minute", 60),
    ("hour", 24),
    ("day", 30),
    ("month", 12),
    ("year", float("inf")),
)
_ID_LENGTH = 8
_SAID = 72


def console() -> Console:
    """Where people read. A pipe gets room enough that nothing is cut off."""
    return Console() if sys.stdout.isatty() else Console(width=200)


def say(text: str) -> None:
    """Print a line as it is: nothing in it is taken for markup."""
    console().print(text, markup=False, highlight=False, soft_wrap=True)


def table(*columns: str, rows: Iterable[Iterable[str]]) -> None:
    """Print a table; cells are shown as they are."""
    grid = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        grid.add_row(*map(escape, row))
    console().print(grid)


def short(uuid: str) -> str:
    """An id as people copy it: its prefix and the start of the rest, which commands accept."""
    prefix, mark, rest = uuid.partition("_")
    return f"{prefix}_{rest[:_ID_LENGTH]}" if mark else uuid


def ago(time: str, now: datetime | None = None) -> str:
    """A moment as people say it: "3 minutes ago"."""
    seconds = ((now or datetime.now(UTC)) - moment(time)).total_seconds()
    if abs(seconds) < 1:
        return "just now"
    amount, unit = abs(seconds), _UNITS[0][0]
    for unit, size in _UNITS:  # noqa: B007 - the unit it stops at is the one that is said
        if amount < size:
            break
        amount /= size
    many = f"{int(amount)} {unit}{'' if int(amount) == 1 else 's'}"
    return f"{many} ago" if seconds > 0 else f"in {many}"


def item_row(shown: Shown) -> tuple[str, str, str, str]:
    """An item as a line of the timeline."""
    item = shown.item
    when = ago(item.realized_at)
    if shown.canonical_at != item.realized_at:
        when = f"{when} (of {shown.canonical_at[:16].replace('T', ' ')})"
    return short(item.uuid), item.type, when, said(item)


def said(item: Item) -> str:
    """The gist of an item on one line."""
    if item.data is None:
        return "(erased)"
    fields = fields_of(item)
    if item.type == "EntityDelta":
        names = ", ".join(fields["changes"]["fields"])
        step = f"{fields['entity_type']}, version {fields['version']} by {fields['actor']}"
        return shorten(f"{step}: {names}")
    for name in (
        "title",
        "description",
        "event_type",
        "label",
        "operation",
        "ops",
        "kind",
        "undoes",
    ):
        if fields.get(name):
            return shorten(str(fields[name]))
    return shorten(", ".join(f"{name}={value}" for name, value in fields.items()))


def shorten(text: str) -> str:
    """One line of at most so many characters, without control characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= _SAID else f"{flat[: _SAID - 1]}…"


def visible(line: str) -> str:
    """A line of somebody's text, with nothing in it that a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line.rstrip("\r"))


def numbered(lines: Iterable[str], *, start: int = 1) -> str:
    """Lines with their numbers."""
    return "\n".join(f"{number:6}  {visible(line)}" for number, line in enumerate(lines, start))


def fields_table(fields: dict[str, Any]) -> None:
    """Print fields and values."""
    table("field", "value", rows=((name, plain(value)) for name, value in fields.items()))


def plain(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, ensure_ascii=False, default=str)


@contextmanager
def progress(doing: str) -> Iterator[Progress | None]:
    """A bar on long work, for a person at a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
