"""Commands about people."""

import click

from kithkin.cli import forget, person_records
from kithkin.cli.person_tables import one, resolved, tell, tell_all, tell_resolution, told, wire
from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Group
from kithkin.cli.speaker_options import spoken_by

_AS = click.option(
    "--as",
    "speaker",
    metavar="CHANNEL:ID",
    callback=lambda _context, _option, given: spoken_by(given),
    help="Who says it; you without it.",
)
_MUST_SPEAK = click.option(
    "--as", "speaker", metavar="CHANNEL:ID", required=True, help="Who says it."
)


@click.group(cls=Group)
def people() -> None:
    """Say who is meant, and keep one record for each.

    \b
    Examples:
      kithkin people add "my wife" --as telegram:42 --hint "My wife Sarah loves hiking"
      kithkin people resolve "my wife" --as telegram:42
    """


@people.command("self")
@_MUST_SPEAK
@click.option("--username", help="The handle on that channel, which may change.")
@click.option("--name", help="The display name, which may change.")
def self_(speaker: str, username: str | None, name: str | None) -> None:
    """Make the acquaintance of a speaker.

    The channel's stable id is what counts; a new name or handle is taken over, the old ones stay.

    \b
    Example:
      kithkin people self --as telegram:123456789 --username notzeeg --name "David Cramer"
    """
    with opened() as kin:
        met = kin.people.ensure_self(speaker, username=username, name=name)
    answer({"created": met.created, "person": wire(met.person)}, lambda: tell(met.person))


@people.command()
@click.argument("text")
@_AS
def resolve(text: str, speaker: str) -> int:
    """Say who is meant.

    Exit code 1 when nobody is known, or several people fit.

    \b
    Examples:
      kithkin people resolve "my wife" --as telegram:42
      kithkin people resolve @sksembhi
    """
    with opened() as kin:
        found = resolved(kin, text, speaker)
    answer(told(found), lambda: tell_resolution(found))
    return 0 if told(found)["status"] == "found" else 1


@people.command()
@click.argument("text")
@_AS
@click.option("--hint", default="", help="The sentence it stood in.")
def add(text: str, speaker: str, hint: str) -> int:
    """Find who is meant, or make their acquaintance.

    \b
    Example:
      kithkin people add "my wife" --as telegram:42 --hint "My wife Sarah loves hiking"
    """
    with opened() as kin:
        met = kin.people.resolve_or_create(text, speaker=speaker, content_hint=hint)
    result = told(met.resolution)
    status = "created" if met.created else result["status"]
    answer(
        {**result, "status": status, "created": met.created},
        lambda: tell_resolution(met.resolution),
    )
    return 0 if result["person"] else 1


@people.command("list")
@click.option("--all", "everything", is_flag=True, help="Merged records too.")
def list_(everything: bool) -> None:
    """List everybody.

    \b
    Example:
      kithkin people list
    """
    with opened() as kin:
        found = kin.people.get_all() if everything else kin.people.list_all()
    answer([wire(person) for person in found], lambda: tell_all(found))


@people.command()
@click.argument("who")
def show(who: str) -> None:
    """Show a person: by id, or by a name that is the only one.

    \b
    Example:
      kithkin people show Sarah
    """
    with opened() as kin:
        person = kin.people.get(one(kin, who))
    answer(wire(person), lambda: tell(person))


@people.command()
@click.argument("text")
@_AS
def search(text: str, speaker: str) -> None:
    """List everybody who may be meant.

    \b
    Example:
      kithkin people search sara
    """
    from kithkin.people.model import Ambiguous, Found

    with opened() as kin:
        found = resolved(kin, text, speaker)
    match found:
        case Found(person=person):
            fits = [person]
        case Ambiguous(candidates=candidates):
            fits = list(candidates)
        case _:
            fits = []
    answer([wire(person) for person in fits], lambda: tell_all(fits))


@people.command()
@click.argument("who")
@click.argument("name")
def rename(who: str, name: str) -> None:
    """Give a person another name; the old one stays as an alias.

    \b
    Example:
      kithkin people rename Wife "Sarah Jane"
    """
    with opened() as kin:
        person = kin.people.rename(one(kin, who), name)
    answer(wire(person), lambda: tell(person))


@people.command()
@click.argument("who")
@click.argument("relationship")
@_MUST_SPEAK
def relate(who: str, relationship: str, speaker: str) -> None:
    """State what a person is to the speaker.

    \b
    Example:
      kithkin people relate Sarah wife --as telegram:42
    """
    with opened() as kin:
        person = kin.people.claim_relationship(
            one(kin, who, speaker), relationship, speaker=speaker
        )
    answer(wire(person), lambda: tell(person))


@people.command()
@click.argument("who")
@click.argument("relationship")
@_AS
def unrelate(who: str, relationship: str, speaker: str) -> None:
    """Take such a statement back.

    \b
    Example:
      kithkin people unrelate Sarah wife --as telegram:42
    """
    with opened() as kin:
        person = kin.people.unclaim_relationship(
            one(kin, who, speaker), relationship, speaker=speaker
        )
    answer(wire(person), lambda: tell(person))


@people.group(cls=Group)
def alias() -> None:
    """Add or remove other names and handles.

    \b
    Example:
      kithkin people alias add Sarah @sksembhi --as telegram:42
    """


@alias.command("add")
@click.argument("who")
@click.argument("value")
@_AS
def alias_add(who: str, value: str, speaker: str) -> None:
    """Add a name, handle or phrase for a person.

    \b
    Example:
      kithkin people alias add Sarah @sksembhi --as telegram:42
    """
    with opened() as kin:
        person = kin.people.add_alias(one(kin, who, speaker), value, speaker=speaker)
    answer(wire(person), lambda: tell(person))


@alias.command("remove")
@click.argument("who")
@click.argument("value")
@_AS
def alias_remove(who: str, value: str, speaker: str) -> None:
    """Remove an alias; what somebody added for themselves only they can remove.

    \b
    Example:
      kithkin people alias remove Sarah sksembhi --as telegram:42
    """
    with opened() as kin:
        person = kin.people.remove_alias(one(kin, who, speaker), value, speaker=speaker)
    answer(wire(person), lambda: tell(person))


@people.command()
@_AS
@click.option("--most", default=50, show_default=True, help="How many people at the most.")
def prompt(speaker: str, most: int) -> None:
    """Print the known people as an agent's prompt tells of them.

    \b
    Example:
      kithkin people prompt --as telegram:42
    """
    with opened() as kin:
        section = kin.people.prompt_section(speaker=speaker, most=most)
    answer({"section": section}, lambda: click.echo(section or "Nobody is known yet."))


for command in (
    forget.forget_person,
    person_records.merge,
    person_records.unmerge,
    person_records.duplicates,
    person_records.same,
    person_records.group,
    person_records.history,
    person_records.doctor,
    person_records.export,
    person_records.import_,
):
    people.add_command(command)
