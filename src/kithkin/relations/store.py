"""The relation tables: edges of Core and Soil in one place to ask, and the chains they form."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from kithkin.canonical import canonical
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import AlreadyRelated, InvalidInput, NotFound, WouldLoop
from kithkin.ids import RelationId, new_relation_id
from kithkin.relations.model import KINDS, Edge, End, Kind, Layer, require_sound
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item, Relation

RELATION: Final = "relation"
"""The type of the entity behind an edge in Core."""


def relate(
    tx: Tx,
    kind: Kind,
    *,
    source: End,
    target: End,
    by: By,
    confidence: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Edge:
    """Join two ends. Stating the same edge again gives the one there is."""
    require_sound(kind, source, target, confidence)
    there = _edge_between(tx, kind, source.id, target.id)
    if there:
        return there
    _require_place(tx, kind, source.id, target.id)
    edge = Edge(
        uuid=new_relation_id(),
        kind=kind.name,
        source=source,
        target=target,
        realized_at=by.now,
        layer=kind.born_in,
        confidence=confidence,
        metadata=metadata,
    )
    if edge.layer == "soil":
        _append(tx, edge, now=by.now)
    else:
        core.add(tx, RELATION, _data(edge), by=by, uuid=edge.uuid)
    return edge


def retract(tx: Tx, uuid: str, *, by: By) -> Edge:
    """Take back an edge of Core. One in Soil is a fact and stays."""
    edge = get(tx, uuid)
    if edge.layer == "soil":
        raise InvalidInput(f"{uuid} ({edge.kind}) is in Soil and is permanent.")
    _mark(tx, edge, "retracted", by=by)
    return edge


def fossilise(tx: Tx, uuid: str, *, by: By) -> Edge:
    """Move an edge from Core to Soil, where it can no longer change."""
    edge = get(tx, uuid)
    if edge.layer == "soil":
        return edge
    _mark(tx, edge, "fossil", by=by)
    fossil = msgspec.structs.replace(edge, layer="soil")
    _append(tx, fossil, now=by.now)
    return fossil


def restore_fossil(tx: Tx, item: Item) -> None:
    """The row of an edge in Soil, from its item, if it is not there: a rebuild's part."""
    edge = edge_of(item)
    if _find(tx, edge.uuid) is None:
        _insert(tx, edge)


def edge_of(item: Item) -> Edge:
    """The edge a Relation item records; an erased one has lost its metadata."""
    fields = fields_of(item)
    return Edge(
        uuid=RelationId(fields["relation"]),
        kind=fields["kind"],
        source=End(fields["source"], fields["source_type"]),
        target=End(fields["target"], fields["target_type"]),
        realized_at=fields["born_at"],
        layer="soil",
        confidence=fields.get("confidence"),
        metadata=fields.get("metadata"),
    )


def get(tx: Tx, uuid: str) -> Edge:
    """The edge of that id, in either layer."""
    edge = _find(tx, uuid)
    if edge is None:
        raise NotFound(f"There is no relation {uuid}.")
    return edge


def starting_with(tx: Tx, start: str) -> list[str]:
    """At most two ids that begin so: enough to know whether one is meant."""
    rows = tx.execute(
        "SELECT uuid FROM unique_relation WHERE uuid >= :start AND uuid < :end"
        " UNION SELECT uuid FROM multi_relation WHERE uuid >= :start AND uuid < :end LIMIT 2",
        {"start": start, "end": f"{start}\U0010ffff"},
    )
    return [row[0] for row in rows]


def around(tx: Tx, uuid: str) -> list[Edge]:
    """Every edge that something stands in, oldest first."""
    rows = tx.execute(
        "SELECT uuid, kind, source, source_type, target, target_type, realized_at,"
        " CAST(NULL AS REAL) AS confidence, metadata, layer"
        " FROM unique_relation WHERE source = :uuid OR target = :uuid"
        " UNION ALL SELECT uuid, kind, source, source_type, target, target_type, realized_at,"
        " confidence, metadata, layer FROM multi_relation WHERE source = :uuid OR target = :uuid",
        {"uuid": uuid},
    )
    return sorted(map(_edge, rows), key=lambda edge: (edge.realized_at, edge.uuid))


def get_triggering_item(tx: Tx, item_uuid: str) -> str | None:
    """What caused an item, if anything did."""
    return _source_of(tx, "triggers", item_uuid)


def get_superceding_item(tx: Tx, item_uuid: str) -> str | None:
    """What replaced an item, if anything did."""
    return _source_of(tx, "supercedes", item_uuid)


