"""The whole server: every route of every table, behind one guard."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from anyio import to_thread
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from kithkin.errors import InvalidInput, KithkinError, NotFound
from kithkin.http import agent, change_stream, health, owner, problems
from kithkin.http.agent import mcp
from kithkin.http.endpoint import Endpoint
from kithkin.http.metrics import Metrics
from kithkin.http.middleware import Guard
from kithkin.http.openapi import CHANGES, document
from kithkin.http.owner import login, upkeep
from kithkin.http.rate_limits import Buckets
from kithkin.http.reference_page import reference
from kithkin.http.requests import refusal
from kithkin.http.routes import routes_for
from kithkin.http.served_realm import Realm
from kithkin.http.workers import Workers, response_of
from kithkin.mcp.http import Streamable
from kithkin.verb import Shape
from kithkin.version import __version__

_WRITE_DOWN_EVERY: Final = 30.0


def make_app(realm: Realm, *, hosts: Sequence[str] = ()) -> FastAPI:
    """The server of a realm, as an ASGI application; `hosts` are further names it goes by."""
    settings = realm.config.server
    workers, buckets, metrics = (
        Workers(settings),
        Buckets(settings.requests_per_minute),
        Metrics(),
    )
    follower = change_stream.Live(realm.db)
    verbs = (*agent.verbs(), *owner.verbs())
    tools = Streamable(threads=settings.threads, most_bytes=settings.most_bytes)
    app = FastAPI(
        title="Kithkin",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(realm, follower, tools),
        redirect_slashes=False,
        exception_handlers={HTTPException: _no_route, Exception: _trouble},
    )
    app.state.live = follower
    shapes = [Shape(verb) for verb in verbs]
    changes = next(shape for shape in shapes if shape.verb.name == CHANGES)
    app.router.routes += [
        *health.routes(
            realm,
            workers=workers,
            metrics=metrics,
            document=document(shapes),
            reference=reference(shapes),
        ),
        *login.routes(realm, workers),
        # Before the route that its verb has like all others.
        change_stream.route(Endpoint(changes, realm, buckets), app.state.live, workers),
        *routes_for(verbs, realm, workers=workers, buckets=buckets),
        mcp.route(tools, realm, workers=workers, buckets=buckets),
    ]
    app.add_middleware(Guard, hosts=(*settings.hosts, *hosts), metrics=metrics)
    return app


def _lifespan(realm: Realm, follower: change_stream.Live, tools: Streamable) -> Any:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with follower.watching(), tools.running():
            tasks = [
                asyncio.create_task(_write_down(realm)),
                asyncio.create_task(upkeep.deliver(realm, follower)),
            ]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await to_thread.run_sync(realm.write_down)

    return lifespan


async def _write_down(realm: Realm) -> None:
    while True:
        await asyncio.sleep(_WRITE_DOWN_EVERY)
        await to_thread.run_sync(realm.write_down)


async def _no_route(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    if status == problems.WRONG_METHOD:
        told: KithkinError = InvalidInput("Not by that method: /openapi.json says by which.")
    else:
        told = NotFound("There is nothing here: /openapi.json lists what is.")
    return response_of(refusal(told, status))


async def _trouble(_request: Request, _error: Exception) -> Response:
    return response_of(
        refusal(KithkinError("Something went wrong here; the server's log says what."))
    )
