"""Core's tables: entities, the notices of their changes, and who has read how far."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from kithkin.canonical import canonical
from kithkin.core import lookup_rows, notices
from kithkin.core.delta import LINKS, changes_between, fold, present, require_free_names
from kithkin.core.hashing import state_hash
from kithkin.core.model import By, Entity, Version
from kithkin.db import Tx
from kithkin.db.sql import EACH
from kithkin.errors import Erased, InvalidInput, NotFound, StaleEdit
from kithkin.ids import EntityId, new_entity_id
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import EntityDelta, Item

_AT_A_TIME: Final = 20
"""So few that what is made on the way is gone before the garbage collector looks for it."""


def add(
    tx: Tx,
    type_name: str,
    data: Mapping[str, Any],
    *,
    by: By,
    uuid: str | None = None,
    group_id: str | None = None,
    derived_from: str | None = None,
) -> Entity:
    """A new belief, at version 1. An id read from a file is kept verbatim."""
    links = {"group_id": group_id, "derived_from": derived_from}
    uuid = uuid or new_entity_id()
    if exists(tx, uuid):
        raise InvalidInput(f"There is an entity {uuid} already; change it instead.")
    return _save(tx, None, _named(uuid, type_name), _fields(data, links), by=by)


def add_many(
    tx: Tx, type_name: str, entries: Iterable[tuple[str, Mapping[str, Any]]], *, by: By
) -> dict[str, str]:
    """Many new beliefs at once, whose ids are not taken: the same as one by one, but faster.

    Their data are plain values, such as were read from JSON. Returns the hash of each.
    """
    hashes: dict[str, str] = {}
    _project_new(tx, type_name, _added(tx, type_name, entries, hashes, by=by))
    return hashes


def _added(
    tx: Tx,
    type_name: str,
    entries: Iterable[tuple[str, Mapping[str, Any]]],
    hashes: dict[str, str],
    *,
    by: By,
) -> Iterator[Entity]:
    """Write each entity but for its look-up rows, and note its hash."""
    left = iter(entries)
    while some := list(islice(left, _AT_A_TIME)):
        made = [
            successor(_named(uuid, type_name), None, _free(data), now=by.now) for uuid, data in some
        ]
        _write_new(tx, made, by=by)
        hashes |= {entity.uuid: entity.hash for entity in made}
        yield from made


def _write_new(tx: Tx, made: Sequence[Entity], *, by: By) -> None:
    deltas_ = (_delta(entity, _from_nothing(entity), by) for entity in made)
    items = soil.append_many(tx, deltas_, now=by.now)
    tx.executemany(_INSERT, map(_row, made))
    pairs = zip(made, items, strict=True)
    notices.write(tx, (notices.of(entity, cursor=item.seq) for entity, item in pairs))


def _from_nothing(entity: Entity) -> dict[str, Any]:
    return {name: [None, value] for name, value in sorted((entity.data or {}).items())}


def change(
    tx: Tx,
    before: Entity,
    data: Mapping[str, Any],
    *,
    by: By,
    based_on: str | None = None,
    based_on_version: int | None = None,
) -> Entity:
    """Replace the data of an entity read in this transaction. Equal data changes nothing.

    `based_on` is the hash that a caller saw earlier: an edit of anything else is refused.
    """
    _require_current(before, based_on=based_on, based_on_version=based_on_version)
    return _save(tx, before, before, _fields(data, links_of(before)), by=by)


def save(tx: Tx, type_name: str, uuid: str, data: Mapping[str, Any], *, by: By) -> Entity:
    """The entity as its domain has it now: new, or changed from what it was."""
    if exists(tx, uuid):
        return change(tx, get(tx, uuid), data, by=by)
    return _save(tx, None, _named(uuid, type_name), _fields(data, {}), by=by)


def supersede(tx: Tx, uuid: str, *, superseded_by: str, by: By) -> Entity:
    """Mark a belief as replaced by another, which must exist."""
    before = get(tx, uuid)
    if superseded_by == uuid:
        raise InvalidInput(f"{uuid} cannot supersede itself.")
    get(tx, superseded_by)
    links = {**links_of(before), "superseded_by": superseded_by}
    return _save(tx, before, before, _fields(require_data(before), links), by=by)


def unsupersede(tx: Tx, before: Entity, *, by: By) -> Entity:
    """Let a belief stand again that was marked as replaced."""
    links = {**links_of(before), "superseded_by": None}
    return _save(tx, before, before, _fields(require_data(before), links), by=by)


def get(tx: Tx, uuid: str) -> Entity:
    """The entity as it is believed now."""
    row = tx.execute(
        "SELECT uuid, type, hash, previous_hash, version, created_at, updated_at, data, group_id,"
        " superseded_by, superseded_at, derived_from FROM entity WHERE uuid = :uuid",
        {"uuid": uuid},
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no entity {uuid}. `kithkin entity list` lists what there is.")
    return _entity(row)


def several(tx: Tx, uuids: Collection[str]) -> dict[str, Entity]:
    """The entities of these ids that there are, by their ids."""
    rows = tx.execute(
        "SELECT uuid, type, hash, previous_hash, version, created_at, updated_at, data, group_id,"  # noqa: S608 - a constant
        " superseded_by, superseded_at, derived_from FROM entity"
        f" WHERE uuid IN ({EACH[tx.dialect]})",
        {"each": msgspec.json.encode(list(uuids)).decode()},
    )
    return {row[0]: _entity(row) for row in rows}


def starting_with(tx: Tx, start: str) -> list[str]:
    """At most two ids that begin so: enough to know whether one is meant."""
    rows = tx.execute(
        "SELECT uuid FROM entity WHERE uuid >= :start AND uuid < :end ORDER BY uuid LIMIT 2",
        {"start": start, "end": f"{start}\U0010ffff"},
    )
    return [row[0] for row in rows]


def exists(tx: Tx, uuid: str) -> bool:
    """Whether there is an entity of that id."""
    row = tx.execute("SELECT 1 FROM entity WHERE uuid = :uuid", {"uuid": uuid}).fetchone()
    return row is not None


def listed(tx: Tx, *, type_name: str | None, after: tuple[str, str], limit: int) -> list[Entity]:
    """Entities of a type, or of all, oldest first after the (created_at, uuid) of the last one."""
    rows = tx.execute(
        "SELECT uuid, type, hash, previous_hash, version, created_at, updated_at, data, group_id,"
        " superseded_by, superseded_at, derived_from FROM entity"
        " WHERE (CAST(:type AS TEXT) IS NULL OR type = :type)"
        " AND (created_at, uuid) > (:created_at, :uuid) ORDER BY created_at, uuid LIMIT :limit",
        {"type": type_name, "created_at": after[0], "uuid": after[1], "limit": limit},
    )
    return [_entity(row) for row in rows]


def of_type(tx: Tx, type_name: str) -> list[Entity]:
    """Every entity of a type."""
    rows = tx.execute(
        "SELECT uuid, type, hash, previous_hash, version, created_at, updated_at, data, group_id,"
        " superseded_by, superseded_at, derived_from FROM entity WHERE type = :type"
        " ORDER BY created_at, uuid",
        {"type": type_name},
    )
    return [_entity(row) for row in rows]


def walk(tx: Tx, *, batch: int = 2000) -> Iterator[Entity]:
    """Every entity, a batch in memory at a time."""
    last = ""
    while entities := _after(tx, last, limit=batch):
        yield from entities
        last = entities[-1].uuid


def _after(tx: Tx, uuid: str, *, limit: int) -> list[Entity]:
    rows = tx.execute(
        "SELECT uuid, type, hash, previous_hash, version, created_at, updated_at, data, group_id,"
        " superseded_by, superseded_at, derived_from FROM entity WHERE uuid > :uuid"
        " ORDER BY uuid LIMIT :limit",
        {"uuid": uuid, "limit": limit},
    )
    return [_entity(row) for row in rows]


def count(tx: Tx) -> dict[str, int]:
    """How many entities there are of each type."""
    return dict(tx.execute("SELECT type, count(*) FROM entity GROUP BY type ORDER BY type", {}))


def linked_to(tx: Tx) -> set[str]:
    """Every entity that another one names as its group or its successor."""
    rows = tx.execute(
        "SELECT group_id FROM entity WHERE group_id IS NOT NULL"
        " UNION SELECT superseded_by FROM entity WHERE superseded_by IS NOT NULL",
        {},
    )
    return {row[0] for row in rows}


def history(tx: Tx, uuid: str) -> list[Version]:
    """Every version of an entity, first to last."""
    get(tx, uuid)
    return [version_of(item) for item in deltas(tx, uuid)]


def deltas(tx: Tx, uuid: str) -> list[Item]:
    """The items that record an entity's changes, in order."""
    rows = tx.execute(
        "SELECT i.seq, i.uuid, i._type, i.realized_at, i.canonical_at, i.header, i.data, i.salt,"
        " i.payload_hash, i.hash, i.erased_at FROM delta_notification n JOIN item i ON i.seq = n.id"
        " WHERE n.entity_uuid = :uuid ORDER BY n.version",
        {"uuid": uuid},
    )
    return [Item(*row) for row in rows]


