"""The index's tables: words and access tokens in FTS5 or tsvector, the rest in plain rows."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import structs

from kithkin.db import Tx
from kithkin.db.sql import EACH
from kithkin.search.model import Beside, Doc, Hit, Query
from kithkin.search.words import unaccented

_RARE: Final = 8_000
"""Rows that the rarest words of a query may match together before the others only rank."""
_FEW: Final = 1_200
"""Whoever may see no more rows than this has words weighed among those rows alone."""
_LARGE: Final = 20_000
"""An index with fewer rows is read whole: counting words would cost more than it saves."""


def put(tx: Tx, docs: Sequence[Doc]) -> None:
    """Add documents that are not there."""
    tx.executemany(
        "INSERT INTO search_doc (seq, doc, kind, chat, said_by, said_at, marks, record)"
        " VALUES (:seq, :doc, :kind, :chat, :said_by, :said_at, :marks, :record)",
        [_row(doc) for doc in docs],
    )
    tx.executemany(_INSERT_TEXT[tx.dialect], [_text_row(tx, doc) for doc in docs])


def replace(tx: Tx, doc: Doc) -> None:
    """Make the index say what a document says now."""
    remove(tx, [doc.seq])
    put(tx, [doc])


def set_record(tx: Tx, seq: int, record: str) -> None:
    """What decides on a document changed, but neither its words nor its tokens."""
    tx.execute(
        "UPDATE search_doc SET record = :record WHERE seq = :seq", {"seq": seq, "record": record}
    )


def remove(tx: Tx, seqs: Collection[int]) -> None:
    """Take documents out. Their words leave the files with `scrub`."""
    for seq in seqs:
        tx.execute("DELETE FROM search_doc WHERE seq = :seq", {"seq": seq})
        tx.execute(_DELETE_TEXT[tx.dialect], {"seq": seq})


def forget_vectors(tx: Tx, seqs: Collection[int]) -> None:
    """Drop what a model made of documents that are erased."""
    for seq in seqs:
        tx.execute("DELETE FROM search_vector WHERE seq = :seq", {"seq": seq})


def scrub(tx: Tx) -> None:
    """Merge the index into one piece: until then it keeps the words of rows that were removed."""
    if tx.dialect == "sqlite":
        tx.execute("INSERT INTO search_text (search_text) VALUES ('optimize')", {})


def clear(tx: Tx) -> None:
    """Empty the index, for a rebuild to write again. Vectors are no fold and stay."""
    tx.execute("DELETE FROM search_doc", {})
    tx.execute("DELETE FROM search_place", {})
    tx.execute("DELETE FROM search_text", {})


def is_whole(tx: Tx) -> bool:
    """Whether every document has its words indexed: after a copy of rows it has not."""
    row = tx.execute(
        "SELECT (SELECT count(*) FROM search_doc) = (SELECT count(*) FROM search_text)", {}
    ).fetchone()
    return bool(row[0])


def get(tx: Tx, doc: str) -> Hit | None:
    """A document by its id."""
    row = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
        " WHERE doc = :doc",
        {"doc": doc},
    ).fetchone()
    return _hit(row, 0.0) if row else None


def said_by(tx: Tx, persons: Collection[str]) -> list[Hit]:
    """Every document that these people said, in order."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"  # noqa: S608 - a constant
        f" WHERE said_by IN ({EACH[tx.dialect]}) ORDER BY seq",
        {"each": _json(persons)},
    )
    return [_hit(row, 0.0) for row in rows]


def said_in(tx: Tx, chat: str) -> list[Hit]:
    """Every message of a chat, in order."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
        " WHERE chat = :chat AND kind = 'message' ORDER BY seq",
        {"chat": chat},
    )
    return [_hit(row, 0.0) for row in rows]


def last_in(tx: Tx, chat: str, *, before: int, limit: int) -> list[Hit]:
    """The messages of a chat just before a place, the latest first."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
        " WHERE chat = :chat AND kind = 'message' AND seq < :before"
        " ORDER BY seq DESC LIMIT :limit",
        {"chat": chat, "before": before, "limit": limit},
    )
    return [_hit(row, 0.0) for row in rows]


