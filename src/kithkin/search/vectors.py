"""What models made of documents: bytes on both databases, and pgvector's own type where it is.

The bytes are what is kept and copied. A column of pgvector's type is added to them when the first
vector is written on a server that has the extension, so that the server compares and not we.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from kithkin.db import Tx
from kithkin.search.model import Hit, hit_of

_ALLOWED: Final = {
    "sqlite": "SELECT rowid FROM search_text WHERE search_text MATCH :acl",
    "postgres": "SELECT seq FROM search_token WHERE token = ANY(:acl)",
}

_HAS_COLUMN: Final = """
SELECT 1 FROM pg_attribute
WHERE attrelid = 'search_vector'::regclass AND attname = 'near' AND NOT attisdropped
"""
# The extension's schema is not among those that a realm looks in.
_REACH: Final = """
SELECT set_config('search_path', current_schema() || ', ' || quote_ident(n.nspname), true)
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'
"""
_MAY_HAVE: Final = """
SELECT 1 FROM pg_available_extensions a
JOIN pg_available_extension_versions v ON v.name = a.name AND v.version = a.default_version
JOIN pg_roles r ON r.rolname = current_user
WHERE a.name = 'vector' AND (
  a.installed_version IS NOT NULL OR (
    (r.rolsuper OR (v.trusted AND has_database_privilege(current_database(), 'CREATE')))
    AND has_schema_privilege(to_regnamespace('public'), 'CREATE')
  )
)
"""
# MAIN: the bytes are what moves out of a wide row, and what is compared stays in it.
_HAVE: Final = (
    "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public",
    _REACH,
    "ALTER TABLE search_vector ADD COLUMN near vector",
    "ALTER TABLE search_vector ALTER COLUMN near SET STORAGE MAIN",
)

_NEAREST: Final = """
SELECT v.seq, -(v.near <#> CAST(:asked AS vector)) AS nearness
FROM search_vector v JOIN search_doc d ON d.seq = v.seq
WHERE v.model = :model AND v.near IS NOT NULL {allowed}
ORDER BY nearness DESC, v.seq LIMIT :most
"""
_NEAREST_OF_ALL: Final = _NEAREST.format(allowed="")
_NEAREST_ALLOWED: Final = _NEAREST.format(allowed=f"AND v.seq IN ({_ALLOWED['postgres']})")


def without_vector(tx: Tx, model: str, *, limit: int) -> list[Hit]:
    """Documents that a model has not read yet, the latest first."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc d"
        " WHERE NOT EXISTS (SELECT 1 FROM search_vector v WHERE v.seq = d.seq"
        " AND v.model = :model) ORDER BY seq DESC LIMIT :limit",
        {"model": model, "limit": limit},
    )
    return [hit_of(row) for row in rows]


def put(tx: Tx, model: str, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Keep what a model made of documents; one that is gone meanwhile is left out."""
    tx.executemany(
        "INSERT INTO search_vector (seq, model, vector)"
        " SELECT seq, :model, :vector FROM search_doc WHERE seq = :seq"
        " ON CONFLICT (seq, model) DO NOTHING",
        [{"seq": seq, "model": model, "vector": vector} for seq, vector in vectors],
    )


def forget(tx: Tx, seqs: Iterable[int]) -> None:
    """Drop what models made of documents that are erased."""
    for seq in seqs:
        tx.execute("DELETE FROM search_vector WHERE seq = :seq", {"seq": seq})


def of_model(
    tx: Tx, model: str, *, acl: Sequence[str] | None, waiting: bool = False
) -> list[tuple[int, bytes]]:
    """A model's vectors of what tokens open, in order; `waiting`: those the server cannot read."""
    rows = tx.execute(
        "SELECT v.seq, v.vector FROM search_vector v JOIN search_doc d ON d.seq = v.seq"  # noqa: S608 - constants
        " WHERE v.model = :model"
        + (" AND v.near IS NULL" if waiting else "")
        + (f" AND v.seq IN ({_ALLOWED[tx.dialect]})" if acl is not None else "")
        + " ORDER BY v.seq",
        {"model": model, "acl": _held(tx, acl or ())},
    )
    return [(row[0], bytes(row[1])) for row in rows]


def are_compared_here(tx: Tx, *, make: bool = False) -> bool:
    """Whether the server compares vectors; with `make` it is made to, where it can."""
    if tx.dialect != "postgres":
        return False
    if tx.execute(_HAS_COLUMN, {}).fetchone():
        tx.execute(_REACH, {})
        return True
    if not make or not tx.execute(_MAY_HAVE, {}).fetchone():
        return False
    tx.script(_HAVE)
    return True


def hand_over(tx: Tx, vectors: Iterable[tuple[int, str, Sequence[float]]]) -> None:
    """Give the server vectors in its own type, each of a place and a model."""
    tx.executemany(
        "UPDATE search_vector SET near = CAST(:near AS vector) WHERE seq = :seq AND model = :model",
        [{"seq": seq, "model": model, "near": _written(vector)} for seq, model, vector in vectors],
    )


def waiting(tx: Tx, *, limit: int) -> list[tuple[int, str, bytes]]:
    """Vectors that the server cannot read yet."""
    rows = tx.execute(
        "SELECT seq, model, vector FROM search_vector WHERE near IS NULL LIMIT :limit",
        {"limit": limit},
    )
    return [(seq, model, bytes(vector)) for seq, model, vector in rows]


def nearest(
    tx: Tx, model: str, asked: Sequence[float], *, acl: Sequence[str] | None, most: int
) -> list[tuple[int, float]]:
    """The nearest of what tokens open, as the server compares them: all of them, one by one."""
    given = {"model": model, "asked": _written(asked), "most": most}
    if acl is None:
        rows = tx.execute(_NEAREST_OF_ALL, given)
    else:
        rows = tx.execute(_NEAREST_ALLOWED, {**given, "acl": list(acl)})
    return [(seq, nearness) for seq, nearness in rows]


def _held(tx: Tx, acl: Sequence[str]) -> str | list[str]:
    if tx.dialect == "postgres":
        return list(acl)
    return "acl : ({})".format(" OR ".join(f'"{token}"' for token in acl))


def _written(vector: Sequence[float]) -> str:
    return msgspec.json.encode(vector).decode()
