"""Every verb: the same story ends the same embedded and over REST; the CLI has each of them."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from kithkin import Admin, Incoming, Kithkin, KithkinError, Note, Wanted
from kithkin.admin.verbs import VERBS as ADMIN_VERBS
from kithkin.app.verbs import AT_HOME, VERBS
from kithkin.cli.root import kithkin as root
from kithkin.connector import VERBS as CONNECTOR_VERBS
from kithkin.connector import Connector
from kithkin.db import Database
from kithkin.journeys.amend import Changes
from kithkin.journeys.profile import Entry
from kithkin.ports import PastVersion
from tests.conftest import Run
from tests.served.conftest import CONFIG, Served, serving
from tests.served.in_terminal import IN_TERMINAL

ME = "telegram:42"
WHEN = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)
MARKS = (
    (re.compile(r"\b(item|entity|rel|inbox|sending|secret)_[0-9a-f]{8}[0-9a-f-]*"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b[a-z]+-[a-z]+-\d\d\b"), "NAMETAG"),
    (re.compile(r"\^[0-9a-z]{3,}"), "^FRAGMENT"),
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "HASH"),
)


class Told:
    """Whoever tells the story: keeps what each verb gave, or how it was refused."""

    def __init__(self, kin: Kithkin) -> None:
        self._kin = kin
        self.given: list[tuple[str, str]] = []

    def __call__(self, name: str, /, *arguments: Any, **named: Any) -> Any:
        part, _, method = name.rpartition(".")
        facade = getattr(self._kin, part) if part else self._kin
        try:
            result = getattr(facade, method)(*arguments, **named)
        except KithkinError as error:
            self.given.append((name, f"{error.code}: {_plain(str(error))}"))
            return None
        self.given.append((name, _plain(result)))
        return result


def _plain(value: Any) -> str:
    """A value without what differs by chance: ids, hashes, moments, and the order of ids."""
    return msgspec.json.encode(_sorted(msgspec.to_builtins(value))).decode()


def _sorted(value: Any) -> Any:
    match value:
        case str():
            for mark, word in MARKS:
                value = mark.sub(word, value)
            return value
        case dict():
            chance = {"salt", "hash", "payload_hash", "cursor", "seq", "score"}
            kept = [(_sorted(name), _sorted(one)) for name, one in value.items()]
            return dict(sorted((name, one) for name, one in kept if name not in chance))
        case list() | tuple():
            return sorted(map(_sorted, value), key=msgspec.json.encode)
        case _:
            return value


def _who(told: Told) -> None:
    sarah = told(
        "people.resolve_or_create", "my wife", speaker=ME, content_hint="My wife Sarah hikes"
    ).resolution.person
    told("people.ensure_self", ME, name="Alice")
    told("people.find", "Sarah")
    told("people.find_for_speaker", "my wife", ME)
    told("people.get", sarah.id)
    told("people.add_alias", sarah.id, "Sally", speaker=ME)
    told("people.remove_alias", sarah.id, "Sally", speaker=ME)
    told("people.claim_relationship", sarah.id, "friend", speaker=ME)
    told("people.unclaim_relationship", sarah.id, "friend", speaker=ME)
    told("people.rename", sarah.id, "Sarah Jane")
    bob = told("people.resolve_or_create", "Bob", speaker=ME).resolution.person
    told("people.propose_merge", sarah.id, bob.id, reason="a guess")
    told("people.list_all")
    told("people.get_all", limit=100)
    told("people.duplicates")
    told("people.prompt_section", speaker=ME)
    told("people.find_person_ids_for_username", "Sarah Jane")
    told("contacts.list", unlisted=True)
    known = told("contacts.resolve_contact_by_channel", "telegram", "42")
    told("contacts.show", known.contact.id)
    told("contacts.edit", known.contact.id, first_name="Alice")
    told("contacts.propose_address", known.contact.id, "email", "alice@example.com")
    told("personas.list")
    told("personas.show", "nobody")
    told("profile.set", Entry("height", "180 cm"), speaker=ME)
    told("profile.show", told("profile.list", speaker=ME)[0].id, speaker=ME)
    told("doubts.list")
    told("doubts.ask")
    told("doubts.answer_with", "item_none")


def _what(told: Told) -> None:
    told("memories.remember", "My sister Ann lives in Oslo", speaker=ME, at=WHEN)
    told("memories.add", "likes tea", speaker=ME)
    [first, *_] = told("memories.list", speaker=ME)
    told("memories.show", first.id, speaker=ME)
    told("memories.edit", first.id, speaker=ME, changes=Changes(content="likes green tea"))
    told("memories.history", first.id, speaker=ME)
    told("memories.search", "where does my sister live?", speaker=ME)
    told("memories.context", "where does my sister live?", speaker=ME, tokens=200)
    told("memories.find_memories_by_subject", ["entity_none"], speaker=ME)
    told("memories.supersede_confirmed_hearsay", first.id)
    told("memories.undo", first.id, speaker=ME)
    told("memories.embed")
    answer = told("chat.say", "My brother Tom plays chess", speaker=ME)
    told("chat.undo", answer)
    [came] = [one for one in told("inbox.list") if one.text]
    told("memories.learn", came.item.uuid)
    told("inbox.whoami")
    told("inbox.ack", came.waiting.id)
    told("inbox.sleep")
    told("inbox.wake")
    note = told("timeline.note", "Book the plumber", at=WHEN)
    done = told("timeline.record", Note("Booked"), because_of=note.uuid)
    told("timeline.record_json", "Payment", '{"amount": 10}')
    told("timeline.correct", note.uuid, at=WHEN, reason="earlier")
    told("timeline.show", note.uuid)
    told("timeline.list", Wanted(text="plumber", limit=5))
    told("timeline.undo", done.uuid, reason="twice")
    told("why", note.uuid)
    told("full_id", note.uuid[:20])
    made = told("entities.add", "service", {"name": "Rossi"}, reason="new")
    told("entities.change", made.uuid, {"phone": "1"}, based_on=made.hash)
    told("entities.change", made.uuid, {"phone": "2"}, based_on=made.hash)
    told("entities.revert", made.uuid, 1)
    other = told("entities.add", "service", {"name": "Verdi"})
    told("entities.show", made.uuid)
    told("entities.history", made.uuid)
    told("entities.diff", made.uuid, 1, 2)
    told("entities.at", made.uuid, datetime(2099, 1, 1, tzinfo=UTC))
    told("entities.supersede", made.uuid, superseded_by=other.uuid)
    told("entities.list", "service", limit=10)
    edge = told("relations.relate", "mentions", note.uuid, other.uuid)
    told("relations.around", note.uuid)
    told("relations.trace", note.uuid)
    told("relations.unrelate", edge.uuid)
    told("changes.list", after=0, limit=500)
    told("changes.acknowledge", "mirror", 3)


def _documents(told: Told) -> None:
    told("artifacts.create", "goals_doc", "one\ntwo\n")
    told("artifacts.edit", "goals_doc", "one\ntwo\nthree\n", reason="more")
    told("artifacts.operate", "goals_doc", "-3")
    commits = told("artifacts.log", "goals_doc")
    told("artifacts.show", f"goals_doc@{commits[-1].commit}")
    told("artifacts.diff", f"goals_doc@{commits[-1].commit}", "goals_doc")
    told("artifacts.blame", "goals_doc")
    aside = told("artifacts.edit", "goals_doc", "zero\none\ntwo\n", aside=True)
    told("artifacts.merge", "goals_doc", aside.commit.commit)
    told("artifacts.revert", "goals_doc", commits[-1].commit)
    accepted = told("artifacts.propose", "goals_doc", "one\ntwo\nfour\n", reasoning="better")
    rejected = told("artifacts.propose", "goals_doc", "one\ntwo\nfive\n")
    told("artifacts.proposals", "goals_doc")
    told("artifacts.accept", accepted.uuid)
    told("artifacts.reject", rejected.uuid, reason="worse")
    told("artifacts.verify", "goals_doc")
    told("artifacts.relabel", "goals_doc", "aims_doc")
    told(
        "artifacts.bring_in",
        "plan",
        [PastVersion("a\n", "ann", WHEN), PastVersion("b\n", "bo", WHEN)],
    )


def _work(told: Told, folder: Path, project: str) -> None:
    told("references.parse", "See aims_doc:1 for more.")
    told("references.resolve", "aims_doc:1")
    told("references.render", "See aims_doc:1.")
    told("references.backlinks", "aims_doc")
    said = told("branches.append", "The login comes first.")
    note = told("timeline.note", "An aside")
    told("branches.append_item", note.uuid)
    fork = told("branches.fork", at=said.item.uuid)
    told("branches.frames")
    told("branches.meant", "2")
    told("branches.show", fork.uuid)
    told("branches.gist", fork.uuid)
    told("branches.can_collapse", fork.uuid)
    told("branches.collapse", fork.uuid, "We chose.")
    told("branches.reopen", fork.uuid)
    told("branches.go", told("branches.meant", "1"))
    told("reader.semantic_search", "one", artifact="aims_doc")
    used = told("reader.scroll_to", "aims_doc", 1, 2)
    told("reader.scroll_down", 1)
    told("reader.scroll_up", 1)
    told("reader.note", "Ask Ann.")
    told("reader.select_lines", "aims_doc", 1, 1)
    told("reader.propose_edit", "aims_doc", (1, 1), "first\n", reasoning="clearer")
    me = told("inbox.whoami")[1]
    told("reader.status", f"agent:{me.id}")
    told("reader.follow", f"agent:{me.id}", after=0)
    told("reader.retrace", used.call)
    assert told("reader.ledger_end")
    told("projects.list")
    told("projects.show", project)
    told("projects.tree")
    told("projects.scratchpad")
    told("projects.export", folder / "out", project)
    told("projects.import_", folder / "out")
    told("projects.close", project)


def _others(told: Told, friend: str) -> None:
    told("friends.add", friend)
    told("friends.list")
    told("friends.send", friend, "Hello")
    told("friends.remove", friend)
    told("friends.block", friend)
    told("friends.unblock", friend)
    told("outbound.notify", "The plumber comes on Friday.")
    told("outbound.act", "email_send", {"to": "sarah@example.com", "body": "Hi"})
    [first, *_] = told("questions.list")
    told("questions.batch")
    told("questions.show", first.id)
    told("questions.answer_with", first.id, "item_none")


def _story(kin: Kithkin, friend: str, folder: Path) -> list[tuple[str, str]]:
    told = Told(kin)
    _who(told)
    _what(told)
    project = told("projects.create", "Website").name
    _documents(told)
    _work(told, folder, project)
    _others(told, friend)
    return told.given


def _prepared(admin: Admin) -> tuple[str, str, str]:
    """A friend's nametag, the agent that acts, and its token."""
    admin.owner.rename("Alice")
    admin.owner.add_address("telegram", "42")
    me = admin.accounts.list()[0].nametag
    friend = admin.accounts.create("Sam").nametag
    made = admin.tokens.create(account=me)
    message = Incoming("telegram", "42", "My cat Miso sleeps", verified=True, provider_id="1")
    Connector(admin._acting, name="telegram").receive(message)  # noqa: SLF001 - the same database
    return friend, made.token.agent or "", made.secret


