"""Soil's tables: the ledger, its head, and what was undone."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from secrets import token_hex
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kithkin.canonical import require_text
from kithkin.db import Tx
from kithkin.db.sql import EACH
from kithkin.errors import InvalidInput, NotFound
from kithkin.ids import ItemId, new_item_id
from kithkin.soil.content import parts_of
from kithkin.soil.ledger import item_hash, payload_hash
from kithkin.soil.model import Content, Head, Item, Undo


def head(tx: Tx) -> Head:
    """The last entry of the ledger; seq 0 when it is empty."""
    return Head(*tx.execute("SELECT seq, hash FROM ledger_head WHERE id = 1").fetchone())


def append(
    tx: Tx,
    content: Content,
    *,
    now: str,
    canonical_at: str | None = None,
    uuid: str | None = None,
) -> Item:
    """Add a fact at the end of the ledger. An id read from a file is kept verbatim."""
    item = _next(head(tx), content, now=now, canonical_at=canonical_at, uuid=uuid)
    tx.execute(_INSERT, _row(item))
    _move_head(tx, item)
    return item


def append_many(tx: Tx, contents: Iterable[Content], *, now: str) -> list[Item]:
    """Add many facts at once: the same links as one by one, written together."""
    last = head(tx)
    items: list[Item] = []
    for content in contents:
        item = _next(last, content, now=now)
        last = Head(item.seq, item.hash)
        items.append(item)
    if items:
        tx.executemany(_INSERT, map(_row, items))
        _move_head(tx, items[-1])
    return items


def get(tx: Tx, uuid: str) -> Item:
    """The item of that id, erased or undone or not."""
    row = tx.execute(
        "SELECT seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash,"
        " hash, erased_at FROM item WHERE uuid = :uuid",
        {"uuid": uuid},
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no item {uuid}. `kithkin timeline` lists what there is.")
    return Item(*row)


def several(tx: Tx, uuids: Collection[str]) -> dict[str, Item]:
    """The items of these ids that there are, by their ids."""
    rows = tx.execute(
        "SELECT seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash,"  # noqa: S608 - a constant
        f" hash, erased_at FROM item WHERE uuid IN ({EACH[tx.dialect]})",
        {"each": msgspec.json.encode(list(uuids)).decode()},
    )
    return {row[1]: Item(*row) for row in rows}


def starting_with(tx: Tx, start: str) -> list[str]:
    """At most two ids that begin so: enough to know whether one is meant."""
    rows = tx.execute(
        "SELECT uuid FROM item WHERE uuid >= :start AND uuid < :end ORDER BY uuid LIMIT 2",
        {"start": start, "end": f"{start}\U0010ffff"},
    )
    return [row[0] for row in rows]


def exists(tx: Tx, uuid: str) -> bool:
    """Whether there is an item of that id."""
    row = tx.execute("SELECT 1 FROM item WHERE uuid = :uuid", {"uuid": uuid}).fetchone()
    return row is not None


def at(tx: Tx, seq: int) -> Item | None:
    """The item at a place of the ledger."""
    return next(iter(after(tx, seq - 1, limit=1)), None)


def after(tx: Tx, seq: int, *, limit: int) -> list[Item]:
    """The next items of the ledger, in order."""
    rows = tx.execute(
        "SELECT seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash,"
        " hash, erased_at FROM item WHERE seq > :seq ORDER BY seq LIMIT :limit",
        {"seq": seq, "limit": limit},
    )
    return [Item(*row) for row in rows]


def of_types(tx: Tx, types: Sequence[str], *, batch: int = 2000) -> Iterator[Item]:
    """Every item of some types in order, a batch in memory at a time."""
    seq = 0
    while rows := tx.execute(
        "SELECT seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash,"  # noqa: S608 - a constant
        f" hash, erased_at FROM item WHERE _type IN ({EACH[tx.dialect]}) AND seq > :seq"
        " ORDER BY seq LIMIT :limit",
        {"each": msgspec.json.encode(list(types)).decode(), "seq": seq, "limit": batch},
    ).fetchall():
        yield from (Item(*row) for row in rows)
        seq = rows[-1][0]


def walk(tx: Tx, *, batch: int = 2000) -> Iterator[Item]:
    """Every item in order, a batch in memory at a time."""
    seq = 0
    while items := after(tx, seq, limit=batch):
        yield from items
        seq = items[-1].seq


def undo(tx: Tx, tombstone: Undo, *, now: str) -> Item:
    """Record that an item was a mistake. It stays in the ledger and leaves the timeline."""
    item = append(tx, tombstone, now=now)
    mark_undone(tx, tombstone.undoes, seq=item.seq)
    return item


def mark_undone(tx: Tx, uuid: str, *, seq: int) -> None:
    """The look-up row of a tombstone."""
    tx.execute("INSERT INTO undone (item, seq) VALUES (:item, :seq)", {"item": uuid, "seq": seq})


def is_undone(tx: Tx, uuid: str) -> bool:
    """Whether a tombstone names the item."""
    return (
        tx.execute("SELECT 1 FROM undone WHERE item = :item", {"item": uuid}).fetchone() is not None
    )


def clear_lookups(tx: Tx) -> None:
    """Empty Soil's look-up rows, for the fold to write again."""
    tx.execute("DELETE FROM undone", {})


