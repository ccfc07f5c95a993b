"""What was approved is delivered at least once, under one key, whoever dies when."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.outbound.delivery import LEASE
from kithkin.outbound.send import Queued
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.conftest import Place

SENDER = Path(__file__).with_name("sender.py")


def test_a_kill_between_state_send_and_record_loses_nothing(
    place: Place, tmp_path: Path, *, full: bool
) -> None:
    messages, kills = (2000, 300) if full else (60, 12)
    file = tmp_path / "sent.jsonl"
    approved = _approve(place, messages)
    died = rounds = 0
    while rounds < kills or _waiting(place):
        minutes = str(rounds * 3)
        assert LEASE.total_seconds() < 180
        died += _send(place, file, minutes, seed=rounds) != 0
        rounds += 1
        assert rounds < kills * 20
    sent = Counter(json.loads(line)["key"] for line in file.read_text().splitlines())
    with Admin.open(place[0], realm=place[1], clock=FixedClock()) as admin:
        rows = admin.outbox.list(limit=messages + 1)
        assert {row.state for row in rows} == {"sent"}
        assert isinstance(admin.verify(), Verified)
    assert {row.key for row in rows} == set(sent)
    assert len(sent) == approved == messages
    assert died > 0
    print(
        f"\n{messages} messages, {died} of {rounds} senders killed: none lost, "
        f"{sum(sent.values()) - messages} sent again under the same key ({place[1][:2]})"
    )


def _approve(place: Place, messages: int) -> int:
    clock = FixedClock()
    with Admin.open(place[0], realm=place[1], clock=clock) as admin:
        admin.owner.add_address("telegram", "100")
    with Kithkin.open(place[0], realm=place[1], clock=clock) as kin:
        return sum(
            isinstance(kin.outbound.notify(f"message {number}"), Queued)
            for number in range(messages)
        )


def _send(place: Place, file: Path, minutes: str, *, seed: int) -> int:
    return subprocess.run(
        [sys.executable, str(SENDER), *place, str(file), minutes, str(seed)],
        check=False,
        timeout=120,
    ).returncode


def _waiting(place: Place) -> bool:
    with Admin.open(place[0], realm=place[1], clock=FixedClock()) as admin:
        return bool(admin.outbox.list(state="due", limit=1))
