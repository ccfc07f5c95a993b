"""The index's tables: rows of what can be found; its words are kept in each dialect's own way."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec
from msgspec import structs

from kithkin.db import Tx
from kithkin.db.sql import EACH
from kithkin.db.transactions import Dialect
from kithkin.search import fts5, postings
from kithkin.search.model import Beside, Doc, Hit, Query, hit_of


class _Words(Protocol):
    """An index of words and of the tokens of who may see them, in one dialect."""

    def put(self, tx: Tx, docs: Sequence[Doc], /) -> None: ...
    def remove(self, tx: Tx, seqs: Collection[int], /) -> None: ...
    def clear(self, tx: Tx, /) -> None: ...
    def scrub(self, tx: Tx, /) -> None: ...
    def find(self, tx: Tx, query: Query, /, *, limit: int) -> list[Hit]: ...
    def scores_among_few(self, tx: Tx, query: Query, /) -> dict[int, float] | None: ...


_WORDS: Final[Mapping[Dialect, _Words]] = {"sqlite": fts5, "postgres": postings}


def put(tx: Tx, docs: Sequence[Doc]) -> None:
    """Add documents that are not there."""
    tx.executemany(
        "INSERT INTO search_doc (seq, doc, kind, chat, said_by, said_at, marks, record)"
        " VALUES (:seq, :doc, :kind, :chat, :said_by, :said_at, :marks, :record)",
        [_row(doc) for doc in docs],
    )
    _WORDS[tx.dialect].put(tx, docs)


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
    _WORDS[tx.dialect].remove(tx, seqs)


def scrub(tx: Tx) -> None:
    """Let no word stay of rows that were removed."""
    _WORDS[tx.dialect].scrub(tx)


def clear(tx: Tx) -> None:
    """Empty the index, for a rebuild to write again. Vectors are no fold and stay."""
    tx.execute("DELETE FROM search_doc", {})
    tx.execute("DELETE FROM search_place", {})
    _WORDS[tx.dialect].clear(tx)


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
    return hit_of(row) if row else None


def several(tx: Tx, docs: Collection[str]) -> dict[str, Hit]:
    """The documents of these ids that are indexed, by their ids."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"  # noqa: S608 - a constant
        f" WHERE doc IN ({EACH[tx.dialect]})",
        {"each": _json(docs)},
    )
    return {row[1]: hit_of(row) for row in rows}


def said_by(tx: Tx, persons: Collection[str]) -> list[Hit]:
    """Every document that these people said, in order."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"  # noqa: S608 - a constant
        f" WHERE said_by IN ({EACH[tx.dialect]}) ORDER BY seq",
        {"each": _json(persons)},
    )
    return [hit_of(row) for row in rows]


def said_in(tx: Tx, chat: str) -> list[Hit]:
    """Every message of a chat, in order."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
        " WHERE chat = :chat AND kind = 'message' ORDER BY seq",
        {"chat": chat},
    )
    return [hit_of(row) for row in rows]


def last_in(tx: Tx, chat: str, *, before: int, limit: int) -> list[Hit]:
    """The messages of a chat just before a place, the latest first."""
    rows = tx.execute(
        "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
        " WHERE chat = :chat AND kind = 'message' AND seq < :before"
        " ORDER BY seq DESC LIMIT :limit",
        {"chat": chat, "before": before, "limit": limit},
    )
    return [hit_of(row) for row in rows]


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


def common_places(tx: Tx, people: Sequence[Collection[str]]) -> frozenset[str]:
    """The places where every one of these people was, each given by all records of them.

    Of a crowd, two are asked for first: the others only for where those two were.
    """
    common = _shared_places(_places(tx, people[:2]), people[:2])
    if people[2:] and common:
        common &= _shared_places(_places(tx, people[2:], among=common), people[2:])
    return common


def _places(
    tx: Tx, people: Sequence[Collection[str]], *, among: Collection[str] | None = None
) -> dict[str, set[str]]:
    """The places of each record, as far as they are among some."""
    persons = {"each": _json(one for records in people for one in records)}
    if among is None:
        rows = tx.execute(_PLACES[tx.dialect], persons)
    else:
        rows = tx.execute(_PLACES_AMONG[tx.dialect], {**persons, "places": _json(among)})
    places: dict[str, set[str]] = {}
    for person, name in rows:
        places.setdefault(person, set()).add(name)
    return places


def _shared_places(
    places: Mapping[str, set[str]], people: Sequence[Collection[str]]
) -> frozenset[str]:
    each = [{name for one in records for name in places.get(one, ())} for records in people]
    return frozenset(set.intersection(*each))


