"""One event loop for all models, in a thread of its own: a connection belongs to its loop."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
_starting: Final = threading.Lock()


class _End:
    """That no more comes."""


def result_of(work: Coroutine[Any, Any, T]) -> T:
    """Wait for what a model does; whoever stops waiting stops the model."""
    running = _started(work)
    try:
        return running.result()
    except BaseException:
        running.cancel()
        raise


def pieces_of(pieces: AsyncIterator[T]) -> Iterator[T]:
    """Wait for one piece after another; whoever stops reading stops the model."""
    come: SimpleQueue[T | _End] = SimpleQueue()

    async def pass_on() -> None:
        try:
            async for piece in pieces:
                come.put(piece)
        finally:
            come.put(_End())

    running = _started(pass_on())
    try:
        while not isinstance(piece := come.get(), _End):
            yield piece
        running.result()
    finally:
        running.cancel()


def _started(work: Coroutine[Any, Any, T]) -> "Future[T]":
    with _starting:
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(work, loop)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):  # where processes can fork, the child has none of the threads
    os.register_at_fork(after_in_child=_loop.cache_clear)
