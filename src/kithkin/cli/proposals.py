"""Commands that stage edits, and how a commit or a conflict looks."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kithkin.cli.project_options import AS, BECAUSE, FILE, LINES, PROJECT, REASON, text
from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.artifacts.artifact_edit import Written
    from kithkin.artifacts.model import Conflicted


@click.command(cls=Command)
@click.argument("label")
@FILE
@LINES
@click.option("--based-on", metavar="COMMIT", help="The commit it goes on from; else the head.")
@click.option("--reasoning", help="Why.")
@BECAUSE
@PROJECT
@AS
def propose(
    label: str,
    file: Path | None,
    lines: tuple[str, ...],
    based_on: str | None,
    reasoning: str | None,
    because_of: str | None,
    project: str | None,
    actor: str | None,
) -> None:
    """Stage a new text for somebody to accept or reject.

    \b
    Example:
      kithkin artifact propose goals_doc goals.txt --reasoning "shorter" --as agent
    """
    content = text(file, lines)
    with opened(actor) as kin:
        staged = kin.artifacts.propose(
            label,
            content,
            project=project,
            based_on=based_on,
            reasoning=reasoning,
            because_of=kin.full_id(because_of) if because_of else None,
        )
    answer(staged, lambda: click.echo(f"Proposed: {staged.uuid}"))


@click.command(cls=Command)
@click.argument("label")
@click.option("--all", "everything", is_flag=True, help="Decided ones too.")
@PROJECT
def proposals(label: str, everything: bool, project: str | None) -> None:
    """List the staged edits that wait.

    \b
    Example:
      kithkin artifact proposals goals_doc
    """
    from kithkin.artifacts.ops import printed
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.artifacts.proposals(label, project=project, everything=everything)

    def tell() -> None:
        if not found:
            look.say("Nothing waits.")
            return
        rows = (
            (
                look.short(one.uuid),
                type(one.decision).__name__.lower(),
                one.by,
                look.shorten(one.reasoning or ""),
                look.shorten(printed(one.edit.ops[:8])),
            )
            for one in found
        )
        look.table("id", "state", "by", "why", "ops", rows=rows)

    answer(found, tell)


@click.command(cls=Command)
@click.argument("proposal")
@AS
def accept(proposal: str, actor: str | None) -> int:
    """Make a staged edit a commit, merged when the head has moved since.

    \b
    Example:
      kithkin artifact accept entity_1f0c9a52
    """
    with opened(actor) as kin:
        found = kin.artifacts.accept(kin.full_id(proposal))
    return tell_outcome(found)


@click.command(cls=Command)
@click.argument("proposal")
@REASON
@AS
def reject(proposal: str, reason: str | None, actor: str | None) -> None:
    """Turn a staged edit down.

    \b
    Example:
      kithkin artifact reject entity_1f0c9a52 --reason "too short"
    """
    with opened(actor) as kin:
        decided = kin.artifacts.reject(kin.full_id(proposal), reason=reason)
    answer(decided, lambda: click.echo(f"Rejected: {decided.uuid}"))


def tell_written(done: "Written") -> None:
    """A commit as people read it."""
    from kithkin.artifacts.ops import printed
    from kithkin.cli import tables as look

    where = " beside the head" if done.commit.aside else ""
    look.say(f"{done.artifact.label} {done.commit.commit[:7]}{where}")
    look.say(f"  {look.shorten(printed(done.commit.edit.ops))}")


def tell_outcome(found: "Written | Conflicted") -> int:
    """A commit, or the conflicts that kept it from being made; the exit code."""
    from kithkin.artifacts.model import Conflicted

    if not isinstance(found, Conflicted):
        answer(found, lambda: tell_written(found))
        return 0
    answer({"conflicts": found.conflicts}, lambda: _tell_conflicts(found))
    return 1


def _tell_conflicts(found: "Conflicted") -> None:
    from kithkin.cli import tables as look

    look.say("Both sides changed the same lines; nothing was written. Settle them in a FILE.")
    for conflict in found.conflicts:
        look.say(f"line {conflict.line}:")
        for name, lines in (
            ("was", conflict.base),
            ("ours", conflict.ours),
            ("theirs", conflict.theirs),
        ):
            look.say(
                "\n".join(f"  {name:7}{look.visible(line)}" for line in lines or ("(nothing)",))
            )
