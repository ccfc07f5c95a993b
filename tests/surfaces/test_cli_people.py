"""`kithkin people`, as a stranger or a program uses it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

Run = Callable[..., "subprocess.CompletedProcess[str]"]
DAVID = ("--as", "telegram:123456789")


def asked(run: Run, *arguments: str) -> Any:
    return json.loads(run("people", *arguments, "--json").stdout)


def test_the_specifications_verification_commands_work(run: Run, tmp_path: Path) -> None:
    asked(run, "self", *DAVID, "--username", "notzeeg", "--name", "David Cramer")
    asked(run, "add", "my wife", *DAVID, "--hint", "My wife Sarah likes hiking")
    file = tmp_path / "home" / "people.jsonl"
    assert '"self"' in file.read_text()
    (sarah,) = [
        line for line in map(json.loads, file.read_text().splitlines()) if line["name"] == "Sarah"
    ]
    assert sarah["relationships"][0]["relationship"] == "wife"
    assert sarah["aliases"][0]["added_by"] == "123456789"
    assert asked(run, "resolve", "my wife", *DAVID)["person"]["name"] == "Sarah"
    with file.open("a") as out:
        out.write(
            '{"id":"old-1","version":1,"owner_user_id":"user-1","name":"Bob",'
            '"relationship":"friend","aliases":["bobby"]}\n'
        )
    bob = asked(run, "show", "old-1")
    assert bob["created_by"] == "user-1"
    assert bob["relationships"] == [
        {"relationship": "friend", "stated_by": None, "created_at": None}
    ]
    assert bob["aliases"] == [{"value": "bobby", "added_by": None, "created_at": None}]


def test_the_shapes_of_the_answers_are_as_documented(run: Run) -> None:
    met = asked(run, "self", *DAVID, "--name", "David Cramer")
    assert set(met) == {"created", "person"}
    made = asked(run, "add", "my wife", *DAVID, "--hint", "my wife Sarah")
    assert (made["status"], made["created"], made["candidates"]) == ("created", True, [])
    again = asked(run, "add", "my wife", *DAVID)
    assert (again["status"], again["created"]) == ("found", False)
    found = asked(run, "resolve", "my wife", *DAVID)
    assert found["status"] == "found"
    assert found["reason"]
    assert set(found["person"]) >= {
        "id",
        "version",
        "created_by",
        "name",
        "relationships",
        "aliases",
        "merged_into",
        "created_at",
        "updated_at",
        "metadata",
    }
    unknown = run("people", "resolve", "my wife", "--as", "telegram:2", "--json")
    assert unknown.returncode == 1
    assert json.loads(unknown.stdout)["status"] == "unknown"
    assert json.loads(unknown.stdout)["person"] is None


def test_a_tie_lists_its_candidates(run: Run) -> None:
    asked(run, "add", "Sarah Miller", "--as", "telegram:1")
    asked(run, "add", "Sarah Jones", "--as", "telegram:2")
    tie = run("people", "resolve", "Sarah", "--json")
    assert tie.returncode == 1
    answer = json.loads(tie.stdout)
    assert answer["status"] == "ambiguous"
    assert {one["name"] for one in answer["candidates"]} == {"Sarah Miller", "Sarah Jones"}
    refused = run("people", "show", "Sarah")
    assert refused.returncode == 1
    assert "Give the id" in refused.stderr
    assert len(asked(run, "search", "Sarah")) == 2


def names(people: list[dict[str, str]]) -> list[str]:
    return sorted(person["name"] for person in people)


def test_records_are_merged_shown_and_unmerged(run: Run) -> None:
    one = asked(run, "add", "Sarah Miller", "--as", "telegram:1")["person"]["id"]
    two = asked(run, "self", "--as", "telegram:2", "--name", "Zoe Jones")["person"]["id"]
    assert "Nothing was changed" in run("people", "merge", one, two, "--preview").stdout
    done = asked(run, "merge", one, two)
    assert set(done) == {"merge_id"}
    assert asked(run, "resolve", "Zoe Jones")["person"]["id"] == one
    assert done["merge_id"] in run("people", "history", one).stdout
    assert names(asked(run, "list")) == ["Owner", "Sarah Miller"]
    assert names(asked(run, "list", "--all")) == ["Owner", "Sarah Miller", "Zoe Jones"]
    assert run("people", "unmerge", done["merge_id"]).returncode == 0
    assert names(asked(run, "list")) == ["Owner", "Sarah Miller", "Zoe Jones"]


def test_names_claims_and_aliases_are_changed_and_protected(run: Run) -> None:
    asked(run, "self", *DAVID, "--username", "notzeeg", "--name", "David Cramer")
    asked(run, "relate", "David Cramer", "boss", "--as", "telegram:2")
    assert "boss" in run("people", "show", "notzeeg").stdout
    refused = run("people", "alias", "remove", "notzeeg", "notzeeg", "--as", "telegram:2")
    assert refused.returncode == 1
    assert "only they" in refused.stderr
    asked(run, "alias", "add", "notzeeg", "@dc", "--as", "telegram:2")
    assert asked(run, "rename", "dc", "Dave")["name"] == "Dave"
    asked(run, "unrelate", "Dave", "boss", "--as", "telegram:2")
    unknown = run("people", "relate", "Dave", "overlord", "--as", "telegram:2")
    assert unknown.returncode == 1
    assert "best friend" in unknown.stderr


def test_the_prompt_duplicates_doctor_export_and_import_answer(run: Run, tmp_path: Path) -> None:
    asked(run, "add", "my wife", *DAVID, "--hint", "my wife Sarah Miller")
    assert "- **Sarah Miller** (wife)" in run("people", "prompt", *DAVID).stdout
    assert "No two records" in run("people", "duplicates").stdout
    assert run("people", "doctor").returncode == 0
    with (tmp_path / "home" / "people.jsonl").open("a") as file:
        file.write("broken\n")
    sick = run("people", "doctor")
    assert sick.returncode == 1
    assert "line 3" in sick.stdout
    out = str(tmp_path / "out.jsonl")
    assert run("people", "export", out).returncode == 0
    elsewhere = run("people", "import", out, "--home", str(tmp_path / "elsewhere"))
    assert "2 people added" in elsewhere.stdout


def test_names_are_compared_and_address_books_grouped(run: Run, tmp_path: Path) -> None:
    assert run("people", "same", "Bob", "Robert").returncode == 0
    assert run("people", "same", "Bob", "Sarah").returncode == 1
    book = tmp_path / "book.jsonl"
    book.write_text(
        '{"id": "1", "name": "Robert Smith"}\n{"id": "2", "name": "Bob Smith"}\n'
        '{"id": "3", "name": "Sarah Jones"}\n'
    )
    groups = asked(run, "group", str(book))
    assert sorted(map(sorted, groups)) == [["1", "2"], ["3"]]