def find(tx: Tx, query: Query, *, limit: int) -> list[Hit]:
    """The best documents by their words, among those the query's tokens open."""
    if not query.words or query.acl == ():
        return []
    return _WORDS[tx.dialect].find(tx, query, limit=limit)


def find_among_few(tx: Tx, query: Query, limit: int) -> list[Hit] | None:
    """For whoever may see little, a word is as rare as it is there; None when they see much.

    The index weighs a word by how rare it is in everything. What somebody may not see would so
    move what they find.
    """
    if query.acl == () or not query.words:
        return []
    scores = None if query.acl is None else _WORDS[tx.dialect].scores_among_few(tx, query)
    if scores is None:
        return None
    best = dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])
    hits = [structs.replace(hit, score=best[hit.seq]) for hit in by_seq(tx, list(best))]
    return sorted(hits, key=lambda hit: (-hit.score, hit.seq))


def by_seq(tx: Tx, seqs: Collection[int]) -> list[Hit]:
    """Documents by their places."""
    rows = tx.execute(_BY_SEQ[tx.dialect], {"each": _numbers(tx, seqs)})
    return [hit_of(row) for row in rows]


def beside(tx: Tx, seqs: Collection[int]) -> list[Beside]:
    """The two turns before and after each message that was found, in the same chat."""
    rows = tx.execute(_BESIDE[tx.dialect], {"each": _numbers(tx, seqs)})
    found = [(of, hit_of(row)) for of, *row in rows]
    found.sort(key=lambda pair: (pair[0], abs(pair[1].seq - pair[0])))
    steps: Counter[tuple[int, bool]] = Counter()
    result = []
    for of, hit in found:
        later = hit.seq > of
        steps[of, later] += 1
        result.append(Beside(of, steps[of, later] if later else -steps[of, later], hit))
    return result


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


def _numbers(tx: Tx, seqs: Collection[int]) -> str | list[int]:
    return list(seqs) if tx.dialect == "postgres" else msgspec.json.encode(list(seqs)).decode()


def _json(values: Iterable[str]) -> str:
    return msgspec.json.encode(list(values)).decode()


_PLACES: Final = {
    dialect: f"SELECT person, place FROM search_place WHERE person IN ({each})"  # noqa: S608 - constants
    for dialect, each in EACH.items()
}
_PLACES_AMONG: Final = {
    dialect: f"{_PLACES[dialect]} AND place IN ({each.replace(':each', ':places')})"
    for dialect, each in EACH.items()
}
_BY_SEQ: Final = {
    "sqlite": "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
    " WHERE seq IN (SELECT value FROM json_each(:each))",
    "postgres": "SELECT seq, doc, kind, chat, said_by, said_at, marks, record FROM search_doc"
    " WHERE seq = ANY(CAST(:each AS BIGINT[]))",
}
_BESIDE: Final = {
    "sqlite": """
    WITH wanted AS (SELECT value AS seq FROM json_each(:each))
    SELECT m.seq AS of, n.seq, n.doc, n.kind, n.chat, n.said_by, n.said_at, n.marks, n.record
    FROM wanted JOIN search_doc m ON m.seq = wanted.seq JOIN search_doc n
    ON n.seq IN (SELECT b.seq FROM search_doc b WHERE b.chat = m.chat AND b.kind = 'message'
                 AND b.seq < m.seq ORDER BY b.seq DESC LIMIT 2)
    UNION ALL
    SELECT m.seq AS of, n.seq, n.doc, n.kind, n.chat, n.said_by, n.said_at, n.marks, n.record
    FROM wanted JOIN search_doc m ON m.seq = wanted.seq JOIN search_doc n
    ON n.seq IN (SELECT a.seq FROM search_doc a WHERE a.chat = m.chat AND a.kind = 'message'
                 AND a.seq > m.seq ORDER BY a.seq LIMIT 2)
    """,
    # The same; PostgreSQL would try each row of the table in the place of n.
    "postgres": """
    SELECT m.seq AS of, n.seq, n.doc, n.kind, n.chat, n.said_by, n.said_at, n.marks, n.record
    FROM unnest(CAST(:each AS BIGINT[])) AS wanted (seq)
    JOIN search_doc m ON m.seq = wanted.seq, LATERAL (
      (SELECT b.* FROM search_doc b WHERE b.chat = m.chat AND b.kind = 'message'
       AND b.seq < m.seq ORDER BY b.seq DESC LIMIT 2)
      UNION ALL
      (SELECT a.* FROM search_doc a WHERE a.chat = m.chat AND a.kind = 'message'
       AND a.seq > m.seq ORDER BY a.seq LIMIT 2)
    ) n
    """,
}
