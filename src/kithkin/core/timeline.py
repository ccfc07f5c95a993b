"""The timeline: Soil's items, newest first, as the user's own beliefs about them show them."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from kithkin.core import lookup_rows, store
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.soil.model import Item

OVERRIDE: Final = "override"
"""The type of an entity that says what the user believes about an item."""
TOLD_BY_CHANGES: Final = ("EntityDelta", "Relation", "Undo")
"""What the timeline leaves out: the ledger's own bookkeeping."""


class Shown(Struct, frozen=True):
    """An item and the time it is shown at: the user's correction, where there is one."""

    item: Item
    canonical_at: str
    beliefs: Mapping[str, Any] | None = None


class Window(Struct, frozen=True):
    """Which part of the timeline. `before` is the (time, seq) of the last item of a page."""

    clock: Literal["realized", "canonical"] = "realized"
    since: str = ""
    until: str = "9999"
    before: tuple[str, int] = ("9999", 0)
    type: str | None = None


def told(tx: Tx, window: Window, *, limit: int) -> list[Shown]:
    """What happened, newest first by the chosen clock, without what was undone."""
    statement = _TOLD_BY_CANONICAL if window.clock == "canonical" else _TOLD_BY_REALIZED
    return _shown(tx.execute(statement, _params(window, limit)))


def ledger(tx: Tx, window: Window, *, limit: int) -> list[Shown]:
    """Every item of the ledger, newest first: changes, relations, tombstones and the undone too."""
    return _shown(tx.execute(_LEDGER, _params(window, limit)))


def override_of(tx: Tx, item: str) -> Entity | None:
    """What the user believes about an item."""
    row = tx.execute(
        "SELECT entity FROM item_override WHERE item = :item", {"item": item}
    ).fetchone()
    return store.get(tx, row[0]) if row else None


def override(tx: Tx, item: str, beliefs: Mapping[str, Any], *, by: By) -> Entity:
    """Believe something about an item; what was believed before stays in the history."""
    before = override_of(tx, item)
    if before is None:
        return store.add(tx, OVERRIDE, {"item": item, **beliefs}, by=by)
    data = {**store.require_data(before), **beliefs}
    return store.change(tx, before, data, by=by)


def _project(tx: Tx, _before: Entity | None, after: Entity) -> None:
    if after.data is None:
        tx.execute("DELETE FROM item_override WHERE entity = :entity", {"entity": after.uuid})
        return
    tx.execute(
        "INSERT INTO item_override (item, entity, canonical_at) VALUES (:item, :entity, :at)"
        " ON CONFLICT (item) DO UPDATE SET canonical_at = excluded.canonical_at",
        {"item": after.data["item"], "entity": after.uuid, "at": after.data.get("canonical_at")},
    )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM item_override", {})


lookup_rows.register(
    OVERRIDE, lookup_rows.Projection(commands="`kithkin correct`", project=_project, clear=_clear)
)


def _params(window: Window, limit: int) -> dict[str, Any]:
    return {
        "since": window.since,
        "until": window.until,
        "before_at": window.before[0],
        "before_seq": window.before[1],
        "type": window.type,
        "limit": limit,
    }


def _shown(rows: Any) -> list[Shown]:
    return [Shown(item=Item(*row[:11]), canonical_at=row[11]) for row in rows]


_TOLD_BY_REALIZED: Final = """
SELECT i.seq, i.uuid, i._type, i.realized_at, i.canonical_at, i.header, i.data, i.salt,
       i.payload_hash, i.hash, i.erased_at, coalesce(o.canonical_at, i.canonical_at)
FROM item i LEFT JOIN item_override o ON o.item = i.uuid
WHERE i._type NOT IN ('EntityDelta', 'Relation', 'Undo')
  AND (CAST(:type AS TEXT) IS NULL OR i._type = :type)
  AND i.realized_at >= :since AND i.realized_at < :until
  AND (i.realized_at, i.seq) < (:before_at, :before_seq)
  AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.item = i.uuid)
ORDER BY i.realized_at DESC, i.seq DESC LIMIT :limit
"""

# Corrected items stand in a second, small index: each half is read in order and merged.
_TOLD_BY_CANONICAL: Final = """
SELECT * FROM (
  SELECT * FROM (
    SELECT i.seq, i.uuid, i._type, i.realized_at, i.canonical_at, i.header, i.data, i.salt,
           i.payload_hash, i.hash, i.erased_at, i.canonical_at AS shown_at
    FROM item i
    WHERE i._type NOT IN ('EntityDelta', 'Relation', 'Undo')
      AND (CAST(:type AS TEXT) IS NULL OR i._type = :type)
      AND i.canonical_at >= :since AND i.canonical_at < :until
      AND (i.canonical_at, i.seq) < (:before_at, :before_seq)
      AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.item = i.uuid)
      AND NOT EXISTS (SELECT 1 FROM item_override o
                      WHERE o.item = i.uuid AND o.canonical_at IS NOT NULL)
    ORDER BY i.canonical_at DESC, i.seq DESC LIMIT :limit
  ) AS uncorrected
  UNION ALL
  SELECT * FROM (
    SELECT i.seq, i.uuid, i._type, i.realized_at, i.canonical_at, i.header, i.data, i.salt,
           i.payload_hash, i.hash, i.erased_at, o.canonical_at AS shown_at
    FROM item_override o JOIN item i ON i.uuid = o.item
    WHERE o.canonical_at IS NOT NULL
      AND i._type NOT IN ('EntityDelta', 'Relation', 'Undo')
      AND (CAST(:type AS TEXT) IS NULL OR i._type = :type)
      AND o.canonical_at >= :since AND o.canonical_at < :until
      AND (o.canonical_at, i.seq) < (:before_at, :before_seq)
      AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.item = i.uuid)
    ORDER BY o.canonical_at DESC, i.seq DESC LIMIT :limit
  ) AS corrected
) AS both_halves
ORDER BY shown_at DESC, seq DESC LIMIT :limit
"""

_LEDGER: Final = """
SELECT i.seq, i.uuid, i._type, i.realized_at, i.canonical_at, i.header, i.data, i.salt,
       i.payload_hash, i.hash, i.erased_at, coalesce(o.canonical_at, i.canonical_at)
FROM item i LEFT JOIN item_override o ON o.item = i.uuid
WHERE (CAST(:type AS TEXT) IS NULL OR i._type = :type)
  AND i.realized_at >= :since AND i.realized_at < :until
  AND (:before_seq = 0 OR i.seq < :before_seq)
ORDER BY i.seq DESC LIMIT :limit
"""
