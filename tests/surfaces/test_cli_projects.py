"""`kithkin project`, `branch`, `artifact`, `refs`, `read`, as a stranger or a program uses them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kithkin.soil.fragment_ids import fragment_id

Run = Callable[..., "subprocess.CompletedProcess[str]"]
GOALS = ("--line", "Ship in May", "--line", "Stay small", "--line", "Use SQLite")


def asked(run: Run, *arguments: str) -> Any:
    done = run(*arguments, "--json")
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def goals(run: Run) -> Run:
    asked(run, "project", "create", "Website")
    asked(run, "artifact", "create", "goals_doc", *GOALS)
    return run


def head(run: Run) -> str:
    return str(asked(run, "artifact", "show", "goals_doc")["commit"])


def test_an_artifact_is_shown_with_numbered_lines_or_byte_for_byte(
    goals: Run, tmp_path: Path
) -> None:
    shown = goals("artifact", "show", "goals_doc").stdout
    assert "     3  Use SQLite" in shown
    text = "a\r\nb\x1b[31m\nno newline"
    file = tmp_path / "text.txt"
    file.write_bytes(text.encode())
    asked(goals, "artifact", "create", "odd", str(file))
    assert asked(goals, "artifact", "show", "odd")["content"] == text
    assert "\x1b" not in goals("artifact", "show", "odd").stdout
    plain = subprocess.run(
        [sys.executable, "-m", "kithkin", "artifact", "show", "odd", "--plain"],
        env={"KITHKIN_HOME": str(tmp_path / "home")},
        capture_output=True,
        check=True,
    )
    assert plain.stdout == text.encode()


def test_an_edit_from_a_file_or_standard_input_is_one_commit(goals: Run, tmp_path: Path) -> None:
    file = tmp_path / "goals.txt"
    file.write_text("Ship in June\nStay small\nUse SQLite\n")
    before = head(goals)
    done = asked(goals, "artifact", "edit", "goals_doc", str(file), "--reason", "later")
    assert done["commit"]["parents"] == [before]
    piped = goals("artifact", "edit", "goals_doc", "-", input="Stay small\n")
    assert piped.returncode == 0
    log = asked(goals, "artifact", "log", "goals_doc")
    assert [one["reason"] for one in log] == [None, "later", None]
    assert "later" in goals("artifact", "log", "goals_doc").stdout
    assert goals("artifact", "edit", "goals_doc").returncode == 2
    assert "no file" in goals("artifact", "edit", "goals_doc", "nowhere.txt").stderr


def test_ops_are_carried_out_and_errors_name_the_op(goals: Run) -> None:
    new = f"{fragment_id('Be kind')}"
    ops = f"+4:{new} >1@4 ~1:{fragment_id('Stay small')}->{new}"
    done = goals("artifact", "ops", "goals_doc", ops, "--text", f"{new}=Be kind")
    assert done.returncode == 0, done.stderr
    content = asked(goals, "artifact", "show", "goals_doc")["content"]
    assert content == "Be kind\nUse SQLite\nBe kind\nShip in May\n"
    wrong = goals("artifact", "ops", "goals_doc", "-1 -9")
    assert wrong.returncode == 1
    assert "op 2, `-9`: the text has 3 lines" in wrong.stderr
    assert goals("artifact", "ops", "goals_doc", "-1", "--text", "x").returncode == 2
    assert goals("artifact", "ops", "goals_doc", "-1", "--reason", "one less").returncode == 0


def test_a_stale_edit_is_refused_with_both_hashes(goals: Run) -> None:
    seen = head(goals)
    asked(goals, "artifact", "edit", "goals_doc", "--line", "x")
    stale = goals("artifact", "edit", "goals_doc", "--line", "y", "--based-on", seen[:7], "--json")
    assert stale.returncode == 1
    error = json.loads(stale.stderr)
    assert (error["error"], error["client_hash"]) == ("stale_edit", seen)


def test_diff_blame_revert_and_relabel_answer(goals: Run) -> None:
    first = head(goals)
    said = asked(goals, "branch", "append", "Use PostgreSQL instead", "--as", "alice")["uuid"]
    asked(
        goals, "artifact", "edit", "goals_doc", *GOALS[:4], "--line", "Use PostgreSQL",
        "--because-of", said[:13], "--as", "agent",
    )  # fmt: skip
    diff = goals("artifact", "diff", f"goals_doc@{first[:7]}", "goals_doc").stdout
    assert "-Use SQLite" in diff
    assert "+Use PostgreSQL" in diff
    blame = asked(goals, "artifact", "blame", "goals_doc")
    assert (blame[2]["actor"], blame[2]["said_by"], blame[2]["message"]) == ("agent", "alice", said)
    assert "alice in item_" in goals("artifact", "blame", "goals_doc").stdout
    assert "They are the same." in goals("artifact", "diff", "goals_doc", "goals_doc").stdout
    assert len(asked(goals, "artifact", "log", "goals_doc", "--limit", "1")) == 1
    assert goals("artifact", "revert", "goals_doc", first[:7]).returncode == 0
    assert "Use SQLite" in asked(goals, "artifact", "show", "goals_doc")["content"]
    assert goals("artifact", "relabel", "goals_doc", "aims").returncode == 0
    assert asked(goals, "artifact", "show", "goals_doc")["artifact"]["label"] == "aims"
    assert asked(goals, "artifact", "verify", "aims")["sound"] is True


def test_commits_beside_the_head_are_merged_and_conflicts_shown(goals: Run, tmp_path: Path) -> None:
    seen = head(goals)
    asked(goals, "artifact", "edit", "goals_doc", *GOALS[:4], "--line", "Use MySQL")
    beside = asked(
        goals, "artifact", "edit", "goals_doc", *GOALS[:4], "--line", "Use PostgreSQL",
        "--based-on", seen, "--aside", "--as", "agent",
    )["commit"]["commit"]  # fmt: skip
    clash = goals("artifact", "merge", "goals_doc", beside[:7])
    assert clash.returncode == 1
    for words in ("line 3", "was    Use SQLite", "ours   Use MySQL", "theirs Use PostgreSQL"):
        assert words in clash.stdout
    settled = tmp_path / "settled.txt"
    settled.write_text("Ship in May\n")
    done = asked(goals, "artifact", "merge", "goals_doc", beside[:7], str(settled))
    assert len(done["commit"]["parents"]) == 2
    assert len(asked(goals, "artifact", "log", "goals_doc")) == 4


def test_staged_edits_are_listed_accepted_and_rejected(goals: Run) -> None:
    one = asked(goals, "artifact", "propose", "goals_doc", "--line", "x", "--as", "agent")["uuid"]
    two = asked(
        goals, "read", "propose", "goals_doc", "1", "1", "--line", "Ship soon",
        "--reasoning", "sooner", "--as", "agent",
    )["proposal"]["uuid"]  # fmt: skip
    assert "sooner" in goals("artifact", "proposals", "goals_doc").stdout
    assert goals("artifact", "reject", one, "--reason", "no").returncode == 0
    assert goals("artifact", "accept", two[:15]).returncode == 0
    assert "Nothing waits" in goals("artifact", "proposals", "goals_doc").stdout
    assert asked(goals, "artifact", "show", "goals_doc")["content"].startswith("Ship soon\n")


def test_branches_fork_collapse_reopen_and_are_drawn(goals: Run) -> None:
    first = asked(goals, "branch", "append", "Three ideas. Let us see.")["uuid"]
    assert asked(goals, "branch", "fork", "--at", first, "--as", "agent")["forked_at"] == first
    asked(goals, "branch", "append", "idea one", "--as", "agent")
    drawn = goals("project", "tree").stdout
    assert "1. Three ideas.  ← owner" in drawn
    assert "└── 2. idea one  ← agent" in drawn
    shown = goals("branch", "show", "2").stdout
    assert "forked here" in shown
    assert "agent: idea one" in shown
    refused = goals("branch", "collapse", "1", "too early")
    assert refused.returncode == 1
    assert "active children" in refused.stderr
    asked(goals, "branch", "collapse", "2", "One it is.", "--as", "agent")
    assert "2. One it is. (collapsed)" in goals("project", "tree").stdout
    again = asked(goals, "branch", "reopen", "2", "--as", "agent")
    assert again["log"]["number"] == 3
    assert goals("branch", "go", "1", "--as", "agent").returncode == 0
    frames = asked(goals, "branch", "frames")
    assert [one["participant"] for one in frames] == ["agent", "owner"]
    assert "agent" in goals("branch", "frames").stdout
    assert "no number 9" in goals("branch", "show", "9").stderr
    note = asked(goals, "note", "seen elsewhere")["uuid"]
    assert goals("branch", "put", note[:13]).returncode == 0
    assert "seen elsewhere" in goals("branch", "show", "1").stdout


def test_references_are_parsed_resolved_and_followed_back(goals: Run) -> None:
    said = asked(goals, "branch", "append", "goals_doc:3 is wrong")["uuid"]
    parsed = goals("refs", "parse", "see goals_doc:3 at 10:30").stdout
    assert "see [goals_doc line 3] at 10:30" in parsed
    asked(goals, "artifact", "edit", "goals_doc", "--line", "New", *GOALS)
    (link,) = asked(goals, "refs", "backlinks", "goals_doc:4")
    assert link["source"] == said
    assert "Nothing refers" in goals("refs", "backlinks", "goals_doc:1").stdout
    found = asked(goals, "refs", "resolve", "goals_doc:4")
    assert found["ref"]["type"] == "artifact_line"
    assert goals("refs", "resolve", "goals_doc:99").returncode == 1
    assert goals("refs", "resolve", "hello").returncode == 1


def test_reading_is_seen_followed_and_retraced(goals: Run) -> None:
    said = asked(goals, "branch", "append", "What do we use?")["uuid"]
    used = asked(
        goals, "read", "search", "SQLite", "--artifact", "goals_doc", "--as", "agent",
        "--context", "Looking it up", "--because-of", said,
    )  # fmt: skip
    assert used["passages"][0]["end"] == 3
    for words in (
        ("scroll-to", "goals_doc", "2", "2"),
        ("scroll-up", "1"),
        ("scroll-down", "1"),
        ("select", "goals_doc", "1", "2"),
        ("note", "remember"),
    ):
        done = goals("read", *words, "--as", "agent")
        assert done.returncode == 0, done.stderr
    followed = goals("follow", "agent", "--after", "0", "--once").stdout
    assert "agent looks at goals_doc 2-2" in followed
    assert "agent looked in goals_doc for “SQLite” (Looking it up)" in followed
    told = goals("retrace", used["call"]).stdout.splitlines()
    assert "owner said “What do we use?”" in told[0]
    assert told[1].startswith("   └─ ")
    assert told[2].startswith("      └─ ")
    assert len(asked(goals, "follow", "agent", "--after", "0", "--once")["steps"]) == 6
    assert "remember" in goals("project", "show").stdout


def test_following_shows_each_step_as_it_is_taken(goals: Run, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "kithkin", "follow", "agent", "--every", "0.1"],
        env={"KITHKIN_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        text=True,
    ) as watching:
        assert watching.stdout is not None
        assert "not looked at anything" in watching.stdout.readline()
        asked(goals, "read", "scroll-to", "goals_doc", "1", "2", "--as", "agent")
        assert "agent read goals_doc 1-2" in watching.stdout.readline()
        watching.kill()


def test_a_project_is_exported_imported_and_closed(goals: Run, tmp_path: Path) -> None:
    asked(goals, "branch", "append", "hello")
    out = tmp_path / "folder"
    assert "1 artifacts" in goals("project", "export", str(out)).stdout
    there = ("--home", str(tmp_path / "elsewhere"))
    assert "Took in Website" in goals("project", "import", str(out), *there).stdout
    shown = json.loads(goals("artifact", "show", "goals_doc", *there, "--json").stdout)
    assert shown["commit"] == head(goals)
    assert goals("project", "close", "Website").returncode == 0
    closed = goals("artifact", "edit", "goals_doc", "--line", "x", "--project", "Website")
    assert "was closed" in closed.stderr
    assert "closed" in goals("project", "list").stdout
    assert "Say which" not in goals("project", "show").stderr


def test_a_files_history_in_git_is_brought_in(run: Run, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    signed = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)  # noqa: S607 - whichever
    for number in range(3):
        (repository / "a.txt").write_text("line\n" * (number + 1))
        subprocess.run(["git", "add", "."], cwd=repository, check=True)  # noqa: S607 - the same
        subprocess.run(
            ["git", *signed, "commit", "-qm", f"step {number}"],  # noqa: S607 - the same
            cwd=repository,
            check=True,
        )
    asked(run, "project", "create", "Website")
    made = run("artifact", "create", "doc", "a.txt", "--git", str(repository))
    assert "3 commits" in made.stdout
    log = asked(run, "artifact", "log", "doc")
    assert log[0]["actor"] == "Ann <ann@example.com>"
    assert run("artifact", "create", "doc2", "--git", str(repository)).returncode == 2
