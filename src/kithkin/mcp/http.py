"""MCP over HTTP: each request says itself who sends it, so that no session can be stolen."""

from contextlib import AbstractAsyncContextManager
from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from kithkin.api.kithkin import Kithkin
from kithkin.errors import NotKnown
from kithkin.mcp.caller import caller
from kithkin.mcp.server import Context, Visit, make_server
from kithkin.mcp.tool_selection import chosen_tools

VISIT: Final = "kithkin.visit"
"""Where a request's scope says who it comes from."""


class Streamable:
    """Streamable HTTP for whoever was let in: an ASGI application that keeps nothing of anybody."""

    def __init__(self, *, threads: int, most_bytes: int) -> None:
        self._requests = StreamableHTTPSessionManager(
            make_server(_visit, threads=threads),
            stateless=True,
            json_response=True,
            max_request_body_size=most_bytes,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """While it is entered, requests are answered. It is entered once."""
        return self._requests.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._requests.asgi_app(scope, receive, send)


def visit_of(kin: Kithkin, *, tools: str) -> Visit:
    """An agent that comes in by a request, with the tools it asks for."""
    return Visit(caller(kin), chosen_tools(tools))


def _visit(ctx: Context) -> Visit:
    if ctx.request is None:
        raise NotKnown("Nobody says who sends this request.")
    visit: Visit = ctx.request.scope[VISIT]
    return visit
