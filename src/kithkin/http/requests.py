"""A request as a worker sees it, and the answer it gives back."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from kithkin.errors import KithkinError
from kithkin.http import problems

JSON = "application/json"


class Asked(Struct, frozen=True):
    """What somebody asks for, with everything a worker needs to answer."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    in_path: Mapping[str, str]
    origin: str
    """The address it came from."""
    scheme: str = "http"
    body: bytes = b""
    file: Path | None = None
    """Where the body is, when it is a file."""


class Answer(Struct, frozen=True):
    """What a request is answered."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = {}
    media_type: str = JSON
    file: Path | None = None
    """What is sent instead of the body, and removed afterwards."""


def refusal(error: KithkinError, status: int | None = None) -> Answer:
    """An error as the answer to a request."""
    return Answer(
        status=status or problems.status_of(error),
        body=problems.body_of(error, status),
        headers=problems.headers_of(error),
        media_type=problems.MEDIA_TYPE,
    )
