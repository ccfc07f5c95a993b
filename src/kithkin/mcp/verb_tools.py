"""Every other verb of an agent as a tool, made from the same table as REST's routes."""

import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final

import msgspec
from mcp_types import Tool as Described
from mcp_types import ToolAnnotations
from msgspec import UNSET, Meta, Struct, UnsetType

from kithkin.errors import InvalidInput
from kithkin.mcp.argument_help import SPEAKER
from kithkin.mcp.caller import Caller
from kithkin.mcp.schemas import object_schema
from kithkin.mcp.tool import ENDS, READS, SENDS, SETTLES, WRITES, Tool, Whose, documented
from kithkin.verb import Shape, Verb
from kithkin.verbs.agent_verbs import VERBS

_METHODS: Final = {"DELETE": ENDS, "PUT": SETTLES}
_Speaker = Annotated[str, Meta(description=SPEAKER)] | UnsetType


def tool_name(verb: Verb) -> str:
    """What the tool of a verb is called: `people.add_alias` is `people_add_alias`."""
    return verb.name.replace(".", "_").rstrip("_")


def is_tool(verb: Verb) -> bool:
    """Whether a model can use it: files and folders travel by REST and the command line."""
    return verb.carries is None


def verb_tools(*, but: typing.Container[Callable[..., Any]]) -> Iterator[Tool]:
    """A tool for each verb, but for those whose method has one already."""
    for verb in VERBS:
        if is_tool(verb) and verb.does not in but:
            yield _tool(Shape(verb))


def _tool(shape: Shape) -> Tool:
    verb = shape.verb
    takes = _takes(shape)
    output, wraps = object_schema(shape.gives)
    described = Described(
        name=tool_name(verb),
        title=verb.name.replace("_", " ").replace(".", ": ").strip().capitalize(),
        description=_description(verb),
        input_schema=object_schema(takes)[0],
        output_schema=output,
        annotations=_annotations(verb),
    )
    function = _calling(shape, takes)
    return Tool(described, takes, function, verb.does, _whose(verb), verb.is_safe, wraps)


def _takes(shape: Shape) -> type[Struct]:
    """What is in the path and what is not, as one; who speaks may be left out."""
    given = msgspec.structs.fields(shape.takes)
    fields: list[Any] = [(name, str) for name in shape.in_path]
    fields += [
        (one.name, _Speaker, UNSET)
        if one.name == "speaker"
        else (one.name, one.type)
        if one.required
        else (one.name, one.type, one.default)
        for one in given
    ]
    name = tool_name(shape.verb)
    return msgspec.defstruct(name, fields, kw_only=True, frozen=True, forbid_unknown_fields=True)


def _calling(shape: Shape, takes: type[Struct]) -> Callable[..., Any]:
    speaks = "speaker" in takes.__struct_fields__
    must = speaks and "speaker" in {
        one.name for one in msgspec.structs.fields(shape.takes) if one.required
    }

    def call(caller: Caller, **given: Any) -> Any:
        if speaks and given["speaker"] is UNSET:
            given["speaker"] = caller.speaker or UNSET
        if must and given["speaker"] is UNSET:
            raise InvalidInput("Say who speaks in speaker, such as telegram:42.")
        in_path = {name: given.pop(name) for name in shape.in_path}
        return shape.call(caller.kin, shape.read(shape.takes(**given), in_path))

    return call


def _annotations(verb: Verb) -> ToolAnnotations:
    if verb.is_safe:
        return READS
    if verb.part == "outbound":
        return SENDS
    return _METHODS.get(verb.method, WRITES)


def _whose(verb: Verb) -> Whose:
    if verb.authority == "frontend":
        return "frontend"
    return "agent" if verb.part == "inbox" and verb.method == "POST" else "everybody"


def _description(verb: Verb) -> str:
    example = msgspec.json.encode(verb.example).decode()
    return documented(verb.does) + (f"\n\nSuch as: {example}" if verb.example else "")