def place(tx: Tx, name: str, persons: Iterable[str]) -> None:
    """Remember who was in a place, once: what was said there is found by them."""
    known = tx.execute(
        "SELECT 1 FROM search_place WHERE place = :place LIMIT 1", {"place": name}
    ).fetchone()
    if known is None:
        tx.executemany(
            "INSERT INTO search_place (person, place) VALUES (:person, :place)",
            [{"person": person, "place": name} for person in dict.fromkeys(persons)],
        )


def places_of(tx: Tx, persons: Collection[str]) -> frozenset[str]:
    """The places where one of these records of a person was."""
    rows = tx.execute(
        "SELECT place FROM search_place"  # noqa: S608 - a constant
        f" WHERE person IN ({EACH[tx.dialect]})",
        {"each": _json(persons)},
    )
    return frozenset(row[0] for row in rows)


def find(tx: Tx, query: Query, *, limit: int) -> list[Hit]:
    """The best documents by their words, among those the query's tokens open."""
    if not query.words or query.acl == ():
        return []
    if tx.dialect == "sqlite":
        return _find_sqlite(tx, query, limit)
    return _find_postgres(tx, query, limit)


def find_among_few(tx: Tx, query: Query, limit: int) -> list[Hit] | None:
    """For whoever may see little, a word is as rare as it is there; None when they see much.

    The index weighs a word by how rare it is in everything. What somebody may not see would so
    move what they find.
    """
    if query.acl == () or not query.words:
        return []
    if query.acl is None or tx.dialect != "sqlite":
        return None
    allowed = f"acl : ({_any(query.acl)})"
    seen = _matching(tx, allowed, limit=_FEW + 1)
    if seen > _FEW:
        return None
    everything = int(tx.execute("SELECT count(*) FROM search_doc", {}).fetchone()[0])
    scores: Counter[int] = Counter()
    for word in query.words:
        rows = tx.execute(
            "SELECT rowid, bm25(search_text, 1.0, 0.0) FROM search_text"
            " WHERE search_text MATCH :asked",
            {"asked": f"text : {_quoted(word)} AND {allowed}"},
        ).fetchall()
        if rows:
            weight = _rarity(len(rows), seen) / _rarity(_count(tx, word), everything)
            for seq, score in rows:
                scores[seq] -= score * weight
    best = dict(scores.most_common(limit))
    hits = [structs.replace(hit, score=best[hit.seq]) for hit in by_seq(tx, list(best))]
    return sorted(hits, key=lambda hit: (-hit.score, hit.seq))


def by_seq(tx: Tx, seqs: Collection[int]) -> list[Hit]:
    """Documents by their places."""
    rows = tx.execute(_BY_SEQ[tx.dialect], {"each": msgspec.json.encode(list(seqs)).decode()})
    return [_hit(row, 0.0) for row in rows]


def beside(tx: Tx, seqs: Collection[int]) -> list[Beside]:
    """The two turns before and after each message that was found, in the same chat."""
    rows = tx.execute(_BESIDE[tx.dialect], {"each": msgspec.json.encode(list(seqs)).decode()})
    found = [(of, _hit(row, 0.0)) for of, *row in rows]
    found.sort(key=lambda pair: (pair[0], abs(pair[1].seq - pair[0])))
    steps: Counter[tuple[int, bool]] = Counter()
    result = []
    for of, hit in found:
        later = hit.seq > of
        steps[of, later] += 1
        result.append(Beside(of, steps[of, later] if later else -steps[of, later], hit))
    return result


def without_vector(tx: Tx, model: str, *, limit: int) -> list[Hit]:
    """Documents that a model has not read yet, the latest first."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc d"
        " WHERE NOT EXISTS (SELECT 1 FROM search_vector v WHERE v.seq = d.seq"
        " AND v.model = :model) ORDER BY seq DESC LIMIT :limit",
        {"model": model, "limit": limit},
    )
    return [_hit(row, 0.0) for row in rows]


def put_vectors(tx: Tx, model: str, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Keep what a model made of documents; one that is gone meanwhile is left out."""
    tx.executemany(
        "INSERT INTO search_vector (seq, model, vector)"
        " SELECT seq, :model, :vector FROM search_doc WHERE seq = :seq"
        " ON CONFLICT (seq, model) DO NOTHING",
        [{"seq": seq, "model": model, "vector": vector} for seq, vector in vectors],
    )


