"""`kithkin chat`, `memory`, `why` and `context`, as a stranger or a program uses them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
TOM, SARAH = ("--as", "telegram:1"), ("--as", "telegram:2")
FAMILY = ("--chat", "family", "--group", "--with", "telegram:1", "--with", "telegram:2")


def asked(run: Run, *arguments: str) -> Any:
    ended = run(*arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_the_specifications_verification_commands_work_with_no_model(
    run: Run, tmp_path: Path
) -> None:
    run("chat", "My wife Sarah likes hiking")
    file = tmp_path / "home" / "people.jsonl"
    (sarah,) = [p for p in map(json.loads, file.read_text().splitlines()) if p["name"] == "Sarah"]
    assert sarah["relationships"][0]["relationship"] == "wife"
    told = run("chat", "Tell me about my wife").stdout
    assert told.startswith("Sarah is your wife. You told me on ")
    assert "likes hiking" in told
    assert run("chat", "Hello").returncode == 0
    assert '"self"' in file.read_text()
    names = [json.loads(line)["name"] for line in file.read_text().splitlines()]
    assert "Sarah" in names
    with file.open("a") as out:
        out.write(
            '{"id":"old-1","version":1,"owner_user_id":"user-1","name":"Bob",'
            '"relationship":"friend","aliases":["bobby"]}\n'
        )
    assert asked(run, "people", "show", "old-1")["created_by"] == "user-1"
    for person in map(json.loads, file.read_text().splitlines()):
        for alias in person["aliases"]:
            assert isinstance(alias, str) or "added_by" in alias


def test_the_shapes_of_the_answers_are_as_documented(run: Run) -> None:
    said = asked(run, "chat", "My wife Sarah likes hiking", *TOM)
    assert set(said) == {"reply", "learned", "superseded", "questions", "persons"}
    assert said["learned"][0]["content"] == "likes hiking"
    assert [person["name"] for person in said["persons"]] == ["Sarah"]
    (found,) = asked(run, "memory", "search", "hiking", *TOM)
    assert set(found) >= {
        *("id", "content", "subjects", "said_by", "trust", "sensitivity", "when", "score", "quote")
    }
    assert (found["said_by"], found["trust"]) == ("telegram:1", "hearsay")
    assert found["quote"] == "My wife Sarah likes hiking"
    assert asked(run, "memory", "search", "hiking", *SARAH) == []


def test_what_is_said_in_a_group_is_found_by_who_was_there(run: Run) -> None:
    asked(run, "chat", "I'm training for a marathon", *SARAH, *FAMILY)
    asked(run, "chat", "My doctor put me on a diet and I'm on a diet", *SARAH)
    (found,) = asked(run, "memory", "search", "marathon", *TOM)
    assert found["content"] == "is training for a marathon"
    assert asked(run, "memory", "search", "diet", *TOM) == []
    assert asked(run, "memory", "search", "marathon", "--as", "telegram:3") == []


def test_memories_are_added_shown_changed_and_taken_back(run: Run) -> None:
    (made,) = asked(run, "memory", "add", "likes tea", *TOM)
    shown = asked(run, "memory", "show", made["id"], *TOM)
    assert shown["content"] == "likes tea"
    asked(run, "memory", "edit", made["id"], "--content", "likes green tea", *TOM)
    assert len(asked(run, "memory", "history", made["id"])) == 2
    assert [m["content"] for m in asked(run, "memory", "list", *TOM)] == ["likes green tea"]
    asked(run, "memory", "undo", made["id"], *TOM)
    assert asked(run, "memory", "list", *TOM) == []
    assert asked(run, "memory", "stats") == {"undone": 1}
    assert asked(run, "memory", "sweep")["expired"] == []


def test_a_look_by_the_owner_sees_everything_and_is_recorded(run: Run) -> None:
    asked(run, "chat", "I was diagnosed with diabetes", *SARAH)
    (found,) = asked(run, "memory", "search", "diabetes")
    assert found["sensitivity"] == "sensitive"
    looked = asked(run, "timeline", "--type", "SystemEvent")
    assert "looked" in json.dumps(looked)


def test_why_is_a_tree_for_people_and_json_for_programs(run: Run) -> None:
    said = asked(run, "chat", "My boss Bob likes tea", *TOM)
    uuid = said["learned"][0]["id"]
    tree = run("why", uuid).stdout
    assert [line.split(":")[0].split(",")[0].strip(" └─") for line in tree.splitlines()] == [
        *("memory", "quote", "message", "speaker", "address")
    ]
    why = asked(run, "why", uuid, *TOM)
    assert why["because"][0]["because"][0]["says"] == "My boss Bob likes tea"
    assert run("why", uuid, *SARAH).returncode == 1


def test_a_context_says_who_said_what(run: Run) -> None:
    asked(run, "chat", "My boss Bob likes tea", *TOM)
    told = run("context", "what does my boss like", *TOM).stdout
    assert "about Bob: likes tea" in told
    assert "Nothing" in run("context", "what does my boss like", *SARAH).stdout


def test_people_are_forgotten_only_when_told_so(run: Run, tmp_path: Path) -> None:
    asked(run, "people", "self", *SARAH, "--name", "Sarah Zyxwv")
    asked(run, "chat", "I collect antique thimbles", *SARAH)
    preview = run("people", "forget", "Sarah").stdout
    assert "Would forget: 1 memories, 1 messages" in preview
    run("backup", str(tmp_path / "copy.db"))
    told = run("people", "forget", "Sarah", "--yes").stdout
    assert "Forgotten: 1 memories" in told
    assert "copy.db" in told
    for file in (tmp_path / "home").iterdir():
        assert b"thimbles" not in file.read_bytes(), file
        assert b"Zyxwv" not in file.read_bytes(), file
    assert run("verify").returncode == 0


def test_a_conversation_reads_lines_and_obeys_commands(run: Run) -> None:
    lines = "My boss Bob likes tea\n/people\n/why\n/undo\nwhat does my boss like?\n/help\n/quit\n"
    told = run("chat", *TOM, input=lines).stdout
    assert "Noted: Bob likes tea." in told
    assert "address: telegram:1" in told
    assert "Taken back: 1 memories." in told
    assert "I know nothing more about Bob" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("chat", "", "--as", "telegram:1"), "empty"),
        (("chat", "hi", "--as", "nobody"), "channel"),
        (("memory", "show", "entity_nothing"), "nothing with the id"),
        (("memory", "add", "the password is hunter2", "--as", "telegram:1"), "secret"),
        (("chat", "hi", "--as", "telegram:1", "--group"), "--chat"),
    ],
)
def test_misuse_says_what_to_do_next(run: Run, arguments: tuple[str, ...], says: str) -> None:
    ended = run(*arguments)
    assert ended.returncode == 1
    assert says in ended.stderr


def test_chatting_loads_no_web_framework_model_library_or_numpy(tmp_path: Path) -> None:
    script = (
        "import sys; from kithkin.cli.root import run\n"
        f"run(['chat', 'My wife Sarah likes hiking', '--home', {str(tmp_path / 'h')!r}])\n"
        "heavy = {'numpy', 'pydantic_ai', 'pydantic', 'openai', 'fastapi', 'httpx', 'tokenizers'}\n"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
