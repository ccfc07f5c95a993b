"""Commands about what is believed."""

from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import answer, opened
from kithkin.cli.root import Group
from kithkin.cli.timeline import read_fields, read_time

if TYPE_CHECKING:
    from kithkin.core.model import Entity

_FIELDS = click.argument("fields", metavar="NAME=VALUE...", nargs=-1, callback=read_fields)
_REASON = click.option("--reason", help="Why.")
_BASED_ON = click.option("--based-on", metavar="HASH", help="Only if it still has this hash.")


@click.group(cls=Group)
def entity() -> None:
    """Look at beliefs, their past, and change them.

    \b
    Examples:
      kithkin entity add place name=Home city=Lisbon
      kithkin entity history entity_1f0c9a52
    """


@entity.command("list")
@click.option("--type", "type_name", metavar="TYPE", help="Only entities of this type.")
@click.option("--after", metavar="ENTITY", help="Go on after this one.")
@click.option("--limit", default=100, show_default=True, help="How many at the most.")
def list_(type_name: str | None, after: str | None, limit: int) -> None:
    """List entities, oldest first.

    \b
    Example:
      kithkin entity list --type place
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        place = kin.full_id(after) if after else None
        found = kin.entities.list(type_name, after=place, limit=limit)

    def tell() -> None:
        if not found:
            look.say("No entities yet. `kithkin entity add TYPE name=value` adds one.")
            return
        look.table(
            "id",
            "type",
            "version",
            "changed",
            "data",
            rows=(
                (look.short(e.uuid), e.type, str(e.version), look.ago(e.updated_at), _gist(e))
                for e in found
            ),
        )

    answer(found, tell)


@entity.command()
@click.argument("uuid", metavar="ENTITY")
def show(uuid: str) -> None:
    """Show an entity as it is believed now.

    \b
    Example:
      kithkin entity show entity_1f0c9a52
    """
    import msgspec

    from kithkin.cli.relations import tell_edges

    with opened() as kin:
        found = kin.entities.show(kin.full_id(uuid))
        edges = kin.relations.around(found.uuid)

    def tell() -> None:
        _tell(found)
        tell_edges(edges)

    answer({**msgspec.to_builtins(found), "relations": edges}, tell)


@entity.command()
@click.argument("uuid", metavar="ENTITY")
def history(uuid: str) -> None:
    """Show every version: who changed what, when and why.

    \b
    Example:
      kithkin entity history entity_1f0c9a52
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        steps = kin.entities.history(kin.full_id(uuid))

    def tell() -> None:
        look.table(
            "version",
            "commit",
            "when",
            "by",
            "why",
            "changed",
            rows=(
                (
                    str(step.version),
                    step.commit[:12],
                    look.ago(step.at),
                    step.actor or "",
                    step.reason or "",
                    "(erased)" if step.changes is None else look.shorten(", ".join(step.changes)),
                )
                for step in steps
            ),
        )

    answer(steps, tell)


@entity.command()
@click.argument("uuid", metavar="ENTITY")
@click.argument("when", metavar="TIME", callback=read_time)
def at(uuid: str, when: Any) -> None:
    """Show an entity as it was believed at a moment.

    \b
    Example:
      kithkin entity at entity_1f0c9a52 2026-01-31
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        fields = kin.entities.at(kin.full_id(uuid), when)
    answer(fields, lambda: look.fields_table(fields))


@entity.command()
@click.argument("uuid", metavar="ENTITY")
@click.argument("old", type=int)
@click.argument("new", type=int)
def diff(uuid: str, old: int, new: int) -> None:
    """Show what differs between two versions.

    \b
    Example:
      kithkin entity diff entity_1f0c9a52 1 3
    """
    from kithkin.cli import tables as look

    with opened() as kin:
        found = kin.entities.diff(kin.full_id(uuid), old, new)

    def tell() -> None:
        rows = ((d.field, look.plain(d.old), look.plain(d.new)) for d in found)
        look.table("field", f"version {old}", f"version {new}", rows=rows)

    answer(found, tell)


@entity.command()
@click.argument("type_name", metavar="TYPE")
@_FIELDS
@_REASON
@click.option("--derived-from", metavar="ID", help="The item it was learned from.")
@click.option("--group", metavar="ENTITY", help="The entity it belongs to.")
def add(
    type_name: str,
    fields: dict[str, Any],
    reason: str | None,
    derived_from: str | None,
    group: str | None,
) -> None:
    """Believe something new.

    A value that reads as JSON is taken as JSON: `age=5` is a number, `tags=["a"]` a list.

    \b
    Example:
      kithkin entity add place name=Home city=Lisbon
    """
    with opened() as kin:
        source = kin.full_id(derived_from) if derived_from else None
        within = kin.full_id(group) if group else None
        made = kin.entities.add(
            type_name, fields, reason=reason, derived_from=source, group_id=within
        )
    answer(made, lambda: _tell(made))


@entity.command()
@click.argument("uuid", metavar="ENTITY")
@_FIELDS
@_BASED_ON
@_REASON
def change(uuid: str, fields: dict[str, Any], based_on: str | None, reason: str | None) -> None:
    """Set fields; `name=` removes one.

    \b
    Example:
      kithkin entity change entity_1f0c9a52 city=Porto --reason "moved"
    """
    with opened() as kin:
        changed = kin.entities.change(kin.full_id(uuid), fields, based_on=based_on, reason=reason)
    answer(changed, lambda: _tell(changed))


@entity.command()
@click.argument("uuid", metavar="ENTITY")
@click.argument("version", type=int)
@_BASED_ON
@_REASON
def revert(uuid: str, version: int, based_on: str | None, reason: str | None) -> None:
    """Make it what it was at an earlier version.

    \b
    Example:
      kithkin entity revert entity_1f0c9a52 1
    """
    with opened() as kin:
        reverted = kin.entities.revert(kin.full_id(uuid), version, based_on=based_on, reason=reason)
    answer(reverted, lambda: _tell(reverted))


@entity.command()
@click.argument("uuid", metavar="ENTITY")
@click.argument("by", metavar="NEWER")
@_REASON
def supersede(uuid: str, by: str, reason: str | None) -> None:
    """Mark a belief as replaced by another one.

    \b
    Example:
      kithkin entity supersede entity_1f0c9a52 entity_77b0d3e1
    """
    with opened() as kin:
        replaced = kin.entities.supersede(
            kin.full_id(uuid), superseded_by=kin.full_id(by), reason=reason
        )
    answer(replaced, lambda: _tell(replaced))


def _gist(found: "Entity") -> str:
    from kithkin.cli import tables as look

    if found.data is None:
        return "(erased)"
    text = ", ".join(f"{name}={look.plain(value)}" for name, value in found.data.items())
    successor = f" → {look.short(found.superseded_by)}" if found.superseded_by else ""
    return look.shorten(text + successor)


def _tell(found: "Entity") -> None:
    from kithkin.cli import tables as look

    links = {
        "in group": found.group_id,
        "superseded by": found.superseded_by,
        "derived from": found.derived_from,
    }
    look.fields_table(
        {
            "id": found.uuid,
            "type": found.type,
            "version": str(found.version),
            "hash": found.hash,
            "changed": f"{found.updated_at} ({look.ago(found.updated_at)})",
            **{name: value for name, value in links.items() if value},
            **({"(erased)": ""} if found.data is None else found.data),
        }
    )