def test_the_same_story_ends_the_same_embedded_and_served(tmp_path: Path) -> None:
    home = tmp_path / "embedded"
    home.mkdir()
    (home / "config.toml").write_text('[connectors.telegram]\nchannels = ["telegram"]\n')
    with Admin.open(home) as admin:
        friend, agent, _ = _prepared(admin)
    with Kithkin.open(home, agent=agent) as kin:
        embedded = _story(kin, friend, tmp_path / "one")
    with Database.open(tmp_path / "served") as db, serving(db, config=CONFIG) as served:
        friend, _, token = _prepared(served.admin)
        with Kithkin.connect(served.url, token=token) as kin:
            over_rest = _story(kin, friend, tmp_path / "two")
    # Every verb was told, and hardly any by being refused.
    assert {name for name, _ in embedded} >= {verb.name for verb in VERBS}
    assert set(AT_HOME) & {name for name, _ in embedded} == {"timeline.record"}
    for one, other in zip(embedded, over_rest, strict=True):
        assert other == one


def _commands(command: click.Command, path: str) -> Iterator[str]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _commands(child, f"{path} {name}".strip())


@pytest.mark.parametrize("name", [verb.name for verb in (*VERBS, *CONNECTOR_VERBS, *ADMIN_VERBS)])
def test_every_verb_has_its_command(name: str) -> None:
    assert IN_TERMINAL[name] in set(_commands(root, ""))


