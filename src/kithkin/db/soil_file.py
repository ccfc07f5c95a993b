"""A timeline as a database of its own, with the specification's tables."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from kithkin.db.folder import secured
from kithkin.errors import InvalidInput

Rows = Iterable[Mapping[str, Any]]

# As the specification writes them, but for the side on which each unique kind is unique.
_TABLES: Final = """
CREATE TABLE item (
    uuid TEXT PRIMARY KEY,
    _type TEXT NOT NULL,
    realized_at TEXT NOT NULL,
    canonical_at TEXT NOT NULL,
    data JSON NOT NULL
);
CREATE INDEX idx_item_type ON item(_type);
CREATE INDEX idx_item_realized ON item(realized_at);
CREATE INDEX idx_item_canonical ON item(canonical_at);
CREATE TABLE unique_relation (
    uuid TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    source_type TEXT NOT NULL,
    target TEXT NOT NULL,
    target_type TEXT NOT NULL,
    realized_at TEXT NOT NULL,
    metadata JSON
);
CREATE INDEX idx_unique_rel_source ON unique_relation(source);
CREATE INDEX idx_unique_rel_target ON unique_relation(target);
CREATE INDEX idx_unique_rel_kind ON unique_relation(kind);
CREATE TABLE multi_relation (
    uuid TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    source_type TEXT NOT NULL,
    target TEXT NOT NULL,
    target_type TEXT NOT NULL,
    realized_at TEXT NOT NULL,
    confidence REAL,
    metadata JSON
);
CREATE INDEX idx_multi_rel_source ON multi_relation(source);
CREATE INDEX idx_multi_rel_target ON multi_relation(target);
CREATE INDEX idx_multi_rel_kind ON multi_relation(kind);
"""


def read(file: Path) -> list[dict[str, str]]:
    """The items of such a file, in the order they were written."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as source:
            rows = source.execute(
                "SELECT uuid, _type, realized_at, canonical_at, data FROM item ORDER BY rowid"
            ).fetchall()
    except sqlite3.Error as error:
        raise InvalidInput(f"{file} holds no timeline: {error}.") from error
    if any(not isinstance(value, str) for row in rows for value in row):
        raise InvalidInput(f"{file} holds an item with a field that is no text.")
    names = ("uuid", "_type", "realized_at", "canonical_at", "data")
    return [dict(zip(names, row, strict=True)) for row in rows]


def write(file: Path, *, items: Rows, unique_relations: Rows, multi_relations: Rows) -> None:
    """Write the file whole, or not at all."""
    with secured(file) as partial, closing(sqlite3.connect(partial)) as target:
        target.executescript(_TABLES)
        target.executemany(
            "INSERT INTO item VALUES (:uuid, :_type, :realized_at, :canonical_at, :data)", items
        )
        target.executemany(
            "INSERT INTO unique_relation VALUES (:uuid, :kind, :source, :source_type, :target,"
            " :target_type, :realized_at, :metadata)",
            unique_relations,
        )
        target.executemany(
            "INSERT INTO multi_relation VALUES (:uuid, :kind, :source, :source_type, :target,"
            " :target_type, :realized_at, :confidence, :metadata)",
            multi_relations,
        )
        target.commit()
