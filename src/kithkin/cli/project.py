"""Commands about projects."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.project_options import AS
from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from rich.tree import Tree as Drawn

    from kithkin.conversations.model import Frame, Tree
    from kithkin.conversations.projects import Overview
    from kithkin.upkeep.project_folder import Taken

_NAME = click.argument("name", metavar="PROJECT", required=False)


@click.group(cls=Group)
def project() -> None:
    """Keep what is worked on together.

    \b
    Examples:
      kithkin project create Website
      kithkin project tree Website
    """


@project.command()
@click.argument("name")
@AS
def create(name: str, actor: str | None) -> None:
    """Begin a project, with its first branch.

    \b
    Example:
      kithkin project create Website
    """
    with opened(actor) as kin:
        made = kin.projects.create(name)
    answer(made, lambda: click.echo(f"Begun: {made.name} ({made.uuid})"))


@project.command("list")
def list_() -> None:
    """List projects, by name.

    \b
    Example:
      kithkin project list
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.projects.list()

    def tell() -> None:
        if not found:
            look.say("No projects yet. `kithkin project create NAME` begins one.")
            return
        rows = (
            (one.name, look.short(one.uuid), f"closed {look.ago(one.closed_at)}")
            if one.closed_at
            else (one.name, look.short(one.uuid), "open")
            for one in found
        )
        look.table("name", "id", "state", rows=rows)

    answer(found, tell)


@project.command()
@_NAME
def show(name: str | None) -> None:
    """Show a project: artifacts, branches, who stands where, the scratchpad.

    \b
    Example:
      kithkin project show Website
    """
    with opened() as kin:
        found = kin.projects.show(name)
        gists = {str(log.uuid): kin.branches.gist(log.uuid) for log in found.stack}
    answer(found, lambda: _tell(found, gists))


@project.command()
@click.argument("name", metavar="PROJECT")
@AS
def close(name: str, actor: str | None) -> None:
    """Close a project; what belongs to it is a fact from then on.

    \b
    Example:
      kithkin project close Website
    """
    with opened(actor) as kin:
        closed = kin.projects.close(name)
    answer(closed, lambda: click.echo(f"Closed: {closed.name}"))


@project.command()
@_NAME
def tree(name: str | None) -> None:
    """Draw the branches as they grow from each other.

    \b
    Example:
      kithkin project tree Website
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        roots = kin.projects.tree(name)
        frames = kin.branches.frames(name)
        gists = {
            str(log.uuid): kin.branches.gist(log.uuid) for log in kin.projects.show(name).stack
        }

    def tell() -> None:
        for root in roots:
            look.console().print(_draw(root, gists, frames))

    answer(roots, tell)


@project.command()
@click.argument("folder", type=click.Path(path_type=Path))
@_NAME
def export(folder: Path, name: str | None) -> None:
    """Write a project to a folder of files.

    \b
    Example:
      kithkin project export website-folder Website
    """
    with opened() as kin:
        written = kin.projects.export(folder, name)
    answer(written, lambda: click.echo(f"Wrote {_counted(written)} to {folder}."))


@project.command("import")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def import_(folder: Path) -> None:
    """Take in a folder of files, ids and times as they are.

    \b
    Example:
      kithkin project import website-folder
    """
    with opened() as kin:
        taken = kin.projects.import_(folder)

    def tell() -> None:
        click.echo(f"Took in {taken.project.name}: {_counted(taken)}.")
        if taken.left_out:
            click.echo(f"Left out: {', '.join(taken.left_out)}")

    answer(taken, tell)


def _counted(taken: "Taken") -> str:
    return f"{taken.items} items, {taken.logs} branches, {taken.artifacts} artifacts"


def _tell(found: "Overview", gists: Mapping[str, str]) -> None:
    from kithkin.cli import tables as look

    state = f"closed {look.ago(found.project.closed_at)}" if found.project.closed_at else "open"
    look.say(f"{found.project.name} ({look.short(found.project.uuid)}), {state}")
    if found.artifacts:
        look.say("")
        rows: Any = ((one.label, look.short(one.uuid), one.head[:7]) for one in found.artifacts)
        look.table("artifact", "id", "head", rows=rows)
    look.say("")
    rows = (
        (str(log.number), look.short(log.uuid), _state(log.active), gists[log.uuid])
        for log in found.stack
    )
    look.table("branch", "id", "state", "about", rows=rows)
    if found.frames:
        look.say("")
        numbers = {str(log.uuid): str(log.number) for log in found.stack}
        rows = ((one.participant, numbers.get(one.branch_uuid, "?")) for one in found.frames)
        look.table("participant", "on branch", rows=rows)
    for note in found.notes:
        look.say(f"\nnote by {note['by']}: {note['content']}")


def _state(active: bool) -> str:
    return "active" if active else "collapsed"


def _draw(root: "Tree", gists: Mapping[str, str], frames: "list[Frame]") -> "Drawn":
    from rich.markup import escape
    from rich.tree import Tree as Drawn

    def words(node: "Tree") -> str:
        log = node.log
        here = [frame.participant for frame in frames if frame.branch_uuid == log.uuid]
        standing = f"  ← {', '.join(here)}" if here else ""
        state = "" if log.active else " (collapsed)"
        again = " (taken up again)" if log.continues else ""
        return escape(f"{log.number}. {gists[log.uuid]}{state}{again}{standing}")

    def grow(node: "Tree", drawn: Drawn) -> None:
        for child in node.children:
            grow(child, drawn.add(words(child)))

    drawn = Drawn(words(root))
    grow(root, drawn)
    return drawn
