"""Webhooks' tables: a cursor and a lease for each, and what they never took."""

from typing import Any, Final

import msgspec

from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.upkeep.webhook_model import Dead, Webhook

_SELECT: Final = (
    "SELECT id, url, types, secret, cursor, upto, created_at, due_at, leased_until, attempts, error"
    " FROM webhook"
)
_DEAD: Final = "SELECT id, webhook, after, upto, error, at FROM webhook_dead"


def add(tx: Tx, webhook: Webhook) -> Webhook:
    """A new webhook."""
    tx.execute(
        "INSERT INTO webhook (id, url, types, secret, cursor, created_at, due_at)"
        " VALUES (:id, :url, :types, :secret, :cursor, :at, :at)",
        {
            "id": webhook.id,
            "url": webhook.url,
            "types": msgspec.json.encode(webhook.types).decode(),
            "secret": webhook.secret,
            "cursor": webhook.cursor,
            "at": webhook.created_at,
        },
    )
    return webhook


def get(tx: Tx, webhook: str) -> Webhook:
    """The webhook of that id."""
    row = tx.execute(f"{_SELECT} WHERE id = :id", {"id": webhook}).fetchone()
    if row is None:
        raise NotFound(f"There is no webhook {webhook}. `kithkin webhooks list` lists them.")
    return _webhook(row)


def at(tx: Tx, url: str) -> Webhook | None:
    """The webhook of an address."""
    row = tx.execute(f"{_SELECT} WHERE url = :url", {"url": url}).fetchone()
    return _webhook(row) if row else None


def listed(tx: Tx) -> list[Webhook]:
    """Every webhook, oldest first."""
    return [_webhook(row) for row in tx.execute(f"{_SELECT} ORDER BY created_at, id", {})]


def remove(tx: Tx, webhook: str) -> None:
    """Tell it nothing any more."""
    tx.execute("DELETE FROM webhook_dead WHERE webhook = :id", {"id": webhook})
    tx.execute("DELETE FROM webhook WHERE id = :id", {"id": webhook})


def due(tx: Tx, *, now: str, end: int) -> list[Webhook]:
    """The webhooks that have something to be told now, and that nobody else is telling."""
    rows = tx.execute(
        f"{_SELECT} WHERE cursor < :end AND due_at <= :now"
        " AND (leased_until IS NULL OR leased_until <= :now) ORDER BY due_at, id",
        {"now": now, "end": end},
    )
    return [_webhook(row) for row in rows.fetchall()]


def lease(tx: Tx, webhook: Webhook, *, until: str, upto: int) -> None:
    """Keep others from telling it until then; whoever dies meanwhile loses only the lease."""
    tx.execute(
        "UPDATE webhook SET leased_until = :until, upto = :upto, attempts = attempts + 1"
        " WHERE id = :id",
        {"until": until, "upto": upto, "id": webhook.id},
    )


def told(tx: Tx, webhook: Webhook, *, upto: int, error: str | None) -> None:
    """It was told up to there, or will never be. The cursor never moves back."""
    tx.execute(
        "UPDATE webhook SET cursor = :upto, upto = NULL, attempts = 0, leased_until = NULL,"
        " error = :error WHERE id = :id AND cursor = :cursor",
        {"upto": upto, "id": webhook.id, "cursor": webhook.cursor, "error": error},
    )


def postpone(tx: Tx, webhook: str, *, due_at: str, error: str) -> None:
    """Try the same batch again later."""
    tx.execute(
        "UPDATE webhook SET due_at = :due, leased_until = NULL, error = :error WHERE id = :id",
        {"due": due_at, "error": error, "id": webhook},
    )


def bury(tx: Tx, dead: Dead) -> None:
    """Keep what a webhook did not take."""
    tx.execute(
        "INSERT INTO webhook_dead (id, webhook, after, upto, error, at)"
        " VALUES (:id, :webhook, :after, :upto, :error, :at)",
        msgspec.to_builtins(dead),
    )


def dead(tx: Tx) -> list[Dead]:
    """What webhooks never took, oldest first."""
    return [Dead(*row) for row in tx.execute(f"{_DEAD} ORDER BY at, id", {}).fetchall()]


def get_dead(tx: Tx, uuid: str) -> Dead:
    """One of them."""
    row = tx.execute(f"{_DEAD} WHERE id = :id", {"id": uuid}).fetchone()
    if row is None:
        raise NotFound(f"There is no dead letter {uuid}. `kithkin webhooks dead` lists them.")
    return Dead(*row)


def unbury(tx: Tx, uuid: str) -> None:
    """It was taken after all."""
    tx.execute("DELETE FROM webhook_dead WHERE id = :id", {"id": uuid})


def _webhook(row: Any) -> Webhook:
    uuid, url, types, *more = row
    return Webhook(uuid, url, msgspec.json.decode(types, type=tuple[str, ...]), *more)