def get_mentions(tx: Tx, item_uuid: str) -> list[str]:
    """Everything an item mentions."""
    return targets(tx, "mentions", item_uuid)


def targets(tx: Tx, kind: str, source: str) -> list[str]:
    """What a source points at by a kind of many-to-many relation."""
    rows = tx.execute(
        "SELECT target FROM multi_relation WHERE source = :source AND kind = :kind"
        " ORDER BY realized_at, target",
        {"source": source, "kind": kind},
    )
    return [row[0] for row in rows]


def effects(tx: Tx, uuid: str) -> list[tuple[str, str]]:
    """Everything something caused, as (cause, effect) pairs. Ends on any data."""
    rows = tx.execute(
        "WITH RECURSIVE chain (source, target) AS ("
        " SELECT source, target FROM unique_relation WHERE source = :uuid AND kind = 'triggers'"
        " UNION SELECT r.source, r.target FROM unique_relation r"
        " JOIN chain c ON r.source = c.target WHERE r.kind = 'triggers'"
        ") SELECT source, target FROM chain",
        {"uuid": uuid},
    )
    return [(row[0], row[1]) for row in rows]


def causes(tx: Tx, uuid: str) -> list[str]:
    """The chain behind something, nearest cause first; the last one is its root."""
    rows = tx.execute(
        "WITH RECURSIVE chain (source, target) AS ("
        " SELECT source, target FROM unique_relation WHERE target = :uuid AND kind = 'triggers'"
        " UNION SELECT r.source, r.target FROM unique_relation r"
        " JOIN chain c ON r.target = c.source WHERE r.kind = 'triggers'"
        ") SELECT target, source FROM chain",
        {"uuid": uuid},
    )
    cause_of = {row[0]: row[1] for row in rows}
    chain: list[str] = []
    at = uuid
    while at in cause_of:
        # Popping ends the walk even on a loop that something else wrote.
        at = cause_of.pop(at)
        chain.append(at)
    return chain


def root(tx: Tx, uuid: str) -> str:
    """What started it all; something without a cause is its own root."""
    chain = causes(tx, uuid)
    return chain[-1] if chain else uuid


def edges(tx: Tx, *, layer: Layer) -> Iterator[Edge]:
    """Every edge of a layer."""
    rows = tx.execute(
        "SELECT uuid, kind, source, source_type, target, target_type, realized_at,"
        " CAST(NULL AS REAL) AS confidence, metadata, layer"
        " FROM unique_relation WHERE layer = :layer"
        " UNION ALL SELECT uuid, kind, source, source_type, target, target_type, realized_at,"
        " confidence, metadata, layer FROM multi_relation WHERE layer = :layer",
        {"layer": layer},
    )
    yield from map(_edge, rows.fetchall())


def erase_metadata(tx: Tx, item: Item) -> None:
    """When a Relation item is erased, its row loses what the payload said."""
    params = {"uuid": fields_of(item)["relation"]}
    tx.execute(
        "UPDATE unique_relation SET metadata = NULL WHERE uuid = :uuid AND layer = 'soil'", params
    )
    tx.execute(
        "UPDATE multi_relation SET metadata = NULL WHERE uuid = :uuid AND layer = 'soil'", params
    )


def row_of(edge: Edge) -> dict[str, Any]:
    """The edge as its table holds it."""
    return {
        "uuid": edge.uuid,
        "kind": edge.kind,
        "source": edge.source.id,
        "source_type": edge.source.type,
        "target": edge.target.id,
        "target_type": edge.target.type,
        "realized_at": edge.realized_at,
        "confidence": edge.confidence,
        "metadata": None if edge.metadata is None else canonical(edge.metadata),
        "layer": edge.layer,
    }


def _append(tx: Tx, edge: Edge, *, now: str) -> None:
    content = Relation(
        relation=edge.uuid,
        kind=edge.kind,
        source=edge.source.id,
        source_type=edge.source.type,
        target=edge.target.id,
        target_type=edge.target.type,
        born_at=edge.realized_at,
        confidence=edge.confidence,
        metadata=edge.metadata,
    )
    soil.append(tx, content, now=now)
    _insert(tx, edge)


def _data(edge: Edge) -> dict[str, Any]:
    return {
        "kind": edge.kind,
        "source": edge.source.id,
        "source_type": edge.source.type,
        "target": edge.target.id,
        "target_type": edge.target.type,
        "born_at": edge.realized_at,
        "confidence": edge.confidence,
        "metadata": edge.metadata,
    }


