"""Commands about artifacts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli import proposals
from kithkin.cli.project_options import AS, BECAUSE, FILE, LINES, PROJECT, REASON, pairs, text
from kithkin.cli.proposals import tell_outcome, tell_written
from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.artifacts.artifact_edit import Why

_LABEL = click.argument("label")
_VERSION = click.argument("version", metavar="LABEL[@COMMIT]")
_BASED_ON = click.option("--based-on", metavar="COMMIT", help="Only if the head is still this.")
_REFS = click.option(
    "--ref", "references", metavar="^ID", multiple=True, help="A fragment that informed it."
)


@click.group(cls=Group)
def artifact() -> None:
    """Write documents with their whole past.

    \b
    Examples:
      kithkin artifact create goals_doc --line "Ship in May" --line "Stay small"
      kithkin artifact edit goals_doc goals.txt --because-of item_1f0c9a52
      kithkin artifact blame goals_doc
    """


@artifact.command()
@_LABEL
@FILE
@LINES
@click.option("--git", "repository", metavar="REPOSITORY", type=click.Path(path_type=Path),
              help="Bring in the history of FILE in this git repository.")  # fmt: skip
@BECAUSE
@PROJECT
@AS
def create(
    label: str,
    file: Path | None,
    lines: tuple[str, ...],
    repository: Path | None,
    because_of: str | None,
    project: str | None,
    actor: str | None,
) -> None:
    """Make an artifact, empty or with a first text.

    \b
    Examples:
      kithkin artifact create goals_doc goals.txt
      kithkin artifact create readme README.md --git ~/code/website
    """
    if repository:
        if file is None:
            raise click.UsageError("Name the FILE in the repository, as `git ls-files` does.")
        with opened(actor) as kin:
            brought = kin.artifacts.bring_from_git(label, repository, str(file), project=project)
            made, count = brought.artifact, len(kin.artifacts.log(brought.artifact.uuid))
        answer(made, lambda: click.echo(f"Made: {made.label} ({made.uuid}), {count} commits"))
        return
    content = text(file, lines, needed=False)
    with opened(actor) as kin:
        cause = kin.full_id(because_of) if because_of else None
        made = kin.artifacts.create(label, content, project=project, because_of=cause)
    answer(made, lambda: click.echo(f"Made: {made.label} ({made.uuid})"))


@artifact.command()
@_LABEL
@FILE
@LINES
@_BASED_ON
@click.option("--aside", is_flag=True, help="Commit beside the head, for a later merge.")
@BECAUSE
@_REFS
@REASON
@PROJECT
@AS
def edit(label: str, file: Path | None, lines: tuple[str, ...], **given: Any) -> None:
    """Give an artifact a new text.

    The text is compared with the head: the commit holds only what differs.

    \b
    Examples:
      kithkin artifact edit goals_doc goals.txt --reason "after the meeting"
      kithkin artifact edit goals_doc - --based-on c4f2a1b
    """
    content = text(file, lines)
    with opened(given["actor"]) as kin:
        done = kin.artifacts.edit(
            label,
            content,
            project=given["project"],
            based_on=given["based_on"],
            aside=given["aside"],
            why=_why(kin, given),
            reason=given["reason"],
        )
    answer(done, lambda: tell_written(done))


# `-23` is an operation here, not an option that click does not know.
@artifact.command(context_settings={"ignore_unknown_options": True})
@_LABEL
@click.argument("ops")
@click.option("--text", "texts", metavar="^ID=WORDS", multiple=True, callback=pairs,
              help="The words of a fragment that no message holds.")  # fmt: skip
@_BASED_ON
@BECAUSE
@_REFS
@REASON
@PROJECT
@AS
def ops(label: str, ops: str, texts: dict[str, str], **given: Any) -> None:
    """Carry out line operations, one after the other, all of them or none.

    +15:^a7f adds a fragment at line 15, -23 removes line 23, ~18:^b2e→^c3d replaces what line 18
    holds (-> is taken too), >12@30 moves line 12 to 30.

    \b
    Example:
      kithkin artifact ops goals_doc "+4:^f9e -5 ~3:^a7f→^k3m"
    """
    with opened(given["actor"]) as kin:
        done = kin.artifacts.operate(
            label,
            ops,
            project=given["project"],
            based_on=given["based_on"],
            texts=texts,
            why=_why(kin, given),
            reason=given["reason"],
        )
    answer(done, lambda: tell_written(done))


@artifact.command()
@_VERSION
@click.option("--plain", is_flag=True, help="The text alone, byte for byte.")
@PROJECT
def show(version: str, plain: bool, project: str | None) -> None:
    """Show a version, with its line numbers.

    \b
    Examples:
      kithkin artifact show goals_doc
      kithkin artifact show goals_doc@c4f2a1b --plain
    """
    from kithkin.artifacts.ops import content_of
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.artifacts.show(version, project=project)
    content = content_of(found.text)

    def tell() -> None:
        if plain:
            sys.stdout.buffer.write(content.encode())
            return
        look.say(f"{found.artifact.label} at {found.commit[:7]}")
        look.say(look.numbered(found.text.lines))

    answer({"artifact": found.artifact, "commit": found.commit, "content": content}, tell)


@artifact.command()
@_VERSION
@click.option("--all", "everything", is_flag=True, help="Commits beside the head too.")
@click.option("--limit", default=100, show_default=True, help="How many at the most.")
@PROJECT
def log(version: str, everything: bool, limit: int, project: str | None) -> None:
    """Show the commits that lead to a version, newest first.

    \b
    Example:
      kithkin artifact log goals_doc
    """
    from kithkin.artifacts.ops import printed
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.artifacts.log(version, project=project, everything=everything)[:limit]

    def tell() -> None:
        rows = (
            (
                one.commit[:7],
                " ".join(parent[:7] for parent in one.parents),
                one.actor or "",
                look.ago(one.at),
                look.shorten(one.reason or ""),
                look.shorten(printed(one.edit.ops[:8])),
            )
            for one in found
        )
        look.table("commit", "parent", "by", "when", "why", "ops", rows=rows)

    answer(found, tell)


@artifact.command()
@click.argument("old", metavar="LABEL[@OLD]")
@click.argument("new", metavar="LABEL[@NEW]", required=False)
@PROJECT
def diff(old: str, new: str | None, project: str | None) -> None:
    """Show what differs between two versions; the head, if one is named.

    \b
    Example:
      kithkin artifact diff goals_doc@c4f2a1b goals_doc@e8d9f3c
    """
    from rich.text import Text

    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.artifacts.diff(old, new, project=project)

    def tell() -> None:
        colours = {"+": "green", "-": "red", " ": ""}
        for hunk in found.hunks:
            look.console().print(Text(f"@@ {hunk.old_start} → {hunk.new_start} @@", style="cyan"))
            for line in hunk.lines:
                look.console().print(
                    Text(look.visible(line), style=colours[line[0]]), soft_wrap=True
                )
        if found.unfinished[0] != found.unfinished[1]:
            which = "old" if found.unfinished[0] else "new"
            look.say(f"The {which} one has no newline at its end.")
        elif not found.hunks:
            look.say("They are the same.")

    answer(found, tell)


@artifact.command()
@_VERSION
@PROJECT
def blame(version: str, project: str | None) -> None:
    """Show which delta, which message and which person stand behind each line.

    \b
    Example:
      kithkin artifact blame goals_doc
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.artifacts.blame(version, project=project)

    def tell() -> None:
        rows = (
            (
                str(one.line),
                one.commit[:7],
                one.actor or "",
                f"{one.said_by} in {look.short(one.message)}" if one.message else "",
                look.visible(one.text),
            )
            for one in found
        )
        look.table("line", "commit", "by", "because of", "text", rows=rows)

    answer(found, tell)


