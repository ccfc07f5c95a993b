"""A large realm, computed again from what happened."""

import random
import time
from pathlib import Path
from typing import Any

from kithkin.api.owner import Admin
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.upkeep.verify import Verified
from tests.upkeep.test_verify import dump


def grow(db: Database, deltas: int) -> None:
    chance = random.Random(deltas)
    by = By(actor="owner", now="2026-01-15T10:00:00.000000+00:00")
    known: list[str] = []
    for start in range(0, deltas, 5000):
        with db.transaction() as tx:
            for number in range(start, min(start + 5000, deltas)):
                if not known or chance.random() < 0.3:
                    known.append(core.add(tx, "thing", {"n": number, "l": []}, by=by).uuid)
                    continue
                before = core.get(tx, chance.choice(known))
                data: dict[str, Any] = {**(before.data or {}), "n": number}
                data["l"] = [*data["l"], number]
                core.change(tx, before, data, by=by)


def test_rebuilding_a_large_realm_gives_the_same_hashes_and_rows(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    deltas = 100_000 if full else 2_000
    with Database.open(place[0], realm=place[1]) as db:
        grow(db, deltas)
        before = dump(db)
        with Admin.open(place[0], realm=place[1], seed=False) as admin:
            started = time.perf_counter()
            assert admin.rebuild().repaired is None
            took = time.perf_counter() - started
            assert dump(db) == before
            found = admin.verify()
    assert isinstance(found, Verified)
    assert found.items == deltas
    print(f"\n{db.dialect}: {deltas} deltas of {found.entities} entities rebuilt in {took:.1f} s")


def test_words_erased_from_a_large_realm_are_in_no_byte_of_it(
    tmp_path: Path,
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    count = 20_000 if full else 500
    words = "correct horse battery staple"
    by = By(actor="owner", now="2026-01-15T10:00:00.000000+00:00")
    with Database.open(tmp_path) as db, Admin.open(tmp_path) as admin:
        with db.transaction() as tx:
            made = core.add(tx, "thing", {"text": words}, by=by)
        grow(db, count)
        for number in range(20):
            with db.transaction() as tx:
                before = core.get(tx, made.uuid)
                data = {**(before.data or {}), "more": f"{words} {number}"}
                core.change(tx, before, data, by=by)
        admin.erase(made.uuid)
        assert isinstance(admin.verify(), Verified)
        assert admin.rebuild().repaired is None
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert all(words.encode() not in file.read_bytes() for file in files)
