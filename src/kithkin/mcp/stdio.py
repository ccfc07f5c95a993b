"""MCP over the standard streams of this process: one client, one caller."""

from collections.abc import Mapping

import anyio
from mcp.server.stdio import stdio_server

from kithkin.mcp.caller import Caller
from kithkin.mcp.server import Visit, make_server
from kithkin.mcp.tool import Tool


def serve(caller: Caller, tools: Mapping[str, Tool]) -> None:
    """Answer until the client closes its end."""
    anyio.run(_serve, caller, tools)


async def _serve(caller: Caller, tools: Mapping[str, Tool]) -> None:
    visit = Visit(caller, tools)
    server = make_server(lambda _: visit)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
