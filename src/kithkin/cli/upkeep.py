"""Commands that keep a realm sound."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import administered, answer, chosen
from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.api.owner import Admin

_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
_OLD_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command(cls=Command)
def init() -> None:
    """Make a realm, or bring an older one up to date.

    Other commands do this by themselves; `init` only says where the realm is.

    \b
    Example:
      kithkin init --home ~/agents/kithkin
    """
    with administered(create=True) as admin:
        head = admin.head()
    where = chosen().where
    answer({"where": where, "items": head.seq}, lambda: click.echo(f"The realm is in {where}."))


@click.command(cls=Command)
@click.option(
    "--head",
    "kept",
    metavar="FILE",
    type=_OLD_FILE,
    help="A head kept from earlier: proves that nothing before it was rewritten.",
)
@click.option("--ledger", "ledger_only", is_flag=True, help="Only the ledger, not every entity.")
def verify(kept: Path | None, ledger_only: bool) -> int:
    """Prove that nothing was altered.

    Every hash is computed again, and the first link that does not hold is named.

    \b
    Examples:
      kithkin verify
      kithkin verify --head ~/usb/head.json
    """
    from kithkin.cli import tables as look
    from kithkin.upkeep.verify import Broken

    with administered() as admin, look.progress("Verifying") as bar:
        found = admin.verify(
            against=_read_head(kept) if kept else None, ledger_only=ledger_only, progress=bar
        )

    def tell() -> None:
        if isinstance(found, Broken):
            look.say(f"BROKEN at {found.where}")
            look.say(f"  expected {found.expected}\n  found    {found.found}")
            return
        erased = f", {found.erased} erased" if found.erased else ""
        what = "" if ledger_only else f" and {found.entities} entities"
        look.say(f"Sound: {found.items} items{what}{erased}. Head {found.head.hash[:16]}.")

    answer({"sound": not isinstance(found, Broken), "result": found}, tell)
    return 1 if isinstance(found, Broken) else 0


def _read_head(file: Path) -> Any:
    import msgspec

    from kithkin.soil.model import Head

    try:
        return msgspec.json.decode(file.read_bytes(), type=Head)
    except msgspec.MsgspecError as error:
        raise click.BadParameter(f"{file} holds no head; `kithkin head` prints one.") from error


@click.command(cls=Command)
def rebuild() -> None:
    """Compute every belief anew from what happened.

    The ledger is verified first; beliefs and look-up rows are then written anew.

    \b
    Example:
      kithkin rebuild
    """
    from kithkin.cli import tables as look

    with administered() as admin, look.progress("Rebuilding") as bar:
        done = admin.rebuild(progress=bar)

    def tell() -> None:
        look.say(f"Rebuilt {done.entities} entities from {done.items} items.")
        if done.repaired:
            look.say(f"Repaired: {done.repaired.where}.")

    answer(done, tell)


@click.command(cls=Command)
def head() -> None:
    """Print the end of the ledger, to keep elsewhere.

    Whoever keeps it can prove later, with `kithkin verify --head`, that history was not rewritten.

    \b
    Example:
      kithkin head > ~/usb/head.json
    """
    import json

    with administered() as admin:
        last = admin.head()
    click.echo(json.dumps({"seq": last.seq, "hash": last.hash}))


@click.command(cls=Command)
@click.option("--yes", is_flag=True, help="Do it; without, only say what would be done.")
def sweep(yes: bool) -> None:
    """Let what nobody comes back to rest.

    Weak relations are nominated, and after a week moved to Soil; so are entities nobody refers to.

    \b
    Example:
      kithkin sweep --yes
    """
    from kithkin.cli import tables as look

    with administered() as admin:
        swept = admin.sweep(dry_run=not yes)

    def tell() -> None:
        if swept.nothing:
            look.say("Nothing to do: everything is either in use or at rest.")
            return
        names = [name for name in swept.__struct_fields__ if name != "dry_run"]
        rows = ((name.replace("_", " "), str(len(getattr(swept, name)))) for name in names)
        look.table("what", "how many", rows=rows)
        if swept.dry_run:
            look.say("\nNothing was changed. `kithkin sweep --yes` does it.")

    answer(swept, tell)


@click.command(cls=Command)
@click.argument("uuid", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(uuid: str, yes: bool) -> None:
    """Erase words for good; the hashes stay.

    An item loses its content, an entity its whole history. This cannot be undone, and copies made
    earlier with `backup` still hold the words.

    \b
    Example:
      kithkin erase item_1f0c9a52
    """
    with administered() as admin:
        full = admin.full_id(uuid)
        if not yes:
            click.confirm(f"Erase {full} for good?", abort=True)
        done = admin.erase(full)

    def tell() -> None:
        click.echo(f"Erased: {', '.join(done.erased)}")
        if not done.scrubbed:
            click.echo(
                "Another program is reading the realm, so old pages wait in its log. "
                "They go when it ends: run `kithkin erase` again then."
            )

    answer(done, tell)


@click.command(cls=Command)
@click.argument("file", type=_NEW_FILE)
def backup(file: Path) -> None:
    """Copy the realm to a file while it is in use.

    \b
    Example:
      kithkin backup ~/backups/kithkin-2026-01-15.db
    """
    from kithkin.cli import tables as look

    with administered() as admin, look.progress("Copying") as bar:
        last = admin.backup(file, progress=bar)
    answer(last, lambda: click.echo(f"Backed up {last.seq} items to {file}."))


@click.command(cls=Command)
@click.argument("file", type=_OLD_FILE)
@click.option("--replace", is_flag=True, help="Lose what the realm holds now.")
def restore(file: Path, replace: bool) -> None:
    """Make the realm what a backup says.

    A backup of an embedded realm can be restored on PostgreSQL, and the other way round.

    \b
    Example:
      kithkin restore ~/backups/kithkin-2026-01-15.db --home ~/new
    """
    from kithkin.cli import tables as look

    with _to_be_replaced(file, replace=replace) as admin, look.progress("Restoring") as bar:
        last = admin.restore(file, replace=replace, progress=bar)
    answer(last, lambda: click.echo(f"Restored {last.seq} items from {file}."))


def _to_be_replaced(file: Path, *, replace: bool) -> "Admin":
    """The realm, even if its file is damaged: that is what a backup is for."""
    from kithkin.errors import StorageDamaged

    try:
        return administered(create=True, seed=False)
    except StorageDamaged:
        from kithkin.upkeep.backup import make_room

        if not replace or "://" in chosen().where:
            raise
        make_room(Path(chosen().where), file)
        return administered(create=True, seed=False)


@click.command(cls=Command)
@click.option("--soil", "file", metavar="FILE", type=_NEW_FILE, required=True, help="Where to.")
def export(file: Path) -> None:
    """Write the timeline as a database of its own.

    \b
    Example:
      kithkin export --soil timeline.db
    """
    with administered() as admin:
        last = admin.export_soil(file)
    answer(last, lambda: click.echo(f"Wrote {last.seq} items to {file}."))


@click.command(cls=Command)
def doctor() -> int:
    """Say how the realm is and what to do.

    \b
    Example:
      kithkin doctor
    """
    from kithkin.cli import tables as look
    from kithkin.upkeep.verify import Broken

    with administered() as admin, look.progress("Verifying") as bar:
        health = admin.doctor()
        chain = admin.verify(progress=bar)
    broken = isinstance(chain, Broken)

    def tell() -> None:
        look.fields_table(
            {
                "kithkin": health.version,
                "python": health.python,
                "database": f"{health.database}, tables at {health.tables}",
                "realm": health.where,
                "size": f"{health.size / 1e6:.1f} MB",
                "free": "" if health.free is None else f"{health.free / 1e9:.1f} GB",
                "items": look.plain(health.items),
                "entities": look.plain(health.entities),
                "chain": f"BROKEN at {chain.where}" if isinstance(chain, Broken) else "sound",
            }
        )
        if broken:
            look.say("\n! Run `kithkin verify`; then `kithkin rebuild`, or restore a backup.")
        for advice in health.advice:
            look.say(f"\n! {advice}")

    answer({"health": health, "chain": chain}, tell)
    return 1 if broken else 0
