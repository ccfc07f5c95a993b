"""Commands that read artifacts in the sight of others, follow them and retrace what happened."""

import time
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.project_options import AS, BECAUSE, FILE, LINES, PROJECT, text
from kithkin.cli.realm import answer, opened, wants_json
from kithkin.cli.root import Command, Group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from kithkin.api.kithkin import Kithkin
    from kithkin.conversations.reader import Purpose, Step, Used

_START = click.argument("start", type=int)
_END = click.argument("end", type=int)
_CONTEXT = click.option("--context", help="What for, in words for people.")


def _shared(command: "Callable[..., Any]") -> "Callable[..., Any]":
    for option in (AS, PROJECT, BECAUSE, _CONTEXT):
        command = option(command)
    return command


def _asked(kin: "Kithkin", given: dict[str, Any]) -> "Purpose":
    cause = kin.full_id(given["because_of"]) if given["because_of"] else None
    return kin.reader.asked(project=given["project"], context=given["context"], because_of=cause)


@click.group(cls=Group)
def read() -> None:
    """Read artifacts so that others can follow.

    Every use is recorded: who, what, what for. `kithkin follow` and `kithkin retrace` show it.

    \b
    Examples:
      kithkin read search "authentication flow" --as agent
      kithkin read scroll-to goals_doc 10 30 --context "Checking the goals"
    """


@read.command()
@click.argument("query")
@click.option("--artifact", metavar="LABEL", help="Only in this one.")
@_shared
def search(query: str, artifact: str | None, **given: Any) -> None:
    """Find the passages that speak of something.

    \b
    Example:
      kithkin read search "authentication flow" --artifact requirements --as agent
    """
    with opened(given["actor"]) as kin:
        used = kin.reader.semantic_search(query, artifact=artifact, asked=_asked(kin, given))
    answer(used, lambda: _tell(used, nothing="Nothing speaks of it."))


@read.command("scroll-to")
@click.argument("artifact", metavar="LABEL")
@_START
@_END
@_shared
def scroll_to(artifact: str, start: int, end: int, **given: Any) -> None:
    """Look at some lines.

    \b
    Example:
      kithkin read scroll-to goals_doc 10 30
    """
    with opened(given["actor"]) as kin:
        used = kin.reader.scroll_to(artifact, start, end, asked=_asked(kin, given))
    answer(used, lambda: _tell(used))


@read.command("scroll-up")
@click.argument("n", type=click.IntRange(1))
@_shared
def scroll_up(n: int, **given: Any) -> None:
    """Look further up from where you look.

    \b
    Example:
      kithkin read scroll-up 10
    """
    with opened(given["actor"]) as kin:
        used = kin.reader.scroll_up(n, asked=_asked(kin, given))
    answer(used, lambda: _tell(used))


@read.command("scroll-down")
@click.argument("n", type=click.IntRange(1))
@_shared
def scroll_down(n: int, **given: Any) -> None:
    """Look further down from where you look.

    \b
    Example:
      kithkin read scroll-down 10
    """
    with opened(given["actor"]) as kin:
        used = kin.reader.scroll_down(n, asked=_asked(kin, given))
    answer(used, lambda: _tell(used))


@read.command()
@click.argument("content")
@_shared
def note(content: str, **given: Any) -> None:
    """Write a note on the project's scratchpad.

    \b
    Example:
      kithkin read note "The flow redirects twice" --as agent
    """
    with opened(given["actor"]) as kin:
        used = kin.reader.note(content, asked=_asked(kin, given))
    answer(used, lambda: click.echo(f"Noted: {used.call}"))


@read.command()
@click.argument("artifact", metavar="LABEL")
@_START
@_END
@_shared
def select(artifact: str, start: int, end: int, **given: Any) -> None:
    """Select lines, to refer to them as they are now.

    \b
    Example:
      kithkin read select goals_doc 3 4
    """
    with opened(given["actor"]) as kin:
        used = kin.reader.select_lines(artifact, start, end, asked=_asked(kin, given))
    answer(used, lambda: _tell(used))


@read.command()
@click.argument("artifact", metavar="LABEL")
@_START
@_END
@FILE
@LINES
@click.option("--reasoning", help="Why.")
@_shared
def propose(
    artifact: str,
    start: int,
    end: int,
    file: "Path | None",
    lines: tuple[str, ...],
    reasoning: str | None,
    **given: Any,
) -> None:
    """Stage other words for some lines, for somebody to accept or reject.

    An END before START stages an insertion: `5 4` is before line 5.

    \b
    Example:
      kithkin read propose goals_doc 3 3 --line "Ship in June" --reasoning "May is too soon"
    """
    content = text(file, lines)
    with opened(given["actor"]) as kin:
        used = kin.reader.propose_edit(
            artifact, (start, end), content, reasoning=reasoning, asked=_asked(kin, given)
        )
    staged = used.proposal
    answer(used, lambda: click.echo(f"Proposed: {staged.uuid if staged else ''}"))


@click.command(cls=Command)
@click.argument("item")
def retrace(item: str) -> None:
    """Tell the story around an item, from what started it.

    \b
    Example:
      kithkin retrace item_1f0c9a52
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        steps = kin.reader.retrace(kin.full_id(item))

    def tell() -> None:
        for step in steps:
            arrow = "└─ " if step.depth else ""
            look.say(f"{'   ' * step.depth}{arrow}{_sentence(step)}")

    answer(steps, tell)


@click.command(cls=Command)
@click.argument("participant")
@click.option("--after", type=int, metavar="CURSOR", help="Begin after this place of the ledger.")
@click.option("--once", is_flag=True, help="Show what there is, and end.")
@click.option("--every", default=1.0, show_default=True, help="Seconds between two looks.")
@PROJECT
def follow(
    participant: str, after: int | None, once: bool, every: float, project: str | None
) -> None:
    """Watch what a participant does, live.

    First what they are at, on one line; then each step as it is taken, until Ctrl-C.

    \b
    Examples:
      kithkin follow agent
      kithkin follow agent --after 0 --once
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        cursor = kin.reader.ledger_end() if after is None else after
        status = kin.reader.status(participant, project=project)
        if once:
            steps = kin.reader.follow(participant, project=project, after=cursor, limit=1000)
            answer({"status": status, "steps": steps}, lambda: _print(status.line, steps))
            return
        if not wants_json():
            look.say(status.line)
        while True:
            for step in kin.reader.follow(participant, project=project, after=cursor):
                cursor = step.seq
                _print_live(step)
            time.sleep(every)


def _print(line: str, steps: "Iterable[Step]") -> None:
    from kithkin.cli import tables as look

    look.say(line)
    for step in steps:
        look.say(f"  {step.seq}  {_sentence(step)}")


def _print_live(step: "Step") -> None:
    if not wants_json():
        click.echo(_sentence(step))
        return
    import msgspec

    click.echo(msgspec.json.encode(step).decode())


def _sentence(step: "Step") -> str:
    return f"{step.at[11:19]} {f'{step.who} ' if step.who else ''}{step.what}"


def _tell(used: "Used", *, nothing: str = "") -> None:
    from kithkin.cli import tables as look

    if not used.passages:
        look.say(nothing)
    for passage in used.passages:
        look.say(passage.reference)
        look.say(look.numbered(passage.lines, start=passage.start))
