"""How fast messages come in and addresses are found, against the floor of `ground.py`.

python benchmarks/contacts.py [--addresses 1000000] [--folder ON_A_REAL_DISK]
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from ground import Floor, interleaved
from kithkin.api.connector import Connector
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.contacts import store as contacts
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.intake.receive import Incoming

BY = By(actor="bench", now="2026-01-15T10:00:00.000000+00:00")
LEAST_PER_SECOND = 500
MOST_MICROSECONDS = 100


def measure_receive(folder: Path) -> bool:
    """Known senders with an agent behind them, provider ids and all."""
    home = folder / "receive"
    with Admin.open(home) as admin:
        nametag = admin.accounts.list()[0].nametag
        admin.agents.register(nametag, "main", "frontend")
    count = 0
    with Connector.open(home, "telegram") as connector:

        def hear() -> None:
            nonlocal count
            count += 1
            connector.receive(
                Incoming(
                    channel="telegram",
                    sender=str(count % 50),
                    name=f"Sender {count % 50}",
                    text="Shall we meet at eight in front of the station?",
                    verified=True,
                    provider_id=str(count),
                )
            )

        for _ in range(50):
            hear()
        floor, taken = interleaved(Floor(folder), hear)
    per_second = 1 / statistics.median(taken)
    ratio = statistics.median(floor) / statistics.median(taken)
    print(f"receive          {per_second:8.0f}/s  {ratio:.2f} of the floor ({count:,} messages)")
    return per_second >= LEAST_PER_SECOND


def fill(home: Path, addresses: int) -> None:
    """A realm with so many contacts of one address each, written in bulk."""
    Admin.open(home).close()
    with Database.open(home) as db:
        for start in range(0, addresses, 20_000):
            numbers = range(start, min(start + 20_000, addresses))
            with db.transaction() as tx:
                core.add_many(
                    tx,
                    "person",
                    (
                        (f"p-{n}", {"name": f"P {n}", "first_seen": BY.now, "last_changed": BY.now})
                        for n in numbers
                    ),
                    by=BY,
                )
                core.add_many(
                    tx,
                    contacts.CONTACT,
                    (
                        (
                            f"c-{n}",
                            {
                                "person": f"p-{n}",
                                "addresses": [{"type": "telegram", "value": str(10**9 + n)}],
                            },
                        )
                        for n in numbers
                    ),
                    by=BY,
                )
            if start and start % 200_000 == 0:
                print(f"  … {start:,} addresses", file=sys.stderr)


def measure_lookup(folder: Path, addresses: int) -> bool:
    """Whose is this? Among so many, in random order."""
    home = folder / "lookup"
    fill(home, addresses)
    chance = random.Random(addresses)
    times = []
    with Kithkin.open(home) as kin:
        for _ in range(5_000):
            value = str(10**9 + chance.randrange(addresses))
            start = time.perf_counter()
            found = kin.contacts.resolve_contact_by_channel("telegram", value)
            times.append((time.perf_counter() - start) * 1e6)
            assert found is not None
    p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
    print(f"channel look-up  p50 {p50:.0f} µs  p99 {p99:.0f} µs  among {addresses:,} addresses")
    return p50 <= MOST_MICROSECONDS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addresses", type=int, default=50_000)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        fast = [
            measure_receive(Path(folder)),
            measure_lookup(Path(folder), chosen.addresses),
        ]
    return 0 if all(fast) else 1


if __name__ == "__main__":
    sys.exit(main())