def erase(tx: Tx, uuid: str, *, now: str) -> bool:
    """Null an item's payload and salt; its hashes stay. False when that was done before."""
    erased = tx.execute(
        "UPDATE item SET data = NULL, salt = NULL, erased_at = :now"
        " WHERE uuid = :uuid AND erased_at IS NULL",
        {"uuid": uuid, "now": now},
    )
    return erased.rowcount > 0


def count(tx: Tx) -> dict[str, int]:
    """How many items there are of each type."""
    return dict(tx.execute("SELECT _type, count(*) FROM item GROUP BY _type ORDER BY _type", {}))


def count_erased(tx: Tx) -> int:
    """How many items were erased."""
    row = tx.execute("SELECT count(*) FROM item WHERE erased_at IS NOT NULL", {}).fetchone()
    return int(row[0])


def has_event(tx: Tx, event_type: str) -> bool:
    """Whether Kithkin has recorded an event of a type."""
    rows = tx.execute("SELECT data FROM item WHERE _type = 'SystemEvent' ORDER BY seq DESC", {})
    return any(data and f'"event_type":"{event_type}"' in data for (data,) in rows)


def _next(
    last: Head,
    content: Content,
    *,
    now: str,
    canonical_at: str | None = None,
    uuid: str | None = None,
) -> Item:
    parts = parts_of(content)
    salt = token_hex(16)
    unlinked = Item(
        seq=last.seq + 1,
        uuid=_checked(uuid) if uuid else new_item_id(),
        type=parts.type,
        realized_at=now,
        canonical_at=canonical_at or now,
        header=parts.header,
        data=parts.data,
        salt=salt,
        payload_hash=payload_hash(salt, parts.data),
        hash="",
    )
    return replace(unlinked, hash=item_hash(unlinked, last.hash))


_INSERT: Final = (
    "INSERT INTO item (seq, uuid, _type, realized_at, canonical_at, header, data, salt,"
    " payload_hash, hash) VALUES (:seq, :uuid, :type, :realized_at, :canonical_at, :header,"
    " :data, :salt, :payload_hash, :hash)"
)


def _row(item: Item) -> dict[str, Any]:
    return {
        "seq": item.seq,
        "uuid": item.uuid,
        "type": item.type,
        "realized_at": item.realized_at,
        "canonical_at": item.canonical_at,
        "header": item.header,
        "data": item.data,
        "salt": item.salt,
        "payload_hash": item.payload_hash,
        "hash": item.hash,
    }


def _move_head(tx: Tx, item: Item) -> None:
    tx.execute(
        "UPDATE ledger_head SET seq = :seq, hash = :hash WHERE id = 1",
        {"seq": item.seq, "hash": item.hash},
    )


def _checked(uuid: str) -> ItemId:
    if not uuid.isprintable():
        raise InvalidInput(f"{uuid!r} cannot be an id: it holds a control character.")
    return ItemId(require_text(uuid, what="The id"))