def _mark(tx: Tx, edge: Edge, state: str, *, by: By) -> None:
    entity = core.get(tx, edge.uuid)
    data = {**core.require_data(entity), "state": state}
    core.change(tx, entity, data, by=by)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        params = {"uuid": after.uuid}
        tx.execute("DELETE FROM unique_relation WHERE uuid = :uuid AND layer = 'core'", params)
        tx.execute("DELETE FROM multi_relation WHERE uuid = :uuid AND layer = 'core'", params)
    if after.data is not None and "state" not in after.data:
        _insert(tx, _edge_in_core(after.uuid, after.data))


def _edge_in_core(uuid: str, data: Mapping[str, Any]) -> Edge:
    return Edge(
        uuid=RelationId(uuid),
        kind=data["kind"],
        source=End(data["source"], data["source_type"]),
        target=End(data["target"], data["target_type"]),
        realized_at=data["born_at"],
        layer="core",
        confidence=data.get("confidence"),
        metadata=data.get("metadata"),
    )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM unique_relation WHERE layer = 'core'", {})
    tx.execute("DELETE FROM multi_relation WHERE layer = 'core'", {})


lookup_rows.register(
    RELATION,
    lookup_rows.Projection(
        commands="`kithkin relate` and `kithkin unrelate`", project=_project, clear=_clear
    ),
)


def _require_place(tx: Tx, kind: Kind, source: str, target: str) -> None:
    if kind.unique_on is None:
        return
    row = tx.execute(
        "SELECT uuid, source, target FROM unique_relation WHERE kind = :kind"
        " AND ((:side = 'target' AND target = :target) OR (:side = 'source' AND source = :source))",
        {"kind": kind.name, "side": kind.unique_on, "source": source, "target": target},
    ).fetchone()
    if row:
        raise AlreadyRelated(
            f"{row[1]} {kind.name} {row[2]} already ({row[0]}), and {kind.name} joins each "
            f"{kind.unique_on} once."
        )
    if kind.name == "triggers" and target in causes(tx, source):
        raise WouldLoop(f"{target} is a cause of {source} already, so it cannot be its effect.")


def _edge_between(tx: Tx, kind: Kind, source: str, target: str) -> Edge | None:
    params = {"kind": kind.name, "source": source, "target": target}
    if kind.unique_on:
        row = tx.execute(
            "SELECT uuid FROM unique_relation WHERE kind = :kind AND source = :source"
            " AND target = :target",
            params,
        ).fetchone()
    else:
        row = tx.execute(
            "SELECT uuid FROM multi_relation WHERE source = :source AND kind = :kind"
            " AND target = :target",
            params,
        ).fetchone()
    return get(tx, row[0]) if row else None


def _source_of(tx: Tx, kind: str, target: str) -> str | None:
    row = tx.execute(
        "SELECT source FROM unique_relation WHERE kind = :kind AND target = :target",
        {"kind": kind, "target": target},
    ).fetchone()
    return row[0] if row else None


def _find(tx: Tx, uuid: str) -> Edge | None:
    row = tx.execute(
        "SELECT uuid, kind, source, source_type, target, target_type, realized_at,"
        " CAST(NULL AS REAL) AS confidence, metadata, layer FROM unique_relation"
        " WHERE uuid = :uuid"
        " UNION ALL SELECT uuid, kind, source, source_type, target, target_type, realized_at,"
        " confidence, metadata, layer FROM multi_relation WHERE uuid = :uuid",
        {"uuid": uuid},
    ).fetchone()
    return _edge(row) if row else None


def _insert(tx: Tx, edge: Edge) -> None:
    params = row_of(edge)
    if KINDS[edge.kind].unique_on:
        tx.execute(
            "INSERT INTO unique_relation (uuid, kind, source, source_type, target, target_type,"
            " realized_at, metadata, layer) VALUES (:uuid, :kind, :source, :source_type, :target,"
            " :target_type, :realized_at, :metadata, :layer)",
            params,
        )
        return
    tx.execute(
        "INSERT INTO multi_relation (uuid, kind, source, source_type, target, target_type,"
        " realized_at, confidence, metadata, layer) VALUES (:uuid, :kind, :source, :source_type,"
        " :target, :target_type, :realized_at, :confidence, :metadata, :layer)",
        params,
    )


def _edge(row: tuple[Any, ...]) -> Edge:
    layer: Layer = row[9]
    return Edge(
        uuid=RelationId(row[0]),
        kind=row[1],
        source=End(row[2], row[3]),
        target=End(row[4], row[5]),
        realized_at=row[6],
        layer=layer,
        confidence=row[7],
        metadata=None if row[8] is None else msgspec.json.decode(row[8]),
    )
