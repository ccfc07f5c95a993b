"""Commands about personas."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.personas.model import Persona
    from kithkin.personas.persona_edit import Draft

_ALIAS = click.option("--alias", "aliases", multiple=True, help="Another name; may be repeated.")
_GROUP = click.option("--group", metavar="GROUP", help='Its own group; "" for none.')
_SEES = click.option("--sees", metavar="GROUP", multiple=True, help="A group it sees; * is real.")
_ISOLATED = click.option("--isolated", is_flag=True, help="It sees no group but its own.")
_TRAIT = click.option("--trait", "traits", multiple=True, help="What it is like.")


@click.group(cls=Group)
def persona() -> None:
    """Keep the voices an agent speaks in.

    What is told to a persona with a group stays in that group. One without a group speaks of the
    real world, and what it is told waits for your word.

    \b
    Examples:
      kithkin persona add Frodo --group Fellowship
      kithkin persona list
    """


@persona.command("list")
@click.option("--all", "archived", is_flag=True, help="Also those that were archived.")
def list_(archived: bool) -> None:
    """List the personas, with what each of them sees.

    \b
    Example:
      kithkin persona list
    """
    with administered() as admin:
        found = admin.personas.list(archived=archived)
    answer(found, lambda: _tell(found))


@persona.command()
@click.argument("name")
@_ALIAS
@_GROUP
@_SEES
@_ISOLATED
@_TRAIT
def add(
    name: str,
    aliases: tuple[str, ...],
    group: str | None,
    sees: tuple[str, ...],
    isolated: bool,
    traits: tuple[str, ...],
) -> None:
    """Add a persona. It sees the real world (*) unless --sees or --isolated says otherwise.

    \b
    Examples:
      kithkin persona add Frodo --group Fellowship
      kithkin persona add Gollum --group Cave --isolated
    """
    draft = _draft(name, aliases, group, _seen(sees, isolated=isolated), traits)
    with administered(create=True) as admin:
        made = admin.personas.add(draft)
    answer(made, lambda: _tell([made]))


@persona.command()
@click.argument("name")
@click.option("--name", "new_name", metavar="NAME", help="What it is called from now on.")
@_ALIAS
@_GROUP
@_SEES
@_ISOLATED
@_TRAIT
@click.option("--restore", is_flag=True, help="Bring an archived one back.")
def edit(
    name: str,
    new_name: str | None,
    aliases: tuple[str, ...],
    group: str | None,
    sees: tuple[str, ...],
    isolated: bool,
    traits: tuple[str, ...],
    restore: bool,
) -> None:
    """Change a persona. What was told to it stays in the group it was told in.

    \b
    Example:
      kithkin persona edit Frodo --trait brave --sees "*" --sees Shire
    """
    draft = _draft(new_name, aliases, group, _seen(sees, isolated=isolated), traits)
    with administered() as admin:
        if restore:
            admin.personas.archive(name, archived=False)
        made = admin.personas.edit(name, draft)
    answer(made, lambda: _tell([made]))


@persona.command()
@click.argument("name")
def archive(name: str) -> None:
    """Let a persona speak no more. What it was told stays; `edit --restore` brings it back.

    \b
    Example:
      kithkin persona archive Frodo
    """
    with administered() as admin:
        gone = admin.personas.archive(name)
    answer(gone, lambda: _tell([gone]))


@persona.command()
@click.argument("name")
def steward(name: str) -> None:
    """Make a persona the steward: the one that sees all groups and asks what was real.

    \b
    Example:
      kithkin persona steward Sam
    """
    with administered() as admin:
        made = admin.personas.make_steward(name)
    answer(made, lambda: _tell([made]))


def _seen(sees: tuple[str, ...], *, isolated: bool) -> tuple[str, ...] | None:
    if isolated and sees:
        raise click.UsageError("--isolated sees nothing: leave --sees away.")
    return () if isolated else sees or None


def _draft(
    name: str | None,
    aliases: tuple[str, ...],
    group: str | None,
    sees: tuple[str, ...] | None,
    traits: tuple[str, ...],
) -> "Draft":
    from kithkin.personas.persona_edit import Draft

    return Draft(name=name, aliases=aliases or None, group=group, sees=sees, traits=traits or None)


def _tell(found: "list[Persona]") -> None:
    from kithkin.cli import tables as look

    look.table(
        "name",
        "group",
        "sees",
        "also called",
        "traits",
        rows=(
            (
                one.name + (" (archived)" if one.archived else ""),
                one.group_primary or "",
                "everything: the steward" if one.steward else ", ".join(one.groups_visible) or "-",
                ", ".join(one.aliases),
                ", ".join(one.traits),
            )
            for one in found
        ),
    )
