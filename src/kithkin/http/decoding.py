"""From a request to a method's arguments: strictly, with words for whoever got it wrong."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from kithkin.errors import InvalidInput
from kithkin.http.requests import JSON, Asked
from kithkin.verb import Shape, is_many

_MOST_IN_QUERY: Final = 1000
NO_PAGE: Final = 100
"""How long a page is when nobody says."""


def arguments_of(shape: Shape, asked: Asked) -> dict[str, Any]:
    """What the method is called with."""
    given = _from_query(shape, asked) if shape.in_query else _from_body(shape, asked)
    arguments = shape.read(given, asked.in_path)
    _require_clean(arguments, asked)
    if shape.is_paged:
        arguments.setdefault("limit", NO_PAGE)
    return _conditional(shape, arguments, asked)


def _from_query(shape: Shape, asked: Asked) -> Any:
    pairs = parse_qsl(asked.query, keep_blank_values=True)
    if len(pairs) > _MOST_IN_QUERY:
        raise InvalidInput(f"A query holds at most {_MOST_IN_QUERY} values.")
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in shape.names and is_many(shape.type_of(name)):
            found.setdefault(name, []).append(value)
        elif name in found:
            raise InvalidInput(f"{name} is given twice.")
        else:
            found[name] = value
    return _converted(shape, found)


def _converted(shape: Shape, found: Mapping[str, Any]) -> Any:
    try:
        return msgspec.convert(found, shape.takes, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The query is not right: {error}.") from error


def _from_body(shape: Shape, asked: Asked) -> Any:
    media_type = asked.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if asked.body and media_type != JSON:
        raise InvalidInput(f"Send {JSON}, not {media_type or 'nothing'}.")
    if asked.query:
        raise InvalidInput("This takes its arguments in the body, as a JSON object.")
    try:
        return msgspec.json.decode(asked.body or b"{}", type=shape.takes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"The body is not right: {error}.") from error


def _require_clean(arguments: Mapping[str, Any], asked: Asked) -> None:
    """A zero byte ends a text in many programs; nobody means one."""
    plain = (value for value in arguments.values() if isinstance(value, str))
    if b"\\u0000" in asked.body or "%00" in asked.query or any("\0" in text for text in plain):
        raise InvalidInput("A text holds a zero byte: leave it out.")


def _conditional(shape: Shape, arguments: dict[str, Any], asked: Asked) -> dict[str, Any]:
    """`If-Match` says the same as `based_on`."""
    based_on = asked.headers.get("if-match")
    if based_on is None or asked.method == "GET":
        return arguments
    if "based_on" not in shape.names:
        raise InvalidInput("This cannot be made conditional: leave If-Match out.")
    version = based_on.strip().removeprefix("W/").strip('"')
    if arguments.get("based_on", version) != version:
        raise InvalidInput("If-Match and based_on disagree: give one of them.")
    return {**arguments, "based_on": version}
