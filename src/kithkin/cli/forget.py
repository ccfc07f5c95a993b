"""Commands that forget."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.person_tables import one
from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.upkeep.forget import Forgetting, Manner

_YES = click.option("--yes", is_flag=True, help="Do it; without, only say what would go.")
_ARCHIVE = click.option(
    "--archive", is_flag=True, help="Only archive the memories as forgotten; erase no words."
)


@click.command("forget", cls=Command)
@click.argument("memory_id", metavar="ID")
@_YES
@_ARCHIVE
def forget_memory(memory_id: str, yes: bool, archive: bool) -> None:
    """Forget one thing for good, with the message it was taken from.

    Without --yes it only says what would go.

    \b
    Example:
      kithkin memory forget entity_3f2a --yes
    """
    with administered() as admin:
        full = admin.full_id(memory_id)
        gone = admin.memories.forget(full, manner=_manner(yes=yes, archive=archive))
    answer(gone, lambda: _tell(gone))


@click.command("forget-chat", cls=Command)
@click.argument("chat_id", metavar="ID")
@_YES
@_ARCHIVE
def forget_chat(chat_id: str, yes: bool, archive: bool) -> None:
    """Forget everything that was said in a chat, and what was learned there.

    Without --yes it only says what would go.

    \b
    Example:
      kithkin memory forget-chat entity_77c0 --yes
    """
    with administered() as admin:
        full = admin.full_id(chat_id)
        gone = admin.memories.forget_chat(full, manner=_manner(yes=yes, archive=archive))
    answer(gone, lambda: _tell(gone))


@click.command("forget", cls=Command)
@click.argument("who")
@_YES
@_ARCHIVE
@click.option("--keep-record", is_flag=True, help="Leave the person's own record.")
@click.option("--with-mentions", is_flag=True, help="Erase what others wrote about them too.")
def forget_person(
    who: str, yes: bool, archive: bool, keep_record: bool, with_mentions: bool
) -> None:
    """Forget somebody: what they said, what is known of them, and who they are.

    Without --yes it only says what would go.

    \b
    Example:
      kithkin people forget Sarah --yes
    """
    from msgspec.structs import replace

    manner = replace(
        _manner(yes=yes, archive=archive), keep_record=keep_record, with_mentions=with_mentions
    )
    with opened() as kin, administered() as admin:
        gone = admin.memories.forget_person(one(kin, who), manner=manner)
    answer(gone, lambda: _tell(gone))


def _manner(*, yes: bool, archive: bool) -> "Manner":
    from kithkin.upkeep.forget import Manner

    return Manner(done=yes, erase=not archive)


def _tell(gone: "Forgetting") -> None:
    said = "Forgotten" if gone.done else "Would forget"
    click.echo(
        f"{said}: {len(gone.memories)} memories, {len(gone.messages)} messages, "
        f"{len(gone.records)} records."
    )
    if gone.mentions:
        click.echo(
            f"{len(gone.mentions)} messages of others speak of them and stay; "
            "--with-mentions erases them too."
        )
    for file in gone.backups:
        click.echo(f"A backup still holds it: {file}")
    if not gone.done:
        click.echo("Nothing was changed; say --yes to do it.")
