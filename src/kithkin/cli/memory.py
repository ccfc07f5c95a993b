"""Commands about what is known."""

from typing import Any

import click

from kithkin.cli import forget
from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Command, Group
from kithkin.cli.speaker_options import (
    AS,
    CHAT,
    namer,
    spoken_by,
    tell,
    tell_history,
    told,
    where_spoken,
)

_KINDS = click.Choice(
    [
        "preference",
        "identity",
        "relationship",
        "knowledge",
        "context",
        "event",
        "task",
        "observation",
    ]
)
_LEVELS = click.Choice(["public", "personal", "sensitive"])


@click.group(cls=Group)
def memory() -> None:
    """See, search, change and forget what is known.

    With `--as` it is what that speaker may see where they ask; without, what the owner sees, which
    is everything, and each look is recorded.

    \b
    Examples:
      kithkin memory search hiking --as telegram:42
      kithkin memory forget entity_3f2a --yes
    """


@memory.command()
@click.argument("item")
def learn(item: str) -> None:
    """Keep what a message says that came in, such as by `kithkin receive`.

    \b
    Example:
      kithkin memory learn item_1f0c9a52
    """
    with opened() as kin:
        done = kin.memories.learn(kin.full_id(item))
    learned = [one.memory for one in done.learned]

    def show() -> None:
        for one in learned:
            click.echo(f"Learned: {one.content}")
        click.echo("" if learned else "Nothing new.", nl=not learned)

    answer({"learned": learned, "questions": list(done.questions)}, show)


@memory.command()
@click.argument("text")
@where_spoken
@click.option(
    "--about", multiple=True, metavar="WHO", help="Whom it is about; the speaker if none."
)
@click.option("--kind", type=_KINDS, default="knowledge", show_default=True)
@click.option("--sensitivity", type=_LEVELS, help="At least this; rules may raise it.")
@click.option("--portable", is_flag=True, help="It may be told outside of where it was said.")
@click.option("--confidential", is_flag=True, help="It stays in its conversation.")
def add(
    text: str,
    speaker: str | None,
    chat: str | None,
    shared: bool | None,
    members: tuple[str, ...],
    about: tuple[str, ...],
    **noted: Any,
) -> None:
    """Write something down.

    \b
    Examples:
      kithkin memory add "likes hiking" --about "my wife" --as telegram:42
      kithkin memory add "The office closes at 18:00" --portable
    """
    from kithkin.memories.learn import Learned, Noted
    from kithkin.messages.message_append import Place

    private = noted.pop("confidential")
    if speaker is None and chat is None:
        with administered(create=True) as admin:
            made = admin.memories.add(text, about=about, noted=Noted(private=private, **noted))
        learned: tuple[Any, ...] = (made,)
    else:
        with opened() as kin:
            who = spoken_by(speaker)
            kept = kin.memories.add(
                text,
                speaker=who,
                about=about,
                place=Place(chat, shared, members),
                noted=Noted(private=private, **noted),
            )
        learned = (kept,) if isinstance(kept, Learned) else kept.learned

    def show() -> None:
        for one in learned:
            click.echo(f"{one.memory.id}: {one.memory.content} ({one.trust})")
        if not learned:
            click.echo("That was known already.")

    answer(
        [{"id": one.memory.id, "trust": one.trust, "memory": one.memory} for one in learned], show
    )


@memory.command("list")
@AS
@CHAT
@click.option("--all", "everything", is_flag=True, help="Superseded and archived ones too.")
@click.option("--limit", default=50, show_default=True)
def list_(speaker: str | None, chat: str | None, everything: bool, limit: int) -> None:
    """List memories, the newest first.

    \b
    Example:
      kithkin memory list --as telegram:42
    """
    with opened() as kin:
        if speaker:
            found = kin.memories.list(
                speaker=speaker, chat=chat, everything=everything, limit=limit
            )
        else:
            with administered() as admin:
                found = list(admin.memories.list(everything=everything, limit=limit))
        answer(list(map(told, found)), lambda: tell(found, namer(kin)))


@memory.command()
@click.argument("question")
@AS
@CHAT
@click.option("--limit", default=10, show_default=True)
def search(question: str, speaker: str | None, chat: str | None, limit: int) -> None:
    """Search what was said and what is known.

    \b
    Examples:
      kithkin memory search "who likes hiking" --as telegram:42
      kithkin memory search marathon --as telegram:42 --chat family --json
    """
    with opened() as kin:
        if speaker:
            found = kin.memories.search(question, speaker=speaker, chat=chat, limit=limit)
        else:
            with administered() as admin:
                found = admin.memories.search(question, limit=limit)
        answer(list(map(told, found)), lambda: tell(found, namer(kin)))


