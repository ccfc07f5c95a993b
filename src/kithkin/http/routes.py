"""Routes for a table of verbs, and for what is no verb. Each declares who may use it."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kithkin.http.endpoint import Endpoint
from kithkin.http.rate_limits import Buckets
from kithkin.http.served_realm import Realm
from kithkin.http.workers import Workers, response_of
from kithkin.verb import Authority, Shape, Verb

Handler = Callable[[Request], Awaitable[Response]]
Declared = Authority | Literal["anyone"]
ROUTE: Final = "kithkin.route"
"""Where a request's scope says which route answers it."""


class DeclaredRoute(Route):
    """A route that says who may use it."""

    def __init__(self, place: str, handler: Handler, *, authority: Declared) -> None:
        method, _, path = place.partition(" ")
        self.authority = authority

        async def named(request: Request) -> Response:
            request.scope[ROUTE] = place
            return await handler(request)

        super().__init__(path, named, methods=[method], name=place)


def routes_for(
    verbs: Iterable[Verb], realm: Realm, *, workers: Workers, buckets: Buckets
) -> list[DeclaredRoute]:
    """A route for each verb; those with fixed paths come before those that take any word."""
    ordered = sorted(verbs, key=lambda verb: verb.path.replace("{", "~"))
    return [
        DeclaredRoute(
            verb.route,
            handler_of(Endpoint(Shape(verb), realm, buckets), workers),
            authority=verb.authority,
        )
        for verb in ordered
    ]


def handler_of(endpoint: Endpoint, workers: Workers) -> Handler:
    """What answers requests for an endpoint."""

    async def handle(request: Request) -> Response:
        return await workers.answer(request, endpoint.answer)

    async def handle_file(request: Request) -> Response:
        # Who asks is known before a large body is taken in.
        refused = await workers.run(endpoint.admit, workers.without_body(request))
        if refused is not None:
            return response_of(refused)
        return await workers.answer(request, endpoint.answer, file=True)

    return handle_file if endpoint.shape.brings_file else handle
