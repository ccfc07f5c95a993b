"""Commands about what is known of a human."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Group
from kithkin.cli.speaker_options import AS, PERSONA, spoken_by

if TYPE_CHECKING:
    from kithkin.memories.profile import Shown


@click.group(cls=Group)
def profile() -> None:
    """See and set what is known of a human, and say what is real.

    \b
    Examples:
      kithkin profile set Daughter Betty --type person
      kithkin profile list --persona Frodo
    """


@profile.command("list")
@AS
@PERSONA
def list_(speaker: str | None, persona: str | None) -> None:
    """List what is known of you, as a persona sees it.

    \b
    Example:
      kithkin profile list --persona Frodo
    """
    with opened(persona=persona) as kin:
        found = kin.profile.list(speaker=spoken_by(speaker))
    answer(found, lambda: _tell(found))


@profile.command()
@click.argument("item")
def show(item: str) -> None:
    """Show one item: who it was told to, whose word it is, and which groups see it.

    \b
    Example:
      kithkin profile show entity_1f0c9a52
    """
    with administered() as admin:
        found = admin.profile.show(admin.full_id(item))
    answer(found, lambda: _tell_one(found))


@profile.command("set")
@click.argument("name")
@click.argument("description")
@click.option(
    "--type", "kind", type=click.Choice(["fact", "trait", "topic", "person"]), help="What it is."
)
@click.option("--item", metavar="ID", help="Which item is meant, when the name is not enough.")
@AS
@PERSONA
def set_(
    name: str,
    description: str,
    kind: str | None,
    item: str | None,
    speaker: str | None,
    persona: str | None,
) -> None:
    """Set an item of your profile. In a persona's voice, what is real waits for your word.

    \b
    Examples:
      kithkin profile set Daughter Betty --type person
      kithkin profile set Job "ring bearer" --persona Frodo
    """
    from kithkin.memories.profile import Entry

    with opened(persona=persona) as kin:
        given = {"name": name, "description": description, "profile": kind}
        chosen = kin.full_id(item) if item and not persona else item
        entry = Entry(**given, item=chosen)  # type: ignore[arg-type] # a choice of click's
        speaks = spoken_by(speaker)
        done = kin.profile.set(entry, speaker=speaks)
        found = kin.profile.show(done.memory.id, speaker=speaks)
    waits = "It waits for your word: `kithkin doubts ask`." if done.question else ""
    said = waits or ("Set." if done.changed else "Nothing new.")
    answer({"item": found, "changed": done.changed, "said": said}, lambda: _say(said, found))


@profile.command()
@click.argument("item")
def real(item: str) -> None:
    """Say that something is real: what a persona holds in doubt, or in its group.

    It is written down anew for the real world; the people in it are real then, too.

    \b
    Example:
      kithkin profile real entity_1f0c9a52
    """
    with administered() as admin:
        found = admin.profile.real(admin.full_id(item))
    answer(found, lambda: _say("Real.", found))


@profile.command()
@click.argument("item")
def lock(item: str) -> None:
    """Confirm an item: a persona's change of it becomes a question.

    \b
    Example:
      kithkin profile lock entity_1f0c9a52
    """
    with administered() as admin:
        found = admin.profile.lock(admin.full_id(item))
    answer(found, lambda: _say("Locked.", found))


@profile.command()
@click.argument("item")
def unlock(item: str) -> None:
    """Let personas change an item again, as far as they may.

    \b
    Example:
      kithkin profile unlock entity_1f0c9a52
    """
    with administered() as admin:
        found = admin.profile.unlock(admin.full_id(item))
    answer(found, lambda: _say("Unlocked.", found))


def _say(said: str, found: "Shown") -> None:
    click.echo(said)
    _tell([found])


def _tell(found: "list[Shown]") -> None:
    from kithkin.cli import tables as look

    if not found:
        look.say("Nothing is known that may be told here.")
        return
    look.table(
        "id",
        "type",
        "name",
        "description",
        "groups",
        "validated",
        rows=(
            (
                look.short(one.id),
                one.type,
                look.shorten(one.name),
                look.shorten(one.description),
                ", ".join(one.groups),
                "in doubt" if one.in_doubt else one.validated or "",
            )
            for one in found
        ),
    )


def _tell_one(found: "Shown") -> None:
    from kithkin.cli import tables as look

    look.fields_table(
        {
            "id": found.id,
            "type": found.type,
            "name": found.name,
            "description": found.description,
            "groups": ", ".join(found.groups),
            "learned by": found.learned_by or "",
            "last changed by": found.last_changed_by or "",
            "validated": "in doubt" if found.in_doubt else found.validated or "by nobody",
        }
    )