def state_at(tx: Tx, uuid: str, version: int) -> dict[str, Any]:
    """An entity's fields after one of its versions."""
    steps = [step for step in history(tx, uuid) if step.version <= version]
    if not steps or steps[-1].version != version:
        raise NotFound(f"{uuid} has no version {version}; it has {len(steps)}.")
    if steps[-1].changes is None:
        raise Erased(f"{uuid} was erased; only its hashes are left.")
    return fold(step.changes or {} for step in steps)


def erase(tx: Tx, uuid: str, *, now: str) -> Entity:
    """Null every delta's payload and fold the entity to a stub with its last hash."""
    before = get(tx, uuid)
    for item in deltas(tx, uuid):
        soil.erase(tx, item.uuid, now=now)
    tx.execute(
        "UPDATE entity SET data = NULL, group_id = NULL, superseded_by = NULL,"
        " superseded_at = NULL, derived_from = NULL WHERE uuid = :uuid",
        {"uuid": uuid},
    )
    stub = get(tx, uuid)
    _project(tx, before, stub)
    return stub


def clear(tx: Tx) -> None:
    """Empty Core and its notices, for the fold to write again."""
    tx.execute("DELETE FROM delta_notification", {})
    tx.execute("DELETE FROM entity", {})


def restore(tx: Tx, entity: Entity) -> None:
    """Write an entity and its look-up rows as the fold has them."""
    put(tx, entity, is_new=True)
    _project(tx, None, entity)


