"""What stands before every route: the right host, an id for each request, and the count of them."""

import time
from collections.abc import Collection
from typing import Any, Final
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kithkin.errors import NotAllowed
from kithkin.http.metrics import Metrics
from kithkin.http.requests import refusal
from kithkin.http.routes import ROUTE
from kithkin.http.workers import response_of

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_REQUEST_ID: Final = "x-request-id"
_LONGEST_ID: Final = 100


class Guard:
    """Refuses names that are not the server's: a page elsewhere may point its own name here."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], metrics: Metrics) -> None:
        self._app = app
        self._hosts = {host.lower() for host in (*LOOPBACK, *hosts)}
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500
        marked = _marked(Headers(scope=scope))

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message, marked)
            await send(message)

        self._metrics.under_way += 1
        try:
            await (self._app if self._is_ours(scope) else _elsewhere)(scope, receive, tell)
        finally:
            self._metrics.under_way -= 1
            taken = time.perf_counter() - begun
            self._metrics.done(scope.get(ROUTE, "none"), status, taken)

    def _is_ours(self, scope: Scope) -> bool:
        host = Headers(scope=scope).get("host", "").lower()
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        return name in self._hosts


async def _elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
    error = NotAllowed(
        "This server does not go by that name: add it to `hosts` of [server] in config.toml."
    )
    await response_of(refusal(error))(scope, receive, send)


def _marked(headers: Headers) -> str:
    given = headers.get(_REQUEST_ID, "")
    sane = 0 < len(given) <= _LONGEST_ID and given.isascii() and given.isprintable()
    return given if sane else str(uuid4())


def _add_headers(message: dict[str, Any] | Message, marked: str) -> None:
    headers = MutableHeaders(scope=message)
    headers[_REQUEST_ID] = marked
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
