"""Errors as `application/problem+json`. Only here do they have status codes."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from kithkin import errors
from kithkin.errors import KithkinError, TryLater

MEDIA_TYPE: Final = "application/problem+json"
_STATUS: Final[Mapping[type[KithkinError], int]] = {
    errors.InvalidInput: 422,
    errors.TooLarge: 413,
    errors.NotKnown: 401,
    errors.NotAllowed: 403,
    errors.NotFound: 404,
    errors.StaleEdit: 409,
    errors.AlreadyRelated: 409,
    errors.WouldLoop: 409,
    errors.UndoRefused: 409,
    errors.InProgress: 409,
    errors.OutcomeUnknown: 409,
    errors.Lapsed: 409,
    errors.Refused: 409,
    errors.Erased: 410,
    errors.TooSlow: 408,
    errors.TryLater: 429,
    errors.DeliveryFailed: 502,
    errors.ModelUnavailable: 503,
    errors.StorageRefused: 409,
    errors.StorageBusy: 503,
    errors.StorageUnreachable: 503,
    errors.StorageFull: 507,
}
"""By the nearest ancestor; what is not named is the server's own trouble."""
SERVER_TROUBLE: Final = 500
WRONG_METHOD: Final = 405


class Problem(Struct, frozen=True):
    """Why a request was not carried out, for programs (`code`) and for people (`detail`)."""

    type: str
    title: str
    status: int
    detail: str
    code: str


def status_of(error: KithkinError) -> int:
    """The status code of an error."""
    for kind in type(error).__mro__:
        if kind in _STATUS:
            return _STATUS[kind]
    return SERVER_TROUBLE


def statuses() -> list[int]:
    """Every status a problem may have."""
    return sorted({*_STATUS.values(), SERVER_TROUBLE})


def body_of(error: KithkinError, status: int | None = None) -> bytes:
    """The problem of an error, with what a program needs to know beside it."""
    told = Problem(
        type=f"urn:kithkin:problem:{error.code}",
        title=_title(error.code),
        status=status or status_of(error),
        detail=str(error),
        code=error.code,
    )
    return msgspec.json.encode({**msgspec.to_builtins(told), **error.details})


def headers_of(error: KithkinError) -> dict[str, str]:
    """What is said beside a problem: who should log in, and how long to wait."""
    if isinstance(error, errors.NotKnown):
        return {"WWW-Authenticate": 'Bearer realm="kithkin"'}
    if isinstance(error, errors.InProgress | errors.StorageBusy):
        return {"Retry-After": "1"}
    if isinstance(error, TryLater):
        return {"Retry-After": str(_seconds_until(error.at))}
    return {}


def _title(code: str) -> str:
    return code.replace("_", " ").capitalize()


def _seconds_until(at: str) -> int:
    wait = datetime.fromisoformat(at) - datetime.now(UTC)
    return max(1, int(wait.total_seconds()) + 1)
