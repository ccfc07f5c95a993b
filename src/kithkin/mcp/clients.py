"""Ready-made configuration for MCP clients: how each of them wants to be told."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from msgspec import Struct

_NAME: Final = "kithkin"
NO_TOKEN: Final = "PUT-A-TOKEN-HERE"  # noqa: S105 - a place for one


class Program(Struct, frozen=True):
    """A server the client starts itself."""

    command: str
    args: Sequence[str]
    env: Mapping[str, str]


class Address(Struct, frozen=True):
    """A server that runs already."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """What a request is sent with."""
        return {"Authorization": f"Bearer {self.token}"}


class Client(Struct, frozen=True):
    """An MCP client: where its configuration is, and how it is written."""

    title: str
    place: str
    write: Callable[[Program | Address], str]
    takes_address: bool = True
    """Whether it reaches a server by itself; else it starts a program that does."""


def _json(key: str, by_address: Callable[[Address], Any], **more: str) -> Callable[..., str]:
    def write(server: Program | Address) -> str:
        told = by_address(server) if isinstance(server, Address) else _started(server, **more)
        return json.dumps({key: {_NAME: told}}, indent=2, ensure_ascii=False)

    return write


def _started(program: Program, **more: str) -> dict[str, Any]:
    told: dict[str, Any] = {**more, "command": program.command, "args": list(program.args)}
    return {**told, "env": dict(program.env)} if program.env else told


def _http(server: Address) -> dict[str, Any]:
    return {"type": "http", "url": server.url, "headers": server.headers}


def _url(server: Address) -> dict[str, Any]:
    return {"url": server.url, "headers": server.headers}


def _toml(server: Program | Address) -> str:
    """The few kinds of value here are written alike in JSON and TOML."""
    lines = [f"[mcp_servers.{_NAME}]"]
    if isinstance(server, Address):
        lines += [f"url = {json.dumps(server.url)}", "[mcp_servers.kithkin.http_headers]"]
        lines += [f"{name} = {json.dumps(value)}" for name, value in server.headers.items()]
        return "\n".join(lines)
    lines += [f"command = {json.dumps(server.command)}", f"args = {json.dumps(list(server.args))}"]
    if server.env:
        lines += [f"[mcp_servers.{_NAME}.env]"]
        lines += [f"{name} = {json.dumps(value)}" for name, value in server.env.items()]
    return "\n".join(lines)


CLIENTS: Final[Mapping[str, Client]] = {
    "claude": Client(
        "Claude Desktop",
        "claude_desktop_config.json (Settings, Developer, Edit Config)",
        _json("mcpServers", _http),
        takes_address=False,
    ),
    "claude-code": Client(
        "Claude Code", ".mcp.json in your project", _json("mcpServers", _http, type="stdio")
    ),
    "cursor": Client("Cursor", "~/.cursor/mcp.json", _json("mcpServers", _url)),
    "vscode": Client("VS Code", ".vscode/mcp.json", _json("servers", _http, type="stdio")),
    "windsurf": Client(
        "Windsurf",
        "~/.codeium/windsurf/mcp_config.json",
        _json("mcpServers", lambda server: {"serverUrl": server.url, "headers": server.headers}),
    ),
    "zed": Client("Zed", "settings.json", _json("context_servers", _url)),
    "gemini": Client(
        "Gemini CLI",
        "~/.gemini/settings.json",
        _json("mcpServers", lambda server: {"httpUrl": server.url, "headers": server.headers}),
    ),
    "codex": Client("Codex", "~/.codex/config.toml", _toml),
}


def configuration(
    client: Client,
    program: Program,
    *,
    url: str | None = None,
    token: str | None = None,
    tools: str = "default",
) -> str:
    """What to write into a client's configuration for a realm here, or one served elsewhere."""
    if url and client.takes_address:
        query = "" if tools == "default" else f"?{urlencode({'tools': tools}, safe=',')}"
        return client.write(Address(f"{url.rstrip('/')}/mcp{query}", token or NO_TOKEN))
    return client.write(program)
