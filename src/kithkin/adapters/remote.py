"""A realm that is served elsewhere: the same methods, over REST."""

import http.client
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlencode, urlsplit
from uuid import uuid4

import msgspec
from msgspec import Struct

from kithkin.errors import (
    CommitUncertain,
    InProgress,
    InvalidInput,
    KithkinError,
    StorageBusy,
    StorageError,
    StorageUnreachable,
    by_code,
)
from kithkin.verb import Shape, Verb

_ATTEMPTS: Final = 4
_FIRST_PAUSE: Final = 0.1
_MOST_WAIT: Final = 30.0
_PIECE: Final = 1 << 20
_KNOWN: Final = {"type", "title", "status", "detail", "code"}
Local = Callable[..., Any]
"""What a client does itself, given the part of the facade it belongs to."""


class Answered(Struct, frozen=True):
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Remote:
    """A connection to a server, kept open, one for each thread."""

    def __init__(self, url: str, *, seconds: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput(f"{url!r} is no server's address: write it like https://host:8420.")
        self.url = url.rstrip("/")
        self.headers: dict[str, str] = {"Accept": "application/json"}
        self._parts = parts
        self._seconds = seconds
        self._here = threading.local()

    def close(self) -> None:
        """Close this thread's connection."""
        connection: http.client.HTTPConnection | None = getattr(self._here, "connection", None)
        if connection is not None:
            connection.close()
            self._here.connection = None

    def ask(self, shape: Shape, arguments: dict[str, Any]) -> Any:
        """Have a verb done, and what it gave."""
        if shape.is_paged and arguments.get("limit") is None:
            return self._every_page(shape, arguments)
        if shape.gives_file:
            return self._fetch(shape, arguments)
        answered = self._send(shape, arguments)
        if shape.gives_lines:
            return iter(answered.body.decode().splitlines())
        return msgspec.json.decode(answered.body or b"null", type=shape.gives)

    def log_in(self, password: str) -> None:
        """Log in as the owner: from now on the session goes with every request."""
        body = msgspec.json.encode({"password": password})
        headers = {"Content-Type": "application/json"}
        try:
            answered = self._attempt("POST", "/v1/login", body, headers)
        except KithkinError:
            self.close()
            raise
        self.headers["X-CSRF-Token"] = msgspec.json.decode(answered.body)["csrf"]
        self.headers["Cookie"] = answered.headers["set-cookie"].partition(";")[0]

    def _every_page(self, shape: Shape, arguments: dict[str, Any]) -> list[Any]:
        rows: list[Any] = []
        after = arguments.get("after")
        while True:
            page = self.ask(shape, {**arguments, "after": after, "limit": 1000})
            rows += page
            if len(page) < 1000:  # noqa: PLR2004 - a full page may have another after it
                return rows
            after = getattr(page[-1], shape.verb.cursor or "id")

    def _fetch(self, shape: Shape, arguments: dict[str, Any]) -> Any:
        target = Path(arguments.pop(shape.file or ""))
        if target.exists() and (target.is_file() or any(target.iterdir())):
            raise InvalidInput(f"{target} exists already. Choose another name, or empty it.")
        answered = self._send(shape, arguments)
        target.parent.mkdir(parents=True, exist_ok=True)
        if shape.verb.carries == "file down":
            target.write_bytes(answered.body)
            target.chmod(0o600)
        else:
            with tempfile.TemporaryFile() as archive:
                archive.write(answered.body)
                with zipfile.ZipFile(archive) as opened:
                    opened.extractall(target)
        told = unquote(answered.headers["kithkin-result"])
        return msgspec.json.decode(told, type=shape.gives)

    def _send(self, shape: Shape, arguments: dict[str, Any]) -> Answered:
        given = dict(arguments)
        path = shape.verb.path
        for name in shape.in_path:
            path = path.replace(f"{{{name}}}", quote(str(given.pop(name)), safe=""))
        headers: dict[str, str] = {}
        body: bytes | None = None
        if shape.brings_file:
            body = _content(Path(given.pop(shape.file or "")), shape.verb)
            headers["Content-Type"] = "application/octet-stream"
        if shape.in_query:
            query = urlencode(list(_plain(shape.flattened(given))), doseq=True)
            path = f"{path}?{query}" if query else path
        else:
            body = msgspec.json.encode(given)
            headers["Content-Type"] = "application/json"
        if not shape.verb.is_safe and not shape.verb.secret:
            headers["Idempotency-Key"] = str(uuid4())
        repeatable = shape.verb.is_safe or "Idempotency-Key" in headers
        return self._patiently(shape.verb.method, path, body, headers, repeatable=repeatable)

    def _patiently(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        repeatable: bool,
    ) -> Answered:
        """Ask again where that is safe: nothing changes, or one key says it is the same request."""
        pause = _FIRST_PAUSE
        until = time.monotonic() + _MOST_WAIT
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._attempt(method, path, body, headers)
            except (StorageUnreachable, CommitUncertain, StorageBusy):
                if not repeatable or attempt == _ATTEMPTS:
                    raise
            except InProgress:
                if time.monotonic() > until:
                    raise
            time.sleep(pause)
            pause *= 3
        raise StorageUnreachable(f"{self.url} does not answer.")

    def _attempt(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answered:
        connection = self._connection()
        sent = False
        try:
            connection.request(
                method, self._parts.path.rstrip("/") + path, body, {**self.headers, **headers}
            )
            sent = True
            response = connection.getresponse()
            read = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if sent and method != "GET":
                raise CommitUncertain(
                    f"{self.url} broke off: look whether it was done before trying again."
                ) from error
            raise StorageUnreachable(
                f"{self.url} does not answer ({error}): is `kithkin serve` running there?"
            ) from error
        told = {name.lower(): value for name, value in response.getheaders()}
        return _accepted(Answered(response.status, told, read))

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._here, "connection", None)
        if connection is None:
            kind = (
                http.client.HTTPSConnection
                if self._parts.scheme == "https"
                else http.client.HTTPConnection
            )
            connection = kind(self._parts.hostname or "", self._parts.port, timeout=self._seconds)
            self._here.connection = connection
        return connection


class Part:
    """A part of a facade whose methods are carried out by a server."""

    def __init__(
        self, remote: Remote, shapes: Mapping[str, Shape], local: Mapping[str, Local]
    ) -> None:
        self._remote = remote
        self._shapes = shapes
        self._local = local

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in self._local:
            return lambda *given, **named: self._local[name](self, *given, **named)
        if name not in self._shapes:
            raise AttributeError(f"There is no {name} here.")
        return self.asking(name)

    def asking(self, name: str) -> Callable[..., Any]:
        """The method of that name, as the server does it."""
        shape = self._shapes[name]

        def method(*given: Any, **named: Any) -> Any:
            return self._remote.ask(shape, shape.bind(given, named))

        method.__name__, method.__doc__ = name, shape.verb.does.__doc__
        return method


def become(facade: Any, verbs: Iterable[Verb], remote: Remote, local: Mapping[str, Local]) -> None:
    """Make every part of a facade that was not opened here ask a server instead."""
    by_part: dict[str, dict[str, Shape]] = {}
    for verb in verbs:
        by_part.setdefault(verb.part, {})[verb.does.__name__] = Shape(verb)
    for part, shapes in by_part.items():
        own = {
            name.rpartition(".")[2]: done
            for name, done in local.items()
            if name.rpartition(".")[0] == part
        }
        made = Part(remote, shapes, own)
        if part:
            setattr(facade, part, made)
        else:
            for name in (*shapes, *own):
                setattr(facade, name, getattr(made, name))
    # What closes a facade closes the connection.
    setattr(facade, "_acting", remote)  # noqa: B010 - a facade is not told what it stands on


def _accepted(answered: Answered) -> Answered:
    if answered.status < 400:  # noqa: PLR2004 - where refusals begin
        return answered
    try:
        told = msgspec.json.decode(answered.body)
    except msgspec.DecodeError:
        told = None
    if not isinstance(told, dict) or "code" not in told:
        raise StorageError(f"The server said {answered.status} and nothing that can be read.")
    raise error_of(told)


def error_of(told: Mapping[str, Any]) -> KithkinError:
    """The error a problem tells of, as it would have been raised here."""
    kind = by_code().get(str(told["code"]), KithkinError)
    error = kind.__new__(kind)
    Exception.__init__(error, str(told.get("detail", "")))
    for name, value in told.items():
        if name not in _KNOWN:
            setattr(error, "at" if name == "try_again_at" else name, value)
    return error


def _plain(flat: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in flat.items():
        if isinstance(value, bool):
            yield name, "true" if value else "false"
        else:
            yield name, value


def _content(path: Path, verb: Verb) -> bytes:
    if verb.carries == "file up":
        if not path.is_file():
            raise InvalidInput(f"There is no file {path}.")
        return path.read_bytes()
    if not path.is_dir():
        raise InvalidInput(f"There is no folder {path}.")
    with tempfile.TemporaryDirectory() as folder:
        archive = shutil.make_archive(str(Path(folder) / "folder"), "zip", path)
        return Path(archive).read_bytes()
