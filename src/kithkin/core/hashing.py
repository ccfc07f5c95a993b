"""The entity hash of the specification, over who it is, what it is and what it says."""

from collections.abc import Mapping
from typing import Any

from kithkin.canonical import canonical_ascii, sha256


def compute_entity_hash(entity_data: Mapping[str, Any], previous_hash: str | None) -> str:
    """SHA-256 of the canonical fields and the hash before: a revert is a new state."""
    return sha256(f"{canonical_ascii(entity_data)}|{previous_hash or ''}")


def state_hash(
    uuid: str, type_name: str, fields: Mapping[str, Any], previous_hash: str | None
) -> str:
    """The hash of an entity's state: its uuid and type are content, its times are not."""
    return compute_entity_hash({**fields, "uuid": uuid, "type": type_name}, previous_hash)
