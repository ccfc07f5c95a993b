"""Tokens, sessions and replies already given."""

from msgspec import Struct

from kithkin.ids import AgentId, TokenId


class Token(Struct, frozen=True):
    """A token as anybody may see it: its secret is shown once and kept nowhere."""

    id: TokenId
    prefix: str
    """How the secret begins, to tell tokens apart."""
    agent: AgentId | None
    """The agent that comes in by it; None for a connector's."""
    connector: str | None
    created_at: str
    last_used_at: str | None = None
    revoked_at: str | None = None


class NewToken(Struct, frozen=True):
    """A token with its secret, to be shown once."""

    token: Token
    secret: str


class Session(Struct, frozen=True):
    """The owner, logged in. Whoever changes something has to show `csrf` too."""

    hash: str
    csrf: str
    expires_at: str


class Opened(Struct, frozen=True):
    """A session with its secret, to be given to the browser once."""

    session: Session
    secret: str


class Reply(Struct, frozen=True):
    """What a request under a key was answered; without a status it is still being done."""

    request: str
    begun_at: str
    status: int | None
    headers: str | None
    body: bytes | None
