"""Run a server: bound where it may be, ended so that nothing is lost."""

import asyncio
import signal
import socket
import sys
from contextlib import suppress
from types import FrameType
from typing import ClassVar, Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from kithkin.auth import login
from kithkin.errors import InvalidInput, NotAllowed, StorageError
from kithkin.http.app import make_app
from kithkin.http.served_realm import Realm

PORT: Final = 8420
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_MOST_AT_ONCE: Final = 1000
_SECONDS_TO_END: Final = 30
_BACKLOG: Final = 512


class PatientProtocol(H11Protocol):
    """HTTP/1.1 from clients that come to the point: a head that dawdles ends the connection."""

    seconds: ClassVar[float] = 20.0
    _dawdling: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there, and has yet to say anything."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came. Once a head has begun, it has so many seconds to be whole."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side is gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._dawdling is None:
            self._dawdling = self.loop.call_later(self.seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._dawdling is not None:
            self._dawdling.cancel()
            self._dawdling = None


class Server(uvicorn.Server):
    """A server that lets those go who wait for changes, before it waits for the others."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._live = app.state.live

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Somebody asks the server to end."""
        self._live.stop()
        super().handle_exit(sig, frame)


def bound(realm: Realm, host: str, port: int) -> socket.socket:
    """A socket to listen on. Beyond this machine it is opened only when there is a password."""
    if host not in _LOOPBACK and not login.has_password(realm.db):
        raise NotAllowed(
            f"Before the realm is served on {host}, set a password: start `kithkin serve` on this "
            "machine and follow its link, or use `kithkin owner password`."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: only then does asyncio send small answers without waiting 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        # Whoever comes before the server is ready waits, and is not turned away.
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise StorageError(
            f"{host}:{port} cannot be listened on: {error.strerror}. Choose another with --port; "
            "0 takes a free one."
        ) from error
    except OverflowError as error:
        listening.close()
        raise InvalidInput(f"{port} is no port: choose one from 1 to 65535.") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Where it is reached."""
    host, port, *_ = listening.getsockname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def run(realm: Realm, host: str, listening: socket.socket) -> None:
    """Serve until somebody ends it. Being asked to end is no failure."""
    for one in (signal.SIGTERM, signal.SIGINT):
        # The library ends gracefully, then raises the signal again for whoever was there before.
        signal.signal(one, _ended)
    with suppress(SystemExit):
        server_of(realm, host).run(sockets=[listening])


def _ended(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def server_of(realm: Realm, host: str) -> Server:
    """The server of a realm, ready to be run on a socket."""
    app = make_app(realm, hosts=(f"[{host}]" if ":" in host else host,))
    config = uvicorn.Config(
        app,
        http=_protocol(realm.config.server.slow_seconds),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=_MOST_AT_ONCE,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    return Server(config, app)


def _protocol(seconds: float) -> type[PatientProtocol]:
    class Patient(PatientProtocol):
        """With the patience that the owner has set."""

    Patient.seconds = seconds
    return Patient
