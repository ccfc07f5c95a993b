"""A belief, its envelope, and the notice that it changed."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from kithkin.ids import EntityId


class By(Struct, frozen=True):
    """Who makes a change, when, and why."""

    actor: str
    now: str
    reason: str | None = None


class Entity(Struct, frozen=True):
    """A belief in Core. `data` is None once it is erased: a stub with its last hash."""

    uuid: EntityId
    type: str
    hash: str
    previous_hash: str | None
    version: int
    created_at: str
    updated_at: str
    data: Mapping[str, Any] | None
    group_id: str | None = None
    superseded_by: str | None = None
    superseded_at: str | None = None
    derived_from: str | None = None


class Version(Struct, frozen=True):
    """One step of an entity's history: what it was after the step, who took it and why."""

    version: int
    commit: str
    parent: str | None
    at: str
    item: str
    actor: str | None
    reason: str | None
    changes: Mapping[str, Any] | None
    """None once the entity is erased."""


class Notice(Struct, frozen=True):
    """That an entity changed. Its cursor is the place of the delta in the ledger."""

    cursor: int
    entity_uuid: str
    entity_type: str
    old_hash: str | None
    new_hash: str
    version: int
    changed_at: str


class FieldDiff(Struct, frozen=True):
    """A field whose value differs between two versions."""

    field: str
    old: Any
    new: Any
