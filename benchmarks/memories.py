"""How fast remembering and recalling are, against floors measured in the same run.

The floor of an add is the bare database: one INSERT of the same JSON with its SHA-256, one durable
commit. The floor of a search is a bare query of its own full-text index (FTS5 by bm25, tsvector by
ts_rank): the same words joined by OR on a table of the same texts, with no access rule, no people,
no neighbours.

On PostgreSQL two bars differ. A recall asks about twenty statements, each a way to the server and
back, where the bare query asks one: at 10,000 that is most of its time. How many adds a second are
durable is the server's disk to say: only the share of the floor is judged.

    python benchmarks/memories.py [--db postgres] [--docs 100000] [--folder ON_A_REAL_DISK]
"""

import argparse
import hashlib
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg
from msgspec import Struct

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.db import Database
from kithkin.disclosure import indexing
from kithkin.ids import PersonId
from kithkin.messages import message_append
from kithkin.messages.message_append import Place
from kithkin.search.query_words import query_words
from kithkin.soil import store as soil
from kithkin.soil.model import Message
from kithkin.testing import FixedClock
from postgres import served

BLOCKS, BLOCK = 10, 60
ME = "telegram:1"
SENTENCES = (
    "My sister Nora likes {0} and {1}",
    "I bought a {0} near the {1} yesterday",
    "We talked about the {0} for hours, the {1} was closed again",
    "Did you see the {0} by the {1}?",
    "I work at the {0} office on {1} street",
    "the {0} is broken, can somebody call the {1}",
)


def vocabulary(chance: random.Random, size: int) -> list[str]:
    """Made-up words; which of them are said how often follows how people speak (Zipf)."""
    parts = ["ba", "ko", "ri", "ne", "tu", "lo", "sha", "vi", "mer", "dan", "pol", "gra"]
    return ["".join(chance.choices(parts, k=chance.randrange(2, 5))) + "x" for _ in range(size)]


class Talk:
    """Sentences of words that are common or rare, as in speech."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words = vocabulary(random.Random(1), 20_000)
        self._weights = [1 / (rank + 10) for rank in range(len(self._words))]

    def words(self, count: int) -> list[str]:
        return self._chance.choices(self._words, self._weights, k=count)

    def sentence(self) -> str:
        opening = self._chance.choice(SENTENCES).format(*self.words(2))
        return f"{opening} {' '.join(self.words(self._chance.randrange(4, 14)))}"


class Where(Struct, frozen=True):
    """Where it is measured: in a folder, or on a server when `server` names one."""

    folder: Path
    server: str = ""

    def realm(self, name: str) -> tuple[str, str]:
        """What opens a fresh realm: a folder or an address, and its name."""
        realm = f"bench_{uuid.uuid4().hex}"
        return self.server or str(self.folder / name), realm


class Floor:
    """One INSERT, one SHA-256, one commit."""

    def __init__(self, where: Where, talk: Talk) -> None:
        self._talk = talk
        self._write = self._on_server(where) if where.server else self._on_file(where)

    def _on_file(self, where: Where) -> Callable[[tuple[str, str]], None]:
        bare = sqlite3.connect(where.folder / "floor.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, hash TEXT, data TEXT)")

        def write(row: tuple[str, str]) -> None:
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO t (hash, data) VALUES (?, ?)", row)
            bare.execute("COMMIT")

        return write

    def _on_server(self, where: Where) -> Callable[[tuple[str, str]], None]:
        bare = psycopg.connect(where.server, autocommit=True)
        bare.execute("CREATE TABLE floor (id BIGSERIAL PRIMARY KEY, hash TEXT, data TEXT)")

        def write(row: tuple[str, str]) -> None:
            bare.execute("BEGIN")
            bare.execute("INSERT INTO floor (hash, data) VALUES (%s, %s)", row)
            bare.execute("COMMIT")

        return write

    def __call__(self) -> None:
        text = json.dumps({"text": self._talk.sentence()})
        self._write((hashlib.sha256(text.encode()).hexdigest(), text))


def timed(jobs: Sequence[Callable[[], object]], *, blocks: int, block: int) -> list[list[float]]:
    """The times of each job, in alternating blocks so that noise falls on all alike."""
    taken: list[list[float]] = [[] for _ in jobs]
    for _ in range(blocks):
        for job, times in zip(jobs, taken, strict=True):
            for _ in range(block):
                start = time.perf_counter()
                job()
                times.append(time.perf_counter() - start)
    return taken


def told(what: str, kept: bool) -> bool:  # noqa: FBT001 - a verdict
    print(f"{'ok  ' if kept else 'MISS'} {what}", flush=True)
    return kept


def adding(where: Where) -> list[bool]:
    talk = Talk(2)
    home, realm = where.realm("adding")
    with Kithkin.open(home, realm=realm) as kin:

        def add() -> None:
            kin.memories.remember(talk.sentence(), speaker=ME)

        jobs = (Floor(where, talk), add)
        timed(jobs, blocks=2, block=BLOCK)
        floor, mine = timed(jobs, blocks=BLOCKS, block=BLOCK)
    rate, base = 1 / statistics.fmean(mine), 1 / statistics.fmean(floor)
    return [
        told(
            f"add, extraction and index included: {rate:.0f}/s"
            + ("" if where.server else " (≥ 300)"),
            bool(where.server) or rate >= 300,
        ),
        told(f"that is {rate / base:.2f} of the floor's {base:.0f}/s (≥ 0.125)", rate >= base / 8),
    ]


def grown(where: Where, docs: int) -> tuple[Database, list[str]]:
    """A realm of so many messages in one group, written in bulk through the same index."""
    home, realm = where.realm(f"docs{docs}")
    db = Database.open(home, realm=realm)
    clock = FixedClock()
    talk = Talk(3)
    kin = Kithkin(Acting(db, actor="bench", clock=clock))
    by = kin._acting.by()  # noqa: SLF001 - the bench fills the realm by hand
    place = Place("crowd", shared=True, members=("telegram:2",))
    heard = message_append.hear(db, "hello", speaker=ME, place=place, at=clock.now(), by=by)
    texts = [talk.sentence() for _ in range(docs)]
    for start in range(0, docs, 5000):
        with db.transaction() as tx:
            for text in texts[start : start + 5000]:
                message = Message(
                    description=text,
                    sender=ME,
                    person=PersonId(heard.person.id),
                    chat=heard.chat.id,
                    chat_version=heard.chat.version,
                    verified=True,
                )
                item = soil.append(tx, message, now=by.now)
                indexing.index_item(tx, item, heard.chat)
    if where.server:
        # What the server does by itself within a minute; the bare table has it too.
        with psycopg.connect(where.server, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
    return db, texts


Ask = Callable[[Sequence[str]], object]


def bare(where: Where, texts: Sequence[str]) -> Ask:
    """A query of the database's own index, on a table of nothing but these texts."""
    return _bare_on_server(where, texts) if where.server else _bare_in_file(where, texts)


