"""The commands about contacts, messages, questions, rules and secrets."""

import json
import sqlite3
import subprocess  # noqa: TC003 - in a type that is built when the module is loaded
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SECRET = "hunter2-correct-horse"  # noqa: S105 - the secret these tests look for


def asked(run: Run, *arguments: str, **more: Any) -> Any:
    ended = run(*arguments, "--json", **more)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture
def home(run: Run, tmp_path: Path) -> Path:
    run("owner", "setup", "--name", "Ann", "--telegram", "100")
    (tmp_path / "home" / "config.toml").write_text('[channels.telegram]\nkind = "file"\n')
    return tmp_path / "home"


def sent(home: Path) -> list[dict[str, Any]]:
    file = home / "telegram.outgoing.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_receive_prints_preamble_identity_message_and_routes(run: Run, home: Path) -> None:
    assert home
    came = asked(run, "receive", "Hi", "--as", "telegram:7", "--name", "Chloe", "--id", "m1")
    assert came["preamble"].startswith("[Source: Unknown sender (temp_contact_id: ")
    assert came["identity"]["entity_id"].startswith("entity_")
    assert came["message"].startswith("item_")
    assert came["routed"] == []
    assert asked(run, "receive", "Hi", "--as", "telegram:7", "--id", "m1")["duplicate"] is True
    mail = asked(run, "receive", "Hi", "--as", "email:a@x.com")
    assert mail["identity"]["verified"] is False


def test_an_unknown_sender_is_settled_in_each_way(run: Run, home: Path) -> None:
    assert home
    contact = asked(run, "receive", "Hi", "--as", "telegram:7", "--name", "Chloe")["identity"]
    uuid = contact["contact_id"]
    assert [one["id"] for one in asked(run, "contacts", "pending")] == [uuid]
    for way, standing in (
        ("--archive", "archived"),
        ("--block", "blocked"),
        ("--confirm", "settled"),
    ):
        assert asked(run, "contacts", "settle", uuid, way)["standing"] == standing
        assert asked(run, "contacts", "settle", uuid, "--reopen")["standing"] == "pending"
    sarah = asked(run, "contacts", "add", "Sarah Jane", "--email", "s@x.com")
    merged = asked(run, "contacts", "settle", uuid, "--merge", "Sarah Jane")
    assert merged["id"] == sarah["id"]
    assert {one["value"] for one in merged["contact_info"]} == {"s@x.com", "7"}
    assert run("contacts", "settle", uuid).returncode == 2


def test_contacts_are_added_edited_listed_and_given_roles(run: Run, home: Path) -> None:
    assert home
    asked(run, "contacts", "add", "Bob Lee", "--first-name", "Bob", "--telegram", "8")
    assert asked(run, "contacts", "edit", "Bob Lee", "--last-name", "Lee")["last_name"] == "Lee"
    assert asked(run, "contacts", "roles", "Bob Lee", "family")["roles"] == ["family"]
    assert asked(run, "contacts", "roles", "Bob Lee")["roles"] == []
    asked(run, "contacts", "address", "add", "Bob Lee", "email", "B@x.com", "--context", "work")
    asked(run, "contacts", "address", "primary", "Bob Lee", "email", "b@x.com")
    shown = asked(run, "contacts", "show", "Bob Lee")
    assert shown["contact_info"][1] == {
        "type": "email",
        "value": "b@x.com",
        "is_primary": True,
        "secured": False,
        "context": "work",
        "verified": True,
    }
    asked(run, "contacts", "add", "Cid")
    assert asked(run, "contacts", "address", "move", "telegram", "8", "Cid")["name"] == "Cid"
    asked(run, "contacts", "address", "remove", "Cid", "telegram", "8")
    asked(run, "contacts", "edit", "Cid", "--unlisted")
    assert "Cid" not in run("contacts", "list").stdout
    assert "Cid" in run("contacts", "list", "--all").stdout
    refused = run("contacts", "roles", "Cid", "owner")
    assert (refused.returncode, "exactly one owner" in refused.stderr) == (1, True)


