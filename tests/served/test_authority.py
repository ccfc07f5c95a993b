"""Who may do what over REST: with real tokens, real cookies, and those of somebody else."""

import socket
import time
from typing import Any

import pytest
from starlette.routing import Route

from kithkin import Admin, Connector, Incoming
from kithkin.api.connector import VERBS as CONNECTOR_VERBS
from kithkin.db import Database
from kithkin.errors import NotAllowed, NotKnown, TryLater
from kithkin.http.app import make_app
from kithkin.http.routes import DeclaredRoute
from kithkin.verb import Verb
from kithkin.verbs.agent_verbs import AT_HOME, VERBS
from kithkin.verbs.owner_verbs import AT_HOME as ADMIN_AT_HOME
from kithkin.verbs.owner_verbs import VERBS as ADMIN_VERBS
from tests.conftest import Place
from tests.served.conftest import Served, serving
from tests.served.stories import PASSWORD

EVERYTHING = (*VERBS, *ADMIN_VERBS, *CONNECTOR_VERBS)


def _path(verb: Verb) -> str:
    path = verb.path
    for name in ("person", "contact", "memory", "entry", "nametag", "item", "entity", "relation"):
        path = path.replace(f"{{{name}}}", "entity_none")
    return path.replace("{", "").replace("}", "")


def _asked(served: Served, verb: Verb, **how: Any) -> int:
    body: Any = None if verb.method in {"GET", "DELETE"} else {}
    return served.ask(verb.method, _path(verb), body, **how).status


def test_every_route_declares_who_may_use_it(served: Served) -> None:
    routes = [one for one in make_app(served.realm).routes if isinstance(one, Route)]
    assert [one.path for one in routes if not isinstance(one, DeclaredRoute)] == []
    anyone = {one.name for one in routes if getattr(one, "authority", None) == "anyone"}
    assert anyone == {
        "GET /",
        "GET /docs",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
        "GET /openapi.json",
        "GET /welcome",
        "POST /welcome",
        "GET /login",
        "POST /login",
        "POST /v1/login",
    }


def test_without_a_token_nothing_is_told(served: Served) -> None:
    assert {_asked(served, verb) for verb in EVERYTHING} == {401}


def test_an_agents_token_opens_nothing_of_the_owners(served: Served) -> None:
    token = served.token()
    assert {_asked(served, verb, token=token) for verb in ADMIN_VERBS} == {403}
    assert {_asked(served, verb, token=token) for verb in CONNECTOR_VERBS} == {403}


def test_a_background_agent_does_not_speak_for_its_person(served: Served) -> None:
    token = served.token(kind="background", agent="worker")
    friends = [verb for verb in VERBS if verb.authority == "frontend"]
    assert len(friends) == 6
    assert {_asked(served, verb, token=token) for verb in friends} == {403}


def test_a_connector_receives_and_does_nothing_else(served: Served) -> None:
    made = served.admin.tokens.create(connector="telegram")
    others = (*VERBS, *ADMIN_VERBS)
    assert {_asked(served, verb, token=made.secret) for verb in others} == {403}
    with Connector.connect(served.url, token=made.secret) as connector:
        came = connector.receive(Incoming("telegram", "42", "Hello", verified=True))
        assert came.identity.channel == "telegram"
        assert connector.resolve_account("nobody") is None
        with pytest.raises(NotAllowed, match="email"):
            connector.receive(Incoming("email", "a@example.com", "Hello"))


def test_the_owner_uses_everything_but_what_is_an_agents_own(served: Served) -> None:
    owner = served.log_in()
    for verb in (*VERBS, *ADMIN_VERBS):
        expected = verb.authority in {"frontend", "connector"}
        if verb.name in {"admin.owner.set_password", "admin.restore"}:
            continue
        assert (_asked(served, verb, **owner) == 403) == expected or verb.part == "inbox", verb.name