def _bare_in_file(where: Where, texts: Sequence[str]) -> Ask:
    connection = sqlite3.connect(where.folder / f"bare{len(texts)}.db")
    connection.execute(
        "CREATE VIRTUAL TABLE f USING fts5 (t, tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    connection.executemany("INSERT INTO f (t) VALUES (?)", [(text,) for text in texts])
    connection.commit()

    def ask(words: Sequence[str]) -> object:
        return connection.execute(
            "SELECT rowid, bm25(f) FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT 10",
            (" OR ".join(f'"{word}"' for word in words),),
        ).fetchall()

    return ask


def _bare_on_server(where: Where, texts: Sequence[str]) -> Ask:
    connection = psycopg.connect(where.server, autocommit=True)
    connection.execute("DROP TABLE IF EXISTS bare")
    connection.execute("CREATE TABLE bare (id BIGSERIAL PRIMARY KEY, t tsvector)")
    connection.cursor().executemany(
        "INSERT INTO bare (t) VALUES (to_tsvector('english', %s))", [(text,) for text in texts]
    )
    connection.execute("CREATE INDEX bare_t ON bare USING gin (t)")
    connection.execute("VACUUM ANALYZE bare")

    def ask(words: Sequence[str]) -> object:
        return connection.execute(
            "SELECT id, ts_rank(t, q) FROM bare, to_tsquery('english', %s) q"
            " WHERE t @@ q ORDER BY 2 DESC LIMIT 10",
            (" | ".join(words),),
        ).fetchall()

    return ask


def searching(where: Where, docs: int, *, rounds: int) -> tuple[list[float], list[float]]:
    """Times of the bare query and of a recall of the same words, by who may see everything."""
    db, texts = grown(where, docs)
    plain = bare(where, texts)
    talk = Talk(4)
    questions = [" ".join(talk.words(6)) for _ in range(rounds)]
    kin = Kithkin(Acting(db, actor="bench", clock=FixedClock()))
    waiting = {"bare": iter(questions * 3), "mine": iter(questions * 3)}

    def ask_bare() -> None:
        plain(query_words(next(waiting["bare"])))

    def ask() -> None:
        kin.memories.search(next(waiting["mine"]), speaker=ME, chat="crowd", limit=10)

    timed((ask_bare, ask), blocks=1, block=rounds // 4)
    times = timed((ask_bare, ask), blocks=4, block=rounds // 4)
    db.close()
    return sorted(times[0]), sorted(times[1])


def p(times: Sequence[float], share: float) -> float:
    return times[min(int(len(times) * share), len(times) - 1)]


def recalling(where: Where, docs: int) -> list[bool]:
    base, mine = searching(where, 10_000, rounds=200)
    ratio, most = p(mine, 0.5) / p(base, 0.5), 3 if where.server else 2
    kept = [
        told(
            f"search p50 at 10,000: {p(mine, 0.5) * 1e3:.1f} ms, {ratio:.2f}x a bare query "
            f"(≤ {most})",
            ratio <= most,
        )
    ]
    base, mine = searching(where, docs, rounds=200)
    ratio = p(mine, 0.95) / p(base, 0.95)
    kept.append(
        told(
            f"search p95 at {docs:,}: {p(mine, 0.95) * 1e3:.1f} ms, {ratio:.2f}x a bare query's "
            f"{p(base, 0.95) * 1e3:.1f} ms (≤ 0.6)",
            ratio <= 0.6,
        )
    )
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description="Memories, beside the bare database.")
    parser.add_argument("--db", default="", help='"postgres", or the address of a server')
    parser.add_argument("--docs", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="a folder on a disk with real fsync")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder, served(asked.db) as server:
        where = Where(Path(folder), server)
        kept = [*adding(where), *recalling(where, asked.docs)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
