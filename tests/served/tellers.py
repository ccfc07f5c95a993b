"""Surfaces that stand where a connection to a server stands: the terminal, and MCP's tools."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import msgspec

from kithkin import Kithkin
from kithkin.adapters.remote import Remote, error_of
from kithkin.cli.root import run
from kithkin.mcp.caller import caller
from kithkin.mcp.server import Visit, make_server
from kithkin.mcp.tool_selection import chosen_tools
from kithkin.mcp.verb_tools import tool_name
from kithkin.verb import Shape
from tests.surfaces.mcp_client import Talk, talking

ELSEWHERE = frozenset(
    (
        *("people.find_for_speaker", "people.prompt_section", "memories.add", "memories.remember"),
        *("memories.search", "outbound.notify", "questions.list", "inbox.list", "timeline.list"),
        *("friends.add", "friends.remove", "friends.send", "artifacts.show", "artifacts.edit"),
        *("projects.export", "projects.import_"),
    )
)
"""Verbs whose tools of the default set are tested by themselves, and files, which no tool takes."""


class Terminal(Remote):
    """`kithkin call`, with what it prints read back."""

    def __init__(self, home: Path, *, agent: str | None = None) -> None:
        self._where = ["--json", "--home", str(home), *(["--agent", agent] if agent else [])]

    def close(self) -> None:
        """Nothing is kept open."""

    def ask(self, shape: Shape, arguments: dict[str, Any]) -> Any:
        if shape.file:
            arguments[shape.file] = str(arguments[shape.file])
        typed = [f"{name}={_typed(one)}" for name, one in shape.flattened(arguments).items()]
        printed, complained = io.StringIO(), io.StringIO()
        with redirect_stdout(printed), redirect_stderr(complained):
            code = run(["call", *self._where, shape.verb.name, *typed])
        if code:
            raise _refusal(json.loads(complained.getvalue()))
        if shape.gives_lines:
            return iter(printed.getvalue().splitlines())
        return msgspec.json.decode(printed.getvalue() or "null", type=shape.gives)


class Tools(Remote):
    """Every verb's tool, but for those that are elsewhere."""

    def __init__(self, client: Talk, kin: Kithkin) -> None:
        self._client, self._kin = client, kin

    @classmethod
    @contextmanager
    def of(cls, kin: Kithkin) -> Iterator["Tools"]:
        visit = Visit(caller(kin), chosen_tools("all"))
        with talking(make_server(lambda _: visit)) as client:
            yield cls(client, kin)

    def close(self) -> None:
        """The client is closed by whoever opened it."""

    def ask(self, shape: Shape, arguments: dict[str, Any]) -> Any:
        name = tool_name(shape.verb)
        if shape.verb.name in ELSEWHERE:
            return shape.call(self._kin, arguments)
        found = self._client.result(name, shape.flattened(arguments))
        told = dict(found.structured_content or {})
        if found.is_error:
            raise _refusal(told)
        wrapped = self._client.tools()[name].output_schema or {}
        gave = told["result"] if list(wrapped.get("properties", {})) == ["result"] else told
        return msgspec.json.decode(msgspec.json.encode(gave), type=shape.gives)


def _typed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _refusal(told: Mapping[str, Any]) -> Exception:
    return error_of({"code": told["error"], "detail": told["message"]})
