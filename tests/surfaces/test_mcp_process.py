"""MCP over a real process's streams, as a client starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp.client.stdio import StdioServerParameters

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.upkeep.verify import Verified
from tests.conftest import Place, Run
from tests.surfaces.mcp_client import Talk, talking

WRITERS = 20


@contextmanager
def client_of(home: Path, *arguments: str, **env: str) -> Iterator[Talk]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "kithkin", "mcp", *arguments],
        env={**os.environ, "KITHKIN_HOME": str(home), **env},
    )
    with talking(server) as talk:
        yield talk


def test_a_client_knows_what_was_said_at_the_terminal_and_the_other_way_round(
    run: Run, tmp_path: Path
) -> None:
    run("chat", "My wife Sarah likes hiking")
    with client_of(tmp_path / "home") as client:
        (found,) = client.call("recall", query="Tell me about my wife")["found"]
        assert found["content"] == "likes hiking"
        client.call("remember", text="My brother Tom plays chess")
    assert "plays chess" in run("chat", "Tell me about my brother").stdout


def test_a_client_sees_what_agents_see_and_never_with_the_owners_eyes(
    run: Run, tmp_path: Path
) -> None:
    run("chat", "I am planning a surprise for Carol", "--as", "telegram:7")
    with client_of(tmp_path / "home") as client:
        assert client.call("recall", query="surprise for Carol")["found"] == []
        assert client.call("timeline", text="surprise")["items"] == []


def test_a_registered_agent_acts_for_its_account(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Kithkin.open(home) as kin, Admin.open(home) as admin:
        kin.people.ensure_self("telegram:7", name="Sam")
        account = admin.accounts.create("Sam", speaker="telegram:7")
        agent = admin.agents.register(account.nametag, "main", "frontend")
    with client_of(home, "--agent", agent.id[:15]) as client:
        assert "friend_send" in client.tools()
        assert client.call("inbox")["waiting"] == []
        client.call("remember", text="My sister Ana lives in Porto")
    told = run("chat", "Tell me about my sister", "--as", "telegram:7").stdout
    assert "Porto" in told


def test_only_the_tools_that_were_named_are_there(tmp_path: Path) -> None:
    with client_of(tmp_path / "home", "--tools", "recall,who_is") as client:
        assert set(client.tools()) == {"recall", "who_is"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tools", "dance"), "There is no tool 'dance'."),
        (("--agent", "entity_nobody"), "There is no agent entity_nobody."),
    ],
)
def test_what_cannot_be_served_is_said_at_the_start(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    ended = run("mcp", *arguments, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1
    assert message in ended.stderr
    assert ended.stdout == ""


def test_a_line_that_is_no_message_does_not_end_the_conversation(run: Run) -> None:
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    lines = ["what?", "[1, 2", "{}", json.dumps(asked), ""]
    ended = run("mcp", input="\n".join(lines))
    assert ended.returncode == 0, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    (welcome,) = [one for one in answers if one.get("id") == 1]
    assert welcome["result"]["serverInfo"]["name"] == "kithkin"


def written_by(number: int, place: Place) -> str:
    """Start a server of one's own on the shared realm, and say one thing."""
    env = {"KITHKIN_DB": place[0]} if "://" in place[0] else {"KITHKIN_HOME": place[0]}
    with client_of(Path(place[0]), "--as", "cli:tester", **env, KITHKIN_REALM=place[1]) as client:
        kept = client.call("note_person", person="Sarah", note=f"owns book number {number}")
    return str(kept["learned"][0]["id"])


def test_of_twenty_clients_that_write_at_once_all_twenty_are_kept(place: Place) -> None:
    where, realm = place
    with Kithkin.open(where, realm=realm) as kin:
        kin.people.ensure_self("cli:tester", name="Tester")
        kin.people.resolve_or_create("my wife", speaker="cli:tester", content_hint="my wife Sarah")
    with ThreadPoolExecutor(WRITERS) as writers:
        made = list(writers.map(lambda number: written_by(number, place), range(WRITERS)))
    with Kithkin.open(where, realm=realm) as kin, Admin.open(where, realm=realm) as admin:
        told = kin.memories.list(speaker="cli:tester", limit=100)
        assert {one.id for one in told} == set(made)
        assert {one.content for one in told} == {
            f"owns book number {number}" for number in range(WRITERS)
        }
        assert len({person for one in told for person in one.subjects}) == 1
        assert isinstance(admin.verify(), Verified)


@pytest.mark.parametrize(
    ("client", "key", "more"),
    [
        ("claude", "mcpServers", {}),
        ("claude-code", "mcpServers", {"type": "stdio"}),
        ("cursor", "mcpServers", {}),
        ("vscode", "servers", {"type": "stdio"}),
        ("windsurf", "mcpServers", {}),
        ("zed", "context_servers", {}),
        ("gemini", "mcpServers", {}),
    ],
)
def test_the_printed_configuration_starts_this_very_server(
    run: Run, tmp_path: Path, client: str, key: str, more: dict[str, str]
) -> None:
    printed = run("mcp", "--print-config", "--client", client, "--tools", "recall")
    told = json.loads(printed.stdout)[key]["kithkin"]
    home = str(tmp_path / "home")
    assert told == {
        **more,
        "command": sys.executable,
        "args": ["-m", "kithkin", "mcp", "--tools", "recall"],
        "env": {"KITHKIN_HOME": home},
    }
    assert "For " in printed.stderr


def test_what_is_printed_can_be_started(run: Run, tmp_path: Path) -> None:
    told = json.loads(run("mcp", "--print-config").stdout)["mcpServers"]["kithkin"]
    with talking(StdioServerParameters(**told)) as client:
        assert "recall" in client.tools()
    assert (tmp_path / "home" / "kithkin.db").exists()


def test_codex_is_told_in_its_own_format(run: Run) -> None:
    import tomllib  # noqa: PLC0415 - only here

    told = tomllib.loads(run("mcp", "--print-config", "--client", "codex").stdout)
    assert told["mcp_servers"]["kithkin"]["args"] == ["-m", "kithkin", "mcp"]


def test_help_does_not_load_the_protocol(tmp_path: Path) -> None:
    code = (
        "import sys; from kithkin.cli.root import run;"
        " run(['mcp', '--help']); run(['mcp', '--print-config']);"
        " print([m for m in ('mcp', 'mcp_types', 'starlette', 'pydantic') if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "KITHKIN_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines()[-1] == "[]"
