"""How fast the ground is, against a floor measured in the same run.

The floor is plain sqlite3: one INSERT of the same JSON with its SHA-256 in WAL mode with
synchronous=FULL, one commit each. Absolute times say little on a noisy machine; the ratios count.

    python benchmarks/ground.py [--items 1000000] [--folder ON_A_REAL_DISK]
"""

import argparse
import hashlib
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.upkeep.verify import Verified

BLOCKS, BLOCK = 12, 100
BY = By(actor="bench", now="2026-01-15T10:00:00.000000+00:00")
DATA = {"name": "Sarah Miller", "city": "Lisbon", "tags": ["friend", "hiking"], "n": 0}


class Floor:
    """One INSERT, one SHA-256, one commit."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, hash TEXT, data TEXT)")
        self._count = 0

    def __call__(self) -> None:
        self._count += 1
        text = json.dumps({**DATA, "n": self._count}, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO t (hash, data) VALUES (?, ?)", (digest, text))
        self._connection.execute("COMMIT")


def interleaved(*jobs: Callable[[], object]) -> list[list[float]]:
    """The times of each job, taken in alternating blocks so that noise falls on all alike."""
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(BLOCKS):
        for job, taken in zip(jobs, times, strict=True):
            for _ in range(BLOCK):
                start = time.perf_counter()
                job()
                taken.append(time.perf_counter() - start)
    return times


def grow(home: Path, items: int) -> list[str]:
    """A realm of so many items, a third of them new entities; some of their ids."""
    chance = random.Random(items)
    ids: list[str] = []
    with Database.open(home) as db:
        for start in range(0, items, 10_000):
            with db.transaction() as tx:
                for number in range(start, min(start + 10_000, items)):
                    if len(ids) < 100 or number % 3 == 0:
                        ids.append(core.add(tx, "thing", {**DATA, "n": number}, by=BY).uuid)
                        continue
                    before = core.get(tx, chance.choice(ids))
                    data = {**(before.data or {}), "n": number}
                    core.change(tx, before, data, by=BY)
            if start and start % 100_000 == 0:
                print(f"  … {start:,} items", file=sys.stderr)
    return chance.sample(ids, min(len(ids), 5000))


def changes(kin: Kithkin, ids: list[str]) -> Callable[[], object]:
    """A durable change of a random entity."""
    chance = random.Random(1)

    def change() -> None:
        kin.entities.change(chance.choice(ids), {"n": chance.random()})

    return change


def notes(kin: Kithkin) -> Callable[[], object]:
    """A durable append."""
    return lambda: kin.timeline.note(json.dumps(DATA))


def writing(folder: Path, items: int) -> bool:
    """Appends and changes against the floor, in a small realm and a large one."""
    small_ids = grow(folder / "small", 1000)
    print(f"growing a realm to {items:,} items", file=sys.stderr)
    large_ids = grow(folder / "large", items)
    with Kithkin.open(folder / "small") as small, Kithkin.open(folder / "large") as large:
        jobs = (
            Floor(folder),
            notes(small),
            changes(small, small_ids),
            notes(large),
            changes(large, large_ids),
        )
        interleaved(*jobs)  # warm caches
        floor, *measured = interleaved(*jobs)
    names = ("append, 1k items", "change, 1k items", f"append, {items:,}", f"change, {items:,}")
    base = statistics.median(floor)
    print(f"{'floor':22} {1 / base:8.0f}/s  p50 {base * 1e6:6.0f} µs")
    for name, times in zip(names, measured, strict=True):
        mid = statistics.median(times)
        print(f"{name:22} {1 / mid:8.0f}/s  p50 {mid * 1e6:6.0f} µs  {base / mid:.2f} of the floor")
    ratios = [base / statistics.median(times) for times in measured]
    growth = statistics.median(measured[3]) / statistics.median(measured[1])
    print(f"a change at {items:,} items costs {growth:.2f}x one at 1k")
    return told("every write ≥ 1/3 of the floor", min(ratios) >= 1 / 3) and told(
        "cost of a change flat (≤ 1.5x)", growth <= 1.5
    )


def verifying(folder: Path) -> bool:
    """Items per second, the ledger alone and with every entity refolded."""
    rates = {}
    with Admin.open(folder / "large") as admin:
        for name, only in (("ledger", True), ("all", False)):
            start = time.perf_counter()
            found = admin.verify(ledger_only=only)
            assert isinstance(found, Verified), found
            rates[name] = found.items / (time.perf_counter() - start)
            print(f"verify {name:8} {rates[name]:10,.0f} items/s")
    return told("ledger ≥ 100k/s", rates["ledger"] >= 100_000) and told(
        "with every entity ≥ 40k/s", rates["all"] >= 40_000
    )


def starting() -> bool:
    """How long the command takes to say something, against the interpreter alone."""
    command = str(Path(sys.executable).with_name("kithkin"))

    def run(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=True)

    asked = {"--help": 2.0, "--version": 2.0, "timeline --help": 6.0, "entity show --help": 6.0}
    jobs = [run(sys.executable, "-c", "pass"), *(run(command, *a.split()) for a in asked)]
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(25):
        for job, taken in zip(jobs, times, strict=True):
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    floor, *measured = map(statistics.median, times)
    kept = True
    for (name, most), taken_by in zip(asked.items(), measured, strict=True):
        kept &= told(
            f"kithkin {name} {taken_by / floor:.2f}x `python -c pass`", taken_by <= most * floor
        )
    return kept


def told(what: str, kept: bool) -> bool:  # noqa: FBT001 - a verdict
    """Say whether a threshold was kept."""
    print(f"{'ok  ' if kept else 'MISS'} {what}")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="a folder on a disk with real fsync")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        kept = [starting(), writing(Path(folder), asked.items), verifying(Path(folder))]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
