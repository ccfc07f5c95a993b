"""Whether the server lives, whether it can serve, what it does, and what it offers."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from kithkin.errors import KithkinError
from kithkin.http.metrics import MEDIA_TYPE, Metrics
from kithkin.http.requests import Answer, Asked, refusal
from kithkin.http.routes import DeclaredRoute
from kithkin.http.served_realm import Realm
from kithkin.http.workers import Workers, response_of
from kithkin.upkeep import verify


def routes(
    realm: Realm,
    *,
    workers: Workers,
    metrics: Metrics,
    document: Mapping[str, Any],
    reference: Answer,
) -> list[DeclaredRoute]:
    """The routes that anybody may ask. None of them tells anything of anybody."""
    described = msgspec.json.encode(document)

    def ready(_asked: Asked) -> Answer:
        try:
            verify.head(realm.db)
        except KithkinError as error:
            return refusal(error)
        return Answer(200, b'{"status":"ready"}')

    async def healthz(_request: Request) -> Response:
        return Response(b'{"status":"alive"}', media_type="application/json")

    async def readyz(request: Request) -> Response:
        return await workers.answer(request, ready)

    async def numbers(_request: Request) -> Response:
        return PlainTextResponse(metrics.told(), media_type=MEDIA_TYPE)

    async def openapi(_request: Request) -> Response:
        return Response(described, media_type="application/json")

    async def docs(_request: Request) -> Response:
        return response_of(reference)

    return [
        DeclaredRoute("GET /docs", docs, authority="anyone"),
        DeclaredRoute("GET /healthz", healthz, authority="anyone"),
        DeclaredRoute("GET /readyz", readyz, authority="anyone"),
        DeclaredRoute("GET /metrics", numbers, authority="anyone"),
        DeclaredRoute("GET /openapi.json", openapi, authority="anyone"),
    ]
