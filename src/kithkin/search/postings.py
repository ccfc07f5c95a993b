"""The index of words in PostgreSQL: where each word stands, and what each token opens.

PostgreSQL reads the words (`to_tsvector`) but ranks without regard to how rare they are, and looks
at every row that it ranks. Rows of word, place and weight give BM25 from an index alone.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from kithkin.db import Tx
from kithkin.search.bm25 import FEW, K1, budget, dampening, rarest, rarity
from kithkin.search.model import Doc, Hit, Query, hit_of
from kithkin.search.query_words import plain_words

_MANY: Final = 5_000
"""Fewer rows than this are sooner weighed all than narrowed to those of the rarest words."""

_PUT: Final = f"""
WITH doc AS MATERIALIZED (
  SELECT seq, to_tsvector('english', text) AS words, acl, dampening
  FROM jsonb_to_recordset(CAST(:docs AS jsonb))
    AS given (seq BIGINT, text TEXT, acl TEXT[], dampening DOUBLE PRECISION)
), kept AS (
  INSERT INTO search_text (seq, words, acl) SELECT seq, words, acl FROM doc
), opened AS (
  INSERT INTO search_token (token, seq) SELECT DISTINCT unnest(acl), seq FROM doc
), counted AS (
  UPDATE search_size SET docs = docs + (SELECT count(*) FROM doc)
)
INSERT INTO search_word (word, seq, weight)
SELECT said.lexeme, doc.seq,
       cardinality(said.positions) * {K1 + 1} / (cardinality(said.positions) + doc.dampening)
FROM doc, unnest(doc.words) said
"""  # noqa: S608 - a constant

_REMOVE: Final = """
WITH doc AS (
  DELETE FROM search_text WHERE seq = :seq RETURNING seq, words, acl
), closed AS (
  DELETE FROM search_token t USING doc WHERE t.token = ANY(doc.acl) AND t.seq = doc.seq
), counted AS (
  UPDATE search_size SET docs = docs - (SELECT count(*) FROM doc)
)
DELETE FROM search_word w USING doc
WHERE w.word = ANY(tsvector_to_array(doc.words)) AND w.seq = doc.seq
"""

# The words stand in a SELECT of their own: else the server would plan anew for each question.
_COUNTED: Final = """
SELECT asked.word, (SELECT count(*) FROM search_word w WHERE w.word = asked.word),
       (SELECT docs FROM search_size)
FROM unnest((SELECT tsvector_to_array(to_tsvector('english', :words)))) AS asked (word)
"""

# OFFSET 0 has each word looked up in the index, whatever the server believes of a table that it has
# not counted yet.
_BEST: Final = """
SELECT d.seq, d.doc, d.kind, d.chat, d.said_by, d.said_at, d.marks, d.record, best.score
FROM (
  SELECT w.seq, sum(asked.weight * w.weight) AS score
  FROM unnest(CAST(:words AS TEXT[]), CAST(:weights AS DOUBLE PRECISION[])) AS asked (word, weight),
    LATERAL (SELECT seq, weight FROM search_word WHERE word = asked.word OFFSET 0) w
  {allowed}
  GROUP BY w.seq ORDER BY score DESC, w.seq LIMIT :limit
) best JOIN search_doc d ON d.seq = best.seq ORDER BY best.score DESC, d.seq
"""
_BEST_OF_ALL: Final = _BEST.format(allowed="")
_BEST_ALLOWED: Final = _BEST.format(
    allowed="WHERE w.seq IN (SELECT t.seq FROM search_token t WHERE t.token = ANY(:acl))"
)

_BEST_OF_RARE: Final = _BEST.format(
    allowed="WHERE w.seq IN (SELECT r.seq FROM search_word r WHERE r.word = ANY(:rare))"
)

_OPENS_MANY: Final = """
SELECT 1 FROM unnest(CAST(:acl AS TEXT[])) AS held (token), LATERAL (
  SELECT 1 FROM search_token t WHERE t.token = held.token ORDER BY t.seq OFFSET :few LIMIT 1
) one LIMIT 1
"""

_AMONG: Final = """
SELECT w.word, w.seq, w.weight FROM search_word w
WHERE w.word = ANY(tsvector_to_array(to_tsvector('english', :words)))
  AND w.seq = ANY(CAST(:seqs AS BIGINT[]))
"""


def put(tx: Tx, docs: Sequence[Doc]) -> None:
    """Index the words and tokens of documents."""
    tx.execute(_PUT, {"docs": msgspec.json.encode([_given(doc) for doc in docs]).decode()})


def remove(tx: Tx, seqs: Collection[int]) -> None:
    """Take documents out. Their words leave the files when the tables are rewritten."""
    for seq in seqs:
        tx.execute(_REMOVE, {"seq": seq})


def clear(tx: Tx) -> None:
    """Empty it."""
    for table in ("search_text", "search_token", "search_word"):
        tx.execute(f"DELETE FROM {table}", {})  # noqa: S608 - a constant
    tx.execute("UPDATE search_size SET docs = 0", {})


def scrub(_tx: Tx) -> None:
    """Nothing is left to merge: a row holds only its own words."""


def find(tx: Tx, query: Query, *, limit: int) -> list[Hit]:
    """The best documents by their words, among those the query's tokens open."""
    counted = tx.execute(_COUNTED, {"words": _said(query.words)}).fetchall()
    if not counted:
        return []
    asked = {
        "words": [word for word, _, _ in counted],
        "weights": [rarity(having, docs) for _, having, docs in counted],
        "limit": limit,
    }
    if query.acl is not None:
        found = tx.execute(_BEST_ALLOWED, {**asked, "acl": list(query.acl)})
    elif sum(rows for _, rows, _ in counted) > _MANY:
        having = [(rows, word) for word, rows, _ in counted]
        rare = rarest(having, most=budget(counted[0][2]), enough=limit)
        found = tx.execute(_BEST_OF_RARE, {**asked, "rare": rare})
    else:
        found = tx.execute(_BEST_OF_ALL, asked)
    return [hit_of(row, row[8]) for row in found]


def scores_among_few(tx: Tx, query: Query) -> dict[int, float] | None:
    """What each document of the few that the tokens open scores; None when they open many."""
    seqs = _few(tx, list(query.acl or ()))
    if seqs is None:
        return None
    rows = tx.execute(_AMONG, {"words": _said(query.words), "seqs": seqs}).fetchall()
    having = Counter(word for word, _, _ in rows)
    scores: defaultdict[int, float] = defaultdict(float)
    for word, seq, weight in rows:
        scores[seq] += weight * rarity(having[word], len(seqs))
    return scores


def _few(tx: Tx, acl: list[str]) -> list[int] | None:
    """The documents that tokens open; None when they are many."""
    # One token that opens many is enough to know, and is known without reading the others' rows.
    if tx.execute(_OPENS_MANY, {"acl": acl, "few": FEW}).fetchone():
        return None
    rows = tx.execute(
        "SELECT DISTINCT seq FROM search_token WHERE token = ANY(:acl) LIMIT :limit",
        {"acl": acl, "limit": FEW + 1},
    ).fetchall()
    return [row[0] for row in rows] if len(rows) <= FEW else None


def _given(doc: Doc) -> dict[str, object]:
    words = plain_words(doc.text)
    return {
        "seq": doc.seq,
        "text": " ".join(words),
        "acl": doc.acl,
        "dampening": dampening(len(words)),
    }


def _said(words: Sequence[str]) -> str:
    return " ".join(word for said in words for word in plain_words(said))
