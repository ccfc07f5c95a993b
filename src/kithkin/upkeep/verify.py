"""Prove that nothing was altered, and compute Core again from Soil."""

from collections.abc import Callable

from msgspec import Struct

from kithkin.core import lookup_rows, notices
from kithkin.core import store as core
from kithkin.core.fold import Fold
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import StorageDamaged
from kithkin.relations import store as relations
from kithkin.soil import ledger
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.ledger import Broken
from kithkin.soil.model import Head, Item
from kithkin.upkeep import entity_types  # noqa: F401 - every store registers its types

Progress = Callable[[int, int], None]
"""Called with how much is done of how much."""
_STEP = 5000

__all__ = ["Broken", "Rebuilt", "Verified", "head", "rebuild", "refill_lookups", "verify"]


class Verified(Struct, frozen=True, tag=True):
    """Every link holds."""

    items: int
    entities: int
    erased: int
    head: Head


class Rebuilt(Struct, frozen=True):
    """Core and its look-up rows were computed again."""

    items: int
    entities: int
    repaired: Broken | None
    """The first thing that was not as Soil says, if anything was."""


def head(db: Database) -> Head:
    """The ledger's last entry: keep it elsewhere, and nobody can rewrite what came before."""
    with db.snapshot() as tx:
        return soil.head(tx)


def verify(
    db: Database,
    *,
    against: Head | None = None,
    ledger_only: bool = False,
    progress: Progress | None = None,
) -> Verified | Broken:
    """Recompute the ledger and every entity; name the first link that does not hold."""
    with db.snapshot() as tx:
        fold = None if ledger_only else Fold()
        read = _read_ledger(tx, fold, against=against, progress=progress)
        if isinstance(read, Broken):
            return read
        broken = fold.compare(core.walk(tx)) if fold else None
        return broken or Verified(
            items=read.seq,
            entities=fold.count if fold else 0,
            erased=soil.count_erased(tx),
            head=read,
        )


def rebuild(db: Database, *, progress: Progress | None = None) -> Rebuilt:
    """Compute Core and its look-up rows from Soil, in one transaction. Queues stay as they are."""
    with db.transaction() as tx:
        fold = Fold()
        read = _read_ledger(tx, fold, against=None, progress=None)
        if isinstance(read, Broken):
            raise StorageDamaged(
                f"The ledger itself is broken at {read.where}, so Core cannot be computed from it. "
                "Restore a backup with `kithkin restore`."
            )
        repaired = fold.compare(core.walk(tx))
        _clear(tx)
        _refill(tx, fold, total=read.seq, progress=progress)
    return Rebuilt(items=read.seq, entities=fold.count, repaired=repaired)


def _read_ledger(
    tx: Tx, fold: Fold | None, *, against: Head | None, progress: Progress | None
) -> Head | Broken:
    claimed = soil.head(tx)
    last = Head(seq=0, hash="")
    for item in soil.walk(tx):
        broken = ledger.check(item, last)
        if broken is None and fold is not None and item.type == "EntityDelta":
            broken = fold.take(item)
        broken = broken or _against(item, against)
        if broken:
            return broken
        last = Head(item.seq, item.hash)
        if progress and item.seq % _STEP == 0:
            progress(item.seq, claimed.seq)
    return _check_end(last, claimed, against)


def _against(item: Item, kept: Head | None) -> Broken | None:
    if kept is None or item.seq != kept.seq or item.hash == kept.hash:
        return None
    return Broken(
        where=f"item {item.seq} ({item.uuid}), against the head you kept: history was rewritten",
        expected=kept.hash,
        found=item.hash,
    )


def _check_end(last: Head, claimed: Head, against: Head | None) -> Head | Broken:
    if against and against.seq > last.seq:
        return Broken(
            where=f"item {against.seq}, of the head you kept",
            expected=against.hash,
            found=f"a ledger that ends at {last.seq}",
        )
    if last != claimed:
        return Broken(
            where="the end of the ledger",
            expected=f"item {claimed.seq} with {claimed.hash}",
            found=f"item {last.seq} with {last.hash}",
        )
    return last


def _clear(tx: Tx) -> None:
    for projection in lookup_rows.registered().values():
        projection.clear(tx)
    for of_items in lookup_rows.registered_for_items():
        of_items.clear(tx)
    core.clear(tx)
    soil.clear_lookups(tx)


def _refill(tx: Tx, fold: Fold, *, total: int, progress: Progress | None) -> None:
    # Notices before the entities, whose rows may name their place in the ledger; rows of items
    # after them: who may see a message depends on the chat it was said in.
    for item in soil.walk(tx):
        _refill_ground(tx, item)
        if progress and item.seq % _STEP == 0:
            progress(item.seq, total)
    for entity in fold.entities():
        core.restore(tx, entity)
    for item in soil.of_types(tx, lookup_rows.item_types()):
        _refill_rows(tx, item)
    indexing.refill(tx)


def refill_lookups(tx: Tx, item: Item) -> None:
    """Write the look-up rows of an item that the ledger holds; entities are written before."""
    _refill_ground(tx, item)
    _refill_rows(tx, item)


def _refill_ground(tx: Tx, item: Item) -> None:
    match item.type:
        case "EntityDelta":
            notices.restore(tx, item)
        case "Undo":
            soil.mark_undone(tx, fields_of(item)["undoes"], seq=item.seq)
        case "Relation":
            relations.restore_fossil(tx, item)
        case _:
            pass


def _refill_rows(tx: Tx, item: Item) -> None:
    for projection in lookup_rows.of_items(item.type):
        projection.restore(tx, item)
