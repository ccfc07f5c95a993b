"""What the index promises, on both databases: the same words find the same in the same order."""

import random
import struct
from collections.abc import Iterator, Sequence

import psycopg
import pytest

from kithkin.db import Database, Tx, schema
from kithkin.search import similarity, store, vectors
from kithkin.search.bm25 import rarest
from kithkin.search.model import Doc, Query
from tests.conftest import Server

EVERYONE = "o0"


def doc(seq: int, text: str, *acl: str) -> Doc:
    return Doc(seq, f"doc{seq}", "message", text, acl or (EVERYONE,), "2026-01-01T00:00:00Z")


def fill(db: Database, texts: Sequence[str]) -> None:
    with db.transaction() as tx:
        store.put(tx, [doc(seq, text) for seq, text in enumerate(texts, 1)])


def found(tx: Tx, *words: str, acl: tuple[str, ...] | None = None) -> list[int]:
    return [hit.seq for hit in store.find(tx, Query(words, acl), limit=10)]


def test_a_rare_word_counts_more_than_a_common_one(db: Database) -> None:
    fill(db, ["we talked about tea"] * 5 + ["we talked about sailing"])
    with db.snapshot() as tx:
        assert found(tx, "tea", "sailing")[0] == 6


def test_among_thousands_of_rows_a_rare_word_still_decides_and_a_common_one_still_ranks(
    db: Database,
) -> None:
    common = ["we talked about tea"] * 6_000 + ["nothing at all"] * 9_000
    boats = ["the boat sank there"] * 9 + ["the boat had tea"]
    fill(db, [*common, *boats])
    with db.snapshot() as tx:
        assert found(tx, "tea", "boat") == [15_010, *range(15_001, 15_010)]


def test_a_word_that_few_rows_have_does_not_keep_the_others_from_being_found(db: Database) -> None:
    fill(db, ["we talked about tea"] * 6_000 + ["nothing at all"] * 9_000 + ["the boat sank"])
    with db.snapshot() as tx:
        asked = found(tx, "tea", "boat")
    assert asked[0] == 15_001
    assert len(asked) == 10


@pytest.mark.parametrize(
    ("most", "enough", "rare"),
    [
        (5, 1, ["boat"]),
        (24, 5, ["boat"]),
        (25, 5, ["boat", "sail"]),
        (24, 6, ["boat", "sail"]),
        (24, 26, ["boat", "sail", "tea"]),
        (125, 1, ["boat", "sail", "tea"]),
    ],
)
def test_the_rarest_words_fit_into_a_budget_and_match_enough(
    most: int, enough: int, rare: list[str]
) -> None:
    assert rarest([(100, "tea"), (5, "boat"), (20, "sail")], most=most, enough=enough) == rare


def test_of_two_texts_with_the_word_the_shorter_comes_first(db: Database) -> None:
    fill(db, [f"tea and {'much more of it ' * 9}", "tea again", *["nothing at all"] * 5])
    with db.snapshot() as tx:
        assert found(tx, "tea") == [2, 1]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("tea/coffee", "coffee"),
        ("write to anna@example.com", "example"),
        ("see www.example.org/boats", "boats"),
        ("the Zoë-Müller prize", "muller"),
        ("he ran 3.14 miles", "14"),
        ("snake_case_word", "case"),
        ("they were sailing", "sail"),
    ],
)
def test_every_word_is_found_whatever_stands_around_it(db: Database, text: str, word: str) -> None:
    fill(db, [text, *["nothing at all"] * 5])
    with db.snapshot() as tx:
        assert found(tx, word) == [1]


def test_only_what_a_token_opens_is_found(db: Database) -> None:
    with db.transaction() as tx:
        store.put(tx, [doc(1, "tea", "ca0"), doc(2, "tea", "cb0"), doc(3, "tea", "ca0", "cb0")])
        assert found(tx, "tea", acl=("ca0",)) == [1, 3]
        assert found(tx, "tea", acl=()) == []
        few = store.find_among_few(tx, Query(("tea",), ("cb0",)), limit=10)
    assert few is not None
    assert [hit.seq for hit in few] == [2, 3]


def test_what_one_may_not_see_does_not_move_what_one_finds(db: Database) -> None:
    mine = [
        doc(1, "tea with milk", "ca0"),
        doc(2, "a boat", "ca0"),
        *(doc(seq, "nothing at all", "ca0") for seq in range(3, 9)),
    ]
    asked = Query(("tea", "boat"), ("ca0",))
    with db.transaction() as tx:
        store.put(tx, mine)
        before = store.find_among_few(tx, asked, limit=10)
        store.put(tx, [doc(seq, "a boat", "cb0") for seq in range(10, 60)])
        after = store.find_among_few(tx, asked, limit=10)
    assert before is not None
    assert after is not None
    assert [hit.seq for hit in before] == [hit.seq for hit in after]
    if db.dialect == "postgres":
        assert before == after