def vectors(tx: Tx, model: str, *, after: int) -> list[tuple[int, bytes]]:
    """Every vector of a model after a place, in order."""
    rows = tx.execute(
        "SELECT v.seq, v.vector FROM search_vector v JOIN search_doc d ON d.seq = v.seq"
        " WHERE v.model = :model AND v.seq > :after ORDER BY v.seq",
        {"model": model, "after": after},
    )
    return [(row[0], bytes(row[1])) for row in rows]


def _rarity(having: int, among: int) -> float:
    """The weight of a word as FTS5 computes it."""
    weight = math.log((among - having + 0.5) / (having + 0.5)) if among > having else 0.0
    return max(weight, 1e-6) if weight <= 0 else weight


def _find_sqlite(tx: Tx, query: Query, limit: int) -> list[Hit]:
    words = _any(query.words)
    asked = f"text : ({words})"
    if _is_large(tx):
        rare = _rare(tx, query.words)
        asked = f"text : ({_any(rare)}) AND {asked}" if len(rare) < len(query.words) else asked
    if query.acl is not None:
        asked = f"({asked}) AND acl : ({_any(query.acl)})"
    rows = tx.execute(
        "SELECT d.seq, d.doc, d.kind, d.chat, d.said_by, d.said_at, d.marks, d.record, f.score"
        " FROM (SELECT rowid AS seq, bm25(search_text, 1.0, 0.0) AS score FROM search_text"
        " WHERE search_text MATCH :asked ORDER BY bm25(search_text, 1.0, 0.0) LIMIT :limit) f"
        " JOIN search_doc d ON d.seq = f.seq ORDER BY f.score",
        {"asked": asked, "limit": limit},
    )
    return [_hit(row, -row[8]) for row in rows]


def _is_large(tx: Tx) -> bool:
    row = tx.execute(
        "SELECT (SELECT max(seq) FROM search_doc) - (SELECT min(seq) FROM search_doc)", {}
    ).fetchone()
    return (row[0] or 0) > _LARGE


def _rare(tx: Tx, words: Sequence[str]) -> list[str]:
    """The rarest words that together match no more rows than a budget; at least one."""
    counted = sorted((_count(tx, word), word) for word in words)
    rare, left = [counted[0][1]], _RARE - counted[0][0]
    for count, word in counted[1:]:
        left -= count
        if left < 0:
            break
        rare.append(word)
    return rare


def _count(tx: Tx, word: str) -> int:
    return _matching(tx, f"text : {_quoted(word)}", limit=_RARE)


def _matching(tx: Tx, asked: str, *, limit: int) -> int:
    row = tx.execute(
        "SELECT count(*) FROM (SELECT 1 FROM search_text WHERE search_text MATCH :asked"
        " LIMIT :limit)",
        {"asked": asked, "limit": limit},
    ).fetchone()
    return int(row[0])


