"""Commands about the branches of a project's conversation."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.project_options import AS, BECAUSE, PROJECT
from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.conversations.model import Log
    from kithkin.soil.model import Item

_BRANCH = click.argument("name", metavar="BRANCH")


@click.group(cls=Group)
def branch() -> None:
    """Talk within a project, in branches.

    BRANCH is a number of the project's stack, or the start of an id.

    \b
    Examples:
      kithkin branch append "Should we use PostgreSQL?"
      kithkin branch fork --as agent
      kithkin branch collapse 2 "We keep SQLite."
    """


@branch.command()
@click.option("--from", "name", metavar="BRANCH", help="From this branch; else where you stand.")
@click.option("--at", metavar="ITEM", help="From this item; else from the end.")
@PROJECT
@AS
def fork(name: str | None, at: str | None, project: str | None, actor: str | None) -> None:
    """Begin a branch and stand on it.

    \b
    Example:
      kithkin branch fork --at item_1f0c9a52 --as agent
    """
    with opened(actor) as kin:
        parent = kin.branches.meant(name, project=project) if name else None
        point = kin.full_id(at) if at else None
        made = kin.branches.fork(project=project, branch=parent, at=point)
    _answer(made, f"Branch {made.number}: {made.uuid}")


@branch.command()
@click.argument("text")
@BECAUSE
@click.option("--replies-to", metavar="ITEM", help="The message it answers.")
@click.option("--to", "recipient", metavar="PARTICIPANT", help="Whom it is said to.")
@PROJECT
@AS
def append(text: str, project: str | None, actor: str | None, **given: str | None) -> None:
    """Say something on the branch where you stand.

    References are found in the text: ^a7f, goals_doc:15, @item_1, and links to a branch's id.

    \b
    Example:
      kithkin branch append "Update goals_doc:15, please" --as alice
    """
    from kithkin.cli import tables as look

    with opened(actor) as kin:
        said = kin.branches.append(
            text,
            project=project,
            recipient=given["recipient"],
            **{
                name: kin.full_id(item)
                for name in ("because_of", "replies_to")
                if (item := given[name])
            },
        )

    def tell() -> None:
        look.say(f"Said on branch {said.log.number}: {said.item.uuid}")
        for fragment in said.fragments:
            look.say(f"  {fragment.id}  {look.shorten(fragment.content)}")

    told = {"uuid": said.item.uuid, "log": said.log, "fragments": said.fragments}
    answer({**told, "references": said.references}, tell)


@branch.command()
@click.argument("item")
@PROJECT
@AS
def put(item: str, project: str | None, actor: str | None) -> None:
    """Put an item that is there already on the branch where you stand.

    \b
    Example:
      kithkin branch put item_1f0c9a52
    """
    with opened(actor) as kin:
        log = kin.branches.append_item(kin.full_id(item), project=project)
    _answer(log, f"Put on branch {log.number}.")


@branch.command()
@_BRANCH
@PROJECT
@AS
def go(name: str, project: str | None, actor: str | None) -> None:
    """Stand on another branch.

    \b
    Example:
      kithkin branch go 2 --as agent
    """
    with opened(actor) as kin:
        frame = kin.branches.go(kin.branches.meant(name, project=project))
    answer(frame, lambda: click.echo(f"{frame.participant} stands on {frame.branch_uuid}."))


@branch.command()
@_BRANCH
@click.argument("summary")
@PROJECT
@AS
def collapse(name: str, summary: str, project: str | None, actor: str | None) -> None:
    """Put a branch behind a summary; whoever stood there stands on its parent.

    \b
    Example:
      kithkin branch collapse 2 "We keep SQLite."
    """
    with opened(actor) as kin:
        done = kin.branches.collapse(kin.branches.meant(name, project=project), summary)
    _answer(done, f"Collapsed branch {done.number}: {summary}")


@branch.command()
@_BRANCH
@PROJECT
@AS
def reopen(name: str, project: str | None, actor: str | None) -> None:
    """Take up a collapsed branch in a new one; the old one stays as it is.

    \b
    Example:
      kithkin branch reopen 2
    """
    with opened(actor) as kin:
        again = kin.branches.reopen(kin.branches.meant(name, project=project))

    def tell() -> None:
        click.echo(f"Branch {again.log.number} goes on from it: {again.log.uuid}")
        click.echo(f"{len(again.context)} items are its context.")

    answer({"log": again.log, "context": again.context}, tell)


@branch.command()
@click.argument("name", metavar="BRANCH", required=False)
@click.option("--raw", is_flag=True, help="References as they are written.")
@PROJECT
@AS
def show(name: str | None, raw: bool, project: str | None, actor: str | None) -> None:
    """Show a branch: its parent's part up to the fork, and its own.

    \b
    Example:
      kithkin branch show 2
    """
    from kithkin.cli import tables as look
    from kithkin.soil.content import wire_of

    with opened(actor) as kin:
        found = kin.branches.show(kin.branches.meant(name, project=project))
        words = [_words(kin, item, found.log.project, raw=raw) for item in found.items]

    def tell() -> None:
        state = "active" if found.log.active else "collapsed"
        look.say(f"Branch {found.log.number} ({look.short(found.log.uuid)}), {state}")
        inherited = len(found.items) - found.own
        for place, (item, said) in enumerate(zip(found.items, words, strict=True)):
            if place == inherited and inherited:
                look.say("  ── forked here ──")
            look.say(f"  {look.short(item.uuid)}  {' '.join(map(look.visible, said.split()))}")
        if found.log.summary:
            look.say(f"Summary by {found.log.summary.author}: {found.log.summary.content}")

    items = [{**wire_of(item), "words": w} for item, w in zip(found.items, words, strict=True)]
    answer({"log": found.log, "own": found.own, "items": items}, tell)


@branch.command()
@PROJECT
def frames(project: str | None) -> None:
    """Show who stands on which branch.

    \b
    Example:
      kithkin branch frames
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.branches.frames(project)
        numbers = {str(log.uuid): log.number for log in kin.projects.show(project).stack}

    def tell() -> None:
        rows = (
            (one.participant, str(numbers.get(one.branch_uuid, "?")), look.short(one.head or ""))
            for one in found
        )
        look.table("participant", "branch", "latest item", rows=rows)

    answer(found, tell)


def _answer(log: "Log", words: str) -> None:
    answer(log, lambda: click.echo(words))


def _words(kin: "Kithkin", item: "Item", project: str, *, raw: bool) -> str:
    from kithkin.cli import tables as look
    from kithkin.soil.content import fields_of

    if item.data is None:
        return "(erased)"
    fields = fields_of(item)
    if "description" not in fields:
        return f"{item.type}: {look.said(item)}"
    text = fields["description"]
    shown = text if raw else kin.references.render(text, project=project).text
    return f"{fields['sender']}: {shown}" if "sender" in fields else shown