def test_whoever_sees_much_is_told_so(db: Database) -> None:
    fill(db, ["tea"] * 1_201)
    with db.snapshot() as tx:
        assert store.find_among_few(tx, Query(("tea",), (EVERYONE,)), limit=10) is None


def test_a_text_that_was_replaced_is_found_by_its_new_words_only(db: Database) -> None:
    fill(db, ["tea", "coffee", "water"])
    with db.transaction() as tx:
        store.replace(tx, doc(1, "cocoa", "ca0"))
        assert found(tx, "tea") == []
        assert found(tx, "cocoa") == [1]
        assert found(tx, "cocoa", acl=(EVERYONE,)) == []
        store.remove(tx, [1, 2, 3])
        assert found(tx, "cocoa", "coffee") == []
        assert store.is_whole(tx)
        store.put(tx, [doc(4, "tea")])
        store.clear(tx)
        assert found(tx, "tea") == []


def test_an_index_that_was_made_before_is_searched_as_one_made_now(server: Server) -> None:
    with Database.open(server.url, realm="older") as db:
        fill(db, ["tea with milk", "tea and sympathy and a long walk home", "coffee", "a boat"])
        with db.snapshot() as tx:
            before = store.find(tx, Query(("tea", "walk", "boat")), limit=10)
        schema.migrate(db.engine, "0007")
        schema.migrate(db.engine, schema.HEAD)
        with db.transaction() as tx:
            after = store.find(tx, Query(("tea", "walk", "boat")), limit=10)
            assert [hit.seq for hit in after] == [hit.seq for hit in before]
            store.remove(tx, [4])
            assert found(tx, "boat") == []


class Meanings:
    """A model that turns a number into a vector of its own."""

    name = "meanings"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[random.Random(text).gauss(0, 1) for _ in range(24)] for text in texts]


def read(db: Database, count: int) -> None:
    """Documents, one in three for everyone, with what the model made of them."""
    texts = [f"number {n}" for n in range(count)]
    docs = [
        doc(seq, text, "ca0" if seq % 3 else EVERYONE) for seq, text in enumerate(texts, start=1)
    ]
    with db.transaction() as tx:
        store.put(tx, docs)
        packed = similarity.packed(Meanings(), texts)
        vectors.put(tx, "meanings", zip(range(1, count + 1), packed, strict=True))


def closest(db: Database, acl: Sequence[str] | None) -> dict[int, float]:
    with db.snapshot() as tx:
        return similarity.Question(Meanings(), "a question").closest(tx, acl=acl, most=20)


def hand_over(db: Database) -> int:
    with db.transaction() as tx:
        return similarity.hand_over(tx)


@pytest.mark.parametrize("acl", [None, ("ca0",), ("ca0", EVERYONE), ("cz0",)])
def test_the_server_finds_the_same_as_comparing_one_by_one(
    server: Server, acl: Sequence[str] | None
) -> None:
    with Database.open(server.url, realm=f"near_{len(acl or ())}_{(acl or 'x')[0]}") as db:
        read(db, 700)
        by_hand = closest(db, acl)
        assert hand_over(db) == 500
        in_part = closest(db, acl)
        assert hand_over(db) == 200
        assert hand_over(db) == 0
        with db.snapshot() as tx:
            assert vectors.are_compared_here(tx)
            assert vectors.of_model(tx, "meanings", acl=None, waiting=True) == []
        by_server = closest(db, acl)
    assert list(by_server) == list(in_part) == list(by_hand)
    assert by_server == pytest.approx(by_hand, abs=1e-5)
    assert len(by_hand) == (0 if acl == ("cz0",) else 20)


def test_only_what_tokens_open_is_near(db: Database) -> None:
    read(db, 30)
    assert all(seq % 3 for seq in closest(db, ("ca0",)))
    assert closest(db, ()) == {}
    assert len(closest(db, None)) == 20


@pytest.fixture
def modest(server: Server) -> Iterator[str]:
    """The address of somebody who may make a realm in a database, and no extension."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE modest LOGIN")
        connection.execute("CREATE DATABASE modest")
        connection.execute("GRANT CREATE ON DATABASE modest TO modest")
    yield server.url.replace("postgres:@/postgres", "modest:@/modest")
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("DROP DATABASE modest (FORCE)")
        connection.execute("DROP ROLE modest")


def test_where_the_extension_may_not_be_made_vectors_are_compared_one_by_one(modest: str) -> None:
    with Database.open(modest) as db:
        read(db, 30)
        assert hand_over(db) == 0
        with db.snapshot() as tx:
            assert not vectors.are_compared_here(tx)
        assert len(closest(db, None)) == 20


def test_what_is_erased_leaves_no_vector(db: Database) -> None:
    read(db, 3)
    hand_over(db)
    with db.transaction() as tx:
        vectors.forget(tx, [1, 2])
        (left,) = vectors.of_model(tx, "meanings", acl=None)
    assert left[0] == 3
    assert len(left[1]) == 24 * struct.calcsize("f")
