"""Which tools a client is given: a few from the start, everything else on request."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final

from kithkin.errors import InvalidInput
from kithkin.mcp.default_tools import DEFAULT
from kithkin.mcp.tool import Tool
from kithkin.mcp.verb_tools import verb_tools

_ALL: Final = "all"
_USUAL: Final = "default"


@cache
def every_tool() -> Mapping[str, Tool]:
    """Every tool there is, by name, the usual ones first."""
    methods = [tool.method for tool in DEFAULT]
    return {tool.name: tool for tool in (*DEFAULT, *verb_tools(but=methods))}


def chosen_tools(wanted: str) -> Mapping[str, Tool]:
    """The tools of `default`, `all`, or a list of names, which may hold `default` too."""
    found: dict[str, Tool] = {}
    for name in filter(None, (one.strip() for one in wanted.split(","))):
        if name == _USUAL:
            found |= {tool.name: tool for tool in DEFAULT}
        elif name == _ALL:
            found |= every_tool()
        else:
            found[name] = _named(name)
    if not found:
        raise InvalidInput("No tool was named: say default, all, or names such as recall,remember.")
    return found


def _named(name: str) -> Tool:
    there = every_tool()
    if name not in there:
        near = get_close_matches(name, there, n=5, cutoff=0.4)
        hint = (
            f"Did you mean {', '.join(near)}?" if near else "`kithkin mcp --list-tools` lists them."
        )
        raise InvalidInput(f"There is no tool {name[:80]!r}. {hint}")
    return there[name]
