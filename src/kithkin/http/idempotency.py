"""Requests under an Idempotency-Key: done once, and answered the same however often they come."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import msgspec

from kithkin.auth import store as door
from kithkin.auth.model import Reply
from kithkin.clock import moment, stamp
from kithkin.errors import (
    CommitUncertain,
    InProgress,
    InvalidInput,
    KithkinError,
    OutcomeUnknown,
    Refused,
    TryLater,
)
from kithkin.http.requests import Answer, Asked, refusal
from kithkin.http.served_realm import Realm

HEADER: Final = "idempotency-key"
KEPT: Final = timedelta(hours=24)
_LONGEST_KEY: Final = 200
_LONGEST_WORK: Final = timedelta(minutes=10)
_UNKNOWN: Final = 0
"""The status of a reply nobody can tell."""


def once(realm: Realm, principal: str, asked: Asked, do: Callable[[], Answer]) -> Answer:
    """Do it, unless it was done under this key: then answer what was answered.

    The key is reserved, the work done and the answer kept, each in a transaction of its own: what
    a facade writes after its commit must not wait for ours.
    """
    key = asked.headers[HEADER].strip()
    if not 1 <= len(key) <= _LONGEST_KEY:
        raise InvalidInput(f"An Idempotency-Key has 1 to {_LONGEST_KEY} characters.")
    before = _reserve(realm, principal, key, asked)
    if before is not None:
        return _answered(realm, before, asked)
    return _done(realm, principal, key, do)


def _reserve(realm: Realm, principal: str, key: str, asked: Asked) -> Reply | None:
    now = realm.acting.now()
    with realm.db.transaction() as tx:
        door.forget_replies(tx, before=stamp(now - KEPT))
        return door.begin_reply(tx, principal, key, request=_fingerprint(asked), now=stamp(now))


def _answered(realm: Realm, before: Reply, asked: Asked) -> Answer:
    if before.request != _fingerprint(asked):
        raise InvalidInput("This Idempotency-Key was used for another request: make a new one.")
    begun = moment(before.begun_at)
    if before.status is None and realm.acting.now() - begun < _LONGEST_WORK:
        raise InProgress("The same request is being done just now: ask again in a moment.")
    if not before.status:
        raise OutcomeUnknown(
            "The same request was begun and nobody can say what came of it: look whether it was "
            "done, and if not, send it under a new Idempotency-Key."
        )
    headers = {**msgspec.json.decode(before.headers or "{}"), "Idempotency-Replayed": "true"}
    media_type = headers.pop("Content-Type")
    return Answer(before.status, before.body or b"", headers, media_type)


def _done(realm: Realm, principal: str, key: str, do: Callable[[], Answer]) -> Answer:
    try:
        answer = do()
    except (Refused, CommitUncertain) as error:
        answer = refusal(error)
        if isinstance(error, TryLater):
            _release(realm, principal, key)
            return answer
        unsure = isinstance(error, CommitUncertain)
        _keep(realm, principal, key, Answer(_UNKNOWN) if unsure else answer)
        return answer
    except KithkinError:
        # The database or a channel said no before anything changed.
        _release(realm, principal, key)
        raise
    except BaseException:
        _keep(realm, principal, key, Answer(_UNKNOWN))
        raise
    _keep(realm, principal, key, answer)
    return answer


def _release(realm: Realm, principal: str, key: str) -> None:
    with realm.db.transaction() as tx:
        door.release_reply(tx, principal, key)


def _keep(realm: Realm, principal: str, key: str, answer: Answer) -> None:
    headers = {**answer.headers, "Content-Type": answer.media_type}
    kept = {
        "status": answer.status,
        "headers": msgspec.json.encode(headers).decode(),
        "body": answer.body,
    }
    with realm.db.transaction() as tx:
        door.end_reply(tx, principal, key, answer=kept)


def _fingerprint(asked: Asked) -> str:
    told = f"{asked.method}\n{asked.path}\n{asked.query}".encode()
    return hashlib.sha256(told + b"\n" + asked.body).hexdigest()
