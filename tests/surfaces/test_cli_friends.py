"""The commands about friends."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ANN, BOB = "happy-penguin-42", "swift-fox-42"


def asked(run: Run, *arguments: str) -> Any:
    ended = run(*arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def refused(run: Run, *arguments: str) -> str:
    ended = run(*arguments)
    assert ended.returncode == 1, ended.stdout
    assert ended.stdout == ""
    return ended.stderr


@pytest.fixture
def both(run: Run) -> Run:
    """A realm with two accounts, each with an agent."""
    for name, tag in (("Ann", ANN), ("Bob", BOB)):
        drawn = asked(run, "account", "create", "--name", name)["nametag"]
        asked(run, "account", "nametag", drawn, tag)
        asked(run, "agents", "register", "main", "--account", tag, "--frontend")
    return run


def test_two_ask_write_and_part(both: Run) -> None:
    assert asked(both, "friend", "add", BOB, "--as", ANN) == {
        "step": {"type": "Requested"},
        "nametag": BOB,
        "kept": False,
    }
    (waits,) = asked(both, "friend", "list", "--as", BOB)["incoming"]
    assert waits["nametag"] == ANN
    assert asked(both, "friend", "add", ANN, "--as", BOB)["step"] == {"type": "Confirmed"}
    sent = asked(both, "friend", "send", BOB, "Hello!", "--as", ANN)
    came = asked(both, "inbox", "--as", BOB)
    assert came[-1]["item"]["uuid"] == sent["message"]
    assert came[-1]["text"].endswith(
        f'<system_message origin="friend:{ANN}">\nMessage from {ANN}: Hello!\n</system_message>'
    )
    assert asked(both, "friend", "remove", ANN, "--as", BOB)["step"] == {"type": "Unfriended"}
    assert f"{BOB} removed you as a friend." in both("inbox", "--as", ANN).stdout


def test_refusals_exit_1_with_the_words_of_the_specification(both: Run) -> None:
    assert "no relationship" in refused(both, "friend", "remove", BOB, "--as", ANN)
    assert "not friends" in refused(both, "friend", "send", BOB, "Hi", "--as", ANN)
    both("friend", "add", BOB, "--as", ANN)
    assert "already pending" in refused(both, "friend", "add", BOB, "--as", ANN)
    both("friend", "remove", BOB, "--as", ANN)
    assert "try again later" in refused(both, "friend", "add", BOB, "--as", ANN)
    both("friend", "add", ANN, "--as", BOB)
    both("friend", "add", BOB, "--as", ANN)
    assert "already friends" in refused(both, "friend", "add", BOB, "--as", ANN)
    assert "is empty" in refused(both, "friend", "send", BOB, " ", "--as", ANN)
    assert "Nobody here" in refused(both, "friend", "add", "lost-owl-77", "--as", ANN)
    assert "no nametag" in refused(both, "friend", "add", "<x>", "--as", ANN)
    assert "your own nametag" in refused(both, "friend", "add", ANN, "--as", ANN)


def test_a_program_reads_when_it_may_try_again(both: Run) -> None:
    both("friend", "add", BOB, "--as", ANN)
    both("friend", "remove", BOB, "--as", ANN)
    ended = both("friend", "add", BOB, "--as", ANN, "--json")
    told = json.loads(ended.stderr)
    assert (ended.returncode, told["error"]) == (1, "try_later")
    assert told["try_again_at"].endswith("+00:00")


def test_blocking_and_taking_it_back(both: Run) -> None:
    assert asked(both, "friend", "block", BOB, "--as", ANN)["step"] == {"type": "Blocked"}
    assert "blocked" in both("friend", "list", "--as", ANN).stdout
    assert "takes no requests" in refused(both, "friend", "add", ANN, "--as", BOB)
    assert asked(both, "friend", "unblock", BOB, "--as", ANN)["step"] == {"type": "Unblocked"}
    assert "Asked" in both("friend", "add", ANN, "--as", BOB).stdout
    assert f"{BOB}" in both("friend", "list", "--as", ANN).stdout


def test_only_an_agent_that_talks_to_its_person_acts(both: Run) -> None:
    asked(both, "agents", "register", "worker", "--account", ANN, "--background")
    told = refused(both, "friend", "list", "--as", ANN, "--agent", "worker")
    assert "works in the background" in told
    zoe = asked(both, "account", "create", "--name", "Zoe")["nametag"]
    assert "agents register" in refused(both, "friend", "list", "--as", zoe)
    kept = both("friend", "add", zoe, "--as", ANN).stdout
    assert "It will be delivered when they are here." in kept
    assert "Nobody yet" in both("friend", "list", "--as", BOB).stdout


def test_an_inbox_that_is_followed_shows_what_comes(both: Run, tmp_path: Path) -> None:
    both("friend", "add", BOB, "--as", ANN)
    following = subprocess.Popen(
        [sys.executable, "-m", "kithkin", "inbox", "--as", BOB, "--follow"],
        env={**os.environ, "KITHKIN_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert following.stdout is not None
        lines = iter(following.stdout)
        assert any("wants to be your friend" in line for line in lines)
        both("friend", "add", ANN, "--as", BOB)
        both("friend", "send", BOB, "Good\x1b[2J evening", "--as", ANN)
        came = next(line for line in lines if "Message from" in line)
        assert came == f"  Message from {ANN}: Good\ufffd[2J evening\n"
    finally:
        following.kill()
        following.communicate()
