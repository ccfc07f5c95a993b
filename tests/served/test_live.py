"""Live changes and webhooks: nothing skipped, nothing told twice at once, nothing lost."""

import hashlib
import hmac
import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest
from msgspec.structs import replace

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.config import DoubtSettings
from kithkin.db import Database
from kithkin.errors import DeliveryFailed, InvalidInput
from kithkin.memories.profile import Entry
from kithkin.personas.persona_edit import Draft
from kithkin.testing import FixedClock
from tests.conftest import Place
from tests.served.conftest import CONFIG, Served, serving
from tests.served.processes import ServerProcess


class Listener:
    """Somebody who listens to the stream of changes."""

    def __init__(self, served: Served | ServerProcess, token: str, *, last: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "text/event-stream",
            "Last-Event-ID": str(last),
        }
        self._connection.request("GET", "/v1/changes", headers=headers)
        self.response = self._connection.getresponse()

    def events(self) -> Iterator[tuple[str, Any]]:
        kind = ""
        while line := self.response.readline().decode():
            name, _, value = line.strip().partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)

    def next(self) -> tuple[str, Any]:
        return next(self.events_)

    def __enter__(self) -> Self:
        self.events_ = self.events()
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def test_a_stream_tells_of_a_change_as_it_happens(served: Served) -> None:
    token, end = served.token(), served.admin.head().seq
    with Listener(served, token, last=end) as listener, served.kin(agent="writer") as kin:
        assert listener.response.headers["content-type"].startswith("text/event-stream")
        made = kin.entities.add("service", {"name": "Rossi"})
        told: dict[str, Any] = {}
        while told.get("entity_uuid") != made.uuid:
            kind, told = listener.next()
            assert kind == "change"
        kin.entities.change(made.uuid, {"name": "Verdi"})
        assert listener.next()[1]["version"] == 2


def test_a_stream_is_taken_up_where_it_broke_off(served: Served) -> None:
    token = served.token()
    with served.kin(agent="writer") as kin:
        start = served.admin.head().seq
        made = [kin.entities.add("service", {"n": n}).uuid for n in range(5)]
        with Listener(served, token, last=start) as listener:
            first = [listener.next()[1] for _ in range(2)]
        with Listener(served, token, last=first[-1]["cursor"]) as listener:
            rest = [listener.next()[1] for _ in range(3)]
    assert [one["entity_uuid"] for one in (*first, *rest)] == made


def test_a_stream_ends_for_a_token_that_was_revoked(served: Served) -> None:
    token = served.token()
    with Listener(served, token, last=served.admin.head().seq) as listener:
        [known] = served.admin.tokens.list()
        served.admin.tokens.revoke(known.id)
        served.admin.accounts.create("Sam")
        kind, told = listener.next()
        assert (kind, told["code"]) == ("refused", "not_known")


def test_a_long_poll_answers_as_soon_as_there_is_something(served: Served) -> None:
    token, end = served.token(), served.admin.head().seq
    answers: list[Any] = []

    def poll() -> None:
        answers.append(served.ask("GET", f"/v1/changes?after={end}&wait=20", token=token))

    thread = threading.Thread(target=poll)
    thread.start()
    time.sleep(0.5)
    assert answers == []
    begun = time.monotonic()
    made = served.admin.kin.entities.add("service", {})
    thread.join()
    assert time.monotonic() - begun < 5
    assert [one["entity_uuid"] for one in answers[0].json] == [made.uuid]


def test_a_long_poll_that_nothing_happens_to_ends(served: Served) -> None:
    token, end = served.token(), served.admin.head().seq
    begun = time.monotonic()
    assert served.ask("GET", f"/v1/changes?after={end}&wait=0.7", token=token).json == []
    assert 0.6 < time.monotonic() - begun < 5
    assert served.ask("GET", "/v1/changes?wait=61", token=token).status == 422
    assert served.ask("GET", "/v1/changes?wait=soon", token=token).status == 422


def test_what_is_changed_past_the_server_is_told_too(served: Served, place: Place) -> None:
    token, end = served.token(), served.admin.head().seq
    with (
        Listener(served, token, last=end) as listener,
        Database.open(place[0], realm=place[1]) as db,
    ):
        made = Kithkin(Acting(db, actor="other", clock=None)).entities.add("service", {})
        assert listener.next()[1]["entity_uuid"] == made.uuid


def test_two_servers_of_one_realm_tell_each_others_changes(served: Served, place: Place) -> None:
    with (
        Database.open(place[0], realm=place[1]) as db,
        serving(db) as other,
        Listener(other, served.token(), last=served.admin.head().seq) as listener,
    ):
        made = served.admin.kin.entities.add("service", {})
        assert listener.next()[1]["entity_uuid"] == made.uuid