def test_a_revoked_token_opens_nothing_from_that_moment(served: Served) -> None:
    token = served.token()
    assert served.ask("GET", "/v1/projects", token=token).status == 200
    [known] = served.admin.tokens.list()
    served.admin.tokens.revoke(known.id)
    answered = served.ask("GET", "/v1/projects", token=token)
    assert answered.status == 401
    assert answered.headers["www-authenticate"].startswith("Bearer")


def test_when_a_token_was_last_used_is_shown_without_a_write_for_each(served: Served) -> None:
    token = served.token()
    before = served.admin.head().seq
    for _ in range(20):
        served.ask("GET", "/v1/projects", token=token)
    assert served.admin.head().seq == before
    assert served.admin.tokens.list()[0].last_used_at is None
    served.realm.write_down()
    assert served.admin.tokens.list()[0].last_used_at is not None


def test_the_database_holds_no_secret_of_a_token(served: Served) -> None:
    token = served.token()
    with served.realm.db.snapshot() as tx:
        rows = tx.execute("SELECT id, hash, prefix FROM access_token", {}).fetchall()
    assert token not in str(rows)
    assert token.startswith(rows[0][2])


def test_the_cookie_alone_changes_nothing(served: Served) -> None:
    owner = served.log_in()
    made = {"name": "Sam"}
    without = served.ask("POST", "/v1/accounts", made, Cookie=owner["Cookie"])
    assert (without.status, without.json["code"]) == (403, "not_allowed")
    elsewhere = served.ask("POST", "/v1/accounts", made, **owner, Origin="https://evil.example")
    assert elsewhere.status == 403
    assert served.ask("POST", "/v1/accounts", made, **owner, Origin=served.url).status == 200
    assert served.ask("GET", "/v1/accounts", Cookie=owner["Cookie"]).status == 200


def test_a_session_that_was_ended_opens_nothing(served: Served) -> None:
    owner = served.log_in()
    assert served.ask("POST", "/v1/logout", **owner).status == 204
    assert served.ask("GET", "/v1/accounts", Cookie=owner["Cookie"]).status == 401


def test_a_new_password_logs_everybody_out(served: Served) -> None:
    owner = served.log_in()
    served.admin.owner.set_password("another password entirely")
    assert served.ask("GET", "/v1/accounts", Cookie=owner["Cookie"]).status == 401


def test_guessing_a_password_does_not_pay(served: Served) -> None:
    served.admin.owner.set_password(PASSWORD)
    statuses = [
        served.ask("POST", "/v1/login", {"password": f"wrong guess {n}"}).status for n in range(7)
    ]
    assert statuses[:5] == [401] * 5
    assert 429 in statuses
    refused = served.ask("POST", "/v1/login", {"password": PASSWORD})
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1


def test_a_link_sets_the_password_once(served: Served) -> None:
    code = served.admin.owner.password_link()
    form = f"code={code}&password=correct+horse+battery&again=correct+horse+battery".encode()
    how = {"Content_Type": "application/x-www-form-urlencoded", "Origin": served.url}
    page = served.ask("GET", "/welcome")
    assert b'action="/welcome"' in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    done = served.ask("POST", "/welcome", raw=form, **how)
    assert done.status == 303, done.body
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert b"Log out" in served.ask("GET", "/", Cookie=cookie.partition(";")[0]).body
    again = served.ask("POST", "/welcome", raw=form, **how)
    assert again.status == 403
    assert b"used or is too old" in again.body


def test_the_login_page_logs_in_and_out(served: Served) -> None:
    served.admin.owner.set_password(PASSWORD)
    how = {"Content_Type": "application/x-www-form-urlencoded"}
    wrong = served.ask("POST", "/login", raw=b"password=nothing+like+it", **how)
    assert wrong.status == 401
    assert b"This is not the password." in wrong.body
    form = f"password={PASSWORD.replace(' ', '+')}".encode()
    cookie = served.ask("POST", "/login", raw=form, **how).headers["set-cookie"].partition(";")[0]
    csrf = served.ask("GET", "/v1/session", Cookie=cookie).json["csrf"]
    assert served.ask("POST", "/logout", raw=b"csrf=no", Cookie=cookie, **how).status == 403
    out = served.ask("POST", "/logout", raw=f"csrf={csrf}".encode(), Cookie=cookie, **how)
    assert out.headers["location"] == "/login"
    assert served.ask("GET", "/v1/session", Cookie=cookie).status == 401


