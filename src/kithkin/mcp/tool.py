"""A tool: a function over one method of the facade, as MCP describes and calls it."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, get_type_hints

import msgspec
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as Described
from msgspec import Struct

from kithkin.errors import KithkinError
from kithkin.mcp.arguments import arguments_of, read
from kithkin.mcp.caller import Caller
from kithkin.mcp.schemas import object_schema
from kithkin.memories.extract.sentences import marked

READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""It changes nothing."""
WRITES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
"""It adds something, with a trace; nothing that was there is lost."""
SETTLES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""It adds something; saying it twice changes nothing more."""
ENDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
"""It ends something."""
SENDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)
"""It may reach people outside."""


Whose = Literal["everybody", "agent", "frontend"]
"""Who has a tool: everybody, registered agents, or of these those that talk to their person."""


class Tool(Struct, frozen=True):
    """A tool, ready to be listed and called."""

    described: Described
    takes: type[Struct]
    function: Callable[..., Any]
    method: Callable[..., Any]
    """The facade's method it is the tool of."""
    whose: Whose = "everybody"
    brings_back: bool = False
    """Whether it brings back what was said: its words are marked, never to be learned again."""
    wraps: bool = False
    """Whether its answer is put under `result`, being no object itself."""

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.described.name

    def is_for(self, caller: Caller) -> bool:
        """Whether a caller has it; to others it is not there."""
        match self.whose:
            case "everybody":
                return True
            case "agent":
                return caller.kind is not None
            case "frontend":
                return caller.kind == "frontend"

    def call(self, caller: Caller, sent: Mapping[str, Any]) -> CallToolResult:
        """Carry it out; a refusal is an answer with its code, for the model to act upon."""
        try:
            answer = self.function(caller, **read(sent, self.takes))
        except KithkinError as error:
            return refused(error)
        structured = msgspec.to_builtins({"result": answer} if self.wraps else answer)
        text = msgspec.json.encode(structured).decode()
        return CallToolResult(
            content=[TextContent(type="text", text=marked(text) if self.brings_back else text)],
            structured_content=structured,
        )


def refused(error: KithkinError) -> CallToolResult:
    """An error of ours, as a tool tells it: the message says what to do next."""
    told = {"error": error.code, "message": str(error), **error.details}
    return CallToolResult(
        content=[TextContent(type="text", text=f"{error} ({error.code})")],
        structured_content=msgspec.to_builtins(told),
        is_error=True,
    )


def tool(
    function: Callable[..., Any],
    method: Callable[..., Any],
    how: ToolAnnotations,
    *,
    title: str,
    hint: str = "",
    whose: Whose = "everybody",
    brings_back: bool = False,
) -> Tool:
    """A tool of a function; its description is that of the facade's method, and a hint."""
    takes = arguments_of(function, leave_out=("caller",))
    output, wraps = object_schema(get_type_hints(function, include_extras=True)["return"])
    described = Described(
        name=function.__name__,
        title=title,
        description="\n\n".join(filter(None, (documented(method), hint))),
        input_schema=object_schema(takes)[0],
        output_schema=output,
        annotations=how,
    )
    return Tool(described, takes, function, method, whose, brings_back, wraps)


def documented(method: Callable[..., Any]) -> str:
    """What a method of the facade says of itself."""
    return inspect.getdoc(method) or ""