class Receiver(ThreadingHTTPServer):
    """A web address that takes what it is told, or does not."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: list[tuple[dict[str, str], bytes]] = []
        self.says = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.says == 200:
            self.server.taken.append((dict(self.headers), body))
        self.send_response(self.server.says)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()


@pytest.fixture
def keeper(db: Database, clock: FixedClock, tmp_path: Path) -> Admin:
    return Admin(Acting(db, actor="owner", clock=clock, home=tmp_path), where="here")


def _told(receiver: Receiver) -> list[str]:
    batches = [json.loads(body) for _, body in receiver.taken]
    return [one["entity_uuid"] for batch in batches for one in batch["changes"]]


def test_a_webhook_is_told_in_order_and_signed(keeper: Admin, kin: Kithkin) -> None:
    with listening() as receiver:
        made = keeper.webhooks.add(receiver.url)
        uuids = [kin.entities.add("service", {"n": n}).uuid for n in range(3)]
        assert keeper.webhooks.deliver().taken == 3
        assert keeper.webhooks.deliver().taken == 0
    headers, body = receiver.taken[0]
    assert _told(receiver) == uuids
    signed = hmac.new(made.secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Kithkin-Signature"] == f"sha256={signed}"
    assert headers["Idempotency-Key"].startswith(made.webhook.id)


def test_a_webhook_is_told_only_of_the_types_it_wants(keeper: Admin, kin: Kithkin) -> None:
    with listening() as receiver:
        keeper.webhooks.add(receiver.url, types=["service"])
        kin.entities.add("other", {})
        wanted = kin.entities.add("service", {})
        keeper.webhooks.deliver()
    assert _told(receiver) == [wanted.uuid]


def test_a_batch_that_was_not_taken_is_told_again_later(
    keeper: Admin, kin: Kithkin, clock: FixedClock
) -> None:
    with listening() as receiver:
        receiver.says = 503
        keeper.webhooks.add(receiver.url)
        first = kin.entities.add("service", {})
        assert len(keeper.webhooks.deliver().postponed) == 1
        assert keeper.webhooks.deliver().postponed == ()
        second = kin.entities.add("service", {})
        receiver.says = 200
        clock.advance(minutes=1)
        assert keeper.webhooks.deliver().taken == 2
    assert _told(receiver) == [first.uuid, second.uuid]
    # The batch that failed stayed as it was: a receiver knows it by its key.
    assert len(receiver.taken) == 2


def test_what_is_never_taken_is_kept_and_can_be_told_again(
    keeper: Admin, kin: Kithkin, clock: FixedClock
) -> None:
    with listening() as receiver:
        receiver.says = 500
        keeper.webhooks.add(receiver.url)
        lost = kin.entities.add("service", {})
        for _ in range(8):
            keeper.webhooks.deliver()
            clock.advance(hours=2)
        [dead] = keeper.webhooks.dead()
        with pytest.raises(DeliveryFailed):
            keeper.webhooks.retry(dead.id)
        receiver.says = 200
        keeper.webhooks.retry(dead.id)
        assert keeper.webhooks.dead() == []
    assert _told(receiver) == [lost.uuid]


def test_two_rounds_at_once_never_tell_one_batch_twice(keeper: Admin, kin: Kithkin) -> None:
    with listening() as receiver:
        keeper.webhooks.add(receiver.url)
        uuids = [kin.entities.add("service", {"n": n}).uuid for n in range(20)]
        threads = [threading.Thread(target=keeper.webhooks.deliver) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        keeper.webhooks.deliver()
    assert _told(receiver) == uuids


def test_a_webhook_that_was_removed_is_told_nothing(keeper: Admin, kin: Kithkin) -> None:
    with listening() as receiver:
        made = keeper.webhooks.add(receiver.url)
        with pytest.raises(InvalidInput, match="already"):
            keeper.webhooks.add(receiver.url)
        keeper.webhooks.remove(made.webhook.id)
        kin.entities.add("service", {})
        keeper.webhooks.deliver()
        assert receiver.taken == []
        assert keeper.credentials.list() == []


def test_a_server_tells_its_webhooks_by_itself(served: Served) -> None:
    with listening() as receiver:
        served.admin.webhooks.add(receiver.url)
        account = served.admin.accounts.create("Sam")
        until = time.monotonic() + 10
        while account.id not in _told(receiver) and time.monotonic() < until:
            time.sleep(0.05)
        assert account.id in _told(receiver)


def test_a_server_asks_by_itself_what_was_real(db: Database) -> None:
    with serving(db, config=replace(CONFIG, doubts=DoubtSettings(at="00:00"))) as served:
        served.admin.personas.add(Draft(name="Sam"))
        me = served.admin.accounts.list()[0].nametag
        token = served.admin.tokens.create(account=me, agent="player", persona="Sam").secret
        with Kithkin.connect(served.url, token=token) as kin:
            kin.profile.set(Entry("height", "180 cm"), speaker="account:owner")
        until = time.monotonic() + 10
        while not served.admin.doubts.list()[0].details.get("asked_at"):
            assert time.monotonic() < until
            time.sleep(0.05)
