"""One event loop for all models, in a thread of its own: a connection belongs to its loop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


def result_of(work: Coroutine[Any, Any, T]) -> T:
    """Wait for what a model does."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


def pieces_of(pieces: AsyncIterator[T]) -> Iterator[T]:
    """Wait for one piece after another; whoever stops reading stops the model."""
    come: SimpleQueue[T | None] = SimpleQueue()

    async def pass_on() -> None:
        try:
            async for piece in pieces:
                come.put(piece)
        finally:
            come.put(None)

    running = asyncio.run_coroutine_threadsafe(pass_on(), _loop())
    try:
        while (piece := come.get()) is not None:
            yield piece
        running.result()
    finally:
        running.cancel()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
    return loop