def require_data(entity: Entity) -> Mapping[str, Any]:
    """The entity's data; an erased one has none."""
    if entity.data is None:
        raise Erased(f"{entity.uuid} was erased; only its hashes are left.")
    return entity.data


def links_of(entity: Entity) -> dict[str, Any]:
    """The envelope's links that are set."""
    return present({name: getattr(entity, name) for name in LINKS})


def fields_now(entity: Entity) -> dict[str, Any]:
    """Everything the entity's hash covers, but its id and type."""
    return {**require_data(entity), **links_of(entity)}


def version_of(item: Item) -> Version:
    """A delta as a step of its entity's history."""
    fields = fields_of(item)
    return Version(
        version=fields["version"],
        commit=fields["commit"],
        parent=fields.get("parent"),
        at=item.realized_at,
        item=item.uuid,
        actor=fields.get("actor"),
        reason=fields.get("reason"),
        changes=fields["changes"]["fields"] if item.data is not None else None,
    )


def _named(uuid: str, type_name: str) -> Entity:
    if not type_name or not type_name.isprintable():
        raise InvalidInput(f"{type_name!r} cannot name a type of entity.")
    return Entity(
        uuid=EntityId(uuid),
        type=type_name,
        hash="",
        previous_hash=None,
        version=0,
        created_at="",
        updated_at="",
        data={},
    )


def _fields(data: Mapping[str, Any], links: Mapping[str, Any]) -> dict[str, Any]:
    # Through JSON and back: what is hashed now is what a rebuild will read.
    plain: dict[str, Any] = msgspec.json.decode(canonical(_free(data)))
    return {**plain, **present(links)}


