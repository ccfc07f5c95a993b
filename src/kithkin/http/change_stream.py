"""What changes, told as it happens: pages, long polls, and a stream that can be taken up again."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kithkin.db import Database
from kithkin.errors import InvalidInput, KithkinError
from kithkin.http.endpoint import Endpoint
from kithkin.http.requests import Answer, Asked, refusal
from kithkin.http.routes import DeclaredRoute
from kithkin.http.workers import Workers, response_of

LONGEST_WAIT: Final = 60.0
_BEAT_EVERY: Final = 15.0
_LOOK_EVERY: Final = 1.0
_NOTHING: Final = b"[]"
EVENT_STREAM: Final = "text/event-stream"


class Live:
    """Wakes up everybody who waits, when any process has changed the realm."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._changed = asyncio.Event()
        self._stop = threading.Event()
        self.stopping = False

    def next_change(self) -> asyncio.Event:
        """What is set at the next change. Ask for it before looking, so that none is missed."""
        return self._changed

    def stop(self) -> None:
        """Let everybody who waits go: the server ends."""
        self.stopping = True
        self._stop.set()
        self._wake()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Watch the realm, in a thread of its own."""
        loop = asyncio.get_running_loop()
        thread = threading.Thread(target=self._watch, args=(loop,), name="watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            await asyncio.to_thread(thread.join)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        watch = self._db.watch()
        try:
            while not self._stop.is_set():
                if watch.wait(_LOOK_EVERY) and not loop.is_closed():
                    loop.call_soon_threadsafe(self._wake)
        finally:
            watch.close()

    def _wake(self) -> None:
        waiting, self._changed = self._changed, asyncio.Event()
        waiting.set()


def route(endpoint: Endpoint, live: Live, workers: Workers) -> DeclaredRoute:
    """`GET /v1/changes`: at once, as soon as there is something (`wait`), or as a stream."""

    async def handle(request: Request) -> Response:
        try:
            asked, wait = _without_wait(await workers.asked(request))
        except KithkinError as error:
            return response_of(refusal(error))
        if EVENT_STREAM in asked.headers.get("accept", ""):
            return await _stream(endpoint, live, workers, asked)
        return response_of(await _poll(endpoint, live, workers, asked, wait))

    return DeclaredRoute(endpoint.shape.verb.route, handle, authority="agent")


def _without_wait(asked: Asked) -> tuple[Asked, float]:
    pairs = parse_qsl(asked.query, keep_blank_values=True)
    given = [value for name, value in pairs if name == "wait"]
    try:
        wait = float(given[0]) if given else 0.0
    except ValueError as error:
        raise InvalidInput("`wait` is a number of seconds.") from error
    if len(given) > 1 or not 0 <= wait <= LONGEST_WAIT:
        raise InvalidInput(f"`wait` is one number of seconds, 0 to {LONGEST_WAIT:.0f}.")
    rest = urlencode([(name, value) for name, value in pairs if name != "wait"])
    return replace(asked, query=rest), wait


async def _poll(
    endpoint: Endpoint, live: Live, workers: Workers, asked: Asked, wait: float
) -> Answer:
    until = asyncio.get_running_loop().time() + wait
    while True:
        change = live.next_change()
        answer = await workers.run(endpoint.answer, asked)
        left = until - asyncio.get_running_loop().time()
        if answer.body != _NOTHING or left <= 0 or live.stopping:
            return answer
        await _changed(change, left)


async def _stream(endpoint: Endpoint, live: Live, workers: Workers, asked: Asked) -> Response:
    cursor = asked.headers.get("last-event-id", "").strip()
    if cursor:
        asked = _after(asked, cursor)
    change = live.next_change()
    first = await workers.run(endpoint.answer, asked)
    if first.media_type != "application/json":
        return response_of(first)
    events = _events(endpoint, live, workers, asked, (change, first))
    return StreamingResponse(events, media_type=EVENT_STREAM)


async def _events(
    endpoint: Endpoint,
    live: Live,
    workers: Workers,
    asked: Asked,
    seen: tuple[asyncio.Event, Answer],
) -> AsyncIterator[bytes]:
    """Events as they come. Whoever is let in no longer, such as by a revoked token, is told."""
    change, answer = seen
    # Something at once, so that whoever listens knows that they are heard.
    yield b": listening\n\n"
    while not live.stopping:
        if answer.media_type != "application/json":
            yield b"event: refused\ndata: " + answer.body + b"\n\n"
            return
        rows = msgspec.json.decode(answer.body)
        for row in rows:
            yield _event(row)
        if rows:
            asked = _after(asked, str(rows[-1]["cursor"]))
        elif not await _changed(change, _BEAT_EVERY):
            yield b": still here\n\n"
        change = live.next_change()
        answer = await workers.run(endpoint.answer, asked)


def _event(row: dict[str, Any]) -> bytes:
    return b"id: %d\nevent: change\ndata: %s\n\n" % (row["cursor"], msgspec.json.encode(row))


def _after(asked: Asked, cursor: str) -> Asked:
    kept = [(name, value) for name, value in parse_qsl(asked.query) if name != "after"]
    return replace(asked, query=urlencode([*kept, ("after", cursor)]))


async def _changed(change: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await change.wait()
    except TimeoutError:
        return False
    return True
