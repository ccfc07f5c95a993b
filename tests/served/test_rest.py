"""REST: the same verbs, the same answers, and problems that say what to do."""

import threading
from typing import Any

import pytest

from kithkin import Found, InvalidInput, Kithkin, Note, NotFound, Refused, StaleEdit
from kithkin.db import Database
from kithkin.errors import NotAllowed, NotKnown, TryLater
from kithkin.http.rate_limits import Buckets
from tests.served.conftest import Served, serving

ALICE = "telegram:42"


@pytest.fixture(autouse=True)
def _owner_is_alice(served: Served) -> None:
    served.admin.owner.add_address("telegram", "42")


def test_my_wife_is_resolved_over_rest(served: Served) -> None:
    token = served.token()
    made = served.ask(
        "POST",
        "/v1/people",
        {"reference": "my wife", "speaker": ALICE, "content_hint": "My wife Sarah loves hiking"},
        token=token,
    )
    assert made.status == 200
    asked = {"reference": "My Wife", "speaker": ALICE}
    found = served.ask("POST", "/v1/people/resolve", asked, token=token)
    assert found.json["type"] == "Found"
    assert found.json["person"]["name"] == "Sarah"


def test_an_agent_moves_from_embedded_to_served_by_changing_one_line(served: Served) -> None:
    with served.kin() as kin:
        kin.people.resolve_or_create(
            "my wife", speaker=ALICE, content_hint="My wife Sarah loves hiking"
        )
        found = kin.people.find_for_speaker("Sarah", ALICE)
        assert isinstance(found, Found)
        assert found.person.relationship == "wife"
        asked = kin.timeline.note("Book the plumber")
        done = kin.timeline.record(Note("Booked for Friday"), because_of=asked.uuid)
        assert kin.relations.trace(done.uuid).root == asked.uuid
        plumber = kin.entities.add("service", {"name": "Rossi"})
        kin.entities.change(plumber.uuid, {"phone": "1"}, based_on=plumber.hash)
        with pytest.raises(StaleEdit) as refused:
            kin.entities.change(plumber.uuid, {"phone": "2"}, based_on=plumber.hash)
        assert refused.value.current_version == 2
        assert refused.value.client_hash == plumber.hash


def test_a_client_raises_what_the_facade_would(served: Served) -> None:
    with served.kin() as kin:
        with pytest.raises(NotFound, match="entity_none"):
            kin.entities.show("entity_none")
        with pytest.raises(InvalidInput):
            kin.timeline.note("a\0b")
    with Kithkin.connect(served.url, token="kith_no") as kin, pytest.raises(NotKnown):  # noqa: S106
        kin.projects.list()


def test_what_was_changed_since_is_a_conflict_with_both_hashes(served: Served) -> None:
    token = served.token()
    made = served.ask("POST", "/v1/entities", {"type_name": "x", "data": {"a": 1}}, token=token)
    path = f"/v1/entities/{made.json['uuid']}"
    shown = served.ask("GET", path, token=token)
    tag = shown.headers["etag"]
    assert tag == f'"{made.json["hash"]}"'
    assert served.ask("GET", path, token=token, If_None_Match=tag).status == 304
    first = served.ask("PATCH", path, {"fields": {"a": 2}}, token=token, If_Match=tag)
    assert first.status == 200
    assert first.headers["etag"] != tag
    second = served.ask("PATCH", path, {"fields": {"a": 3}}, token=token, If_Match=tag)
    assert second.status == 409
    assert second.headers["content-type"] == "application/problem+json"
    assert second.json["code"] == "stale_edit"
    assert second.json["client_hash"] == made.json["hash"]
    assert second.json["current_hash"] == first.json["hash"]


def test_the_same_key_is_done_once_and_answered_the_same(served: Served) -> None:
    token = served.token()
    note = {"text": "Book the plumber"}
    first = served.ask("POST", "/v1/timeline/notes", note, token=token, Idempotency_Key="k1")
    again = served.ask("POST", "/v1/timeline/notes", note, token=token, Idempotency_Key="k1")
    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers["idempotency-replayed"] == "true"
    other = served.ask(
        "POST", "/v1/timeline/notes", {"text": "Other"}, token=token, Idempotency_Key="k1"
    )
    assert other.status == 422
    listed = served.ask("GET", "/v1/timeline?text=plumber", token=token)
    assert len(listed.json["items"]) == 1


def test_of_many_at_once_under_one_key_exactly_one_is_done(served: Served) -> None:
    token = served.token()
    statuses: list[int] = []

    def send() -> None:
        answered = served.ask(
            "POST", "/v1/timeline/notes", {"text": "Once"}, token=token, Idempotency_Key="race"
        )
        statuses.append(answered.status)

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 409}
    assert len(served.ask("GET", "/v1/timeline?text=Once", token=token).json["items"]) == 1


