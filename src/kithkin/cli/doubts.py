"""Commands about what a persona was told, and whether it was real."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kithkin.memories.doubt_answers import Settled
    from kithkin.questions.model import Question

_DONE = {
    "keep": "real: everybody sees it",
    "move": "role-play: it stays in that conversation",
    "remove": "removed",
    "unclear": "not clear: it will be asked again",
}


@click.group(cls=Group)
def doubts() -> None:
    """Say whether what a persona was told was real, or just role-play.

    Until you do, no other persona sees it. The same queue as `kithkin questions`.

    \b
    Examples:
      kithkin doubts ask
      kithkin doubts answer "1 and 3 are real, drop the rest"
    """


@doubts.command("list")
def list_() -> None:
    """List everything in doubt: facts, then persons, traits and topics.

    \b
    Example:
      kithkin doubts list
    """
    with administered() as admin:
        found = admin.doubts.list()
    answer(found, lambda: _tell_all(found))


@doubts.command()
@click.option("--send", is_flag=True, help="Send it to where you are reached, too.")
@click.option("--daily", is_flag=True, help="Only after the hour in config.toml, once a day.")
def ask(send: bool, daily: bool) -> None:
    """Ask what was real, at most five things at once; nothing pending says nothing.

    A scheduler may run `--daily` as often as it likes: it asks, and tells you, once after the time
    of day that `[doubts] at` in config.toml names (20:00).

    \b
    Example:
      kithkin doubts ask
    """
    with administered() as admin:
        asked = admin.doubts.ask_daily() if daily else admin.doubts.ask(tell=send)
        if send or daily:
            admin.outbox.deliver()
    answer(asked, lambda: click.echo(asked.text) if asked.text else None)


@doubts.command("answer")
@click.argument("words", nargs=-1, required=True)
@click.option("--question", metavar="ID", help="One question; without it, all that was last asked.")
def answer_(words: tuple[str, ...], question: str | None) -> None:
    """Answer what was last asked, in plain words. What stays unclear is asked again.

    \b
    Examples:
      kithkin doubts answer "that's real"
      kithkin doubts answer "keep the first, drop the rest"
    """
    with administered(models=True) as admin:
        chosen = admin.full_id(question) if question else None
        done = admin.doubts.answer(" ".join(words), question=chosen)
        admin.outbox.deliver()
    answer(done, lambda: _tell(done))


def _tell(done: "Sequence[Settled]") -> None:
    for one in done:
        click.echo(f'{one.persona}, "{one.name}": {_DONE[one.verdict]}.')


def _tell_all(found: "list[Question]") -> None:
    from kithkin.cli import tables as look
    from kithkin.memories.doubts import raised_in
    from kithkin.personas.validation_wording import context_of

    if not found:
        look.say("Nothing is in doubt.")
        return
    rows = [
        (look.short(one.id), look.ago(one.asked_at), look.shorten(context_of(line, line.value)))
        for one in found
        for line in raised_in(one).lines()
    ]
    look.table("id", "since", "what", rows=rows)
