"""Stories in which every verb is told, and what each gave, without what differs by chance."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from kithkin import Admin, Incoming, Kithkin, KithkinError, Note, Wanted
from kithkin.api.acting import Acting
from kithkin.api.connector import Connector
from kithkin.identity.address_book import Details
from kithkin.memories.memory_edit import Changes
from kithkin.memories.profile import Entry
from kithkin.outbound.model import Exactly
from kithkin.outbound.standing_rules import Draft as RuleDraft
from kithkin.personas.persona_edit import Draft as Cast
from kithkin.ports import PastVersion
from kithkin.upkeep.forget import Manner

ME = "telegram:42"
PASSWORD = "correct horse battery staple"  # noqa: S105 - of a realm that is thrown away
WHEN = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)
MARKS = (
    (
        re.compile(r"\b(item|entity|rel|inbox|sending|secret|token|webhook)_[0-9a-f]{8}[0-9a-f-]*"),
        "ID",
    ),
    (re.compile(r"\b(kith|whsec)_[\w-]+"), "SECRET"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b[a-z]+-[a-z]+-\d\d\b"), "NAMETAG"),
    (re.compile(r"\^[0-9a-z]{3,}"), "^FRAGMENT"),
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "HASH"),
)


_BY_ID = ("people.list_all", "people.get_all", "credentials.list", "export_people")
"""Verbs that list in the order of ids, which is chance."""
_CHANCE = {
    *("salt", "hash", "payload_hash", "cursor", "seq", "score", "asked_after"),
    "SystemEvent",
    # What `doctor` says of the disk a realm lies on.
    *("where", "size", "free", "advice"),
    # What a server that runs has tried to deliver meanwhile.
    *("postponed", "attempts", "error", "leased_until"),
}


class Told:
    """Whoever tells the story: keeps what each verb gave, or how it was refused."""

    def __init__(self, facade: Kithkin | Admin) -> None:
        self._facade = facade
        self.given: list[tuple[str, str]] = []

    def __call__(self, name: str, /, *arguments: Any, **named: Any) -> Any:
        method = attrgetter(name)(self._facade)
        try:
            result = method(*arguments, **named)
        except KithkinError as error:
            self.given.append((name, f"{error.code}: {plain(str(error))}"))
            return None
        told = list(result) if isinstance(result, Iterator) else result
        if name in _BY_ID:
            told = sorted(told, key=plain)
        self.given.append((name, plain(told)))
        return result


def plain(value: Any) -> str:
    """A value without what differs by chance: ids, hashes and moments."""
    return msgspec.json.encode(_without_chance(msgspec.to_builtins(value))).decode()


def _without_chance(value: Any) -> Any:
    match value:
        case str():
            for mark, word in MARKS:
                value = mark.sub(word, value)
            return value
        case dict():
            kept = [(_without_chance(name), _without_chance(one)) for name, one in value.items()]
            # Logging in is written down: how many items there are is another number then.
            counted = {name for name, one in kept if name == "items" and isinstance(one, int)}
            return dict(sorted((name, one) for name, one in kept if name not in _CHANCE | counted))
        case list() | tuple():
            return list(map(_without_chance, value))
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


def agents_story(kin: Kithkin, friend: str, folder: Path) -> list[tuple[str, str]]:
    """Everything an agent can do, and what came of it."""
    told = Told(kin)
    _who(told)
    _what(told)
    project = told("projects.create", "Website").name
    _documents(told)
    _work(told, folder, project)
    _others(told, friend)
    return told.given


def prepared(admin: Admin) -> tuple[str, str, str]:
    """A friend's nametag, the agent that acts, and its token."""
    admin.owner.rename("Alice")
    admin.owner.add_address("telegram", "42")
    me = admin.accounts.list()[0].nametag
    friend = admin.accounts.create("Sam").nametag
    made = admin.tokens.create(account=me)
    receive(admin, "42", "My cat Miso sleeps", "1")
    return friend, made.token.agent or "", made.secret


def receive(admin: Admin, sender: str, text: str, provider_id: str) -> None:
    """A message comes in by a connector."""
    message = Incoming("telegram", sender, text, verified=True, provider_id=provider_id)
    owners = admin._acting  # noqa: SLF001 - the same database
    acting = Acting(owners.db, actor="connector:telegram", clock=None, config=owners.config)
    Connector(acting, name="telegram").receive(message)


def _address_book(told: Told, folder: Path) -> None:
    told("owner.show")
    told("owner.rename", "Alice Bell")
    told("owner.is_set_up")
    told("owner.add_address", "email", "alice@example.com")
    told("owner.prefer", "email")
    told("owner.has_password")
    [unknown, *_] = told("contacts.pending")
    told("contacts.confirm", unknown.id, name="Stranger")
    told("contacts.reopen", unknown.id)
    told("contacts.archive", unknown.id)
    told("contacts.reopen", unknown.id)
    told("contacts.block", unknown.id)
    told("contacts.reopen", unknown.id)
    sarah = told("contacts.add", Details("Sarah Jane")).contact
    told("contacts.edit", sarah.id, first_name="Sarah")
    told("contacts.set_roles", sarah.id, "family")
    told("contacts.add_address", sarah.id, "email", "sarah@example.com")
    told("contacts.add_address", sarah.id, "email", "sj@example.com", context="work")
    told("contacts.make_primary", sarah.id, "email", "sj@example.com")
    told("contacts.remove_address", sarah.id, "email", "sarah@example.com")
    tom = told("contacts.add", Details("Tom")).contact
    told("contacts.move_address", "email", "sj@example.com", tom.id)
    told("contacts.add_secret", tom.id, "door_code", "heron-4711")
    told("contacts.reveal", tom.id, "door_code")
    told("contacts.merge_into", unknown.id, tom.id)
    (folder / "contacts.json").write_text('[{"name": "Uma"}]')
    told("contacts.import_file", folder / "contacts.json")
    (folder / "old.env").write_text("export BUTLER_TELEGRAM_CHAT_ID=4711\n")
    told("credentials.import_file", folder / "old.env")
    told("credentials.put", "USER_EMAIL_PASSWORD", "heron-4711")
    told("credentials.find", "USER_EMAIL_PASSWORD")
    told("credentials.reveal", "USER_EMAIL_PASSWORD")
    told("credentials.list")
    told("credentials.rotate")


