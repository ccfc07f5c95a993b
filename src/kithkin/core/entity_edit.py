"""Change what is believed: every change based on what its maker saw."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.delta import LINKS
from kithkin.core.model import By, Entity
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput
from kithkin.soil import store as soil


def add(
    db: Database,
    type_name: str,
    data: Mapping[str, Any],
    *,
    by: By,
    derived_from: str | None = None,
    group_id: str | None = None,
) -> Entity:
    """Believe something new."""
    _require_free_type(type_name)
    with db.transaction() as tx:
        if derived_from is not None:
            soil.get(tx, derived_from)
        return core.add(tx, type_name, data, by=by, derived_from=derived_from, group_id=group_id)


def change(
    db: Database,
    uuid: str,
    fields: Mapping[str, Any],
    *,
    by: By,
    based_on: str | None = None,
    based_on_version: int | None = None,
) -> Entity:
    """Set some fields, None removing one, if the entity is still as the caller saw it."""
    with db.transaction() as tx:
        before = _changeable(tx, uuid)
        return core.change(
            tx,
            before,
            {**core.require_data(before), **fields},
            based_on=based_on,
            based_on_version=based_on_version,
            by=by,
        )


def revert(
    db: Database, uuid: str, *, to_version: int, by: By, based_on: str | None = None
) -> Entity:
    """Make an entity what it was at an earlier version: a new link, with a new hash."""
    because = msgspec.structs.replace(by, reason=by.reason or f"revert to version {to_version}")
    with db.transaction() as tx:
        before = _changeable(tx, uuid)
        state = core.state_at(tx, uuid, to_version)
        data = {name: value for name, value in state.items() if name not in LINKS}
        return core.change(tx, before, data, based_on=based_on, by=because)


def supersede(db: Database, uuid: str, *, superseded_by: str, by: By) -> Entity:
    """Mark a belief as replaced by another one."""
    with db.transaction() as tx:
        _changeable(tx, uuid)
        return core.supersede(tx, uuid, superseded_by=superseded_by, by=by)


def _changeable(tx: Tx, uuid: str) -> Entity:
    entity = core.get(tx, uuid)
    _require_free_type(entity.type)
    return entity


def _require_free_type(type_name: str) -> None:
    projection = lookup_rows.of(type_name)
    if projection and projection.commands:
        raise InvalidInput(f"A {type_name} is changed by its own commands: {projection.commands}.")