@artifact.command()
@_LABEL
@click.argument("commit")
@click.option("--only", is_flag=True, help="Take back what this commit did, and nothing else.")
@REASON
@PROJECT
@AS
def revert(
    label: str,
    commit: str,
    only: bool,
    reason: str | None,
    project: str | None,
    actor: str | None,
) -> int:
    """Make an artifact what it was at a commit. The history grows; nothing is rewound.

    \b
    Example:
      kithkin artifact revert goals_doc c4f2a1b
    """
    with opened(actor) as kin:
        found = kin.artifacts.revert(label, commit, project=project, only=only, reason=reason)
    return tell_outcome(found)


@artifact.command()
@_LABEL
@click.argument("commit")
@FILE
@REASON
@PROJECT
@AS
def merge(
    label: str,
    commit: str,
    file: Path | None,
    reason: str | None,
    project: str | None,
    actor: str | None,
) -> int:
    """Join a commit that stands beside the head.

    Lines that both sides changed are shown as conflicts, with exit code 1; a FILE settles them.

    \b
    Examples:
      kithkin artifact merge goals_doc e8d9f3c
      kithkin artifact merge goals_doc e8d9f3c settled.txt
    """
    content = text(file, ()) if file else None
    with opened(actor) as kin:
        found = kin.artifacts.merge(label, commit, project=project, content=content, reason=reason)
    return tell_outcome(found)


@artifact.command()
@_LABEL
@click.argument("new_label", metavar="NEW")
@PROJECT
@AS
def relabel(label: str, new_label: str, project: str | None, actor: str | None) -> None:
    """Call an artifact something else; references by the old label go on working.

    \b
    Example:
      kithkin artifact relabel goals_doc aims
    """
    with opened(actor) as kin:
        made = kin.artifacts.relabel(label, new_label, project=project)
    answer(made, lambda: click.echo(f"{label} is called {made.label} now."))


@artifact.command()
@_LABEL
@PROJECT
def verify(label: str, project: str | None) -> int:
    """Replay every delta from nothing and compare each version with its commit.

    \b
    Example:
      kithkin artifact verify goals_doc
    """
    from kithkin.soil.ledger import Broken

    with opened() as kin:
        found = kin.artifacts.verify(label, project=project)
    broken = isinstance(found, Broken)

    def tell() -> None:
        if isinstance(found, Broken):
            click.echo(f"BROKEN at {found.where}")
        else:
            click.echo(f"Sound: {found.commits} commits, head {found.head[:7]}.")

    answer({"sound": not broken, "result": found}, tell)
    return 1 if broken else 0


def _why(kin: "Kithkin", given: dict[str, Any]) -> "Why":
    from kithkin.artifacts.artifact_edit import Why

    cause = kin.full_id(given["because_of"]) if given["because_of"] else None
    return Why(because_of=cause, references=tuple(given["references"]))


for command in (proposals.propose, proposals.proposals, proposals.accept, proposals.reject):
    artifact.add_command(command)
