"""Keep a realm safe: back it up, bring it back, take the timeline elsewhere, look at its health."""

import platform
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from kithkin.canonical import canonical
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.db.folder import set_aside
from kithkin.db.schema import HEAD
from kithkin.db.soil_file import write
from kithkin.db.sqlite import SqliteEngine
from kithkin.db.transfer import Progress, read_backup, take, take_back
from kithkin.disclosure import indexing
from kithkin.identity import people_file
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, Edge
from kithkin.search import store as search
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import Head, Item, SystemEvent
from kithkin.version import __version__

_LITTLE_SPACE = 200 * 1024 * 1024


class Health(Struct, frozen=True):
    """How a realm is, and what to do about it."""

    version: str
    python: str
    database: str
    tables: str
    where: str
    size: int
    free: int | None
    items: dict[str, int]
    entities: dict[str, int]
    erased: int
    head: Head
    advice: tuple[str, ...]


def backup(db: Database, file: Path, *, by: By, progress: Progress | None = None) -> Head:
    """Write a consistent copy to a new file. The ledger remembers that there is one."""
    with db.snapshot() as tx:
        # Inside the snapshot that is copied: the head is exactly what the file holds.
        head = soil.head(tx)
        take(db, file, progress=progress)
    event = SystemEvent(
        event_type="backup",
        payload={"file": str(file.absolute()), "seq": head.seq, "actor": by.actor},
    )
    with db.transaction() as tx:
        soil.append(tx, event, now=by.now)
    return head


def restore(
    db: Database, file: Path, *, replace: bool = False, progress: Progress | None = None
) -> Head:
    """Make the realm what a backup says; whoever has it open sees the restored state."""
    take_back(db, file, replace=replace, progress=progress)
    if replace:
        # The old realm's file would otherwise be taken for news about the new one.
        people_file.rewrite(db)
    with db.transaction() as tx:
        if not search.is_whole(tx):
            # A copy of rows leaves the index of words empty.
            indexing.write_anew(tx)
        return soil.head(tx)


def make_room(folder: Path, file: Path) -> None:
    """Set a realm's damaged file aside, once it is sure that there is a backup to put in."""
    read_backup(file).close()
    set_aside(folder)


def export_soil(db: Database, file: Path) -> Head:
    """Write the timeline to a database of its own, with the tables of the specification."""
    with db.snapshot() as tx:
        fossils = list(relations.edges(tx, layer="soil"))
        write(
            file,
            items=map(item_row, soil.walk(tx)),
            unique_relations=edge_rows(fossils, unique=True),
            multi_relations=edge_rows(fossils, unique=False),
        )
        return soil.head(tx)


def examine(db: Database, where: str) -> Health:
    """Versions, sizes, free space and counts, with advice where something wants attention."""
    with db.snapshot() as tx:
        free = _free_space(db)
        return Health(
            version=__version__,
            python=platform.python_version(),
            database=db.engine.version(),
            tables=HEAD,
            where=where,
            size=db.engine.size(),
            free=free,
            items=soil.count(tx),
            entities=core.count(tx),
            erased=soil.count_erased(tx),
            head=soil.head(tx),
            advice=tuple(_advice(db, free, backed_up=soil.has_event(tx, "backup"))),
        )


def item_row(item: Item) -> dict[str, Any]:
    """An item as the specification's table holds it."""
    return {
        "uuid": item.uuid,
        "_type": item.type,
        "realized_at": item.realized_at,
        "canonical_at": item.canonical_at,
        "data": canonical(fields_of(item)),
    }


def edge_rows(edges: list[Edge], *, unique: bool) -> Iterator[dict[str, Any]]:
    """The edges of one of the two tables, as it holds them."""
    for edge in edges:
        if bool(KINDS[edge.kind].unique_on) is unique:
            yield relations.row_of(edge)


def _free_space(db: Database) -> int | None:
    if isinstance(db.engine, SqliteEngine):
        return shutil.disk_usage(db.engine.file.parent).free
    return None


def _advice(db: Database, free: int | None, *, backed_up: bool) -> Iterator[str]:
    if free is not None and free < max(_LITTLE_SPACE, 2 * db.engine.size()):
        yield "Little space is left on this disk: free some, or move the realm's folder."
    if isinstance(db.engine, SqliteEngine):
        folder = db.engine.file.parent
        if folder.stat().st_mode & 0o077:
            yield f"Others on this machine may look into {folder}: `chmod 700 {folder}`."
        if db.engine.file.stat().st_mode & 0o077:
            yield f"Others may read the realm: `chmod 600 {db.engine.file}`."
    if not backed_up:
        yield "There is no backup yet: `kithkin backup FILE` makes one while you go on."
