"""`kithkin persona`, `profile` and `doubts`, as a stranger or a program uses them."""

import json
from typing import Any

from tests.conftest import Run

TOM = ("--as", "telegram:1")


def asked(run: Run, *arguments: str) -> Any:
    ended = run(*arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_a_whole_story_from_the_cast_to_the_answer(run: Run) -> None:
    run("people", "self", *TOM, "--name", "Tom")
    made = asked(run, "persona", "add", "Gandalf", "--alias", "Mithrandir", "--trait", "wise")
    assert (made["aliases"], made["groups_visible"]) == (["Mithrandir"], ["*"])
    run("chat", "I work at Mordor", *TOM, "--persona", "mithrandir")
    assert asked(run, "memory", "search", "Mordor", *TOM) == []
    (doubt,) = asked(run, "doubts", "list")
    assert doubt["details"]["changes"][0]["persona_name"] == "Gandalf"
    assert run("doubts", "ask").stdout.startswith("I noticed Gandalf picked up something")
    (done,) = asked(run, "doubts", "answer", "that's", "real")
    assert done["verdict"] == "keep"
    (found,) = asked(run, "memory", "search", "Mordor", *TOM)
    assert (found["groups"], found["in_doubt"]) == (["*"], False)
    assert run("doubts", "ask").stdout == ""


def test_an_item_is_set_locked_shown_and_said_to_be_real(run: Run) -> None:
    run("people", "self", *TOM, "--name", "Tom")
    run("persona", "add", "Frodo", "--group", "Fellowship")
    made = asked(run, "profile", "set", "Pet", "pony", *TOM, "--persona", "Frodo")["item"]
    assert (made["groups"], made["learned_by"]) == (["Fellowship"], "Frodo")
    real = asked(run, "profile", "real", made["id"])
    assert (real["groups"], real["validated"]) == (["*"], "human")
    assert asked(run, "profile", "unlock", real["id"])["validated"] is None
    assert asked(run, "profile", "lock", real["id"])["validated"] == "human"
    assert "pony" in run("profile", "show", real["id"]).stdout
    waits = run("profile", "set", "Pet", "warg", *TOM, "--persona", "Frodo").stdout
    assert waits.startswith("It waits for your word")
    assert "Nothing new." in run("profile", "set", "Pet", "pony", *TOM).stdout


def test_what_cannot_be_done_says_what_to_do(run: Run) -> None:
    run("persona", "add", "Frodo", "--group", "Fellowship")
    for arguments, says in (
        (("persona", "add", "frodo"), "already"),
        (("persona", "add", "Sam", "--group", "*"), "real world"),
        (("persona", "archive", "Steward"), "persona steward NAME"),
        (("chat", "hi", "--persona", "Nobody"), "persona list"),
        (("doubts", "answer", "real"), "doubts ask"),
        (("profile", "show", "entity_no"), "entity_no"),
    ):
        ended = run(*arguments)
        assert ended.returncode == 1, arguments
        assert says in ended.stderr
    assert run("persona", "add", "X", "--isolated", "--sees", "*").returncode == 2


def test_a_persona_is_archived_brought_back_and_made_the_steward(run: Run) -> None:
    run("persona", "add", "Sam", "--group", "Shire")
    run("persona", "archive", "Sam")
    assert "archived" in run("chat", "hi", "--persona", "Sam").stderr
    assert "Sam" not in run("persona", "list").stdout
    run("persona", "edit", "Sam", "--restore", "--name", "Samwise")
    assert asked(run, "persona", "steward", "Samwise")["steward"] is True
    stewards = [one["name"] for one in asked(run, "persona", "list") if one["steward"]]
    assert stewards == ["Samwise"]
