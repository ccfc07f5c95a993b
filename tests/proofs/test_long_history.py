"""Histories of real length: replayed, rebuilt, raced and killed."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.artifacts.artifact_history import Replayed
from kithkin.artifacts.ops import content_of
from kithkin.db import Database
from kithkin.upkeep.verify import Verified
from tests.artifacts.test_git_history import Repository, edited, texts
from tests.upkeep.test_verify import dump

RACE = """
import sys
from kithkin.api.kithkin import Kithkin
from kithkin.artifacts.model import Conflicted
from kithkin.artifacts.ops import content_of
where, realm, name, first, rounds = sys.argv[1:6]
kin = Kithkin.open(where, realm=realm, actor=name)
own = int(name)
for number in range(int(first), int(first) + int(rounds)):
    shown = kin.artifacts.show("doc")
    lines = list(shown.text.lines)
    lines[own] = f"{name}: {number}"
    text = "".join(f"{line}\\n" for line in lines)
    staged = kin.artifacts.propose("doc", text, based_on=shown.commit)
    assert not isinstance(kin.artifacts.accept(staged.uuid), Conflicted)
    print(number, flush=True)
kin.close()
"""


def test_a_long_history_is_rebuilt_with_every_version(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    count = 5000 if full else 300
    chance = random.Random(count)
    lines = [f"line {number}" for number in range(200)]
    hashes: dict[str, str] = {}
    with Kithkin.open(place[0], realm=place[1]) as kin:
        kin.projects.create("Long")
        kin.artifacts.create("doc", "\n".join(lines))
        for _ in range(count):
            lines = edited(lines, chance)
            text = "\n".join(lines)
            if text != content_of(kin.artifacts.show("doc").text):
                commit = kin.artifacts.edit("doc", text).commit.commit
                hashes[commit] = hashlib.sha256(text.encode()).hexdigest()
    with (
        Database.open(place[0], realm=place[1]) as db,
        Admin.open(place[0], realm=place[1]) as admin,
        Kithkin.open(place[0], realm=place[1]) as kin,
    ):
        before = dump(db)
        started = time.perf_counter()
        assert admin.rebuild().repaired is None
        took = time.perf_counter() - started
        assert dump(db) == before
        assert isinstance(kin.artifacts.verify("doc"), Replayed)
        for commit, digest in hashes.items():
            shown = content_of(kin.artifacts.show(f"doc@{commit}").text)
            assert hashlib.sha256(shown.encode()).hexdigest() == digest
    print(f"\n{len(hashes)} versions rebuilt in {took:.1f} s, each the same by hash")


def started(
    place: tuple[str, str], name: int, *, first: int = 0, rounds: int
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", RACE, *place, str(name), str(first), str(rounds)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_edit_their_own_lines_at_once_lose_nothing(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    rounds, many = (60 if full else 8), 4
    with Kithkin.open(place[0], realm=place[1]) as kin:
        kin.projects.create("Race")
        kin.artifacts.create("doc", "".join(f"{number}\n" for number in range(many)))
        running = [started(place, name, rounds=rounds) for name in range(many)]
        for process in running:
            process.communicate(timeout=600)
        assert [process.returncode for process in running] == [0] * many
        expected = "".join(f"{name}: {rounds - 1}\n" for name in range(many))
        assert content_of(kin.artifacts.show("doc").text) == expected
        assert isinstance(kin.artifacts.verify("doc"), Replayed)
        merges = sum(len(one.parents) == 2 for one in kin.artifacts.log("doc"))
    print(f"\n{many} processes x {rounds} edits of their own line: {merges} merges, nothing lost")


def test_a_kill_in_the_middle_of_edits_leaves_a_sound_project(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    kills = 30 if full else 3
    chance = random.Random(kills)
    with Kithkin.open(place[0], realm=place[1]) as kin:
        kin.projects.create("Kill")
        kin.artifacts.create("doc", "0\n1\n")
    last = 0
    for _ in range(kills):
        with started(place, 1, first=last + 1, rounds=10_000) as process:
            assert process.stdout is not None
            for _ in range(chance.randrange(1, 4)):
                seen = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
        with (
            Kithkin.open(place[0], realm=place[1]) as kin,
            Admin.open(place[0], realm=place[1]) as admin,
        ):
            assert isinstance(admin.verify(), Verified)
            assert isinstance(kin.artifacts.verify("doc"), Replayed)
            last = int(kin.artifacts.show("doc").text.lines[1].partition(": ")[2])
            assert last >= seen
    print(f"\n{kills} kills: what was acknowledged was there, and every version replayed")


def test_every_version_of_a_file_is_brought_in(
    kin: Kithkin,
    tmp_path: Path,
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    count = 500 if full else 60
    chance = random.Random(count)
    repository = Repository(tmp_path / "repository")
    lines: list[str] = []
    for number in range(count):
        lines = edited(lines, chance)
        ending = chance.choice(["\n", "\n", "", "\r\n"])
        repository.commit(number, ("\n".join(lines) + ending).encode() + b"%d" % number)
    kin.projects.create("Website")
    began = time.perf_counter()
    kin.artifacts.bring_from_git("doc", repository.folder, "doc.txt")
    took = time.perf_counter() - began
    expected = repository.blobs()
    assert len(expected) >= count - 1
    found = texts(kin, "doc")
    assert [hashlib.sha256(text).hexdigest() for text in found] == [
        hashlib.sha256(text).hexdigest() for text in expected
    ]
    assert isinstance(kin.artifacts.verify("doc"), Replayed)
    print(f"\n{len(found)} commits of git brought in within {took:.1f} s, equal by hash")
