"""Commands about secrets."""

from pathlib import Path

import click

from kithkin.cli.realm import administered, answer
from kithkin.cli.root import Group


@click.group(cls=Group)
def credentials() -> None:
    """Keep secrets: sealed on disk, masked everywhere, shown to you alone.

    \b
    Example:
      kithkin credentials set USER_EMAIL_PASSWORD
    """


@credentials.command("set")
@click.argument("key")
def set_(key: str) -> None:
    """Keep a credential; its value is asked for, or read from a pipe.

    \b
    Example:
      kithkin credentials set USER_EMAIL_PASSWORD
    """
    import sys

    piped = not sys.stdin.isatty()
    value = sys.stdin.read().strip() if piped else click.prompt(key, hide_input=True, err=True)
    with administered(create=True) as admin:
        kept = admin.credentials.put(key, value)
    answer(kept, lambda: click.echo(f"{kept.key} is kept with {kept.kept}: {kept.value}"))


@credentials.command()
@click.argument("key", required=False)
@click.option("--reveal", is_flag=True, help="Show the value; each look is recorded.")
def get(key: str | None, reveal: bool) -> None:
    """Show a credential masked, or all of them; with --reveal, what it is.

    \b
    Example:
      kithkin credentials get USER_EMAIL_PASSWORD
    """
    from kithkin.cli import tables as look

    with administered() as admin:
        if key is None:
            found = admin.credentials.list()
            rows = [(one.name, one.value, one.set_at[:16]) for one in found]
            answer(found, lambda: look.table("name", "value", "set", rows=rows))
            return
        value = admin.credentials.reveal(key) if reveal else admin.credentials.find(key).value
    answer({"key": key, "value": value}, lambda: click.echo(value))


@credentials.command()
@click.argument("key")
def resolve(key: str) -> None:
    """Say where a program that asks for a key is led, with the value masked.

    \b
    Example:
      kithkin credentials resolve TELEGRAM_CHAT_ID
    """
    with administered() as admin:
        found = admin.credentials.find(key)
    answer(found, lambda: click.echo(f"{found.key} is kept with {found.kept}: {found.value}"))


@credentials.command("import")
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
def import_(file: Path) -> None:
    """Take in a file of KEY=VALUE lines, as older installations have them.

    \b
    Example:
      kithkin credentials import old.env
    """
    with administered(create=True) as admin:
        found = list(admin.credentials.import_file(file))
    answer(found, lambda: click.echo("\n".join(f"{one.key}: {one.kept}" for one in found)))


@credentials.command()
def rotate() -> None:
    """Seal every secret with a new key; the old one is forgotten.

    Secrets in backups made before stay sealed with the old key.

    \b
    Example:
      kithkin credentials rotate
    """
    with administered() as admin:
        count = admin.credentials.rotate()
    answer({"secrets": count}, lambda: click.echo(f"{count} secrets are sealed with a new key."))
