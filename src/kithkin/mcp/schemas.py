"""JSON schemas of msgspec types, as MCP wants them: an object at the root."""

from typing import Any, Final

import msgspec

_REF: Final = "#/$defs/{name}"


def object_schema(type_: Any) -> tuple[dict[str, Any], bool]:
    """The schema of a type, and whether it had to be put under `result` to be an object."""
    (root,), parts = msgspec.json.schema_components((type_,), ref_template=_REF)
    name = root.get("$ref", "").rpartition("/")[2]
    found = parts.get(name, root)
    wraps = found.get("type") != "object"
    if wraps:
        found = {"type": "object", "properties": {"result": root}, "required": ["result"]}
    elif name and not _mentions(parts, name):
        del parts[name]
    return {**found, **({"$defs": parts} if parts else {})}, wraps


def _mentions(parts: dict[str, Any], name: str) -> bool:
    return _REF.format(name=name).encode() in msgspec.json.encode(parts)
