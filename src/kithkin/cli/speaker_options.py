"""Who speaks where, as options say it, and how memories look."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from kithkin.core.model import Version
    from kithkin.memories.recall import Recalled

Command = TypeVar("Command", bound=Callable[..., Any])

AS = click.option("--as", "speaker", metavar="CHANNEL:ID", help="Who asks or speaks.")
PERSONA = click.option(
    "--persona", metavar="NAME", help="In whose voice; without it, the steward's."
)
CHAT = click.option("--chat", metavar="ID", help="The chat; without it, the speaker's private one.")


def where_spoken(command: Command) -> Command:
    """The options that say who speaks where."""
    options = (
        AS,
        CHAT,
        click.option(
            "--group/--private", "shared", default=None, help="Whether several people are there."
        ),
        click.option(
            "--with", "members", metavar="CHANNEL:ID", multiple=True, help="Who else is there."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def spoken_by(speaker: str | None) -> str:
    """The speaker; without one the owner, whose terminal this is."""
    from kithkin.contacts.model import ACCOUNT, OWNER

    return f"{ACCOUNT}:{OWNER}" if speaker is None else speaker


def told(found: "Recalled") -> dict[str, Any]:
    """Something recalled, for a program to read."""
    return {
        "id": found.id,
        "kind": found.kind,
        "content": found.content,
        "subjects": list(found.subjects),
        "said_by": found.speaker,
        "person": found.said_by,
        "trust": found.trust,
        "sensitivity": found.sensitivity,
        "when": found.when,
        "score": found.score,
        "quote": found.quote,
        "item": found.item,
        "because": found.because,
        "groups": list(found.groups),
        "in_doubt": found.in_doubt,
    }


def tell(found: "Sequence[Recalled]", name: Callable[[str], str]) -> None:
    """Memories and messages, a line each."""
    from kithkin.cli import tables as look

    if not found:
        look.say("Nothing that may be told here.")
        return
    look.table(
        "id",
        "about",
        "what",
        "said by",
        "trust",
        "when",
        rows=(
            (
                look.short(one.id),
                ", ".join(map(name, one.subjects)),
                look.shorten(one.content),
                name(one.said_by) if one.said_by else one.speaker or "",
                standing(one.trust, one.groups, in_doubt=one.in_doubt),
                look.ago(one.when),
            )
            for one in found
        ),
    )


def standing(trust: str, groups: Sequence[str], *, in_doubt: bool) -> str:
    """How far something is trusted, and in which world."""
    if in_doubt:
        return f"{trust}, in doubt"
    from kithkin.ids import REAL

    return trust if REAL in groups else f"{trust}, in {', '.join(groups)}"


def tell_history(steps: "Sequence[Version]") -> None:
    """A memory's versions, a line each."""
    from kithkin.cli import tables as look

    for step in steps:
        names = ", ".join(step.changes or {"(erased)": None})
        look.say(f"v{step.version} {look.ago(step.at)} by {step.actor}: {names}")


def namer(kin: Any) -> Callable[[str], str]:
    """How people are called, by their ids."""
    from kithkin.errors import NotFound

    def name(person: str) -> str:
        try:
            return str(kin.people.get(person).name)
        except NotFound:
            return "somebody"

    return name
