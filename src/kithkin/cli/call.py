"""The command that uses any verb by its name, as REST has it."""

from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import administered, opened, wants_json
from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.verb import Shape


@click.command(cls=Command)
@click.argument("verb", required=False)
@click.argument("arguments", metavar="[NAME=VALUE]...", nargs=-1)
@click.option("--agent", metavar="ID", help="As one of the agents; as you without it.")
def call(verb: str | None, arguments: tuple[str, ...], agent: str | None) -> None:
    """Use any verb by its name; without one, list them.

    A value that is JSON is taken as such, anything else as text.

    \b
    Examples:
      kithkin call
      kithkin call people.find_for_speaker reference="my wife" speaker=telegram:42
      kithkin call entities.add type_name=service data='{"name": "Rossi"}'
    """
    from kithkin.verb import shapes

    known = shapes(_verbs())
    if verb is None:
        _list(known)
        return
    if verb not in known:
        raise click.UsageError(f"There is no verb {verb}. `kithkin call` lists them.")
    shape = known[verb]
    given = _given(shape, arguments)
    of_owner = shape.verb.authority == "owner"
    with administered(create=True) if of_owner else opened(agent=agent) as facade:
        _print(shape, shape.call(facade, given))


def _verbs() -> list[Any]:
    from kithkin.verbs.agent_verbs import VERBS
    from kithkin.verbs.owner_verbs import VERBS as OWNERS

    return [*VERBS, *OWNERS]


def _list(known: "dict[str, Shape]") -> None:
    from kithkin.cli import tables as look

    if wants_json():
        import json

        click.echo(json.dumps(list(known)))
        return
    rows = (
        (name, ", ".join((*shape.in_path, *shape.names)), _summary(shape))
        for name, shape in known.items()
    )
    look.table("verb", "takes", "what for", rows=rows)


def _summary(shape: "Shape") -> str:
    return (shape.verb.does.__doc__ or "").partition("\n")[0]


def _given(shape: "Shape", arguments: tuple[str, ...]) -> dict[str, Any]:
    """The method's arguments, checked as a request's are."""
    import msgspec

    from kithkin.errors import InvalidInput

    found: dict[str, Any] = {}
    for one in arguments:
        name, mark, value = one.partition("=")
        if not mark:
            raise click.UsageError(f"{one!r}: write NAME=VALUE.")
        found[name] = value
    apart = {name: found.pop(name) for name in shape.in_path if name in found}
    missing = [name for name in shape.in_path if name not in apart]
    if missing:
        raise InvalidInput(f"{shape.verb.name} needs {', '.join(missing)}.")
    if shape.file and shape.file in found:
        from pathlib import Path

        apart[shape.file] = Path(found.pop(shape.file))
    try:
        read = {name: _value(shape, name, value) for name, value in found.items()}
        return shape.read(msgspec.convert(read, shape.takes, strict=False), apart)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{shape.verb.name} does not take this: {error}.") from error


def _value(shape: "Shape", name: str, value: str) -> Any:
    """Text where text is taken; else what the JSON says."""
    import msgspec

    from kithkin.verb import takes_text

    if name not in shape.names or takes_text(shape.type_of(name)):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value


def _print(shape: "Shape", result: Any) -> None:
    import msgspec

    if shape.gives_lines:
        for line in result:
            click.echo(line)
    elif result is not None:
        click.echo(msgspec.json.format(msgspec.json.encode(result)).decode())
