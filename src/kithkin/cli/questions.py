"""Commands about what waits for a human."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.questions.model import Question


@click.group(cls=Group)
def questions() -> None:
    """See what waits for your word, and give it.

    \b
    Examples:
      kithkin questions list
      kithkin questions answer entity_1f0c9a52 approve
    """


@questions.command("list")
@click.option("--kind", help="Only one kind, such as approval or unknown_sender.")
@click.option("--all", "everything", is_flag=True, help="Also those that are settled.")
def list_(kind: str | None, everything: bool) -> None:
    """List the questions, oldest first; --kind approval lists pending actions.

    \b
    Example:
      kithkin questions list --kind approval
    """
    with administered() as admin:
        found = admin.questions.list(state=None if everything else "open", kind=kind)
    answer(found, lambda: _tell_all(found))


@questions.command()
@click.argument("question")
def show(question: str) -> None:
    """Show one question with its dossier: who asks, why, what exactly would be sent.

    \b
    Example:
      kithkin questions show entity_1f0c9a52
    """
    with administered() as admin:
        found = admin.questions.show(admin.full_id(question))
        arguments = admin.questions.arguments(found.id)
    answer(
        {"question": found, "arguments": arguments},
        lambda: _tell(found, dict(arguments or {})),
    )


@questions.command("answer")
@click.argument("question")
@click.argument("words", nargs=-1, required=True)
def answer_(question: str, words: tuple[str, ...]) -> None:
    """Answer a question: applied at once.

    Several are answered together as ID=ANSWER, at most five: all of them or none.

    \b
    Examples:
      kithkin questions answer entity_1f0c9a52 approve
      kithkin questions answer entity_1f0c9a52 merge Sarah
      kithkin questions answer entity_1f0c9a52=approve entity_77c0aa01=reject
    """
    several = [question, *words]
    with administered() as admin:
        if all("=" in one for one in several):
            pairs = [one.partition("=") for one in several]
            given = {admin.full_id(one): said for one, _, said in pairs}
            done = list(admin.questions.answer_batch(given))
        else:
            done = [admin.questions.answer(admin.full_id(question), " ".join(words))]
        admin.outbox.deliver()
    answer(done if len(done) > 1 else done[0], lambda: _tell_all(done))


def _tell_all(found: "list[Question]") -> None:
    from kithkin.cli import tables as look

    if not found:
        look.say("Nothing waits for your word.")
        return
    look.table(
        "id",
        "kind",
        "asked",
        "state",
        "question",
        rows=(
            (
                look.short(one.id),
                one.kind,
                look.ago(one.asked_at),
                f"{one.state}: {one.answer}" if one.answer else one.state,
                look.shorten(one.text),
            )
            for one in found
        ),
    )


def _tell(question: "Question", arguments: dict[str, object]) -> None:
    from kithkin.cli import tables as look

    dossier = {
        name.replace("_", " "): value
        for name, value in question.details.items()
        if value and name not in ("reaches", "call", "account")
    }
    look.fields_table(
        {
            "id": question.id,
            "question": question.text,
            "answers": ", ".join(question.options),
            "state": question.state,
            "expires": question.expires_at or "never",
            **dossier,
            **{f"sends {name}": value for name, value in arguments.items()},
        }
    )
