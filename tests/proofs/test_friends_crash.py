"""Two who ask at once become friends once; whoever is killed loses nothing and tells no lies."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kithkin.accounts.model import Account, Agent
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.soil.content import content_of, fields_of
from kithkin.soil.model import Item, Message, SystemEvent
from kithkin.soil.store import walk
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.conftest import Place

BEFRIENDER = Path(__file__).with_name("befriender.py")
NOTICES = ("friend_requested", "friend_confirmed", "friend_removed")


def enrolled(place: Place, *names: str) -> list[tuple[Account, Agent]]:
    with Admin.open(place[0], realm=place[1], clock=FixedClock()) as admin:
        accounts = [admin.accounts.create(name) for name in names]
        return [(one, admin.agents.register(one.nametag, "main", "frontend")) for one in accounts]


def start(place: Place, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(BEFRIENDER), *place, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run(place: Place, *arguments: str) -> list[str]:
    process = start(place, *arguments)
    told = process.communicate(timeout=600)[0].split()
    assert process.returncode == 0
    return told


def test_50_concurrent_mutual_adds_make_friends_with_one_acceptance(
    place: Place, *, full: bool
) -> None:
    rounds = 20 if full else 2
    met: Counter[str] = Counter()
    for number in range(rounds):
        (ann, anns), (bob, bobs) = enrolled(place, f"Ann {number}", f"Bob {number}")
        both = [
            start(place, "meet", anns.id, bob.nametag, "25"),
            start(place, "meet", bobs.id, ann.nametag, "25"),
        ]
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        told = Counter(
            line
            for process in both
            for line in process.communicate("go\n", timeout=120)[0].splitlines()
        )
        assert [process.returncode for process in both] == [0, 0]
        assert (told["Requested"], told["Confirmed"], told.total()) == (1, 1, 50)
        assert all("already" in line for line in told - Counter(["Requested", "Confirmed"]))
        met += Counter(received(place, anns) + received(place, bobs))
    assert met == {"friend_requested": rounds, "friend_confirmed": rounds}
    with Database.open(place[0], realm=place[1]) as db, db.snapshot() as tx:
        flags = tx.execute("SELECT requested_a, requested_b FROM connections", {}).fetchall()
    assert [tuple(row) for row in flags] == [(1, 1)] * rounds
    print(f"\n{rounds} pairs, 50 adds each from two processes: friends, one acceptance each")


def received(place: Place, agent: Agent) -> list[str]:
    with Kithkin.open(place[0], realm=place[1], agent=agent.id) as kin:
        return [str(fields_of(one.item)["event_type"]) for one in kin.inbox.list()]


def test_a_kill_between_state_and_delivery_loses_nothing_and_tells_nothing_twice(
    place: Place, *, full: bool
) -> None:
    kills = 300 if full else 12
    three = enrolled(place, "Ann", "Bob", "Cleo")
    agents = ",".join(agent.id for _, agent in three)
    sent = run(place, "write", agents, str(kills), str(kills))
    assert sent
    with Database.open(place[0], realm=place[1]) as db, db.snapshot() as tx:
        items = list(walk(tx))
        posted = Counter(row[0] for row in tx.execute("SELECT item FROM inbox", {}))
    told = [item for item in items if is_told(item)]
    assert posted == Counter(item.uuid for item in told)
    assert set(sent) <= set(posted)
    assert len(set(sent)) == len(sent)
    assert promised(items) == Counter(
        str(fields_of(item)["event_type"]) for item in told if item.type == "SystemEvent"
    )
    with Admin.open(place[0], realm=place[1]) as admin:
        assert isinstance(admin.verify(), Verified)
        assert admin.rebuild().repaired is None
    print(
        f"\n{kills} writers killed: {len(sent)} acknowledged messages and {len(told) - len(sent)} "
        "others and notices, each in one inbox once"
    )


def is_told(item: Item) -> bool:
    """Whether an item is one that somebody's agent must find in the inbox."""
    content = content_of(item)
    if isinstance(content, SystemEvent):
        return content.event_type in NOTICES
    return isinstance(content, Message)


def promised(items: list[Item]) -> Counter[str]:
    """The notices that the changes of all pairs call for, read from their deltas alone."""
    found: Counter[str] = Counter()
    state: dict[str, dict[str, Any]] = {}
    for item in items:
        fields = fields_of(item)
        if item.type != "EntityDelta" or fields["entity_type"] != "pair":
            continue
        before = state.get(fields["entity_uuid"], {})
        changed = {name: change[1] for name, change in fields["changes"]["fields"].items()}
        after = state[fields["entity_uuid"]] = {**before, **changed}
        if after.get("ended_by"):
            found["friend_removed"] += 1
        elif asking(after) > asking(before) or before.get("ended_by"):
            found["friend_confirmed" if asking(after) == 2 else "friend_requested"] += 1
    return found


def asking(pair: dict[str, Any]) -> int:
    sides = [(pair.get(side) or {}).get("requested", False) for side in ("a", "b")]
    return 0 if pair.get("ended_by") else sum(sides)


@pytest.mark.parametrize("asleep", [False, True], ids=["awake", "asleep"])
def test_a_reader_that_is_killed_finds_every_message_again_by_its_id(
    place: Place, tmp_path: Path, *, full: bool, asleep: bool
) -> None:
    messages, kills = (190, 50) if full else (60, 10)
    (ann, anns), (bob, bobs) = enrolled(place, "Ann", "Bob")
    where, realm = place
    with (
        Kithkin.open(where, realm=realm, agent=anns.id, clock=FixedClock()) as kin,
        Kithkin.open(where, realm=realm, agent=bobs.id, clock=FixedClock()) as other,
    ):
        if asleep:
            other.inbox.sleep()
        kin.friends.add(bob.nametag)
        other.friends.add(ann.nametag)
        assert not any(kin.friends.send(bob.nametag, f"{n}").kept for n in range(messages))
        expected = [one.waiting.id for one in other.inbox.list(limit=messages + 1)]
        if asleep:
            other.inbox.wake()
    file, rounds = tmp_path / "read.txt", 0
    acked: list[str] = []
    while waiting(place, bobs):
        acked += run(place, "read", bobs.id, str(file), str(kills), str(rounds))
        rounds += 1
        assert rounds < 50
    seen = file.read_text().splitlines()
    assert list(dict.fromkeys(seen)) == expected
    assert len(seen) > len(expected) == messages + 1
    assert len(set(acked)) == len(acked)
    print(
        f"\n{len(expected)} entries, {rounds * kills} readers killed: all read in order, "
        f"{len(seen) - len(expected)} again under the same id"
    )


def waiting(place: Place, agent: Agent) -> bool:
    with Kithkin.open(place[0], realm=place[1], agent=agent.id) as kin:
        return bool(kin.inbox.list(limit=1))
