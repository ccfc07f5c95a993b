"""MCP over a real socket: streamable HTTP, each request by its own token."""

import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from http.client import HTTPConnection
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from msgspec import Struct

from kithkin.accounts.model import Kind
from kithkin.config import Config, ConnectorSettings
from kithkin.connector import Connector
from kithkin.http.app import make_app
from kithkin.http.owner import facades
from kithkin.http.realm import Realm
from kithkin.journeys import admit
from kithkin.journeys.receive import Incoming
from tests.conftest import Place
from tests.surfaces.mcp_client import Talk, talking

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


Answered = tuple[int, dict[str, Any]]


@asynccontextmanager
async def by_token(url: str, token: str) -> AsyncIterator[Any]:
    """The SDK's own transport, with a token in every request."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


class Served(Struct):
    """A server on a socket of its own, and its realm."""

    realm: Realm
    port: int

    @property
    def admin(self) -> Any:
        return self.realm.owner.facades["owner"]

    def token(self, nametag: str, kind: Kind = "frontend") -> str:
        by = self.realm.acting.by()
        made = admit.token_for_agent(self.realm.db, nametag, name=kind, kind=kind, by=by)
        return made.secret

    def account(self, name: str, speaker: str) -> str:
        """The nametag of somebody who has written."""
        kin = self.realm.owner.facades["agent"]
        kin.people.ensure_self(speaker, name=name)
        return str(self.admin.accounts.create(name, speaker=speaker).nametag)

    @contextmanager
    def client(self, token: str, *, mode: str = "auto", query: str = "") -> Iterator[Talk]:
        url = f"http://127.0.0.1:{self.port}/mcp{query}"
        with talking(by_token(url, token), mode=mode) as talk:
            yield talk

    def post(self, *, body: bytes = b"", method: str = "POST", **headers: Any) -> Answered:
        """A request by hand, as anybody may send it."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        usual = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        try:
            connection.request(
                method, "/mcp", body or json.dumps(HELLO).encode(), {**usual, **headers}
            )
            answer = connection.getresponse()
            told = answer.read()
            is_json = "json" in answer.headers.get("content-type", "")
            return answer.status, json.loads(told) if is_json else {}
        finally:
            connection.close()