def test_what_would_reach_others_is_asked_and_sent_once_approved(run: Run, home: Path) -> None:
    asked(run, "contacts", "add", "Bob Lee", "--telegram", "8")
    assert asked(run, "notify", "Dinner")["status"] == "sent"
    waits = asked(run, "notify", "Hello Bob", "--to", "Bob Lee", "--reason", "he asked")
    assert waits["status"] == "asked"
    (question,) = asked(run, "questions", "list", "--kind", "approval")
    shown = run("questions", "show", question["id"])
    assert "he asked" in shown.stdout
    assert "Hello Bob" in shown.stdout
    assert asked(run, "questions", "answer", question["id"][:18], "approve")["state"] == "answered"
    assert [one["to"] for one in sent(home)] == [["100"], ["100"], ["8"]]
    assert run("questions", "answer", question["id"], "approve").returncode == 1
    assert "sent" in run("outbox", "list").stdout


def test_several_questions_are_answered_at_once(run: Run, home: Path) -> None:
    assert home
    ids = [
        asked(run, "act", "email_send_message", f"to={name}@x.com", "body=x")["question"]
        for name in ("a", "b")
    ]
    done = asked(run, "questions", "answer", f"{ids[0]}=approve", f"{ids[1]}=no")
    assert [one["answer"] for one in done] == ["approve", "reject"]
    assert "no channel" in run("outbox", "list").stdout.lower()


def test_rules_are_added_used_listed_removed_and_imported(run: Run, home: Path) -> None:
    asked(run, "contacts", "add", "Bob Lee", "--telegram", "8")
    rule = asked(run, "rules", "add", "telegram_send_message", "chat_id=8", "--max-uses", "1")
    first = asked(run, "act", "telegram_send_message", "chat_id=8", "text=one")
    second = asked(run, "act", "telegram_send_message", "chat_id=8", "text=two")
    assert (first["status"], second["status"]) == ("sent", "asked")
    assert asked(run, "rules", "remove", rule["id"])["active"] is False
    wide = run("rules", "add", "telegram_send_message")
    assert (wide.returncode, "pins at least one" in wide.stderr) == (1, True)
    old = home / "old.json"
    old.write_text('[{"tool_name":"user_email_send_message","arg_constraints":{"to":"a@x.com"}}]')
    assert asked(run, "rules", "import", str(old))[0]["tool"] == "email_send_message"
    assert "email_send_message" in run("rules", "list").stdout


def test_a_dead_letter_is_looked_at_and_sent_again(run: Run, home: Path) -> None:
    (home / "config.toml").write_text("")
    assert asked(run, "notify", "Dinner")["status"] == "queued"
    (row,) = asked(run, "outbox", "list")
    assert "channels.telegram" in row["error"]
    (home / "config.toml").write_text('[channels.telegram]\nkind = "file"\n')
    assert asked(run, "outbox", "retry", row["id"][:20])["state"] == "sent"
    assert asked(run, "outbox", "deliver")["sent"] == []
    assert [one["key"] for one in sent(home)] == [row["key"]]


def test_a_configuration_that_cannot_be_read_says_where(run: Run, home: Path) -> None:
    (home / "config.toml").write_text("[channels.x]\nkind = 'pigeon'\n")
    broken = run("notify", "Dinner")
    assert broken.returncode == 1
    assert "config.toml" in broken.stderr
    assert "pigeon" in broken.stderr or "kind" in broken.stderr


def test_agents_are_registered_and_read_their_inbox(run: Run, home: Path) -> None:
    assert home
    (account,) = asked(run, "account", "list")
    tag = account["nametag"]
    assert asked(run, "account", "show", tag.upper())["id"] == account["id"]
    missing = run("inbox", "--as", tag)
    assert "agents register" in missing.stderr
    agent = asked(run, "agents", "register", "main", "--account", tag, "--frontend")
    asked(run, "receive", "Hi there", "--as", "telegram:7")
    (entry,) = asked(run, "inbox", "--as", tag)
    assert entry["item"]["description"] == "Hi there"
    assert "Hi there" in run("inbox", "--as", tag).stdout
    asked(run, "agents", "ack", entry["id"][:16], "--as", tag)
    assert asked(run, "inbox", "--as", tag) == []
    assert asked(run, "agents", "sleep", agent["id"])["awake"] is False
    assert asked(run, "agents", "wake", agent["id"])["awake"] is True
    assert "main" in run("agents", "list").stdout
    sam = asked(run, "account", "create", "--name", "Sam", "--speaker", "telegram:7")
    assert asked(run, "account", "nametag", sam["nametag"], "clever-sam-11")["nametag"] == (
        "clever-sam-11"
    )


