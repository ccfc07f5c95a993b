"""From typed content to the header and payload of an item, and back."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kithkin.canonical import canonical, require_text
from kithkin.errors import Erased, InvalidInput
from kithkin.soil import model
from kithkin.soil.model import Content, Extension, Item

RESERVED_ITEM_ATTRIBUTES: Final = (
    "triggered_by",
    "superceded_by",
    "replies_to",
    "derived_from",
    "continues_from",
    "contained_by",
)
_BASE_ATTRIBUTES: Final = ("uuid", "_type", "realized_at", "canonical_at")
_REFUSED: Final = frozenset(RESERVED_ITEM_ATTRIBUTES + _BASE_ATTRIBUTES)
_TYPE_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")
MAX_PAYLOAD: Final = 16 * 1024 * 1024

KNOWN: Final[Mapping[str, type[Any]]] = {
    kind.__name__: kind
    for kind in (
        model.Note,
        model.Message,
        model.ToolCall,
        model.ArtifactCreated,
        model.ArtifactDelta,
        model.SystemEvent,
        model.EntityDelta,
        model.Undo,
        model.Relation,
    )
}

# What stays when the words are erased: ids and hashes, never anything a person said.
_HEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "ArtifactCreated": ("artifact_uuid",),
    "ArtifactDelta": ("artifact_uuid", "commit", "parent"),
    "EntityDelta": ("entity_uuid", "entity_type", "commit", "parent", "version"),
    "Undo": ("undoes",),
    "Relation": (
        "relation",
        "kind",
        "source",
        "source_type",
        "target",
        "target_type",
        "born_at",
        "confidence",
    ),
}


class Parts(msgspec.Struct, frozen=True):
    """An item's content as it is stored."""

    type: str
    header: str
    data: str


def parts_of(content: Content) -> Parts:
    """Split content into what is never erased and what can be."""
    if isinstance(content, Extension):
        return _extension_parts(content)
    name = type(content).__name__
    fields = msgspec.to_builtins(content)
    header = {key: fields.pop(key) for key in _HEADERS.get(name, ()) if key in fields}
    return Parts(type=name, header=canonical(header), data=_bounded(canonical(fields)))


def content_of(item: Item) -> Content:
    """The typed value an item carries. An erased one has none."""
    if item.data is None:
        raise Erased(f"{item.uuid} was erased; only its hashes are left.")
    if item.type not in KNOWN:
        return Extension(type=item.type, json=item.data)
    return _typed(item.type, fields_of(item))


def read_content(type_name: str, text: str) -> Content:
    """Content from JSON, checked against its type; of an unknown type, exactly as written."""
    if type_name not in KNOWN:
        return Extension(type=type_name, json=text)
    return _typed(type_name, _read_object(text))


def fields_of(item: Item) -> dict[str, Any]:
    """The item's own fields as plain values; those of an erased payload are missing."""
    fields: dict[str, Any] = msgspec.json.decode(item.header)
    if item.data is not None:
        fields |= msgspec.json.decode(item.data)
    return fields


def wire_of(item: Item) -> dict[str, Any]:
    """The item as the specification writes it: its own fields beside the envelope's."""
    return {
        "uuid": item.uuid,
        "_type": item.type,
        "realized_at": item.realized_at,
        "canonical_at": item.canonical_at,
        "seq": item.seq,
        "hash": item.hash,
        "erased_at": item.erased_at,
        **fields_of(item),
    }


def _extension_parts(content: Extension) -> Parts:
    if not _TYPE_NAME.fullmatch(content.type) or content.type in KNOWN:
        raise InvalidInput(
            f"{content.type!r} cannot name an extension's item type: use CamelCase, and none of "
            f"{', '.join(KNOWN)}."
        )
    refused = sorted(_REFUSED.intersection(_read_object(content.json)))
    if refused:
        raise InvalidInput(f"These attributes are reserved: {', '.join(refused)}. Rename them.")
    return Parts(type=content.type, header="{}", data=_bounded(content.json))


def _typed(type_name: str, fields: Mapping[str, Any]) -> Content:
    try:
        content: Content = msgspec.convert(fields, KNOWN[type_name], strict=True)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"This is not a {type_name}: {error}.") from error
    return content


def _read_object(text: str) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(require_text(text, what="The item"))
    except msgspec.DecodeError as error:
        raise InvalidInput(f"The item is not valid JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise InvalidInput('The item must be a JSON object, such as {"amount": 10}.')
    return fields


def _bounded(data: str) -> str:
    if len(data) > MAX_PAYLOAD:
        raise InvalidInput(
            f"The item holds {len(data):,} characters; at most {MAX_PAYLOAD:,} fit. Split it."
        )
    return data
