"""Commands about what happened."""

from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.core.timeline import Shown
    from kithkin.soil.model import Item

_TIME = "TIME"


def read_time(_context: click.Context, option: click.Parameter, value: str | None) -> Any:
    """A time option: ISO 8601, UTC when it has no zone."""
    from kithkin.clock import moment
    from kithkin.errors import InvalidInput

    if value is None:
        return None
    try:
        return moment(value)
    except InvalidInput as error:
        raise click.BadParameter(str(error), param=option) from error


def read_fields(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> Any:
    """`name=value` pairs; a value that reads as JSON is taken as JSON, an empty one removes."""
    import json

    fields: dict[str, Any] = {}
    for pair in values:
        name, mark, text = pair.partition("=")
        if not mark or not name:
            raise click.BadParameter(f"{pair!r} is not name=value.")
        try:
            fields[name] = json.loads(text) if text else None
        except ValueError:
            fields[name] = text
    return fields


def _wire(item: "Item") -> dict[str, Any]:
    from kithkin.soil.content import wire_of

    return wire_of(item)


def _shown(shown: "Shown") -> dict[str, Any]:
    told = {**_wire(shown.item), "canonical_at": shown.canonical_at}
    return {**told, "beliefs": shown.beliefs} if shown.beliefs else told


@click.command(cls=Command)
@click.argument("text")
@click.option("--title", help="A title for it.")
@click.option("--at", metavar=_TIME, callback=read_time, help="When it happened, if not now.")
@click.option("--because-of", metavar="ITEM", help="The item that triggered it.")
def note(text: str, title: str | None, at: Any, because_of: str | None) -> None:
    """Write something down.

    \b
    Examples:
      kithkin note "Called the plumber"
      kithkin note "Dentist" --at 2026-03-01T09:00
    """
    with opened() as kin:
        cause = kin.full_id(because_of) if because_of else None
        item = kin.timeline.note(text, title=title, at=at, because_of=cause)
    answer(_wire(item), lambda: click.echo(f"Noted: {item.uuid}"))


@click.command(cls=Command)
@click.argument("type_name", metavar="TYPE")
@click.argument("fields", metavar="JSON")
@click.option("--at", metavar=_TIME, callback=read_time, help="When it happened, if not now.")
@click.option("--because-of", metavar="ITEM", help="The item that triggered it.")
def record(type_name: str, fields: str, at: Any, because_of: str | None) -> None:
    """Record an item of any type, given as JSON.

    The types Kithkin knows are checked: Note, Message, ToolCall, SystemEvent. Any other CamelCase
    name is an extension's: its JSON is kept byte for byte.

    \b
    Examples:
      kithkin record Message '{"description": "Dinner at 8?", "sender": "telegram:42"}'
      kithkin record BudgetEntry '{"amount": 10.50}'
    """
    with opened() as kin:
        cause = kin.full_id(because_of) if because_of else None
        item = kin.timeline.record_json(type_name, fields, at=at, because_of=cause)
    answer(_wire(item), lambda: click.echo(f"Recorded: {item.uuid}"))


@click.command(cls=Command)
@click.argument("item")
@click.option("--reason", help="Why it was a mistake.")
def undo(item: str, reason: str | None) -> None:
    """Take back an item within five minutes.

    It leaves the timeline; the ledger keeps it, with a tombstone.

    \b
    Example:
      kithkin undo item_1f0c9a52
    """
    with opened() as kin:
        undone = kin.timeline.undo(kin.full_id(item), reason=reason)
    answer(_wire(undone), lambda: click.echo(f"Undone: {undone.uuid}"))


@click.command(cls=Command)
@click.argument("item")
@click.option("--at", metavar=_TIME, callback=read_time, help="When it really happened.")
@click.option(
    "--set",
    "beliefs",
    metavar="NAME=VALUE",
    multiple=True,
    callback=read_fields,
    help="Anything else you believe about it.",
)
@click.option("--reason", help="Why you believe so.")
def correct(item: str, at: Any, beliefs: dict[str, Any], reason: str | None) -> None:
    """Believe something else about an item.

    The item itself never changes: the correction is a belief with a history of its own.

    \b
    Example:
      kithkin correct item_1f0c9a52 --at 2026-02-27 --reason "found the receipt"
    """
    with opened() as kin:
        belief = kin.timeline.correct(kin.full_id(item), beliefs, at=at, reason=reason)
    answer(belief, lambda: click.echo(f"Corrected: {belief.uuid} holds what you believe."))


@click.command(cls=Command)
@click.option("--type", "type_name", metavar="TYPE", help="Only items of this type.")
@click.option("--since", metavar=_TIME, callback=read_time, help="Not before this time.")
@click.option("--until", metavar=_TIME, callback=read_time, help="Before this time.")
@click.option(
    "--clock",
    type=click.Choice(["realized", "canonical"]),
    default="realized",
    help="Order by when it was recorded, or by when it happened.",
)
@click.option("--text", help="Only items that say this.")
@click.option("--related-to", metavar="ID", help="Only items directly connected with this.")
@click.option("--all", "everything", is_flag=True, help="The whole ledger, bookkeeping too.")
@click.option("--limit", default=20, show_default=True, help="How many, up to 1000.")
@click.option("--before", metavar="MARK", help="Go on where a page ended.")
def timeline(type_name: str | None, related_to: str | None, **asked: Any) -> None:
    """Show what happened, newest first.

    \b
    Examples:
      kithkin timeline --text plumber --since 2026-01-01
      kithkin timeline --type Message --clock canonical
    """
    from kithkin.cli import tables as look
    from kithkin.disclosure.explore import Wanted

    with opened() as kin:
        end = kin.full_id(related_to) if related_to else None
        page = kin.timeline.list(Wanted(type=type_name, related_to=end, **asked))

    def tell() -> None:
        if not page.items:
            look.say("Nothing here yet. `kithkin note TEXT` writes something down.")
            return
        look.table("id", "type", "when", "what", rows=map(look.item_row, page.items))
        if page.next:
            look.say(f"\nThere is more: --before {page.next}")

    shown = [_shown(one) for one in page.items]
    answer({"items": shown, "next": page.next}, tell)


@click.command(cls=Command)
@click.argument("item")
def show(item: str) -> None:
    """Show one item and what it is connected with.

    \b
    Example:
      kithkin show item_1f0c9a52
    """
    from kithkin.cli import tables as look
    from kithkin.cli.relations import tell_edges
    from kithkin.soil.content import fields_of

    with opened() as kin:
        view = kin.timeline.show(kin.full_id(item))

    def tell() -> None:
        one = view.shown
        look.fields_table(
            {
                "id": one.item.uuid,
                "type": one.item.type,
                "recorded": f"{one.item.realized_at} ({look.ago(one.item.realized_at)})",
                "happened": one.canonical_at,
                "state": "erased" if one.item.erased_at else "undone" if view.undone else "as said",
                **fields_of(one.item),
                **{f"believed {name}": value for name, value in (one.beliefs or {}).items()},
            }
        )
        tell_edges(view.relations)

    told = {**_shown(view.shown), "undone": view.undone, "relations": view.relations}
    answer(told, tell)


@click.command(cls=Command)
@click.option("--after", type=int, metavar="CURSOR", help="Changes after this cursor.")
@click.option("--subscriber", metavar="NAME", help="Go on where this subscriber stopped.")
@click.option("--limit", default=100, show_default=True, help="How many at the most.")
def changes(after: int | None, subscriber: str | None, limit: int) -> None:
    """Show what changed since a cursor.

    With --subscriber the place is remembered: the next call goes on after what was printed.

    \b
    Examples:
      kithkin changes --after 0
      kithkin changes --subscriber backup-job --json
    """
    from kithkin.cli import tables as look

    def tell() -> None:
        look.table(
            "cursor",
            "entity",
            "type",
            "version",
            "when",
            rows=(
                (
                    str(n.cursor),
                    look.short(n.entity_uuid),
                    n.entity_type,
                    str(n.version),
                    look.ago(n.changed_at),
                )
                for n in notices
            ),
        )

    with opened() as kin:
        notices = kin.changes.list(after=after, subscriber=subscriber, limit=limit)
        answer(notices, tell)
        # After printing, so that a reader who dies in between sees them again.
        if subscriber and notices:
            kin.changes.acknowledge(subscriber, notices[-1].cursor)