def _any(words: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


# Without BM25 in PostgreSQL: each word counts by its rarity, and ts_rank of one word grows with
# how often it stands there as BM25 does. Longer documents count less.
_FIND_POSTGRES: Final = """
WITH asked AS (
  SELECT plainto_tsquery('english', value) AS word
  FROM jsonb_array_elements_text(CAST(:words AS jsonb))
), word AS (
  SELECT word, ln(1 + (SELECT greatest(reltuples, 1000) FROM pg_class
                       WHERE oid = 'search_text'::regclass)
         / (1 + (SELECT count(*) FROM (SELECT 1 FROM search_text t WHERE t.words @@ asked.word
                                       LIMIT 10000) few))) AS rarity
  FROM asked WHERE numnode(word) > 0
), found AS (
  SELECT t.seq, (SELECT sum(w.rarity * ts_rank('{1,1,1,1}', t.words, w.word)) FROM word w
                 WHERE t.words @@ w.word)
                / (0.4 + 0.6 * greatest(length(t.words), 1) / 15.0) ^ 0.5 AS score
  FROM search_text t
  WHERE t.words @@ (SELECT string_agg(word::text, ' | ')::tsquery FROM word)
    AND (CAST(:acl AS text[]) IS NULL OR t.acl && CAST(:acl AS text[]))
  ORDER BY score DESC LIMIT :limit
)
SELECT d.seq, d.doc, d.kind, d.chat, d.said_by, d.said_at, d.marks, d.record, f.score
FROM found f JOIN search_doc d ON d.seq = f.seq ORDER BY f.score DESC
"""


def _find_postgres(tx: Tx, query: Query, limit: int) -> list[Hit]:
    acl = list(query.acl) if query.acl is not None else None
    words = [unaccented(word) for word in query.words]
    rows = tx.execute(_FIND_POSTGRES, {"words": _json(words), "acl": acl, "limit": limit})
    return [_hit(row, float(row[8])) for row in rows]


def _row(doc: Doc) -> dict[str, Any]:
    return {
        "seq": doc.seq,
        "doc": doc.id,
        "kind": doc.kind,
        "chat": doc.chat,
        "said_by": doc.said_by,
        "said_at": doc.said_at,
        "marks": doc.marks,
        "record": doc.record,
    }


def _text_row(tx: Tx, doc: Doc) -> dict[str, Any]:
    if tx.dialect == "sqlite":
        return {"seq": doc.seq, "text": doc.text, "acl": " ".join(doc.acl)}
    return {"seq": doc.seq, "text": unaccented(doc.text), "acl": list(doc.acl)}


def _hit(row: Sequence[Any], score: float) -> Hit:
    seq, doc, kind, chat, said_by_, said_at, marks, record = row[:8]
    return Hit(seq, doc, kind, chat, said_by_, said_at, marks, record, score)


def _json(values: Iterable[str]) -> str:
    return msgspec.json.encode(list(values)).decode()


_INSERT_TEXT: Final = {
    "sqlite": "INSERT INTO search_text (rowid, text, acl) VALUES (:seq, :text, :acl)",
    "postgres": "INSERT INTO search_text (seq, words, acl)"
    " VALUES (:seq, to_tsvector('english', :text), :acl)",
}
_DELETE_TEXT: Final = {
    "sqlite": "DELETE FROM search_text WHERE rowid = :seq",
    "postgres": "DELETE FROM search_text WHERE seq = :seq",
}
_NUMBERS: Final = {
    "sqlite": "SELECT value AS seq FROM json_each(:each)",
    "postgres": "SELECT CAST(value AS BIGINT) AS seq"
    " FROM jsonb_array_elements_text(CAST(:each AS jsonb))",
}
_BY_SEQ: Final = {
    dialect: "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"  # noqa: S608 - constants
    f" WHERE seq IN (SELECT seq FROM ({numbers}) wanted)"
    for dialect, numbers in _NUMBERS.items()
}
_BESIDE: Final = {
    dialect: f"""
    SELECT m.seq AS of, n.seq, n.doc, n.kind, n.chat, n.said_by, n.said_at, n.marks, n.record
    FROM ({numbers}) wanted JOIN search_doc m ON m.seq = wanted.seq JOIN search_doc n
    ON n.seq IN (SELECT b.seq FROM search_doc b WHERE b.chat = m.chat AND b.kind = 'message'
                 AND b.seq < m.seq ORDER BY b.seq DESC LIMIT 2)
    UNION ALL
    SELECT m.seq AS of, n.seq, n.doc, n.kind, n.chat, n.said_by, n.said_at, n.marks, n.record
    FROM ({numbers}) wanted JOIN search_doc m ON m.seq = wanted.seq JOIN search_doc n
    ON n.seq IN (SELECT a.seq FROM search_doc a WHERE a.chat = m.chat AND a.kind = 'message'
                 AND a.seq > m.seq ORDER BY a.seq LIMIT 2)
    """  # noqa: S608 - constants
    for dialect, numbers in _NUMBERS.items()
}