def test_a_key_whose_outcome_nobody_knows_says_what_to_do(served: Served) -> None:
    token = served.token()
    principal = f"agent:{served.admin.agents.list()[0].id}"
    with served.realm.db.transaction() as tx:
        tx.execute(
            "INSERT INTO reply (principal, key, request, begun_at) VALUES (:p, 'dead', :r, :at)",
            {"p": principal, "r": _fingerprint("Gone"), "at": "2026-01-01T00:00:00.000000+00:00"},
        )
    # Its time is long over: it is forgotten, and the key is free again.
    assert _note(served, token, "Gone", key="dead").status == 200
    with served.realm.db.transaction() as tx:
        tx.execute("UPDATE reply SET status = 0 WHERE key = 'dead'", {})
    answered = _note(served, token, "Gone", key="dead")
    assert answered.status == 409
    assert answered.json["code"] == "outcome_unknown"
    assert "new Idempotency-Key" in answered.json["detail"]


def _note(served: Served, token: str, text: str, *, key: str) -> Any:
    return served.ask(
        "POST", "/v1/timeline/notes", {"text": text}, token=token, Idempotency_Key=key
    )


def _fingerprint(text: str) -> str:
    return f"some other request: {text}"


def test_erased_words_are_not_kept_in_replies(served: Served) -> None:
    token = served.token()
    note = _note(served, token, "The secret garden", key="garden")
    served.admin.erase(note.json["uuid"])
    with served.realm.db.snapshot() as tx:
        kept = tx.execute("SELECT count(*) FROM reply", {}).fetchone()
    assert kept[0] == 0


def test_pages_lead_on_until_everybody_was_told(served: Served) -> None:
    with served.kin() as kin:
        for number in range(5):
            kin.people.resolve_or_create(f"Person{'abcde'[number].upper()}", speaker=ALICE)
        everyone = {person.id for person in kin.people.list_all()}
    token, path, seen = served.token(agent="other"), "/v1/people?limit=2", []
    while path:
        page = served.ask("GET", path, token=token)
        seen += [person["id"] for person in page.json]
        path = page.headers.get("link", "").partition(">")[0].lstrip("<")
    assert sorted(seen) == sorted(everyone)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/people?limit=0", None, 422),
        ("GET", "/v1/people?limit=1001", None, 422),
        ("GET", "/v1/people?nothing=1", None, 422),
        ("GET", "/v1/people?limit=1&limit=2", None, 422),
        ("POST", "/v1/timeline/notes", {"text": 5}, 422),
        ("POST", "/v1/timeline/notes", {}, 422),
        ("POST", "/v1/timeline/notes", {"text": "a", "more": 1}, 422),
        ("GET", "/v1/nothing", None, 404),
        ("DELETE", "/v1/people", None, 405),
        ("GET", "/v1/entities/entity_none", None, 404),
    ],
)
def test_what_is_wrong_is_refused_with_a_problem(
    served: Served, method: str, path: str, body: Any, status: int
) -> None:
    answered = served.ask(method, path, body, token=served.token())
    assert answered.status == status
    assert answered.headers["content-type"] == "application/problem+json"
    assert answered.json["status"] == status
    assert answered.json["detail"]


def test_whoever_asks_too_often_is_told_when_to_come_back() -> None:
    buckets = Buckets(per_minute=3)
    for _ in range(3):
        buckets.take("agent:1")
    with pytest.raises(TryLater) as refused:
        buckets.take("agent:1")
    assert refused.value.at
    buckets.take("agent:2")


def test_a_project_travels_as_a_folder(served: Served, tmp_path: Any) -> None:
    with served.kin() as kin:
        kin.projects.create("Website")
        kin.artifacts.create("goals_doc", "# Goals\n")
        out = kin.projects.export(tmp_path / "out")
        assert (tmp_path / "out").is_dir()
        assert out.artifacts == 1
        with pytest.raises(Refused, match="is here already"):
            kin.projects.import_(tmp_path / "out")
    with (
        Database.open(tmp_path / "elsewhere") as db,
        serving(db) as elsewhere,
        elsewhere.kin() as kin,
    ):
        taken = kin.projects.import_(tmp_path / "out")
        assert kin.artifacts.show("goals_doc").artifact.project == taken.project.uuid


def test_a_background_agent_has_no_friends(served: Served) -> None:
    with served.kin(kind="background", agent="worker") as kin, pytest.raises(NotAllowed):
        kin.friends.list()
