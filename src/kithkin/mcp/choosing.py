"""Which tools a client is given: a few from the start, everything else on request."""

from collections.abc import Mapping, Sequence
from typing import Final

from kithkin.errors import InvalidInput
from kithkin.mcp.default import DEFAULT
from kithkin.mcp.tool import Tool

_ALL: Final = "all"
_USUAL: Final = "default"


def every_tool() -> Mapping[str, Tool]:
    """Every tool there is, by name."""
    return {tool.name: tool for tool in DEFAULT}


def chosen_tools(wanted: str) -> Sequence[Tool]:
    """The tools of `default`, `all`, or a list of names, which may hold `default` too."""
    there = every_tool()
    found: dict[str, Tool] = {}
    for name in filter(None, (one.strip() for one in wanted.split(","))):
        if name == _ALL:
            found |= there
        elif name == _USUAL:
            found |= {tool.name: tool for tool in DEFAULT}
        elif name in there:
            found[name] = there[name]
        else:
            raise InvalidInput(f"There is no tool {name!r}. There are: {', '.join(there)}.")
    if not found:
        raise InvalidInput("No tool was named: say default, all, or names such as recall,remember.")
    return tuple(found.values())
