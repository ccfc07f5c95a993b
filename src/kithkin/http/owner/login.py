"""The owner's login: setting a password by a link, logging in and out, for people and programs."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from kithkin.auth import login
from kithkin.auth.model import Opened, Session
from kithkin.errors import InvalidInput, KithkinError, NotKnown
from kithkin.http import login_pages
from kithkin.http.authentication import COOKIE, require_own_page, require_same_origin, session_of
from kithkin.http.middleware import LOOPBACK
from kithkin.http.requests import Answer, Asked, refusal
from kithkin.http.routes import Declared, DeclaredRoute
from kithkin.http.served_realm import Realm
from kithkin.http.workers import Workers

_FORM: Final = "application/x-www-form-urlencoded"
_SEE_OTHER: Final = 303


class Password(Struct, frozen=True, forbid_unknown_fields=True):
    """What a program logs in with."""

    password: str


class LoggedIn(Struct, frozen=True):
    """What a program sends from now on, beside the cookie, in the header X-CSRF-Token."""

    csrf: str
    expires_at: str


class Login:
    """How the owner comes in."""

    def __init__(self, realm: Realm) -> None:
        self._realm = realm

    def home(self, asked: Asked) -> Answer:
        """Where a person arrives: logged in, or sent to where that is done."""
        session = session_of(self._realm, asked)
        if session is not None:
            return login_pages.home(session.csrf)
        return _to("/login" if login.has_password(self._realm.db) else "/welcome")

    def welcome(self, _asked: Asked) -> Answer:
        """The page that sets the password; the code comes from the link that was printed."""
        return login_pages.welcome()

    def set_password(self, asked: Asked) -> Answer:
        """Set the password by the code of the link, and log in."""
        require_same_origin(asked)
        form = _form(asked)
        password = form.get("password", "")
        if password != form.get("again", ""):
            raise InvalidInput("The two passwords differ: type the same one twice.")
        by = self._realm.acting.by()
        code = form.get("code", "").strip()
        login.set_password_by_link(self._realm.db, code, password, by=by)
        return self._in(asked, password)

    def page(self, _asked: Asked) -> Answer:
        """The page to log in."""
        return login_pages.login()

    def log_in(self, asked: Asked) -> Answer:
        """Log in by the page."""
        require_same_origin(asked)
        return self._in(asked, _form(asked).get("password", ""))

    def log_out(self, asked: Asked) -> Answer:
        """Log out by the page."""
        session = self._session(asked)
        require_same_origin(asked)
        require_own_page(session, _with_csrf(asked, _form(asked).get("csrf", "")))
        login.log_out(self._realm.db, session)
        return _to("/login", {"Set-Cookie": _cookie(asked, "", seconds=0)})

    def log_in_program(self, asked: Asked) -> Answer:
        """Log in with JSON, for programs of the owner."""
        require_same_origin(asked)
        try:
            given = msgspec.json.decode(asked.body, type=Password)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InvalidInput(f"The body is not right: {error}.") from error
        opened = self._opened(asked, given.password)
        told = LoggedIn(opened.session.csrf, opened.session.expires_at)
        headers = {"Set-Cookie": _cookie(asked, opened.secret)}
        return Answer(200, msgspec.json.encode(told), headers)

    def session(self, asked: Asked) -> Answer:
        """The session, for a page that has lost its CSRF token."""
        session = self._session(asked)
        return Answer(200, msgspec.json.encode(LoggedIn(session.csrf, session.expires_at)))

    def log_out_program(self, asked: Asked) -> Answer:
        """Log out with the header, for programs."""
        session = self._session(asked)
        require_own_page(session, asked)
        login.log_out(self._realm.db, session)
        return Answer(204, headers={"Set-Cookie": _cookie(asked, "", seconds=0)})

    def _session(self, asked: Asked) -> Session:
        session = session_of(self._realm, asked)
        if session is None:
            raise NotKnown("Nobody is logged in: log in at /login.")
        return session

    def _in(self, asked: Asked, password: str) -> Answer:
        opened = self._opened(asked, password)
        return _to("/", {"Set-Cookie": _cookie(asked, opened.secret)})

    def _opened(self, asked: Asked, password: str) -> Opened:
        return login.log_in(
            self._realm.db, password, origin=asked.origin, by=self._realm.acting.by()
        )


def routes(realm: Realm, workers: Workers) -> list[DeclaredRoute]:
    """The routes of the login. Whoever is not logged in must be able to reach most of them."""
    login = Login(realm)
    return [
        _route("GET /", login.home, workers),
        _route("GET /welcome", login.welcome, workers),
        _route("POST /welcome", login.set_password, workers, shown=login_pages.welcome),
        _route("GET /login", login.page, workers),
        _route("POST /login", login.log_in, workers, shown=login_pages.login),
        _route("POST /logout", login.log_out, workers, authority="owner", shown=login_pages.login),
        _route("POST /v1/login", login.log_in_program, workers),
        _route("GET /v1/session", login.session, workers, authority="owner"),
        _route("POST /v1/logout", login.log_out_program, workers, authority="owner"),
    ]


def _route(
    place: str,
    answering: "login_pages.Answering",
    workers: Workers,
    *,
    authority: Declared = "anyone",
    shown: "login_pages.Shown | None" = None,
) -> DeclaredRoute:
    """A route; a refusal is shown on the page it came from, or told as a problem."""

    def answer(asked: Asked) -> Answer:
        try:
            return answering(asked)
        except KithkinError as error:
            told = refusal(error)
            if shown is None:
                return told
            return msgspec.structs.replace(shown(str(error)), status=told.status)

    async def handle(request: Request) -> Response:
        return await workers.answer(request, answer)

    return DeclaredRoute(place, handle, authority=authority)


def _form(asked: Asked) -> Mapping[str, str]:
    if asked.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise InvalidInput(f"Send the form as {_FORM}.")
    try:
        return dict(parse_qsl(asked.body.decode(), keep_blank_values=True))
    except UnicodeDecodeError as error:
        raise InvalidInput("The form is not UTF-8.") from error


def _with_csrf(asked: Asked, csrf: str) -> Asked:
    return msgspec.structs.replace(asked, headers={**asked.headers, "x-csrf-token": csrf})


def _to(where: str, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(_SEE_OTHER, headers={"Location": where, **(headers or {})})


def _cookie(asked: Asked, secret: str, *, seconds: int | None = None) -> str:
    """HttpOnly and strict; sent over TLS alone, but for the loopback, where there is none."""
    host = asked.headers.get("host", "").rpartition(":")[0] or asked.headers.get("host", "")
    lasts = int(login.SESSION_LASTS.total_seconds()) if seconds is None else seconds
    parts = [f"{COOKIE}={secret}", "Path=/", f"Max-Age={lasts}", "HttpOnly", "SameSite=Strict"]
    if host.lower() not in LOOPBACK or asked.scheme == "https":
        parts.append("Secure")
    return "; ".join(parts)
