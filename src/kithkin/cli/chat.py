"""Talk: one message, or a conversation at the terminal."""

import sys
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import answer, opened, wants_json
from kithkin.cli.root import Command
from kithkin.cli.speaker_options import PERSONA, spoken_by, standing, where_spoken
from kithkin.errors import KithkinError

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.chat.reply import Answer

_HELP = """\
Say something, and what is known answers. Commands:
  /people   who is known           /why      where the last answer's knowledge comes from
  /undo     take back what was just learned          /quit     leave"""


@click.command(cls=Command)
@click.argument("text", required=False)
@where_spoken
@PERSONA
def chat(
    text: str | None,
    speaker: str | None,
    chat: str | None,
    shared: bool | None,
    members: tuple[str, ...],
    persona: str | None,
) -> int:
    """Say something; what is known answers.

    What is said is remembered with who said it and where. Without TEXT it is a conversation: /help
    lists what can be done in it. Without `--as` whoever is at this terminal speaks.

    \b
    Examples:
      kithkin chat "My wife Sarah likes hiking"
      kithkin chat "Tell me about my wife"
      kithkin chat "Dinner at 8" --as telegram:42 --chat family --group --with telegram:43
      kithkin chat "I'm an elf" --persona Frodo
    """
    with opened(persona=persona) as kin:
        place = {"chat": chat, "shared": shared, "members": members}
        who = spoken_by(speaker)
        if text is None:
            return _converse(kin, who, place)
        said = _said(kin, text, who, place, streams=not wants_json())
    answer(wire(said), lambda: _tell(said))
    return 0


def _said(kin: "Kithkin", text: str, who: str, place: dict[str, Any], *, streams: bool) -> "Answer":
    from datetime import datetime

    piece = (lambda part: click.echo(part, nl=False)) if streams else None
    # "Tomorrow" is tomorrow where the speaker sits.
    return kin.chat.say(text, speaker=who, at=datetime.now().astimezone(), piece=piece, **place)


def wire(said: "Answer") -> dict[str, Any]:
    """An answer, for a program to read."""
    return {
        "reply": said.reply,
        "learned": [_learned(one) for one in said.learned],
        "superseded": [{"id": one.id, "content": one.content} for one in said.superseded],
        "questions": list(said.questions),
        "persons": [{"id": one.id, "name": one.name} for one in said.persons],
    }


def _learned(one: Any) -> dict[str, Any]:
    memory = one.memory
    return {
        "id": memory.id,
        "content": memory.content,
        "about": type(memory.about).__name__.removeprefix("About").lower(),
        "subjects": list(memory.subject_person_ids),
        "kind": memory.kind,
        "trust": one.trust,
        "sensitivity": memory.sensitivity,
        "quote": memory.quote.text if memory.quote else None,
    }


def _tell(said: "Answer") -> None:
    """The end of an answer that was printed as it came, and what was learned."""
    from kithkin.cli import tables as look

    click.echo()
    for one in said.learned:
        held = standing(one.trust, one.memory.groups, in_doubt=one.memory.doubt is not None)
        click.secho(f"learned {look.short(one.memory.id)}: {one.memory.content} ({held})", dim=True)
    for old in said.superseded:
        click.secho(f"replaced {look.short(old.id)}: {old.content}", dim=True)


def _converse(kin: "Kithkin", who: str, place: dict[str, Any]) -> int:
    _remember_lines()
    last: Answer | None = None
    if sys.stdin.isatty():
        click.echo("Say something, or /help. Ctrl-D leaves.")
    while (line := _read()) is not None:
        if not line.strip():
            continue
        if line.startswith("/"):
            if line.strip() in ("/quit", "/exit"):
                break
            _obey(kin, line.strip(), last, who)
            continue
        try:
            last = _said(kin, line, who, place, streams=True)
        except KithkinError as refused:
            # One turn that fails does not end the conversation.
            click.secho(str(refused), fg="red", err=True)
            continue
        _tell(last)
    return 0


def _read() -> str | None:
    try:
        return input("> " if sys.stdin.isatty() else "")
    except EOFError:
        return None


def _remember_lines() -> None:
    """Arrow keys go through what was typed in this conversation, where the system has them."""
    if sys.stdin.isatty():
        from contextlib import suppress

        with suppress(ImportError):
            import readline  # noqa: F401 - loading it is enough


def _obey(kin: "Kithkin", command: str, last: "Answer | None", who: str) -> None:
    from kithkin.cli.person_tables import tell_all
    from kithkin.cli.why import tell

    match command:
        case "/people":
            tell_all(kin.people.list_all())
        case "/why" if last:
            for one in [*(m.memory.id for m in last.learned), *(r.id for r in last.recalled)][:3]:
                tell(kin.why(one, speaker=who))
        case "/undo" if last:
            click.echo(f"Taken back: {kin.chat.undo(last)} memories.")
        case _:
            click.echo(_HELP)
