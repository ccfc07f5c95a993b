"""From the network to a worker thread and back: bodies that are bounded in size and in time."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final, TypeVar

import anyio
from anyio import to_thread
from msgspec.structs import replace
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response

from kithkin.config import ServerSettings
from kithkin.errors import KithkinError, TooLarge, TooSlow
from kithkin.http.requests import Answer, Asked, refusal

Answering = Callable[[Asked], Answer]
Told = TypeVar("Told")
_NOTHING: Final = {204, 304}


class Workers:
    """The threads that answer: a few, since each holds a connection to the database."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._limiter: anyio.CapacityLimiter | None = None

    async def answer(
        self, request: Request, answering: Answering, *, file: bool = False
    ) -> Response:
        """Read a request, let a worker answer it, and send the answer."""
        try:
            asked = await self.asked(request, file=file)
        except KithkinError as error:
            return response_of(refusal(error))
        try:
            return response_of(await self.run(answering, asked))
        finally:
            if asked.file is not None:
                await to_thread.run_sync(_remove, asked.file)

    async def run(self, answering: Callable[[Asked], Told], asked: Asked) -> Told:
        """Let a worker answer."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._settings.threads)
        return await to_thread.run_sync(answering, asked, limiter=self._limiter)

    async def asked(self, request: Request, *, file: bool = False) -> Asked:
        """The request as a worker sees it, its body read."""
        body, path = b"", None
        try:
            async with asyncio.timeout(self._settings.slow_seconds * (20 if file else 1)):
                if file:
                    path = await self._file(request)
                else:
                    body = b"".join([part async for part in self._parts(request, file=False)])
        except TimeoutError as error:
            raise TooSlow("The request took too long to arrive: send it again.") from error
        except ClientDisconnect as error:
            raise TooSlow("The request broke off.") from error
        return replace(self.without_body(request), body=body, file=path)

    def without_body(self, request: Request) -> Asked:
        """The request as far as its head."""
        return Asked(
            method=request.method,
            path=request.url.path,
            query=request.url.query,
            headers=dict(request.headers),
            cookies=request.cookies,
            in_path=request.path_params,
            origin=request.client.host if request.client else "",
            scheme=request.url.scheme,
        )

    async def _file(self, request: Request) -> Path:
        path = Path(tempfile.mkdtemp(prefix="kithkin-")) / "body"
        try:
            with path.open("wb") as opened:
                async for part in self._parts(request, file=True):
                    opened.write(part)
        except BaseException:
            _remove(path)
            raise
        return path

    async def _parts(self, request: Request, *, file: bool) -> AsyncIterator[bytes]:
        most = self._settings.most_file_bytes if file else self._settings.most_bytes
        told = request.headers.get("content-length", "0")
        size = 0
        if told.isdecimal() and int(told) > most:
            raise TooLarge(f"A request here has at most {most:,} bytes.")
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise TooLarge(f"A request here has at most {most:,} bytes.")
            yield part


def response_of(answer: Answer) -> Response:
    """The answer as it is sent."""
    headers = dict(answer.headers)
    if answer.file is not None:
        return FileResponse(
            answer.file,
            headers=headers,
            media_type=answer.media_type,
            background=BackgroundTask(_remove, answer.file),
        )
    media_type = None if answer.status in _NOTHING else answer.media_type
    return Response(answer.body, answer.status, headers, media_type)


def _remove(file: Path) -> None:
    """Remove a file with the folder that was made for it."""
    shutil.rmtree(file.parent, ignore_errors=True)