@memory.command()
@click.argument("memory_id", metavar="ID")
@AS
@CHAT
def show(memory_id: str, speaker: str | None, chat: str | None) -> None:
    """Show one memory with its words.

    \b
    Example:
      kithkin memory show entity_3f2a
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        full = kin.full_id(memory_id)
        if speaker:
            found = kin.memories.show(full, speaker=speaker, chat=chat)
        else:
            with administered() as admin:
                found = admin.memories.show(full)
    fields = {name: value for name, value in told(found).items() if value not in (None, [])}
    answer(told(found), lambda: look.fields_table(fields))


@memory.command()
@click.argument("memory_id", metavar="ID")
@AS
@click.option("--content", help="What it says.")
@click.option("--kind", type=_KINDS)
@click.option("--sensitivity", type=_LEVELS)
@click.option("--portable/--not-portable", default=None)
@click.option("--confidential/--not-confidential", "private", default=None)
@click.option("--based-on", metavar="HASH", help="Refuse if somebody changed it since.")
def edit(memory_id: str, speaker: str | None, based_on: str | None, **changes: Any) -> None:
    """Change a memory. A speaker changes their own; the owner any.

    \b
    Example:
      kithkin memory edit entity_3f2a --sensitivity sensitive
    """
    from kithkin.memories.memory_edit import Changes

    with opened() as kin:
        full = kin.full_id(memory_id)
        if speaker:
            found = kin.memories.edit(
                full, speaker=speaker, changes=Changes(**changes), based_on=based_on
            )
        else:
            with administered() as admin:
                found = admin.memories.edit(full, Changes(**changes), based_on=based_on)
    answer(found, lambda: click.echo(f"{found.id}: {found.content} ({found.sensitivity})"))


@memory.command()
@click.argument("memory_id", metavar="ID")
@AS
@CHAT
def history(memory_id: str, speaker: str | None, chat: str | None) -> None:
    """Show every version of a memory.

    \b
    Example:
      kithkin memory history entity_3f2a
    """
    with opened() as kin:
        full = kin.full_id(memory_id)
        if speaker:
            steps = kin.memories.history(full, speaker=speaker, chat=chat)
        else:
            with administered() as admin:
                steps = admin.memories.history(full)
    answer(steps, lambda: tell_history(steps))


@memory.command()
@click.argument("memory_id", metavar="ID")
@AS
def undo(memory_id: str, speaker: str | None) -> None:
    """Take back what was learned; what it replaced stands again.

    \b
    Example:
      kithkin memory undo entity_3f2a
    """
    with opened() as kin:
        full = kin.full_id(memory_id)
        if speaker:
            gone = kin.memories.undo(full, speaker=speaker)
        else:
            with administered() as admin:
                gone = admin.memories.undo(full)
    answer(gone, lambda: click.echo(f"Taken back: {gone.content}"))


@memory.command()
def stats() -> None:
    """Count memories by what became of them.

    \b
    Example:
      kithkin memory stats
    """
    from kithkin.cli import tables as look

    with administered(create=True) as admin:
        counts = admin.memories.stats()
    answer(counts, lambda: look.fields_table(dict(counts) or {"memories": 0}))


@memory.command()
@click.option("--yes", is_flag=True, help="Do it; without, only say what would go.")
def sweep(yes: bool) -> None:
    """Archive what has had its time.

    \b
    Example:
      kithkin memory sweep --yes
    """
    with administered(create=True) as admin:
        found = admin.memories.sweep(dry_run=not yes)
    done = "Archived" if yes else "Would archive"
    words = f"{done} {len(found.expired)} expired and {len(found.decayed)} faded memories."
    answer(found, lambda: click.echo(words))


for command in (forget.forget_memory, forget.forget_chat):
    memory.add_command(command)


@click.command(cls=Command)
@click.argument("question")
@AS
@CHAT
@click.option("--tokens", default=1000, show_default=True, help="About how long at the most.")
def context(question: str, speaker: str | None, chat: str | None, tokens: int) -> None:
    """Print what a prompt may be told.

    It is marked, so that it is never learned again.

    \b
    Example:
      kithkin context "what does my wife like" --as telegram:42
    """
    with opened() as kin:
        who = spoken_by(speaker)
        text = kin.memories.context(question, speaker=who, chat=chat, tokens=tokens)
    answer({"context": text}, lambda: click.echo(text or "Nothing that may be told here."))
