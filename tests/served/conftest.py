"""A real server on a real socket, in a thread of the test's process."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from kithkin.accounts import owner_bootstrap
from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.config import Config, ConnectorSettings, ServerSettings
from kithkin.db import Database
from kithkin.http import owner, server
from kithkin.http.served_realm import Realm
from tests.served.stories import PASSWORD

CONFIG = Config(
    connectors={"telegram": ConnectorSettings(channels=("telegram",))},
    server=ServerSettings(slow_seconds=1.5, requests_per_minute=1_000_000, most_bytes=100_000),
)


class Answered(Struct, frozen=True):
    """What a server said."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Served:
    """A realm that is being served, and a client that says exactly what it is told to."""

    def __init__(self, realm: Realm, port: int) -> None:
        self.realm = realm
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    @property
    def admin(self) -> Admin:
        admin: Admin = self.realm.owner.facades["owner"]
        return admin

    def token(self, *, kind: Any = "frontend", agent: str = "main") -> str:
        nametag = self.admin.accounts.list()[0].nametag
        return self.admin.tokens.create(account=nametag, agent=agent, kind=kind).secret

    def kin(self, **more: Any) -> Kithkin:
        return Kithkin.connect(self.url, token=self.token(**more))

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        raw: bytes | None = None,
        **headers: str,
    ) -> Answered:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, content, sent)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answered(response.status, told, response.read())
        finally:
            connection.close()

    def log_in(self) -> dict[str, Any]:
        """The headers of a page of the owner."""
        self.admin.owner.set_password(PASSWORD)
        answered = self.ask("POST", "/v1/login", {"password": PASSWORD})
        assert answered.status == 200, answered.body
        cookie = answered.headers["set-cookie"].partition(";")[0]
        return {"Cookie": cookie, "X_CSRF_Token": answered.json["csrf"]}


@contextmanager
def serving(db: Database, *, config: Config = CONFIG, home: Any = None) -> Iterator[Served]:
    """Serve a database until the test is over."""
    acting = Acting(db, actor="owner", clock=None, config=config, home=home, sees_all=True)
    owner_bootstrap.ensure_owner(db, by=acting.by())
    realm = Realm(acting, owner=owner.facades)
    listening = socket.create_server(("127.0.0.1", 0))
    running = server.server_of(realm, "127.0.0.1")
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield Served(realm, listening.getsockname()[1])
    finally:
        running.handle_exit(15, None)
        thread.join(timeout=20)
        assert not thread.is_alive()


@pytest.fixture
def served(db: Database, tmp_path: Any) -> Iterator[Served]:
    with serving(db, home=tmp_path) as running:
        yield running