def test_no_output_of_any_command_tells_a_secret(run: Run, home: Path) -> None:
    kept = run("credentials", "set", "USER_EMAIL_PASSWORD", input=SECRET)
    env = home / "old.env"
    env.write_text(f"OPENAI_API_KEY={SECRET}\n")
    shown = [
        kept,
        run("credentials", "import", str(env)),
        run("credentials", "get"),
        run("credentials", "get", "--json"),
        run("credentials", "get", "OPENAI_API_KEY"),
        run("credentials", "resolve", "USER_EMAIL_PASSWORD", "--json"),
        run("contacts", "show", "Ann", "--json"),
        run("contacts", "list"),
        run("owner", "show"),
        run("timeline", "--all", "--json"),
        run("changes", "--after", "0", "--json"),
        run("entity", "list", "--json"),
        run("doctor"),
        run("credentials", "rotate"),
    ]
    env.unlink()
    assert all(one.returncode == 0 for one in shown)
    assert not any(SECRET in one.stdout + one.stderr for one in shown)
    for file in home.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file.name
    assert run("credentials", "get", "OPENAI_API_KEY", "--reveal").stdout.strip() == SECRET
    assert run("contacts", "reveal", "owner", "email_password").stdout.strip() == SECRET
    with sqlite3.connect(home / "kithkin.db") as db:
        looks = db.execute("SELECT count(*) FROM item WHERE data LIKE '%secret_revealed%'")
        assert looks.fetchone() == (2,)


def test_the_owner_is_asked_for_at_a_terminal(run: Run) -> None:
    done = run("owner", "setup", input="Ann\n4711\n\n")
    assert done.returncode == 0
    shown = asked(run, "owner", "show")
    assert (shown["name"], shown["set_up"]) == ("Ann", True)
    assert asked(run, "owner", "address", "email", "ann@x.com")["contact_info"][-1]["value"] == (
        "ann@x.com"
    )
    left = asked(run, "owner", "address", "email", "ann@x.com", "--remove")["contact_info"]
    assert [one["type"] for one in left] == ["account", "telegram"]


def test_an_owner_nobody_can_reach_is_reminded(run: Run) -> None:
    run("init")
    assert "owner setup" in run("owner", "show").stdout


def test_the_contacts_of_an_older_installation_come_along(run: Run, home: Path) -> None:
    old = home / "contacts.json"
    old.write_text(
        json.dumps(
            [
                {
                    "name": "Me",
                    "roles": ["owner"],
                    "contact_info": [
                        {"type": "email", "value": "Ann <ann@x.com>", "is_primary": True},
                        {"type": "email_password", "value": SECRET, "secured": True},
                    ],
                },
                {
                    "name": "Chloe",
                    "roles": ["owner-ish"],
                    "listed": False,
                    "metadata": {"source": "old"},
                    "contact_info": [
                        {"type": "telegram", "value": "7", "context": "work"},
                        {"type": "telegram", "value": "100"},
                    ],
                },
            ]
        )
    )
    brought = asked(run, "contacts", "import", str(old))
    assert SECRET not in json.dumps(brought)
    owner, chloe = brought["contacts"]
    assert owner["roles"] == ["owner"]
    assert (chloe["roles"], chloe["listed"], chloe["metadata"]["source"]) == ([], False, "old")
    assert [one["value"] for one in chloe["contact_info"]] == ["7"]
    assert len(brought["left_out"]) == 2
    assert run("contacts", "reveal", "owner", "email_password").stdout.strip() == SECRET
    old.write_text('[{"first_name": "nobody"}]')
    broken = run("contacts", "import", str(old))
    assert (broken.returncode, "no list of contacts" in broken.stderr) == (1, True)
