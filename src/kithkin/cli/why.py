"""Why something is believed or happened."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Command
from kithkin.cli.speaker_options import AS, CHAT

if TYPE_CHECKING:
    from kithkin.upkeep.why import Why


@click.command(cls=Command)
@click.argument("uuid", metavar="ID")
@AS
@CHAT
def why(uuid: str, speaker: str | None, chat: str | None) -> None:
    """Show why something is believed or happened.

    The chain leads back to the words, who said them, and from which address.

    \b
    Examples:
      kithkin why entity_3f2a
      kithkin why entity_3f2a --as telegram:42 --json
    """
    with administered() as admin:
        full = admin.full_id(uuid)
        if speaker:
            with opened() as kin:
                found = kin.why(full, speaker=speaker, chat=chat)
        else:
            found = admin.why(full)
    answer(found, lambda: tell(found))


def tell(step: "Why", depth: int = 0) -> None:
    """The chain as a tree."""
    from kithkin.cli import tables as look

    mark = "   " * (depth - 1) + "└─ " if depth else ""
    when = f", {look.ago(step.at)}" if step.at else ""
    details = ", ".join(f"{name}: {look.plain(value)}" for name, value in step.details.items())
    look.say(
        f"{mark}{step.what}{when}: {look.shorten(step.says)}" + (f" ({details})" if details else "")
    )
    for below in step.because:
        tell(below, depth + 1)
