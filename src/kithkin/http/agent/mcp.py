"""`/mcp`: the same tokens, limits and refusals as every other route of agents."""

from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from kithkin.api.kithkin import Kithkin
from kithkin.errors import KithkinError, NotAllowed, NotKnown
from kithkin.http.authentication import principal_of
from kithkin.http.rate_limits import Buckets
from kithkin.http.requests import Asked, refusal
from kithkin.http.routes import DeclaredRoute
from kithkin.http.served_realm import Realm
from kithkin.http.workers import Workers, response_of
from kithkin.mcp.http import VISIT, Streamable, visit_of
from kithkin.mcp.server import Visit


def route(
    streamable: Streamable, realm: Realm, *, workers: Workers, buckets: Buckets
) -> DeclaredRoute:
    """The route of an MCP endpoint: POST alone, since nothing is sent that nobody asked for."""

    def admit(asked: Asked) -> Visit:
        if "authorization" not in asked.headers:
            raise NotKnown("Send an agent's token as `Authorization: Bearer TOKEN`.")
        principal = principal_of(realm, asked)
        buckets.take(principal.name)
        kin = principal.facades.get("agent")
        if not isinstance(kin, Kithkin):
            raise NotAllowed("Only agents may use MCP: `kithkin tokens create` lets one in.")
        wanted = dict(parse_qsl(asked.query)).get("tools", "default")
        return visit_of(kin, tools=wanted)

    async def handle(request: Request) -> Response:
        try:
            asked = await workers.asked(request)
            request.scope[VISIT] = await workers.run(admit, asked)
        except KithkinError as error:
            return response_of(refusal(error))
        return _Answered(streamable, asked.body)

    return DeclaredRoute("POST /mcp", handle, authority="agent")


class _Answered(Response):
    """What MCP answers to a body that was read already."""

    def __init__(self, streamable: Streamable, body: bytes) -> None:
        super().__init__()
        self._streamable, self._body = streamable, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        waiting: list[Message] = [{"type": "http.request", "body": self._body, "more_body": False}]

        async def again() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._streamable(scope, again, send)
