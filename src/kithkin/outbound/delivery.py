"""Send what was approved: at least once, under one key, with leases, patience and an end."""

import random
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment, stamp
from kithkin.config import Config
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import DeliveryFailed, Erased, Refused
from kithkin.outbound import store as approvals
from kithkin.outbound.model import Call, Sending
from kithkin.outbound.send import call_in, tool_of
from kithkin.outbound.targets import still_reaches
from kithkin.outbound.tools import words_of
from kithkin.ports import Channel, Outgoing
from kithkin.soil import received
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent

LEASE: Final = timedelta(minutes=2)
MOST_ATTEMPTS: Final = 8
_FIRST_WAIT: Final = timedelta(seconds=5)
_LONGEST_WAIT: Final = timedelta(hours=1)
_BATCH: Final = 20


class Delivered(Struct, frozen=True):
    """What a round of the outbox did."""

    sent: tuple[str, ...] = ()
    postponed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def deliver(
    db: Database,
    channels: Mapping[str, Channel],
    *,
    config: Config,
    by: Callable[[], By],
    limit: int = _BATCH,
) -> Delivered:
    """Send what is due. Nothing is sent inside a transaction; what it died with is sent again."""
    done: list[Sending] = []
    # One at a time, each with a lease of its own: a slow channel outlasts no lease but its own.
    while len(done) < limit and (one := _take(db, by=by())):
        done.append(_deliver(db, one, channels, config=config, by=by()))
    return Delivered(
        sent=tuple(one.id for one in done if one.state == "sent"),
        postponed=tuple(one.id for one in done if one.state == "due"),
        failed=tuple(one.id for one in done if one.state == "failed"),
    )


def execute(
    db: Database, sending: str, channels: Mapping[str, Channel], *, config: Config, by: By
) -> Sending:
    """Send one row now; one that was sent answers with what came of it."""
    with db.transaction() as tx:
        found = approvals.get_sending(tx, sending)
        if found.state != "due" or (found.leased_until or "") > by.now:
            return found
        approvals.lease(tx, found, until=_until(by))
    return _deliver(db, replace(found, attempts=found.attempts + 1), channels, config=config, by=by)


def retry(db: Database, sending: str, *, by: By) -> Sending:
    """Make a failed or waiting row due at once."""
    with db.transaction() as tx:
        if (approvals.get_sending(tx, sending).leased_until or "") > by.now:
            raise Refused("It is being sent just now: look again in a moment.")
        approvals.postpone(tx, sending, due_at=by.now, error=None)
        return approvals.get_sending(tx, sending)


def outbox(db: Database, *, state: str | None, limit: int = 100) -> list[Sending]:
    """The newest rows of the outbox."""
    with db.snapshot() as tx:
        return approvals.sendings(tx, state=state, limit=limit)


def _take(db: Database, *, by: By) -> Sending | None:
    with db.snapshot() as tx:
        if not approvals.due(tx, now=by.now, limit=1):
            return None
    with db.transaction() as tx:
        for one in approvals.due(tx, now=by.now, limit=1):
            approvals.lease(tx, one, until=_until(by))
            return replace(one, attempts=one.attempts + 1)
    return None


def _until(by: By) -> str:
    return stamp(moment(by.now) + LEASE)


def _deliver(
    db: Database, sending: Sending, channels: Mapping[str, Channel], *, config: Config, by: By
) -> Sending:
    try:
        outgoing = _outgoing(db, sending, config)
        provider_id = _channel(channels, sending.channel).send(outgoing)
    except DeliveryFailed as error:
        return _not_sent(db, sending, error, by=by)
    with db.transaction() as tx:
        result = msgspec.json.encode({"provider_id": provider_id}).decode()
        approvals.settle(tx, sending.id, state="sent", now=by.now, result=result, error=None)
        _record(tx, sending, "sent", by=by)
        if provider_id is not None and len(outgoing.to) == 1:
            # So that a reply to it is known to be one.
            place = received.Place(sending.channel, outgoing.to[0])
            received.remember(tx, place, provider_id, sender=None, item=sending.call)
        return approvals.get_sending(tx, sending.id)


def _channel(channels: Mapping[str, Channel], name: str) -> Channel:
    if name not in channels:
        raise DeliveryFailed(
            f"No channel {name} is set up: add [channels.{name}] to config.toml.", retryable=True
        )
    return channels[name]


def _outgoing(db: Database, sending: Sending, config: Config) -> Outgoing:
    """The message exactly as it was approved, to whom it was approved for, or nothing."""
    with db.snapshot() as tx:
        if not still_reaches(tx, sending):
            raise DeliveryFailed(
                "An address it was approved for belongs to somebody else now.", retryable=False
            )
        try:
            call = call_in(tx, sending.call)
        except Erased as error:
            raise DeliveryFailed("What was to be sent was erased.", retryable=False) from error
    return _message(sending, call, config)


def _message(sending: Sending, call: Call, config: Config) -> Outgoing:
    by_line: dict[str, list[str]] = {"cc": [], "bcc": [], "to": []}
    for target in sending.targets:
        line = target.argument if target.argument in by_line else "to"
        by_line[line] += [target.recipient] if target.recipient else []
    subject = call.arguments.get("subject")
    return Outgoing(
        key=sending.key,
        channel=sending.channel,
        to=tuple(by_line["to"]),
        cc=tuple(by_line["cc"]),
        bcc=tuple(by_line["bcc"]),
        text=words_of(call, tool_of(call, config)),
        subject=subject if isinstance(subject, str) else None,
        tool=call.tool,
        arguments=call.arguments,
    )


def _not_sent(db: Database, sending: Sending, error: DeliveryFailed, *, by: By) -> Sending:
    over = not error.retryable or sending.attempts >= MOST_ATTEMPTS
    with db.transaction() as tx:
        if over:
            told = str(error)
            approvals.settle(tx, sending.id, state="failed", now=by.now, error=told)
            _record(tx, sending, "failed", by=by)
        else:
            due_at = later(sending.attempts, by)
            approvals.postpone(tx, sending.id, due_at=due_at, error=str(error))
        return approvals.get_sending(tx, sending.id)


def later(attempts: int, by: By) -> str:
    """When to try again: twice as long after each attempt, with jitter so that many do not meet."""
    wait = min(_FIRST_WAIT * 2 ** (attempts - 1), _LONGEST_WAIT)
    return stamp(moment(by.now) + wait * random.uniform(0.5, 1.0))  # noqa: S311 - no secret


def _record(tx: Tx, sending: Sending, what: str, *, by: By) -> None:
    payload = {
        "sending": sending.id,
        "call": sending.call,
        "decision": sending.decision,
        "key": sending.key,
    }
    soil.append(tx, SystemEvent(event_type=what, payload=payload), now=by.now)
