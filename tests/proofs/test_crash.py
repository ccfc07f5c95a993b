"""Nothing acknowledged is lost, however often a writer or the server is killed."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.upkeep.verify import Verified

WRITER = Path(__file__).with_name("writer.py")


@contextmanager
def bystander(where: str, realm: str) -> Iterator["list[str]"]:
    """A second process that stays open and keeps writing; what it was told at the end."""
    acknowledged: list[str] = []
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [sys.executable, str(WRITER), where, realm, "bystander"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=complaints,
            text=True,
        )
        try:
            while process.poll() is None and not os.fstat(out.fileno()).st_size:
                time.sleep(0.01)
            yield acknowledged
            process.communicate("stop", timeout=60)
            complaints.seek(0)
            assert process.returncode == 0, complaints.read()[-4000:]
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        out.seek(0)
        acknowledged += out.read().split()[1:]


def killed(where: str, realm: str, kills: int, seed: int) -> list[str]:
    ended = subprocess.run(
        [sys.executable, str(WRITER), where, realm, "killed", str(kills), str(seed)],
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout.split()


def written(where: str, realm: str) -> set[str]:
    with Database.open(where, realm=realm) as db, db.snapshot() as tx:
        return {
            row[0]
            for statement in (
                "SELECT uuid FROM item",
                "SELECT new_hash FROM delta_notification",
                "SELECT uuid FROM multi_relation",
            )
            for row in tx.execute(statement, {})
        }


def prove_sound(where: str, realm: str, acknowledged: list[str]) -> Verified:
    assert set(acknowledged) <= written(where, realm)
    with Admin.open(where, realm=realm) as admin:
        found = admin.verify()
        assert isinstance(found, Verified), found
        assert admin.rebuild().repaired is None
    return found


def test_no_acknowledged_write_is_lost_when_writers_are_killed(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    where, realm = place
    kills = 1000 if full else 25
    Database.open(where, realm=realm).close()
    with bystander(where, realm) as aside:
        acknowledged = killed(where, realm, kills, seed=kills)
    found = prove_sound(where, realm, acknowledged + aside)
    assert acknowledged
    assert aside
    print(
        f"\n{kills} writers killed: {len(acknowledged)} acknowledged writes of theirs and "
        f"{len(aside)} of a process that stayed open, all of {found.items} items sound"
    )


def test_no_acknowledged_write_is_lost_when_the_server_is_killed(
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    from tests.conftest import Server  # noqa: PLC0415 - a server of its own, to kill

    kills = 100 if full else 3
    chance = random.Random(kills)
    with tempfile.TemporaryDirectory(prefix="kithkin-pg-") as folder:
        server = Server(Path(folder))
        try:
            Database.open(server.url, realm="crash").close()
            with bystander(server.url, "crash") as aside:
                for _ in range(kills):
                    time.sleep(chance.uniform(0.05, 0.5))
                    _kill(server)
            acknowledged = killed(server.url, "crash", 5, seed=1)
            found = prove_sound(server.url, "crash", acknowledged + aside)
        finally:
            server.stop()
    assert aside
    print(
        f"\nserver killed {kills} times: {len(aside)} acknowledged writes, "
        f"all of {found.items} items sound"
    )


def _kill(server: Any) -> None:
    pid = server.pid()
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.01)
    for _ in range(50):
        try:
            server.restart()
        except subprocess.SubprocessError:
            # The old server's backends must be gone before its files can be taken over.
            time.sleep(0.1)
        else:
            return
    raise AssertionError("The server did not come back.")
