"""How fast friends write and read, and how long a nametag is looked for, against `ground.py`.

python benchmarks/friends.py [--messages 1000000] [--accounts 1000000] [--folder ON_A_REAL_DISK]
"""

import argparse
import itertools
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ground import Floor, interleaved
from kithkin.accounts import store as accounts
from kithkin.accounts.model import Account, Agent
from kithkin.accounts.nametags import new_nametag, words
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.soil import store as soil
from kithkin.soil.model import Message

BY = By(actor="bench", now="2026-01-15T10:00:00.000000+00:00")
BATCH = 20_000
LIMITS = "[friends]\nsends_per_hour = 1000000000\nsends_per_hour_to_one = 1000000000\n"
LEAST_PER_SECOND = 200
MOST_MILLISECONDS = 5.0
MOST_TRIES = 2.0


def befriended(home: Path) -> tuple[Account, Agent, Agent, str]:
    """An account and its agent, a friend's agent and nametag."""
    home.mkdir()
    (home / "config.toml").write_text(LIMITS)
    with Admin.open(home) as admin:
        ann, bob = admin.accounts.create("Ann"), admin.accounts.create("Bob")
        anns = admin.agents.register(ann.nametag, "main", "frontend")
        bobs = admin.agents.register(bob.nametag, "main", "frontend")
    with Kithkin.open(home, agent=anns.id) as one, Kithkin.open(home, agent=bobs.id) as other:
        one.friends.add(bob.nametag)
        other.friends.add(ann.nametag)
    return ann, anns, bobs, bob.nametag


def measure_send(folder: Path, name: str, messages: int) -> bool:
    """Durable sends, with so many messages in the friend's inbox already."""
    home = folder / name
    ann, anns, bobs, tag = befriended(home)
    fill_inbox(home, ann, bobs, messages)
    with Kithkin.open(home, agent=anns.id) as kin:

        def send() -> None:
            kin.friends.send(tag, "Shall we meet at eight in front of the station?")

        send()
        floor, taken = interleaved(Floor(folder), send)
    (folder / "floor.db").unlink()
    per_second = 1 / statistics.median(taken)
    ratio = statistics.median(floor) / statistics.median(taken)
    print(f"send             {per_second:8.0f}/s  {ratio:.2f} of the floor, {messages:,} before")
    return per_second >= LEAST_PER_SECOND and measure_read(home, bobs, messages)


def fill_inbox(home: Path, ann: Account, bobs: Agent, messages: int) -> None:
    """So many messages of a friend, all but the last hundred acknowledged."""
    with Database.open(home) as db:
        for start in range(0, messages, BATCH):
            with db.transaction() as tx:
                said = [
                    Message(
                        f"message {n}",
                        f"friend:{ann.id}",
                        subject=f"friend:{ann.nametag}",
                        person=ann.person,
                        verified=True,
                    )
                    for n in range(start, min(start + BATCH, messages))
                ]
                items = soil.append_many(tx, said, now=BY.now)
                post_many(tx, bobs, [item.uuid for item in items], start, messages)
            progress(start, "messages")


def post_many(tx: Tx, agent: Agent, items: list[str], start: int, messages: int) -> None:
    tx.executemany(
        "INSERT INTO inbox (id, account, agent, seq, item, sender, posted_at, acked_at)"
        " VALUES (:id, :account, :agent, :seq, :item, 'friend:x', :now, :acked)",
        [
            {
                "id": f"inbox_{start + n}",
                "account": agent.account,
                "agent": agent.id,
                # After the notices of the handshake, which came first.
                "seq": start + n + 10,
                "item": item,
                "now": BY.now,
                "acked": BY.now if start + n < messages - 100 else None,
            }
            for n, item in enumerate(items)
        ],
    )


def measure_read(home: Path, agent: Agent, messages: int) -> bool:
    """What waits, twenty at a time, as an agent reads it."""
    times = []
    with Kithkin.open(home, agent=agent.id) as kin:
        for _ in range(500):
            start = time.perf_counter()
            came = kin.inbox.list(limit=20)
            times.append((time.perf_counter() - start) * 1e3)
            assert len(came) == 20
            assert all(one.text for one in came)
    p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
    print(f"inbox read of 20 p50 {p50:.2f} ms  p99 {p99:.2f} ms  among {messages:,} messages")
    return p50 <= MOST_MILLISECONDS


def drawn() -> Iterator[str]:
    """Every nametag that can be drawn, in random order of their words."""
    chance = random.Random(1)
    pairs = list(itertools.product(words("adjectives"), words("nouns")))
    chance.shuffle(pairs)
    # All pairs with one number, then with the next: spread as drawing spreads them.
    for number in chance.sample(range(10, 100), 90):
        yield from (f"{adjective}-{noun}-{number}" for adjective, noun in pairs)


def fill_accounts(home: Path, count: int) -> None:
    """So many accounts, each with a person and a nametag, written in bulk."""
    Admin.open(home).close()
    tags = drawn()
    with Database.open(home) as db:
        for start in range(0, count, BATCH):
            numbers = range(start, min(start + BATCH, count))
            with db.transaction() as tx:
                free = (tag for tag in tags if not accounts.is_taken(tx, tag))
                core.add_many(tx, "person", (person(n) for n in numbers), by=BY)
                made = [
                    (f"a-{n}", {"name": f"P {n}", "person": f"p-{n}", "nametag": next(free)})
                    for n in numbers
                ]
                core.add_many(tx, accounts.ACCOUNT, made, by=BY)
            progress(start, "accounts")


def person(number: int) -> tuple[str, dict[str, str]]:
    return f"p-{number}", {"name": f"P {number}", "first_seen": BY.now, "last_changed": BY.now}


def measure_nametags(folder: Path, count: int) -> bool:
    """A new account's nametag among so many; how often a drawn one was taken."""
    home = folder / "nametags"
    fill_accounts(home, count)
    times, tries = [], 0
    with Database.open(home) as db, db.snapshot() as tx:

        def taken(tag: str) -> bool:
            nonlocal tries
            tries += 1
            return accounts.is_taken(tx, tag)

        for _ in range(5_000):
            start = time.perf_counter()
            new_nametag(taken=taken)
            times.append((time.perf_counter() - start) * 1e6)
    whole = []
    with Admin.open(home) as admin:
        # The first writes everybody to people.jsonl, who came here in bulk.
        admin.accounts.create("First")
        for number in range(200):
            start = time.perf_counter()
            admin.accounts.create(f"New {number}")
            whole.append((time.perf_counter() - start) * 1e3)
    p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
    print(
        f"nametag drawn    p50 {p50:.0f} µs  p99 {p99:.0f} µs  {tries / 5_000:.2f} tries each,"
        f" among {count:,} accounts; an account made in {statistics.median(whole):.1f} ms"
    )
    return tries / 5_000 <= MOST_TRIES


def progress(done: int, what: str) -> None:
    if done and done % 200_000 == 0:
        print(f"  … {done:,} {what}", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--accounts", type=int, default=50_000)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        fast = [
            measure_send(Path(folder), "few", 1_000),
            measure_send(Path(folder), "many", chosen.messages),
            measure_nametags(Path(folder), chosen.accounts),
        ]
    return 0 if all(fast) else 1


if __name__ == "__main__":
    sys.exit(main())
