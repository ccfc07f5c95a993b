"""Commands that keep one record for each person."""

from pathlib import Path

import click

from kithkin.cli.person_tables import one, tell_all, wire
from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Command

_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command(cls=Command)
@click.argument("primary")
@click.argument("secondary")
@click.option("--preview", is_flag=True, help="Only say what would move.")
def merge(primary: str, secondary: str, preview: bool) -> None:
    """Make one record of two.

    The second stays as a redirect to the first. `people unmerge` takes it back.

    \b
    Example:
      kithkin people merge Sarah entity_1f0c9a52 --preview
    """
    from kithkin.cli import tables as look

    with opened() as kin, administered() as admin:
        first, second = one(kin, primary), one(kin, secondary)
        planned = admin.preview_merge(first, second)
        done = None if preview else admin.merge(first, second)

    def show_plan() -> None:
        look.say(f"Into {planned.plan.primary.name} move:")
        for moved in planned.plan.aliases_moved:
            look.say(f"  alias {moved.value}")
        for claim in planned.plan.claims_moved:
            look.say(f"  {claim.relationship}, stated by {claim.stated_by}")
        for address in planned.addresses:
            look.say(f"  address {address.key}")
        for conflict in planned.plan.conflicts:
            look.say(f"! {conflict}")
        look.say(f"Merged: {done.id}" if done else "Nothing was changed.")

    answer({"merge_id": done.id} if done else {"preview": planned}, show_plan)


@click.command(cls=Command)
@click.argument("merge_id")
def unmerge(merge_id: str) -> None:
    """Make two records of one again.

    \b
    Example:
      kithkin people unmerge entity_1f0c9a52
    """
    with administered() as admin:
        pair = admin.unmerge(admin.full_id(merge_id))
    answer([wire(person) for person in pair], lambda: tell_all(list(pair)))


@click.command(cls=Command)
def duplicates() -> None:
    """Propose records that may be one person. Nothing is merged.

    \b
    Example:
      kithkin people duplicates
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        pairs = kin.people.duplicates()
        names = {uuid: kin.people.get(uuid).name for p in pairs for uuid in (p.first, p.second)}

    def show_pairs() -> None:
        if not pairs:
            look.say("No two records look like one person.")
            return
        look.table(
            "score",
            "one",
            "other",
            "why",
            rows=(
                (
                    f"{pair.score:.2f}",
                    f"{names[pair.first]} ({look.short(pair.first)})",
                    f"{names[pair.second]} ({look.short(pair.second)})",
                    "; ".join(pair.reasons),
                )
                for pair in pairs
            ),
        )

    answer(pairs, show_pairs)


@click.command(cls=Command)
@click.argument("who")
def history(who: str) -> None:
    """Show how a record came to be what it is, merges included.

    \b
    Example:
      kithkin people history Sarah
    """
    from kithkin.cli import tables as look

    with administered() as admin:
        uuid = one(admin.kin, who)
        steps = admin.kin.entities.history(uuid)
        merges = admin.merges(uuid)

    def show_steps() -> None:
        rows = (
            (str(s.version), look.ago(s.at), s.actor or "", ", ".join(s.changes or ["(erased)"]))
            for s in steps
        )
        look.table("version", "when", "by", "changed", rows=rows)
        for each in merges:
            state = "undone" if each.undone else "in force"
            look.say(f"Merge {each.id} ({state}): {each.before.name} into {each.plan.primary.name}")

    answer({"versions": steps, "merges": merges}, show_steps)


@click.command(cls=Command)
def doctor() -> int:
    """Compare people.jsonl with the realm and name what is broken.

    \b
    Example:
      kithkin people doctor
    """
    from kithkin.cli import tables as look

    with administered() as admin, opened() as kin:
        found = admin.check_people()
        records = {person.id: person for person in kin.people.get_all()}
    broken = [p for p in records.values() if p.merged_into and p.merged_into not in records]

    def show_findings() -> None:
        look.say(
            f"{len(records)} records; {found.added} added and {found.changed} changed by hand."
        )
        for line in found.invalid:
            look.say(f"! line {line.number} is kept and left alone: {line.problem}")
        for person in broken:
            look.say(f"! {person.name} ({person.id}) leads to {person.merged_into}, which is gone.")

    summary = {"records": len(records), "file": found, "broken_merges": [p.id for p in broken]}
    answer(summary, show_findings)
    return 1 if found.invalid or broken else 0


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def export(file: Path) -> None:
    """Write everybody to a file, a line each.

    \b
    Example:
      kithkin people export people-backup.jsonl
    """
    with administered() as admin:
        lines = list(admin.export_people())
    file.write_text("".join(f"{line}\n" for line in lines))
    answer({"people": len(lines)}, lambda: click.echo(f"Wrote {len(lines)} people to {file}."))


@click.command("import", cls=Command)
@click.argument("file", type=_FILE)
def import_(file: Path) -> int:
    """Take in a file of people, old formats too; its lines win.

    \b
    Example:
      kithkin people import ~/.ash/people.jsonl
    """
    from kithkin.cli import tables as look

    with administered(create=True) as admin:
        found = admin.import_people(file)

    def show_taken() -> None:
        look.say(f"{found.added} people added, {found.changed} changed.")
        for line in found.invalid:
            look.say(f"! line {line.number} was left out: {line.problem}")

    answer(found, show_taken)
    return 1 if found.invalid else 0


@click.command(cls=Command)
@click.argument("one_name", metavar="NAME")
@click.argument("other_name", metavar="NAME")
def same(one_name: str, other_name: str) -> int:
    """Say whether two given names or surnames may be one: a nickname, a spelling.

    \b
    Example:
      kithkin people same Bob Robert
    """
    from kithkin.language.names import same_name

    score = same_name(one_name, other_name)
    alike = score >= 0.5  # noqa: PLR2004 - the rule's own middle
    words = f"{one_name} and {other_name} {'may be' if alike else 'are not'} one name"
    answer({"score": score, "same": alike}, lambda: click.echo(f"{words} ({score:.2f})."))
    return 0 if alike else 1


@click.command(cls=Command)
@click.argument("file", type=_FILE)
def group(file: Path) -> None:
    """Group the records of an address book that are one person each.

    The file has a JSON object a line, with an id, a name and, if there is one, a handle. Nothing is
    stored.

    \b
    Example:
      kithkin people group contacts.jsonl
    """
    import msgspec

    from kithkin.people.clusters import Record, group_records

    try:
        records = [
            msgspec.json.decode(line, type=Record[str])
            for line in file.read_bytes().splitlines()
            if line.strip()
        ]
    except msgspec.MsgspecError as error:
        raise click.BadParameter(f"{file}: {error}.") from error
    names = {record.id: record.name for record in records}
    groups = group_records(records)

    def show_groups() -> None:
        for members in groups:
            click.echo("; ".join(f"{names[member]} ({member})" for member in members))

    answer(groups, show_groups)