def _who_may_what(told: Told, folder: Path) -> None:
    account = told("accounts.create", "Bea")
    told("accounts.list")
    told("accounts.change_nametag", account.nametag, "merry-heron-47")
    told("accounts.show", "merry-heron-47")
    agent = told("agents.register", "merry-heron-47", "main", "frontend")
    told("agents.list", "merry-heron-47")
    told("agents.set_awake", agent.id, awake=False)
    told("personas.add", Cast(name="Frodo", group="Middle-earth"))
    told("agents.set_persona", agent.id, "Frodo")
    told("personas.edit", "Frodo", Cast(traits=("brave",)))
    [steward] = [one.name for one in told("personas.list", archived=True) if one.name != "Frodo"]
    told("personas.make_steward", "Frodo")
    told("personas.archive", "Frodo")
    told("personas.make_steward", steward)
    told("personas.archive", "Frodo")
    token = told("tokens.create", account="merry-heron-47", agent="other")
    told("tokens.list")
    told("tokens.revoke", token.token.id)
    hook = told("webhooks.add", "http://127.0.0.1:9/hook", types=["person"])
    told("webhooks.list")
    told("webhooks.deliver")
    told("webhooks.dead")
    told("webhooks.retry", "none")
    told("webhooks.remove", hook.webhook.id)
    rule = told("rules.add", RuleDraft("email_send", {"to": Exactly("sarah@example.com")}))
    told("rules.list")
    told("rules.remove", rule.id)
    (folder / "rules.json").write_text(
        '[{"tool_name": "email_send", "constraints": {"to": "ann@example.com"}}]'
    )
    told("rules.import_file", folder / "rules.json")
    first = told("kin.outbound.act", "email_send", {"to": "tom@example.com", "body": "Hi"})
    told("questions.answer_batch", {first.question: "reject"})
    asked = told("kin.outbound.act", "email_send", {"to": "sarah@example.com", "body": "Hi"})
    told("questions.list")
    told("questions.show", asked.question)
    told("questions.arguments", asked.question)
    told("questions.answer", asked.question, "approve")
    told("outbox.deliver")
    [sending, *_] = told("outbox.list")
    told("outbox.execute", sending.id)
    told("outbox.retry", sending.id)


def _what_is_known(told: Told) -> None:
    told("memories.add", "The house has a blue door")
    [first, *_] = told("memories.list")
    told("memories.show", first.id)
    told("memories.edit", first.id, Changes(content="The house has a green door"))
    told("memories.history", first.id)
    told("memories.search", "which door is ours?")
    told("memories.undo", first.id)
    told("memories.stats")
    told("memories.sweep")
    told("memories.forget", first.id, manner=Manner(done=True))
    [chat, *_] = told("kin.entities.list", "chat", limit=5)
    told("memories.forget_chat", chat.uuid)
    told("kin.profile.set", Entry("height", "180 cm"), speaker=ME)
    [item, *_] = told("kin.profile.list", speaker=ME)
    for step in ("show", "real", "lock", "unlock"):
        told(f"profile.{step}", item.id)
    told("doubts.list")
    told("doubts.ask")
    told("doubts.ask_daily")
    told("doubts.answer", "that's real")


def _upkeep(told: Told, folder: Path) -> None:
    ann = told("kin.people.resolve_or_create", "Ann", speaker=ME).resolution.person
    anne = told("kin.people.resolve_or_create", "Bertha", speaker=ME).resolution.person
    told("preview_merge", ann.id, anne.id)
    merged = told("merge", ann.id, anne.id)
    told("merges", ann.id)
    told("unmerge", merged.id)
    told("memories.forget_person", anne.id)
    told("check_people")
    told("export_people")
    told("full_id", ann.id[:20])
    told("why", ann.id)
    (folder / "people.jsonl").write_text('{"id": "entity_zoe", "name": "Zoe"}\n')
    told("import_people", folder / "people.jsonl")
    told("erase", "entity_zoe")
    told("head")
    told("sweep")
    told("verify")
    told("rebuild")
    told("doctor")
    told("export_soil", folder / "soil.db")
    told("backup", folder / "backup.db")
    told("restore", folder / "backup.db")
    told("owner.set_password", PASSWORD)


def owners_story(admin: Admin, folder: Path) -> list[tuple[str, str]]:
    """Everything the owner alone can do, and what came of it."""
    told = Told(admin)
    _address_book(told, folder)
    _who_may_what(told, folder)
    _what_is_known(told)
    _upkeep(told, folder)
    return told.given
