"""Commands about how things are connected."""

from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Command
from kithkin.cli.timeline import read_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kithkin.relations.model import Edge


@click.command(cls=Command)
@click.argument("source")
@click.argument("kind")
@click.argument("target")
@click.option("--confidence", type=float, help="How sure, 0 to 1, when it was inferred.")
@click.option(
    "--set",
    "metadata",
    metavar="NAME=VALUE",
    multiple=True,
    callback=read_fields,
    help="Details of the relation.",
)
@click.option("--reason", help="Why.")
def relate(
    source: str,
    kind: str,
    target: str,
    confidence: float | None,
    metadata: dict[str, Any],
    reason: str | None,
) -> None:
    """Join two things.

    Kinds: triggers, supercedes, replies_to, continues, contains (facts, permanent);
    mentions, derived_from, groups_with (beliefs, which can be taken back).

    \b
    Example:
      kithkin relate item_1f0c9a52 triggers item_77b0d3e1
    """
    with opened() as kin:
        edge = kin.relations.relate(
            kind,
            kin.full_id(source),
            kin.full_id(target),
            confidence=confidence,
            metadata=metadata or None,
            reason=reason,
        )
    answer(edge, lambda: click.echo(f"Related: {edge.uuid} ({edge.kind}, in {edge.layer})"))


@click.command(cls=Command)
@click.argument("relation")
@click.option("--reason", help="Why.")
def unrelate(relation: str, reason: str | None) -> None:
    """Take a connection back.

    \b
    Example:
      kithkin unrelate rel_1f0c9a52
    """
    with opened() as kin:
        edge = kin.relations.unrelate(kin.full_id(relation), reason=reason)
    answer(edge, lambda: click.echo(f"Taken back: {edge.uuid}"))


@click.command(cls=Command)
@click.argument("uuid", metavar="ID")
@click.option("--effects", "part", flag_value="effects", help="Only what it caused.")
@click.option("--causes", "part", flag_value="causes", help="Only what caused it.")
@click.option("--root", "part", flag_value="root", help="Only what started it all.")
def trace(uuid: str, part: str | None) -> None:
    """Show what caused something and what it caused.

    \b
    Example:
      kithkin trace item_1f0c9a52 --root
    """
    with opened() as kin:
        found = kin.relations.trace(kin.full_id(uuid))
        words = {one: _words(kin, one) for one in _ids(found)}
    value = getattr(found, part) if part else found
    answer(value, lambda: _draw(found, part, words))


def tell_edges(edges: "Sequence[Edge]") -> None:
    """What something is connected with, below what it is; nothing when it stands alone."""
    from kithkin.cli import tables as look

    if edges:
        look.say("")
        rows = (
            (look.short(e.uuid), e.kind, look.short(e.source.id), look.short(e.target.id), e.layer)
            for e in edges
        )
        look.table("relation", "kind", "source", "target", "layer", rows=rows)


def _ids(found: Any) -> set[str]:
    return {found.of, found.root, *found.causes, *(end for pair in found.effects for end in pair)}


def _words(kin: Any, uuid: str) -> str:
    from kithkin.cli import tables as look
    from kithkin.errors import NotFound

    try:
        item = kin.timeline.show(uuid).shown.item
    except NotFound:
        return look.short(uuid)
    return f"{look.short(uuid)} {item.type}: {look.said(item)}"


def _draw(found: Any, part: str | None, words: dict[str, str]) -> None:
    from rich.markup import escape
    from rich.tree import Tree

    from kithkin.cli import tables as look

    if part == "root":
        look.say(words[found.root])
        return
    if part in (None, "causes"):
        for depth, cause in enumerate(reversed(found.causes)):
            look.say(f"{'  ' * depth}{words[cause]}")
        if part == "causes":
            return
    tree = Tree(escape(words[found.of]))
    branches = {found.of: tree}
    for cause, effect in found.effects:
        if effect not in branches:
            branches[effect] = branches[cause].add(escape(words[effect]))
    look.console().print(tree)
