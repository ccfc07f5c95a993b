"""Commands about references."""

from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.project_options import PROJECT
from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.conversations.model import Resolved


@click.group(cls=Group)
def refs() -> None:
    """Follow references, in either direction.

    \b
    Examples:
      kithkin refs parse "Update goals_doc:15, as ^k3m says"
      kithkin refs backlinks goals_doc:15
    """


@refs.command()
@click.argument("text")
@PROJECT
def parse(text: str, project: str | None) -> None:
    """Find the references in a text, and show it as people read it.

    \b
    Example:
      kithkin refs parse "Update goals_doc:15, as ^k3m says"
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.references.parse(text, project=project)
        read = kin.references.render(text, project=project)

    def tell() -> None:
        look.say(read.text)
        if found:
            look.table("reference", "leads to", rows=map(_row, found))

    answer({"references": found, "rendered": read}, tell)


@refs.command()
@click.argument("reference")
@PROJECT
def resolve(reference: str, project: str | None) -> int:
    """Say what a reference leads to, and what became of it.

    Exit code 1 when it leads nowhere, or to several things.

    \b
    Examples:
      kithkin refs resolve goals_doc:15@c4f2a1b
      kithkin refs resolve ^k3m
    """
    import msgspec

    from kithkin.cli import tables as look
    from kithkin.language.model import AmbiguousRef, DanglingRef

    with opened() as kin:
        found = kin.references.resolve(reference, project=project)
    fields: dict[str, Any] = msgspec.to_builtins(found.ref)
    answer(found, lambda: look.fields_table({k: v for k, v in fields.items() if v is not None}))
    return 1 if isinstance(found.ref, AmbiguousRef | DanglingRef) else 0


@refs.command()
@click.argument("target", metavar="REFERENCE")
@PROJECT
def backlinks(target: str, project: str | None) -> None:
    """Say what refers to a line, an artifact, a fragment, an item or a branch.

    A line is followed: what referred to it before it moved refers to it still.

    \b
    Examples:
      kithkin refs backlinks goals_doc:15
      kithkin refs backlinks ^k3m
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.references.backlinks(target, project=project)

    def tell() -> None:
        if not found:
            look.say(f"Nothing refers to {target}.")
            return
        rows = ((look.short(one.source), one.kind, one.words) for one in found)
        look.table("from", "kind", "words", rows=rows)

    answer(found, tell)


def _row(one: "Resolved") -> tuple[str, str]:
    import msgspec

    fields = msgspec.to_builtins(one.ref)
    words = fields.get("reason") or fields.get("preview") or fields.get("content") or ""
    more = fields.get("summary_or_first_fragment") or ""
    return one.mention.raw, f"{fields['type']}: {words or more}"
