"""Canonical JSON and SHA-256: the bytes that hashes are made of."""

import hashlib
import json
from typing import Any

from kithkin.errors import InvalidInput

_readable = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
_ascii = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces, readable Unicode, no NaN: equal values, equal text."""
    return require_text(_encode(_readable, value), what="The content")


def canonical_ascii(value: Any) -> str:
    """The same with everything beyond ASCII escaped, as the entity hash is specified."""
    return _encode(_ascii, value)


def sha256(text: str) -> str:
    """The hexadecimal SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def require_text(text: str, *, what: str) -> str:
    """Refuse text that no database can hold: lone surrogates and NUL."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} holds half of a surrogate pair at position {error.start}; "
            "send whole characters."
        ) from error
    if "\x00" in text:
        raise InvalidInput(f"{what} holds a NUL character; remove it.")
    return text


def _encode(encoder: json.JSONEncoder, value: Any) -> str:
    try:
        return encoder.encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(f"The content cannot be written as JSON: {error}.") from error
