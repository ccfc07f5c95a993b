"""How fast people are found and met, beside a plain scan of the same records in the same run.

python benchmarks/people.py [--people 100000] [--folder ON_A_REAL_DISK] [--million]
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.jsonl import line_of
from kithkin.people.model import AliasEntry, Found, Person, RelationshipClaim

NOW = datetime(2026, 1, 15, tzinfo=UTC)
LETTERS = ("b", "br", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v")
VOWELS = ("a", "e", "i", "o", "u", "ai", "ea")


def word(chance: random.Random, syllables: int) -> str:
    return "".join(chance.choice(LETTERS) + chance.choice(VOWELS) for _ in range(syllables))


def people(count: int) -> list[Person]:
    """People with five aliases each: first names shared by many, surnames by some."""
    chance = random.Random(count)
    firsts = [word(chance, 2).title() for _ in range(2000)]
    lasts = [word(chance, 3).title() for _ in range(max(200, count // 5))]
    made = []
    for number in range(count):
        first, last = chance.choice(firsts), chance.choice(lasts)
        by = SpeakerKey(f"telegram:{chance.randrange(1 + count // 20)}")
        aliases = (
            f"{first.lower()}{number}",
            last + first[0],
            word(chance, 4),
            f"h{number}",
            first,
        )
        made.append(
            Person(
                id=PersonId(f"person-{number}"),
                name=f"{first} {last}",
                created_by=by,
                created_at=NOW,
                updated_at=NOW,
                aliases=tuple(AliasEntry(alias, by, NOW) for alias in aliases),
                relationships=(RelationshipClaim("friend", by, NOW),),
            )
        )
    return made


def load(home: Path, known: Sequence[Person]) -> float:
    """Write a people.jsonl into an empty folder and open it; seconds until everyone is there."""
    home.mkdir(mode=0o700)
    (home / "people.jsonl").write_text("".join(f"{line_of(person)}\n" for person in known))
    start = time.perf_counter()
    with Kithkin.open(home) as kin:
        assert isinstance(kin.people.find(known[-1].aliases[3].value), Found)
        return time.perf_counter() - start


def read_plainly(home: Path) -> float:
    """What the field does to load: every line into memory, nothing kept that can be looked up."""
    start = time.perf_counter()
    with (home / "people.jsonl").open() as lines:
        assert [json.loads(line) for line in lines]
    return time.perf_counter() - start


def timed(job: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        taken.append(time.perf_counter() - start)
    return sorted(taken)


def scan(known: Sequence[Person], said: str) -> Person | None:
    """What the field does: look at every record in turn."""
    wanted = said.lower().lstrip("@")
    for person in known:
        if person.name.lower() == wanted or any(a.value.lower() == wanted for a in person.aliases):
            return person
    return None


def finding(home: Path, known: Sequence[Person]) -> tuple[list[float], list[float]]:
    """Exact and fuzzy look-ups through the facade."""
    chance = random.Random(1)

    def exact() -> None:
        person = chance.choice(known)
        said = chance.choice((person.aliases[0].value, person.name, f"@{person.aliases[3].value}"))
        kin.people.find_for_speaker(said, person.created_by or "telegram:0")

    def fuzzy() -> None:
        name = chance.choice(known).name
        at = chance.randrange(1, len(name) - 2)
        kin.people.find(name[:at] + name[at + 1 :])

    with Kithkin.open(home) as kin:
        timed(exact, 300)
        return timed(exact, 3000), timed(fuzzy, 300)


def meeting(home: Path) -> float:
    """The median of adding a person, the file included."""
    with Kithkin.open(home) as kin:
        numbers = iter(range(10**9))

        def meet() -> None:
            number = next(numbers)
            kin.people.resolve_or_create(f"Newcomer Zyx{number}qv", speaker="telegram:1")

        timed(meet, 30)
        return statistics.median(timed(meet, 300))


def p(times: Sequence[float], share: float) -> float:
    return times[int(len(times) * share)]


def told(what: str, kept: bool) -> bool:  # noqa: FBT001 - a verdict
    print(f"{'ok  ' if kept else 'MISS'} {what}", flush=True)
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description="People, beside a plain scan.")
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--million", action="store_true", help="also with ten times as many")
    parser.add_argument("--folder", type=Path, help="a folder on a disk with real fsync")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        return 0 if all(run(Path(folder), asked.people, million=asked.million)) else 1


def run(folder: Path, count: int, *, million: bool) -> list[bool]:
    few, known = people(1000), people(count)
    load(folder / "few", few)
    took = load(folder / "many", known)
    kept = [told(f"loading {count:,} lines took {took:.1f} s (≤ 15)", took <= 15)]
    print(f"     that is {took / read_plainly(folder / 'many'):.0f}x json.loads of every line")
    exact, fuzzy = finding(folder / "many", known)
    kept += [
        told(f"exact p50 {p(exact, 0.5) * 1e6:.0f} µs (≤ 100)", p(exact, 0.5) <= 100e-6),
        told(f"exact p99 {p(exact, 0.99) * 1e6:.0f} µs (≤ 1000)", p(exact, 0.99) <= 1e-3),
        told(f"fuzzy p50 {p(fuzzy, 0.5) * 1e3:.1f} ms (≤ 10)", p(fuzzy, 0.5) <= 10e-3),
    ]
    chance = random.Random(2)
    scans = timed(lambda: scan(known, chance.choice(known).aliases[0].value), 30)
    print(f"     a plain scan takes {p(scans, 0.5) / p(exact, 0.5):,.0f}x as long")
    small, large = meeting(folder / "few"), meeting(folder / "many")
    kept.append(
        told(f"meeting somebody: {large / small:.2f}x one among 1,000 (≤ 2)", large <= 2 * small)
    )
    with Admin.open(folder / "many") as admin:
        print(f"     {admin.head().seq:,} items")
    if million:
        kept.append(_at_ten_times(folder, count, exact))
    return kept


def _at_ten_times(folder: Path, count: int, exact: Sequence[float]) -> bool:
    more = people(count * 10)
    took = load(folder / "more", more)
    at_more, fuzzy = finding(folder / "more", more)
    ratio = p(at_more, 0.5) / p(exact, 0.5)
    print(
        f"     {count * 10:,} lines in {took:.0f} s; exact p50 {p(at_more, 0.5) * 1e6:.0f} µs,"
        f" p99 {p(at_more, 0.99) * 1e6:.0f} µs; fuzzy p50 {p(fuzzy, 0.5) * 1e3:.1f} ms"
    )
    return told(f"exact p50 at {count * 10:,} is {ratio:.2f}x that at {count:,} (≤ 2)", ratio <= 2)


if __name__ == "__main__":
    sys.exit(main())
