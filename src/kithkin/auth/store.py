"""The door's tables: tokens, the owner's password and sessions, replies. Only hashes of secrets."""

from collections.abc import Mapping
from typing import Any, Final

from kithkin.auth.model import Reply, Session, Token
from kithkin.db import Tx
from kithkin.errors import NotFound

_SELECT: Final = (
    "SELECT id, prefix, agent, connector, created_at, last_used_at, revoked_at FROM access_token"
)


def add_token(tx: Tx, token: Token, hash_: str) -> Token:
    """Keep a new token."""
    tx.execute(
        "INSERT INTO access_token (id, hash, prefix, agent, connector, created_at)"
        " VALUES (:id, :hash, :prefix, :agent, :connector, :at)",
        {
            "id": token.id,
            "hash": hash_,
            "prefix": token.prefix,
            "agent": token.agent,
            "connector": token.connector,
            "at": token.created_at,
        },
    )
    return token


def token_of(tx: Tx, hash_: str) -> Token | None:
    """The token with a secret of this hash, unless it was revoked."""
    row = tx.execute(
        f"{_SELECT} WHERE hash = :hash AND revoked_at IS NULL", {"hash": hash_}
    ).fetchone()
    return Token(*row) if row else None


def get_token(tx: Tx, token: str) -> Token:
    """The token of that id."""
    row = tx.execute(f"{_SELECT} WHERE id = :id", {"id": token}).fetchone()
    if row is None:
        raise NotFound(f"There is no token {token}. `kithkin tokens list` lists them.")
    return Token(*row)


def tokens(tx: Tx) -> list[Token]:
    """Every token, oldest first, revoked ones too."""
    return [Token(*row) for row in tx.execute(f"{_SELECT} ORDER BY created_at, id", {}).fetchall()]


def revoke(tx: Tx, token: str, *, now: str) -> None:
    """Let a token open nothing any more. Saying so twice changes nothing."""
    tx.execute(
        "UPDATE access_token SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id",
        {"now": now, "id": token},
    )


def used(tx: Tx, uses: Mapping[str, str]) -> None:
    """When tokens were last used, by their ids."""
    tx.executemany(
        "UPDATE access_token SET last_used_at = :at"
        " WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)",
        [{"id": token, "at": at} for token, at in uses.items()],
    )


def password(tx: Tx) -> str | None:
    """What is kept of the owner's password; None before there is one."""
    row = tx.execute("SELECT hash FROM owner_password WHERE one = 1", {}).fetchone()
    return row[0] if row else None


def set_password(tx: Tx, hash_: str, *, now: str) -> None:
    """The owner's new password. Whoever is logged in by the old one no longer is."""
    tx.execute(
        "INSERT INTO owner_password (one, hash, set_at) VALUES (1, :hash, :now)"
        " ON CONFLICT (one) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at",
        {"hash": hash_, "now": now},
    )
    tx.execute("DELETE FROM login_session", {})
    tx.execute("DELETE FROM login_link", {})


def add_link(tx: Tx, hash_: str, *, expires_at: str) -> None:
    """A link by which the password is set once; an older one opens nothing any more."""
    tx.execute("DELETE FROM login_link", {})
    tx.execute(
        "INSERT INTO login_link (hash, expires_at) VALUES (:hash, :at)",
        {"hash": hash_, "at": expires_at},
    )


def use_link(tx: Tx, hash_: str, *, now: str) -> bool:
    """Whether a link still opens; it does so once."""
    done = tx.execute(
        "UPDATE login_link SET used_at = :now"
        " WHERE hash = :hash AND used_at IS NULL AND expires_at > :now",
        {"hash": hash_, "now": now},
    )
    return done.rowcount == 1


def add_session(tx: Tx, session: Session, *, now: str) -> None:
    """The owner is logged in; sessions whose time is over are dropped."""
    tx.execute("DELETE FROM login_session WHERE expires_at <= :now", {"now": now})
    tx.execute(
        "INSERT INTO login_session (hash, csrf, created_at, expires_at)"
        " VALUES (:hash, :csrf, :now, :until)",
        {"hash": session.hash, "csrf": session.csrf, "now": now, "until": session.expires_at},
    )


def session_of(tx: Tx, hash_: str, *, now: str) -> Session | None:
    """The session with a secret of this hash, while it lasts."""
    row = tx.execute(
        "SELECT hash, csrf, expires_at FROM login_session WHERE hash = :hash AND expires_at > :now",
        {"hash": hash_, "now": now},
    ).fetchone()
    return Session(*row) if row else None


def drop_session(tx: Tx, hash_: str) -> None:
    """Log out."""
    tx.execute("DELETE FROM login_session WHERE hash = :hash", {"hash": hash_})


def failures_since(tx: Tx, since: str) -> tuple[int, str | None]:
    """How many logins failed since then, and when the last one did."""
    row = tx.execute(
        "SELECT count(*), max(at) FROM login_failure WHERE at > :since", {"since": since}
    ).fetchone()
    return int(row[0]), row[1]


def add_failure(tx: Tx, origin: str, *, now: str, since: str) -> None:
    """Remember a login that failed; what is older than the window is dropped."""
    tx.execute("DELETE FROM login_failure WHERE at <= :since", {"since": since})
    tx.execute(
        "INSERT INTO login_failure (at, origin) VALUES (:now, :origin)",
        {"now": now, "origin": origin},
    )


def clear_failures(tx: Tx) -> None:
    """Begin anew after a login that succeeded."""
    tx.execute("DELETE FROM login_failure", {})


def begin_reply(tx: Tx, principal: str, key: str, *, request: str, now: str) -> Reply | None:
    """Reserve a key; what it was used for, when it was used before."""
    row = tx.execute(
        "SELECT request, begun_at, status, headers, body FROM reply"
        " WHERE principal = :principal AND key = :key",
        {"principal": principal, "key": key},
    ).fetchone()
    if row is not None:
        body = None if row[4] is None else bytes(row[4])
        return Reply(row[0], row[1], row[2], row[3], body)
    tx.execute(
        "INSERT INTO reply (principal, key, request, begun_at)"
        " VALUES (:principal, :key, :request, :now)",
        {"principal": principal, "key": key, "request": request, "now": now},
    )
    return None


def end_reply(tx: Tx, principal: str, key: str, *, answer: Mapping[str, Any]) -> None:
    """What a request under a key was answered: its status, headers and body."""
    tx.execute(
        "UPDATE reply SET status = :status, headers = :headers, body = :body"
        " WHERE principal = :principal AND key = :key",
        {"principal": principal, "key": key, **answer},
    )


def release_reply(tx: Tx, principal: str, key: str) -> None:
    """Nothing was done under this key: it may be used again."""
    tx.execute(
        "DELETE FROM reply WHERE principal = :principal AND key = :key AND status IS NULL",
        {"principal": principal, "key": key},
    )


def forget_replies(tx: Tx, *, before: str | None = None) -> None:
    """Drop old replies; all of them when words are erased, for they may hold them."""
    tx.execute(
        "DELETE FROM reply WHERE CAST(:before AS TEXT) IS NULL OR begun_at < :before",
        {"before": before},
    )
