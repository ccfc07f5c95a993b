"""Who sends a request: by a token in a header, or by the owner's session in a cookie."""

import hmac
from typing import Final
from urllib.parse import urlsplit

from kithkin.auth import login
from kithkin.auth.model import Session
from kithkin.clock import stamp
from kithkin.errors import NotAllowed, NotKnown
from kithkin.http.requests import Asked
from kithkin.http.served_realm import Principal, Realm

COOKIE: Final = "kithkin_session"
CSRF: Final = "x-csrf-token"
_SAFE: Final = {"GET", "HEAD", "OPTIONS"}


def principal_of(realm: Realm, asked: Asked) -> Principal:
    """Who asks. A token outweighs a cookie: a program says who it is in every request."""
    scheme, _, secret = asked.headers.get("authorization", "").partition(" ")
    if scheme:
        if scheme.lower() != "bearer" or not secret.strip():
            raise NotKnown("Send the token as `Authorization: Bearer TOKEN`.")
        return realm.by_token(secret.strip())
    session = session_of(realm, asked)
    if session is None:
        raise NotKnown("Send a token as `Authorization: Bearer TOKEN`, or log in at /login.")
    require_own_page(session, asked)
    return realm.owner


def session_of(realm: Realm, asked: Asked) -> Session | None:
    """The owner's session that a browser brings, while it lasts."""
    secret = asked.cookies.get(COOKIE)
    if not secret:
        return None
    return login.session_of(realm.db, secret, now=stamp(realm.acting.now()))


def require_own_page(session: Session, asked: Asked) -> None:
    """Refuse what another site makes the owner's browser send."""
    if asked.method in _SAFE:
        return
    require_same_origin(asked)
    if not hmac.compare_digest(asked.headers.get(CSRF, "").encode(), session.csrf.encode()):
        raise NotAllowed("Send the session's CSRF token in the header X-CSRF-Token.")


def require_same_origin(asked: Asked) -> None:
    """Refuse a request whose page came from elsewhere. Programs send no Origin."""
    origin = asked.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != asked.headers.get("host"):
        raise NotAllowed("This request came from a page of another site.")
