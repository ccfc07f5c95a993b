"""The index of words in SQLite: FTS5, words and access tokens each in a column."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from kithkin.db import Tx
from kithkin.search.bm25 import FEW, budget, rarest, rarity
from kithkin.search.model import Doc, Hit, Query, hit_of


def put(tx: Tx, docs: Sequence[Doc]) -> None:
    """Index the words and tokens of documents."""
    tx.executemany(
        "INSERT INTO search_text (rowid, text, acl) VALUES (:seq, :text, :acl)",
        [{"seq": doc.seq, "text": doc.text, "acl": " ".join(doc.acl)} for doc in docs],
    )


def remove(tx: Tx, seqs: Collection[int]) -> None:
    """Take documents out. Their words leave the file with `scrub`."""
    for seq in seqs:
        tx.execute("DELETE FROM search_text WHERE rowid = :seq", {"seq": seq})


def clear(tx: Tx) -> None:
    """Empty it."""
    tx.execute("DELETE FROM search_text", {})


def scrub(tx: Tx) -> None:
    """Merge the index into one piece: until then it keeps the words of rows that were removed."""
    tx.execute("INSERT INTO search_text (search_text) VALUES ('optimize')", {})


def find(tx: Tx, query: Query, *, limit: int) -> list[Hit]:
    """The best documents by their words, among those the query's tokens open."""
    words = _any(query.words)
    asked = f"text : ({words})"
    rare = _rare(tx, query.words, enough=limit)
    if len(rare) < len(query.words):
        asked = f"text : ({_any(rare)}) AND {asked}"
    if query.acl is not None:
        asked = f"({asked}) AND acl : ({_any(query.acl)})"
    rows = tx.execute(
        "SELECT d.seq, d.doc, d.kind, d.chat, d.said_by, d.said_at, d.marks, d.record, f.score"
        " FROM (SELECT rowid AS seq, bm25(search_text, 1.0, 0.0) AS score FROM search_text"
        " WHERE search_text MATCH :asked ORDER BY bm25(search_text, 1.0, 0.0) LIMIT :limit) f"
        " JOIN search_doc d ON d.seq = f.seq ORDER BY f.score",
        {"asked": asked, "limit": limit},
    )
    return [hit_of(row, -row[8]) for row in rows]


def scores_among_few(tx: Tx, query: Query) -> dict[int, float] | None:
    """What each document of the few that the tokens open scores; None when they open many."""
    allowed = f"acl : ({_any(query.acl or ())})"
    seen = _matching(tx, allowed, limit=FEW + 1)
    if seen > FEW:
        return None
    everything = int(tx.execute("SELECT count(*) FROM search_doc", {}).fetchone()[0])
    scores: defaultdict[int, float] = defaultdict(float)
    for word in query.words:
        rows = tx.execute(
            "SELECT rowid, bm25(search_text, 1.0, 0.0) FROM search_text"
            " WHERE search_text MATCH :asked",
            {"asked": f"text : {_quoted(word)} AND {allowed}"},
        ).fetchall()
        if rows:
            weight = rarity(len(rows), seen) / rarity(_count(tx, word, most=everything), everything)
            for seq, score in rows:
                scores[seq] -= score * weight
    return scores


def _rare(tx: Tx, words: Sequence[str], *, enough: int) -> list[str]:
    most = budget(_span(tx))
    counted = [(_count(tx, word, most=most), word) for word in words]
    return rarest(counted, most=most, enough=enough)


def _span(tx: Tx) -> int:
    """At least as many as there are rows, without counting them."""
    row = tx.execute(
        "SELECT (SELECT max(seq) FROM search_doc) - (SELECT min(seq) FROM search_doc)", {}
    ).fetchone()
    return row[0] or 0


def _count(tx: Tx, word: str, *, most: int) -> int:
    return _matching(tx, f"text : {_quoted(word)}", limit=most)


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
