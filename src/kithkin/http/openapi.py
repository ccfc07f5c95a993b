"""The description of every route, from the tables and the methods' own words and types."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from kithkin.http import problems
from kithkin.http.problems import Problem
from kithkin.verb import Shape
from kithkin.version import __version__

_REF: Final = "#/components/schemas/{name}"
_WHO: Final = {
    "agent": "An agent's token, or the owner's session.",
    "frontend": "The token of an agent that talks to its person.",
    "connector": "A connector's token.",
    "owner": "The owner's session.",
}
_BEARER: Final[Mapping[str, list[str]]] = {"token": []}
_COOKIE: Final[Mapping[str, list[str]]] = {"session": [], "csrf": []}
CHANGES: Final = "changes.list"
_LIVE: Final = (
    {
        "name": "wait",
        "in": "query",
        "required": False,
        "description": "Wait so many seconds for something to tell.",
        "schema": {"type": "number", "minimum": 0, "maximum": 60},
    },
    {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "Where a stream (`Accept: text/event-stream`) is taken up again.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    },
)
_ALWAYS: Final = (401, 403, 408, 413, 422, 429)


def document(shapes: Iterable[Shape]) -> dict[str, Any]:
    """The OpenAPI document of some verbs."""
    listed = list(shapes)
    kinds: list[Any] = [Problem]
    for shape in listed:
        kinds += [shape.takes] if shape.gives_lines else [shape.takes, shape.gives]
    told, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    schemas = dict(zip(map(_key, kinds), told, strict=True))
    paths: dict[str, Any] = {}
    for shape in listed:
        place = paths.setdefault(shape.verb.path, {})
        place[shape.verb.method.lower()] = _operation(shape, schemas, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kithkin",
            "version": __version__,
            "description": "Who everyone is, what is known about them and who said so, what may "
            "be said to whom, and why anything happened.",
        },
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": _plain(components), "securitySchemes": _SECURITY},
    }


def _plain(schema: Any) -> Any:
    """A tuple as a list of its length: few programs that read schemas know `prefixItems`."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _plain(value) for name, value in schema.items()}
    if "prefixItems" in told:
        told["items"] = {"anyOf": told.pop("prefixItems")}
    return told


_SECURITY: Final = {
    "token": {"type": "http", "scheme": "bearer"},
    "session": {"type": "apiKey", "in": "cookie", "name": "kithkin_session"},
    "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRF-Token"},
}


def _key(kind: Any) -> str:
    return repr(kind)


def _operation(
    shape: Shape, schemas: Mapping[str, Any], components: Mapping[str, Any]
) -> dict[str, Any]:
    verb = shape.verb
    words = inspect.cleandoc(verb.does.__doc__ or "")
    takes = components[schemas[_key(shape.takes)]["$ref"].rpartition("/")[2]]
    told: dict[str, Any] = {
        "operationId": verb.name,
        "tags": [verb.part or "realm"],
        "summary": words.partition("\n")[0],
        "description": f"{words}\n\nWho may: {_WHO[verb.authority]}",
        "security": [_COOKIE] if verb.authority == "owner" else [_BEARER, _COOKIE],
        "parameters": _parameters(shape, takes),
        "responses": _responses(shape, schemas),
    }
    if verb.name == CHANGES:
        told["parameters"] += _LIVE
        told["responses"]["200"]["content"]["text/event-stream"] = {}
    if shape.brings_file:
        told["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
    elif not shape.in_query:
        told["requestBody"] = _body(shape, schemas, takes)
    return told


def _parameters(shape: Shape, takes: Mapping[str, Any]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in shape.in_path
    ]
    if shape.in_query:
        told += [_query(shape, takes, name, schema) for name, schema in takes["properties"].items()]
    if "based_on" in shape.names:
        told.append(_header("If-Match", "The version this is based on, as `based_on`."))
    if not shape.verb.is_safe and not shape.verb.secret:
        told.append(_header("Idempotency-Key", "The same request under the same key is done once."))
    return told


def _query(
    shape: Shape, takes: Mapping[str, Any], name: str, schema: Mapping[str, Any]
) -> dict[str, Any]:
    told = {
        "name": name,
        "in": "query",
        "required": name in takes.get("required", ()),
        "schema": schema,
    }
    default = shape.default_of(name)
    if default is not msgspec.UNSET:
        told["schema"] = {**schema, "default": default}
    if name in shape.verb.example:
        told["example"] = shape.verb.example[name]
    return told


def _header(name: str, words: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[A-Za-z0-9_-]+$"}
    return {"name": name, "in": "header", "required": False, "description": words, "schema": schema}


def _body(shape: Shape, schemas: Mapping[str, Any], takes: Mapping[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": schemas[_key(shape.takes)]}
    if shape.verb.example:
        content["example"] = shape.verb.example
    return {"required": bool(takes.get("required")), "content": {"application/json": content}}


def _responses(shape: Shape, schemas: Mapping[str, Any]) -> dict[str, Any]:
    done: dict[str, Any] = {"description": "Done."}
    if shape.gives_file:
        done["content"] = {"application/octet-stream": {}}
    elif shape.gives_lines:
        done["content"] = {"application/x-ndjson": {}}
    elif shape.verb.status != 204:  # noqa: PLR2004 - nothing is told
        done["content"] = {"application/json": {"schema": _plain(schemas[_key(shape.gives)])}}
    told: dict[str, Any] = {str(shape.verb.status): done}
    if shape.verb.etag and shape.verb.method == "GET":
        told["304"] = {"description": "Still the version that If-None-Match names."}
    for status in problems.statuses():
        told[str(status)] = {
            "description": "Refused." if status in _ALWAYS else "Refused, or not possible now.",
            "content": {problems.MEDIA_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}},
        }
    return told