def test_the_owner_reads_the_same_by_rest_and_by_python(served: Served) -> None:
    owner = served.log_in()
    served.admin.accounts.create("Sam")
    served.admin.kin.memories.remember("My wife Sarah likes hiking", speaker="telegram:42")
    for verb in ADMIN_VERBS:
        needs = "{" in verb.path or verb.carries or verb.secret or verb.name in _ARGUED
        if verb.method != "GET" or needs:
            continue
        part = getattr(served.admin, verb.part) if verb.part else served.admin
        here = getattr(part, verb.does.__name__)()
        there = served.ask("GET", verb.path, **owner)
        assert there.status == 200, verb.name
        if verb.name == "admin.export_people":
            assert there.body.decode().splitlines() == list(here)
        else:
            assert _plain(there.json) == _plain(here), verb.name


_ARGUED = {"admin.preview_merge", "admin.doctor"}
"""One takes arguments; the other's numbers move with every look."""


def test_any_verb_can_be_called_from_the_terminal(run: Run) -> None:
    listed = json.loads(run("call", "--json").stdout)
    assert set(listed) == {verb.name for verb in (*VERBS, *ADMIN_VERBS)}
    made = run("call", "entities.add", "type_name=service", 'data={"name": "Rossi"}')
    uuid = json.loads(made.stdout)["uuid"]
    shown = json.loads(run("call", "entities.show", f"entity={uuid}").stdout)
    assert shown == json.loads(made.stdout)
    page = json.loads(run("call", "timeline.list", "limit=1").stdout)
    assert len(page["items"]) <= 1
    owner = json.loads(run("call", "admin.accounts.list").stdout)
    assert owner[0]["name"] == "Owner"
    wrong = run("call", "entities.at", f"entity={uuid}", "when=soon")
    assert wrong.returncode == 1
    assert "entities.at does not take this" in wrong.stderr
    assert run("call", "nothing.at.all").returncode == 2