def test_a_name_that_is_not_the_servers_is_refused(served: Served) -> None:
    answered = served.ask("GET", "/healthz", Host="evil.example")
    assert answered.status == 403
    assert served.ask("GET", "/healthz", Host=f"localhost:{served.port}").status == 200


def test_an_oversized_request_is_refused_before_it_is_read(served: Served) -> None:
    token = served.token()
    answered = served.ask("POST", "/v1/timeline/notes", {"text": "x" * 200_000}, token=token)
    assert (answered.status, answered.json["code"]) == (413, "too_large")


def test_a_request_that_dawdles_is_let_go(served: Served) -> None:
    head = b"POST /v1/timeline/notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n"
    for part in (b"GET / HT", head + b"\r\n{"):
        with socket.create_connection(("127.0.0.1", served.port)) as slow:
            slow.sendall(part)
            slow.settimeout(10)
            begun = time.monotonic()
            answer = slow.recv(4096)
            assert time.monotonic() - begun < 8
            assert answer == b"" or b" 408 " in answer
    assert served.ask("GET", "/healthz").status == 200


def test_the_owners_client_logs_in_and_keeps_the_realm(served: Served, tmp_path: Any) -> None:
    served.admin.owner.set_password(PASSWORD)
    with Admin.connect(served.url, password=PASSWORD) as admin:
        account = admin.accounts.create("Sam")
        assert admin.accounts.show(account.nametag) == account
        assert admin.accounts.list() == served.admin.accounts.list()
        roles = admin.contacts.set_roles(admin.owner.show().contact.id, "owner", "family")
        assert roles.contact.roles == ("owner", "family")
        assert list(admin.export_people()) == list(served.admin.export_people())
        head = admin.backup(tmp_path / "copy.db")
        assert (tmp_path / "copy.db").read_bytes().startswith(b"SQLite format 3")
        assert head.seq <= admin.head().seq
    with pytest.raises(NotKnown):
        Admin.connect(served.url, password="not the password")  # noqa: S106


def test_every_public_method_of_a_facade_is_a_verb_or_says_why_not(served: Served) -> None:
    for facade, verbs, at_home in (
        (served.realm.owner.facades["agent"], VERBS, AT_HOME),
        (served.admin, ADMIN_VERBS, ADMIN_AT_HOME),
    ):
        told = {verb.name.removeprefix("admin.") for verb in verbs}
        found = set(_methods(facade))
        assert found - told - set(at_home) == set()
        assert told - found == set()


def _methods(facade: Any) -> list[str]:
    apart = {"open", "connect", "afar", "close"}
    own = [name for name in vars(type(facade)) if not name.startswith("_") and name not in apart]
    apart = {"kin"}
    parts = {
        name: part
        for name, part in vars(facade).items()
        if not name.startswith("_") and name not in apart
    }
    return [name for name in own if callable(getattr(facade, name))] + [
        f"{part}.{name}"
        for part, value in parts.items()
        for name in vars(type(value))
        if not name.startswith("_")
    ]


def test_failed_logins_count_for_every_server_of_the_realm(served: Served, place: Place) -> None:
    served.admin.owner.set_password(PASSWORD)
    for n in range(6):
        served.ask("POST", "/v1/login", {"password": f"wrong guess {n}"})
    with (
        Database.open(place[0], realm=place[1]) as db,
        serving(db) as other,
        pytest.raises(TryLater),
    ):
        Admin.connect(other.url, password=PASSWORD)
