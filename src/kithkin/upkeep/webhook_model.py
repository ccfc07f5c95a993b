"""A webhook, what it was not told, and what it is told."""

from msgspec import Struct

from kithkin.core.model import Notice
from kithkin.ids import SecretId, WebhookId


class Webhook(Struct, frozen=True):
    """A web address that is told of changes, and how far it has been told."""

    id: WebhookId
    url: str
    types: tuple[str, ...]
    """Only changes of these types; all of them when there is none."""
    secret: SecretId
    """Where the vault keeps what its messages are signed with."""
    cursor: int
    upto: int | None
    """Where the batch ends that is being told: the same one until it was taken."""
    created_at: str
    due_at: str
    leased_until: str | None = None
    attempts: int = 0
    error: str | None = None


class NewWebhook(Struct, frozen=True):
    """A webhook with the secret its messages are signed with, to be shown once."""

    webhook: Webhook
    secret: str


class Dead(Struct, frozen=True):
    """Changes that a webhook never took, after so many attempts."""

    id: str
    webhook: WebhookId
    after: int
    upto: int
    error: str
    at: str


class Batch(Struct, frozen=True):
    """What a webhook is told at once."""

    webhook: WebhookId
    changes: tuple[Notice, ...]
