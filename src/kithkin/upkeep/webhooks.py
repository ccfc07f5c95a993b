"""Tell web addresses of changes: in order, signed, at least once, one server at a time."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol
from uuid import uuid4

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kithkin.auth import tokens
from kithkin.clock import moment, stamp
from kithkin.contacts import vault
from kithkin.contacts.vault_keys import Keyring
from kithkin.core import notices
from kithkin.core.model import By, Notice
from kithkin.db import Database
from kithkin.errors import DeliveryFailed, InvalidInput
from kithkin.ids import SecretId, WebhookId
from kithkin.outbound.delivery import LEASE, MOST_ATTEMPTS, later
from kithkin.soil import store as soil
from kithkin.upkeep import webhook_store as webhooks
from kithkin.upkeep.webhook_model import Batch, Dead, NewWebhook, Webhook

_AT_ONCE: Final = 100
_ROUNDS: Final = 50


class Post(Protocol):
    """Posts a body to a web address, signed; raises `DeliveryFailed` when it is not taken."""

    def __call__(self, url: str, body: bytes, *, key: str, secret: str | None) -> object: ...


class Told(Struct, frozen=True):
    """What a round did: how many changes each webhook took, and which did not take theirs."""

    taken: int = 0
    postponed: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()


def add(db: Database, url: str, types: Sequence[str], *, ring: Keyring, by: By) -> NewWebhook:
    """Tell an address of every change from now on, signed with a secret that is shown once."""
    secret = tokens.new_secret()
    with db.transaction() as tx:
        if webhooks.at(tx, url) is not None:
            raise InvalidInput(f"{url} is told of changes already.")
        uuid = WebhookId(f"webhook_{uuid4()}")
        kept: SecretId = vault.put(tx, ring, uuid, secret, now=by.now)
        webhook = Webhook(
            id=uuid,
            url=url,
            types=tuple(types),
            secret=kept,
            cursor=soil.head(tx).seq,
            upto=None,
            created_at=by.now,
            due_at=by.now,
        )
        return NewWebhook(webhooks.add(tx, webhook), secret)


def listed(db: Database) -> list[Webhook]:
    """Every webhook, oldest first."""
    with db.snapshot() as tx:
        return webhooks.listed(tx)


def remove(db: Database, webhook: str) -> Webhook:
    """Tell it nothing any more, and forget its secret."""
    with db.transaction() as tx:
        known = webhooks.get(tx, webhook)
        webhooks.remove(tx, webhook)
        vault.drop(tx, known.secret)
        return known


def dead(db: Database) -> list[Dead]:
    """What webhooks never took, oldest first."""
    with db.snapshot() as tx:
        return webhooks.dead(tx)


def retry(db: Database, uuid: str, *, post: Post, ring: Keyring) -> Dead:
    """Tell a webhook once more what it never took."""
    with db.snapshot() as tx:
        buried = webhooks.get_dead(tx, uuid)
        webhook = webhooks.get(tx, buried.webhook)
    _post(db, replace(webhook, cursor=buried.after), buried.upto, post=post, ring=ring)
    with db.transaction() as tx:
        webhooks.unbury(tx, uuid)
    return buried


def deliver(db: Database, *, post: Post, ring: Keyring, by: Callable[[], By]) -> Told:
    """Tell every webhook what it has not been told. Nothing is posted inside a transaction."""
    done = Told()
    for _ in range(_ROUNDS):
        taken = _take(db, by=by())
        if taken is None:
            break
        done = _told(db, done, *taken, post=post, ring=ring, by=by())
    return done


def _take(db: Database, *, by: By) -> tuple[Webhook, int] | None:
    """Lease a webhook that something is to be told, with where its batch ends."""
    with db.snapshot() as tx:
        if not webhooks.due(tx, now=by.now, end=soil.head(tx).seq):
            return None
    with db.transaction() as tx:
        for webhook in webhooks.due(tx, now=by.now, end=soil.head(tx).seq):
            upto = webhook.upto or _end(notices.after(tx, webhook.cursor, limit=_AT_ONCE))
            if upto is None:
                continue
            until = stamp(moment(by.now) + LEASE)
            webhooks.lease(tx, webhook, until=until, upto=upto)
            return replace(webhook, attempts=webhook.attempts + 1), upto
    return None


def _end(found: Sequence[Notice]) -> int | None:
    return found[-1].cursor if found else None


def _told(
    db: Database,
    done: Told,
    webhook: Webhook,
    upto: int,
    *,
    post: Post,
    ring: Keyring,
    by: By,
) -> Told:
    try:
        count = _post(db, webhook, upto, post=post, ring=ring)
    except DeliveryFailed as error:
        return _not_taken(db, done, webhook, upto, error, by=by)
    with db.transaction() as tx:
        webhooks.told(tx, webhook, upto=upto, error=None)
    return replace(done, taken=done.taken + count)


def _not_taken(
    db: Database, done: Told, webhook: Webhook, upto: int, error: DeliveryFailed, *, by: By
) -> Told:
    over = not error.retryable or webhook.attempts >= MOST_ATTEMPTS
    with db.transaction() as tx:
        if not over:
            due_at = later(webhook.attempts, by)
            webhooks.postpone(tx, webhook.id, due_at=due_at, error=str(error))
            return replace(done, postponed=(*done.postponed, webhook.id))
        buried = Dead(f"dead_{uuid4()}", webhook.id, webhook.cursor, upto, str(error), by.now)
        webhooks.bury(tx, buried)
        webhooks.told(tx, webhook, upto=upto, error=str(error))
    return replace(done, dead=(*done.dead, buried.id))


def _post(db: Database, webhook: Webhook, upto: int, *, post: Post, ring: Keyring) -> int:
    """Post one batch, unless nothing in it is wanted; how many changes it told of."""
    with db.snapshot() as tx:
        found = notices.after(tx, webhook.cursor, limit=_AT_ONCE)
        secret = vault.reveal(tx, ring, webhook.secret)
    wanted = tuple(
        one
        for one in found
        if one.cursor <= upto and (not webhook.types or one.entity_type in webhook.types)
    )
    if wanted:
        body = msgspec.json.encode(Batch(webhook.id, wanted))
        post(webhook.url, body, key=f"{webhook.id}:{webhook.cursor}-{upto}", secret=secret)
    return len(wanted)