def _free(data: Mapping[str, Any]) -> dict[str, Any]:
    require_free_names(data)
    return present(data)


def _require_current(entity: Entity, *, based_on: str | None, based_on_version: int | None) -> None:
    require_data(entity)
    seen = (based_on or entity.hash, based_on_version or entity.version)
    if seen != (entity.hash, entity.version):
        raise StaleEdit(
            current_hash=entity.hash,
            current_version=entity.version,
            client_hash=based_on,
            client_version=based_on_version,
        )


def _save(
    tx: Tx, before: Entity | None, named: Entity, fields: dict[str, Any], *, by: By
) -> Entity:
    old = fields_now(before) if before else {}
    changes = changes_between(old, fields)
    if before and not changes:
        return before
    after = successor(named, before, fields, now=by.now)
    item = soil.append(tx, _delta(after, changes, by), now=by.now)
    put(tx, after, is_new=before is None)
    notices.write(tx, (notices.of(after, cursor=item.seq),))
    _project(tx, before, after)
    return after


def _delta(after: Entity, changes: Mapping[str, Any], by: By) -> EntityDelta:
    return EntityDelta(
        entity_uuid=after.uuid,
        entity_type=after.type,
        commit=after.hash,
        parent=after.previous_hash,
        version=after.version,
        changes={"fields": changes},
        actor=by.actor,
        reason=by.reason,
    )


def successor(
    named: Entity, before: Entity | None, fields: Mapping[str, Any], *, now: str
) -> Entity:
    """The next link of an entity's chain."""
    previous = before.hash if before else None
    superseded_by = fields.get("superseded_by")
    unchanged = before is not None and before.superseded_by == superseded_by
    return Entity(
        uuid=named.uuid,
        type=named.type,
        hash=state_hash(named.uuid, named.type, fields, previous),
        previous_hash=previous,
        version=before.version + 1 if before else 1,
        created_at=before.created_at if before else now,
        updated_at=now,
        data={name: value for name, value in fields.items() if name not in LINKS},
        group_id=fields.get("group_id"),
        superseded_by=superseded_by,
        superseded_at=(before.superseded_at if before and unchanged else now)
        if superseded_by
        else None,
        derived_from=fields.get("derived_from"),
    )


_INSERT: Final = (
    "INSERT INTO entity (uuid, type, hash, previous_hash, version, created_at, updated_at, data,"
    " group_id, superseded_by, superseded_at, derived_from) VALUES (:uuid, :type, :hash,"
    " :previous_hash, :version, :created_at, :updated_at, :data, :group_id, :superseded_by,"
    " :superseded_at, :derived_from)"
)


def put(tx: Tx, entity: Entity, *, is_new: bool) -> None:
    """Write the entity's row."""
    if is_new:
        tx.execute(_INSERT, _row(entity))
        return
    tx.execute(
        "UPDATE entity SET hash = :hash, previous_hash = :previous_hash, version = :version,"
        " updated_at = :updated_at, data = :data, group_id = :group_id,"
        " superseded_by = :superseded_by, superseded_at = :superseded_at,"
        " derived_from = :derived_from WHERE uuid = :uuid",
        _row(entity),
    )


def _row(entity: Entity) -> dict[str, Any]:
    return {**msgspec.structs.asdict(entity), "data": _kept(entity.data)}


def _kept(data: Mapping[str, Any] | None) -> str | None:
    # Read back, never hashed: the delta before it was written canonically, and refused what is
    # no JSON. This way costs a fifth.
    return None if data is None else msgspec.json.encode(data, order="sorted").decode()


def _project_new(tx: Tx, type_name: str, entities: Iterable[Entity]) -> None:
    projection = lookup_rows.of(type_name)
    if projection and projection.project_new:
        projection.project_new(tx, entities)
        return
    for entity in entities:
        _project(tx, None, entity)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    projection = lookup_rows.of(after.type)
    if projection:
        projection.project(tx, before, after)


def _entity(row: tuple[Any, ...]) -> Entity:
    values = list(row)
    values[7] = None if row[7] is None else msgspec.json.decode(row[7])
    return Entity(*values)
