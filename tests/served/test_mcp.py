"""MCP over a real socket: streamable HTTP, each request by its own token."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
import pytest
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from kithkin.accounts.model import Kind
from kithkin.api.connector import Connector
from kithkin.errors import StorageError
from kithkin.http import server
from kithkin.intake.receive import Incoming
from tests.served.conftest import Answered, Served
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


@asynccontextmanager
async def by_token(url: str, token: str) -> AsyncIterator[Any]:
    """The SDK's own transport, with a token in every request."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


def account(served: Served, name: str, speaker: str) -> str:
    """The nametag of somebody who has written."""
    served.admin.kin.people.ensure_self(speaker, name=name)
    return served.admin.accounts.create(name, speaker=speaker).nametag


def token_of(served: Served, nametag: str, kind: Kind = "frontend") -> str:
    return served.admin.tokens.create(account=nametag, agent=kind, kind=kind).secret


@contextmanager
def client_of(served: Served, token: str, *, mode: str = "auto", query: str = "") -> Iterator[Talk]:
    with talking(by_token(f"{served.url}/mcp{query}", token), mode=mode) as talk:
        yield talk


def post(served: Served, *, raw: bytes = b"", method: str = "POST", **headers: Any) -> Answered:
    """A request by hand, as anybody may send it."""
    usual = {
        "Content_Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    body = raw or json.dumps(HELLO).encode()
    return served.ask(method, "/mcp", raw=body, **{**usual, **headers})


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_comes_in_by_its_token_and_acts_for_its_account(served: Served, mode: str) -> None:
    alice = token_of(served, account(served, "Alice", "telegram:42"))
    bob = token_of(served, account(served, "Bob", "telegram:43"))
    with client_of(served, alice, mode=mode) as hers, client_of(served, bob, mode=mode) as his:
        kept = hers.call("remember", text="My wife Sarah likes hiking")
        assert kept["learned"][0]["content"] == "likes hiking"
        (found,) = hers.call("recall", query="Tell me about my wife")["found"]
        assert found["quote"] == "My wife Sarah likes hiking"
        assert his.call("recall", query="Sarah hiking")["found"] == []
        assert his.refused("why", id=found["id"])["error"] == "not_found"
        assert "Sarah" in hers.prompt("known_people")
        assert "hiking" in hers.read("kithkin://timeline")


def test_the_story_of_two_households_is_told_over_http(served: Served) -> None:
    alices, bobs = account(served, "Alice", "telegram:42"), account(served, "Bob", "telegram:43")
    alice, bob = token_of(served, alices), token_of(served, bobs)
    with client_of(served, alice) as hers, client_of(served, bob) as his:
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
    worker = token_of(served, account(served, "Alice", "telegram:42"), "background")
    with client_of(served, worker) as client:
        assert not {"friend_add", "friend_remove", "friend_send"} & set(client.tools())


def test_all_tools_are_there_for_who_asks_for_them(served: Served) -> None:
    token = token_of(served, account(served, "Alice", "telegram:42"))
    with client_of(served, token, query="?tools=all") as client:
        assert {"recall", "people_add_alias", "friends_list"} <= set(client.tools())
    with client_of(served, token, query="?tools=recall,who_is") as client:
        assert set(client.tools()) == {"recall", "who_is"}


def test_without_a_token_nobody_is_let_in(served: Served) -> None:
    refused = post(served)
    assert (refused.status, refused.json["code"]) == (401, "not_known")
    for wrong in ("Bearer kk_stolen", "Bearer ", "Basic YTpi", "Bearer a b", "nonsense"):
        assert post(served, Authorization=wrong).status == 401
    cookie = "kithkin_session=anything"
    assert post(served, Cookie=cookie).status == 401


def test_a_revoked_token_opens_nothing_from_that_moment_on(served: Served) -> None:
    nametag = account(served, "Alice", "telegram:42")
    token = token_of(served, nametag)
    with client_of(served, token) as client:
        client.call("remember", text="I like tea")
        (made,) = served.admin.tokens.list()
        served.admin.tokens.revoke(made.id)
        assert post(served, Authorization=f"Bearer {token}").status == 401
        with pytest.raises(MCPError):
            client.call("recall", query="tea")


def test_a_connectors_token_is_no_agents(served: Served) -> None:
    token = served.admin.tokens.create(connector="telegram").secret
    refused = post(served, Authorization=f"Bearer {token}")
    assert (refused.status, refused.json["code"]) == (403, "not_allowed")


def test_hostile_requests_are_refused_and_the_server_goes_on(served: Served) -> None:
    token = token_of(served, account(served, "Alice", "telegram:42"))
    own: dict[str, Any] = {"Authorization": f"Bearer {token}"}
    assert post(served, raw=b"[" * 50_000, **own).status == 400
    assert post(served, raw=b"{}", **own).status == 400
    assert post(served, raw=b"x" * 200_000, **own).status == 413
    assert post(served, method="GET", **own).status == 405
    assert post(served, method="DELETE", **own).status == 405
    assert post(served, **own, Host="evil.example").status == 403
    assert post(served, **{**own, "Content_Type": "text/plain"}).status in {400, 415}
    assert post(served, **own).status == 200


def test_a_request_that_trickles_in_is_not_waited_for(served: Served) -> None:
    token = token_of(served, account(served, "Alice", "telegram:42"))
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as slow:
        slow.sendall(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
        assert b"408" in slow.recv(100)


def test_of_twenty_clients_over_http_all_twenty_are_kept(served: Served) -> None:
    token = token_of(served, account(served, "Alice", "telegram:42"))

    def write(number: int) -> str:
        with client_of(served, token) as client:
            note = f"owns book number {number}"
            return str(client.call("note_person", person="Sarah", note=note)["learned"][0]["id"])

    with ThreadPoolExecutor(20) as writers:
        made = list(writers.map(write, range(20)))
    told = served.admin.kin.memories.list(speaker="telegram:42", limit=100)
    assert {one.id for one in told} == set(made)
    assert len(made) == 20


def test_who_asks_is_whoever_wrote_when_an_agent_names_their_message(served: Served) -> None:
    nametag = account(served, "Alice", "telegram:42")
    token = token_of(served, nametag)
    with client_of(served, token) as client:
        client.call("remember", text="My wife Sarah likes hiking")
        connector = Connector(served.realm.acting, name="telegram")
        message = Incoming(channel="telegram", sender="42", text="How is she?", verified=True)
        came = connector.receive(message).message
        found = client.call("recall", query="my wife", on_behalf_of=came)["found"]
        assert [one["content"] for one in found] == ["likes hiking"]


def test_a_client_that_knows_only_programs_comes_in_through_one(served: Served) -> None:
    token = token_of(served, account(served, "Alice", "telegram:42"))
    program = StdioServerParameters(
        command=sys.executable,
        args=["-m", "kithkin", "mcp", "--url", served.url],
        env={**os.environ, "KITHKIN_TOKEN": token},
    )
    with talking(program) as client:
        assert "friend_send" in client.tools()
        client.call("remember", text="My wife Sarah likes hiking")
        (found,) = client.call("recall", query="Tell me about my wife")["found"]
        assert found["content"] == "likes hiking"
        assert client.call("who_is", person="my wife")["person"]["name"] == "Sarah"
        assert client.call("why", id=found["id"])["what"] == "memory"
        assert client.call("timeline", text="hiking")["items"]
        assert "Sarah" in client.read("kithkin://people")
        assert client.refused("recall", query="x", on_behalf_of="telegram:9")["error"] == (
            "not_allowed"
        )
    assert served.admin.kin.memories.list(speaker="telegram:42")[0].content == "likes hiking"


def test_a_program_with_a_wrong_token_says_so_at_the_start(served: Served) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "kithkin", "mcp", "--url", served.url, "--token", "stolen"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "This token opens nothing" in ended.stderr
    assert ended.stdout == ""


def test_a_port_that_is_taken_is_answered_with_how_to_choose_another(served: Served) -> None:
    with pytest.raises(StorageError, match="--port"):
        server.bound(served.realm, "127.0.0.1", served.port)


def test_the_socket_is_known_for_tcp_so_that_no_answer_waits_for_nagle(served: Served) -> None:
    with server.bound(served.realm, "127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
