"""Let somebody in: programs by a token, the owner by a password."""

import secrets
from datetime import timedelta
from typing import Final
from uuid import uuid4

from msgspec import Struct

from kithkin.accounts import agents
from kithkin.accounts import store as accounts
from kithkin.accounts.model import Agent, Kind
from kithkin.auth import passwords, throttle, tokens
from kithkin.auth import store as door
from kithkin.auth.model import NewToken, Opened, Session, Token
from kithkin.clock import moment, stamp
from kithkin.config import Config
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotAllowed, NotFound, NotKnown, TryLater
from kithkin.ids import TokenId
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent

LINK_LASTS: Final = timedelta(hours=1)
SESSION_LASTS: Final = timedelta(hours=12)


class Admitted(Struct, frozen=True):
    """Who comes in by a token: an agent, or a connector by its name."""

    token: Token
    agent: Agent | None
    connector: str | None

    @property
    def principal(self) -> str:
        """The one name that everything of theirs is kept under."""
        return f"agent:{self.agent.id}" if self.agent else f"connector:{self.connector}"


def token_for_agent(
    db: Database, nametag: str, *, name: str, kind: Kind, persona: str | None, by: By
) -> NewToken:
    """A token for an account's agent of that name, registered when it is not there yet."""
    with db.transaction() as tx:
        agent = _named(tx, nametag, name)
        if agent is not None and agent.kind != kind:
            raise InvalidInput(
                f"{name} of {nametag} is a {agent.kind} agent: give another name, or ask for a "
                f"{agent.kind} one."
            )
        if agent is not None and persona is not None:
            raise InvalidInput(
                f"{name} of {nametag} is there already: `kithkin agents persona` says in whose "
                "voice it speaks."
            )
        if agent is None:
            agent = agents.register_agent(db, nametag, name=name, kind=kind, by=by)
            agent = agents.set_persona(db, agent.id, persona, by=by) if persona else agent
        return _new_token(tx, agent=agent, connector=None, by=by)


def _named(tx: Tx, nametag: str, name: str) -> Agent | None:
    account = accounts.named(tx, nametag)
    known = [one for one in accounts.agents_of(tx, account.id) if one.name == name]
    return known[0] if known else None


def token_for_connector(db: Database, connector: str, *, config: Config, by: By) -> NewToken:
    """A token for a connector that the configuration names."""
    if connector not in config.connectors:
        raise NotFound(
            f"No connector {connector} is set up: add [connectors.{connector}] with its channels "
            "to config.toml."
        )
    with db.transaction() as tx:
        return _new_token(tx, agent=None, connector=connector, by=by)


def all_tokens(db: Database) -> list[Token]:
    """Every token, oldest first, revoked ones too."""
    with db.snapshot() as tx:
        return door.tokens(tx)


def revoke_token(db: Database, token: str, *, by: By) -> Token:
    """Let a token open nothing any more, from this moment on."""
    with db.transaction() as tx:
        if door.get_token(tx, token).revoked_at is None:
            door.revoke(tx, token, now=by.now)
            _record(tx, "token_revoked", token, by=by)
        return door.get_token(tx, token)


def admitted(db: Database, secret: str) -> Admitted:
    """Who comes in by a token's secret."""
    with db.snapshot() as tx:
        token = door.token_of(tx, tokens.hashed(secret))
        if token is None:
            raise NotKnown("This token opens nothing: it was revoked, or never given out.")
        agent = accounts.get_agent(tx, token.agent) if token.agent else None
    return Admitted(token, agent, token.connector)


def note_uses(db: Database, uses: dict[str, str]) -> None:
    """Write down when tokens were last used. Asking is not worth a commit of its own."""
    if uses:
        with db.transaction() as tx:
            door.used(tx, uses)


def has_password(db: Database) -> bool:
    """Whether the owner can log in."""
    with db.snapshot() as tx:
        return door.password(tx) is not None


def new_link(db: Database, *, by: By) -> str:
    """The secret of a link by which the owner's password is set, once and soon."""
    secret = tokens.new_secret()
    with db.transaction() as tx:
        until = stamp(moment(by.now) + LINK_LASTS)
        door.add_link(tx, tokens.hashed(secret), expires_at=until)
    return secret


def set_password_by_link(db: Database, secret: str, password: str, *, by: By) -> None:
    """Set the owner's password by a link that was printed where the server was started."""
    kept = passwords.hashed(passwords.require_good(password))
    with db.transaction() as tx:
        if not door.use_link(tx, tokens.hashed(secret), now=by.now):
            raise NotAllowed(
                "This link was used or is too old: `kithkin owner password --link` prints another."
            )
        _set(tx, kept, by=by)


def set_password(db: Database, password: str, *, by: By) -> None:
    """Set the owner's password, for whoever sits at the realm. Everybody is logged out."""
    kept = passwords.hashed(passwords.require_good(password))
    with db.transaction() as tx:
        _set(tx, kept, by=by)


def log_in(db: Database, password: str, *, origin: str, by: By) -> Opened:
    """A session for the owner. Failures make everybody wait: a password is not to be guessed."""
    since = stamp(moment(by.now) - throttle.WINDOW)
    with db.transaction() as tx:
        failures, last = door.failures_since(tx, since)
        free_at = throttle.free_again_at(failures, moment(last)) if last else None
        if free_at and stamp(free_at) > by.now:
            raise TryLater("Too many logins failed", at=stamp(free_at))
        # Counted before it is looked at: many at once get no more guesses than one by one.
        door.add_failure(tx, origin, now=by.now, since=since)
        kept = door.password(tx)
    if kept is None or not passwords.matches(kept, password):
        raise NotKnown("This is not the password.")
    return _opened(db, by=by)


def session_of(db: Database, secret: str, *, now: str) -> Session | None:
    """The owner's session, while it lasts."""
    with db.snapshot() as tx:
        return door.session_of(tx, tokens.hashed(secret), now=now)


def log_out(db: Database, session: Session) -> None:
    """End a session."""
    with db.transaction() as tx:
        door.drop_session(tx, session.hash)


def _opened(db: Database, *, by: By) -> Opened:
    secret = tokens.new_secret()
    until = stamp(moment(by.now) + SESSION_LASTS)
    session = Session(tokens.hashed(secret), secrets.token_urlsafe(24), until)
    with db.transaction() as tx:
        door.clear_failures(tx)
        door.add_session(tx, session, now=by.now)
        _record(tx, "owner_logged_in", None, by=by)
    return Opened(session, secret)


def _set(tx: Tx, kept: str, *, by: By) -> None:
    door.set_password(tx, kept, now=by.now)
    door.clear_failures(tx)
    _record(tx, "owner_password_set", None, by=by)


def _new_token(tx: Tx, *, agent: Agent | None, connector: str | None, by: By) -> NewToken:
    secret = tokens.new_secret()
    token = Token(
        id=TokenId(f"token_{uuid4()}"),
        prefix=tokens.prefix_of(secret),
        agent=agent.id if agent else None,
        connector=connector,
        created_at=by.now,
    )
    door.add_token(tx, token, tokens.hashed(secret))
    _record(tx, "token_created", token.id, by=by)
    return NewToken(token, secret)


def _record(tx: Tx, what: str, token: str | None, *, by: By) -> None:
    payload = {"actor": by.actor} | ({"token": token} if token else {})
    soil.append(tx, SystemEvent(event_type=what, payload=payload), now=by.now)
