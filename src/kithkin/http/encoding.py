"""From what a method gave to an answer: JSON, which version it is, and where more of it is."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from kithkin.http.requests import Answer, Asked
from kithkin.verb import Shape


def answer_to(shape: Shape, asked: Asked, arguments: dict[str, Any], result: Any) -> Answer:
    """The answer that tells a result."""
    headers = _version(shape, result) | _next(shape, asked, arguments, result)
    if headers.get("ETag") and headers["ETag"] == asked.headers.get("if-none-match"):
        return Answer(304, headers=headers)
    if result is None and shape.verb.status == 204:  # noqa: PLR2004 - nothing to tell
        return Answer(204, headers=headers)
    return Answer(shape.verb.status, msgspec.json.encode(result), headers)


def _version(shape: Shape, result: Any) -> dict[str, str]:
    value = _at(result, shape.verb.etag) if shape.verb.etag else None
    return {"ETag": f'"{value}"'} if value else {}


def _next(shape: Shape, asked: Asked, arguments: dict[str, Any], result: Any) -> dict[str, str]:
    match shape.verb.cursor:
        case None:
            return {}
        case "next":
            more = {"before": result.next} if result.next else {}
        case field:
            limit = arguments.get("limit", shape.default_of("limit"))
            more = {"after": str(_at(result[-1], field))} if len(result) == limit else {}
    if not more:
        return {}
    query = {**dict(parse_qsl(asked.query)), **more}
    return {"Link": f'<{asked.path}?{urlencode(query)}>; rel="next"'}


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = getattr(value, name, None)
    return value