@pytest.fixture
def served(place: Place) -> Iterator[Served]:
    realm = Realm.open(place[0], realm=place[1], owner=facades)
    config = uvicorn.Config(make_app(realm), host="127.0.0.1", port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Served(realm, port)
    server.should_exit = True
    thread.join()
    realm.close()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_comes_in_by_its_token_and_acts_for_its_account(served: Served, mode: str) -> None:
    alice = served.token(served.account("Alice", "telegram:42"))
    bob = served.token(served.account("Bob", "telegram:43"))
    with served.client(alice, mode=mode) as hers, served.client(bob, mode=mode) as his:
        kept = hers.call("remember", text="My wife Sarah likes hiking")
        assert kept["learned"][0]["content"] == "likes hiking"
        (found,) = hers.call("recall", query="Tell me about my wife")["found"]
        assert found["quote"] == "My wife Sarah likes hiking"
        assert his.call("recall", query="Sarah hiking")["found"] == []
        assert his.refused("why", id=found["id"])["error"] == "not_found"
        assert "Sarah" in hers.prompt("known_people")
        assert "hiking" in hers.read("kithkin://timeline")


def test_the_story_of_two_households_is_told_over_http(served: Served) -> None:
    alices, bobs = served.account("Alice", "telegram:42"), served.account("Bob", "telegram:43")
    alice, bob = served.token(alices), served.token(bobs)
    with served.client(alice) as hers, served.client(bob) as his:
        hers.call("remember", text="My wife Sarah Jane loves hiking")
        assert hers.call("who_is", person="my wife")["person"]["name"] == "Sarah Jane"
        assert his.call("who_is", person="my wife")["answer"] == "unknown"
        hers.call("remember", text="My wife is training for a marathon")
        (known,) = hers.call("recall", query="who runs a marathon?")["found"][:1]
        assert "marathon" in known["content"]
        assert his.call("recall", query="who runs a marathon?")["found"] == []
        assert hers.call("notify", message="Hi", to="9", channel="telegram")["result"]["question"]
        hers.call("friend_add", nametag=bobs)
        assert his.call("friend_add", nametag=alices)["step"]["type"] == "Confirmed"
        his.call("friend_send", nametag=alices, message="Shall we meet on Sunday?")
        letter = hers.call("inbox")["waiting"][-1]
        assert "Shall we meet on Sunday?" in letter["text"]
        assert hers.call("inbox", done=[letter["id"]])["waiting"][-1:] != [letter]
        reason = hers.call("why", id=known["id"])
        assert "marathon" in reason["because"][0]["says"]
    assert served.admin.verify().__class__.__name__ == "Verified"


def test_a_background_agent_has_no_friend_tools_over_http(served: Served) -> None:
    worker = served.token(served.account("Alice", "telegram:42"), "background")
    with served.client(worker) as client:
        assert not {"friend_add", "friend_remove", "friend_send"} & set(client.tools())


def test_all_tools_are_there_for_who_asks_for_them(served: Served) -> None:
    token = served.token(served.account("Alice", "telegram:42"))
    with served.client(token, query="?tools=all") as client:
        assert {"recall", "people_add_alias", "friends_list"} <= set(client.tools())
    with served.client(token, query="?tools=recall,who_is") as client:
        assert set(client.tools()) == {"recall", "who_is"}


def test_without_a_token_nobody_is_let_in(served: Served) -> None:
    status, problem = served.post()
    assert (status, problem["code"]) == (401, "not_known")
    for wrong in ("Bearer kk_stolen", "Bearer ", "Basic YTpi", "Bearer a b", "nonsense"):
        assert served.post(authorization=wrong)[0] == 401
    cookie = "kithkin_session=anything"
    assert served.post(cookie=cookie)[0] == 401


def test_a_revoked_token_opens_nothing_from_that_moment_on(served: Served) -> None:
    nametag = served.account("Alice", "telegram:42")
    token = served.token(nametag)
    with served.client(token) as client:
        client.call("remember", text="I like tea")
        (made,) = served.admin.tokens.list()
        served.admin.tokens.revoke(made.id)
        assert served.post(authorization=f"Bearer {token}")[0] == 401
        with pytest.raises(MCPError):
            client.call("recall", query="tea")


def test_a_connectors_token_is_no_agents(served: Served) -> None:
    config = Config(connectors={"telegram": ConnectorSettings(channels=("telegram",))})
    by = served.realm.acting.by()
    made = admit.token_for_connector(served.realm.db, "telegram", config=config, by=by)
    status, problem = served.post(authorization=f"Bearer {made.secret}")
    assert (status, problem["code"]) == (403, "not_allowed")


def test_hostile_requests_are_refused_and_the_server_goes_on(served: Served) -> None:
    token = served.token(served.account("Alice", "telegram:42"))
    own: dict[str, Any] = {"authorization": f"Bearer {token}"}
    assert served.post(body=b"[" * 100_000, **own)[0] == 400
    assert served.post(body=b"{}", **own)[0] == 400
    assert served.post(body=b"x" * (5 * 1024 * 1024), **own)[0] == 413
    assert served.post(method="GET", **own)[0] == 405
    assert served.post(method="DELETE", **own)[0] == 405
    assert served.post(**own, host="evil.example")[0] == 403
    assert served.post(**{**own, "content-type": "text/plain"})[0] in {400, 415}
    assert served.post(**own)[0] == 200


def test_of_twenty_clients_over_http_all_twenty_are_kept(served: Served) -> None:
    token = served.token(served.account("Alice", "telegram:42"))

    def write(number: int) -> str:
        with served.client(token) as client:
            note = f"owns book number {number}"
            return str(client.call("note_person", person="Sarah", note=note)["learned"][0]["id"])

    with ThreadPoolExecutor(20) as writers:
        made = list(writers.map(write, range(20)))
    kin = served.realm.owner.facades["agent"]
    told = kin.memories.list(speaker="telegram:42", limit=100)
    assert {one.id for one in told} == set(made)
    assert len(made) == 20


def test_who_asks_is_whoever_wrote_when_an_agent_names_their_message(served: Served) -> None:
    nametag = served.account("Alice", "telegram:42")
    token = served.token(nametag)
    with served.client(token) as client:
        client.call("remember", text="My wife Sarah likes hiking")
        connector = Connector(served.realm.acting, name="telegram")
        message = Incoming(channel="telegram", sender="42", text="How is she?", verified=True)
        came = connector.receive(message).message
        found = client.call("recall", query="my wife", on_behalf_of=came)["found"]
        assert [one["content"] for one in found] == ["likes hiking"]
