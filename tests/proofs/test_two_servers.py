"""Two server processes on one realm: each tells the other's changes; a kill loses nothing."""

import contextlib
import threading
import time
from pathlib import Path

import pytest

from kithkin import Admin, Kithkin, KithkinError
from tests.conftest import Place
from tests.served.processes import ServerProcess
from tests.served.test_live import Listener


def test_a_killed_server_loses_nothing_and_the_other_tells_everything(
    place: Place, tmp_path: Path, *, full: bool
) -> None:
    rounds = 300 if full else 30
    home = tmp_path / "home"
    with Admin.open(place[0], realm=place[1]) as admin:
        token = admin.tokens.create(account=admin.accounts.list()[0].nametag).secret
        start = admin.head().seq
    with (
        ServerProcess(*place, home=home) as first,
        ServerProcess(*place, home=home) as second,
        Listener(second, token, last=start) as listener,
    ):
        acknowledged = _write(first, token, rounds)
        told: list[str] = []
        while set(acknowledged) - set(told):
            told.append(listener.next()[1]["entity_uuid"])
        with Kithkin.connect(second.url, token=token) as kin:
            kept = [kin.entities.show(uuid).uuid for uuid in acknowledged]
            assert kin.entities.add("service", {"after": "the kill"}).version == 1
    assert kept == acknowledged
    assert [uuid for uuid in told if uuid in set(acknowledged)] == acknowledged
    assert len(told) == len(set(told))
    print(f"{place[1]}: {len(acknowledged)} writes acknowledged, {len(told)} told live, 0 lost")


def _write(server: ServerProcess, token: str, rounds: int) -> list[str]:
    """Write until the server is killed under way; what it acknowledged."""
    acknowledged: list[str] = []
    killer = threading.Thread(target=_kill_after, args=(server, acknowledged, rounds))
    killer.start()
    with Kithkin.connect(server.url, token=token) as kin, contextlib.suppress(KithkinError):
        while len(acknowledged) < rounds * 2:
            acknowledged.append(kin.entities.add("service", {}).uuid)
    killer.join()
    assert len(acknowledged) >= rounds
    return acknowledged


def _kill_after(server: ServerProcess, acknowledged: list[str], rounds: int) -> None:
    while len(acknowledged) < rounds:
        time.sleep(0.002)
    server.kill()


def test_a_server_that_is_asked_to_end_answers_what_is_under_way(
    place: Place, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with Admin.open(place[0], realm=place[1]) as admin:
        token = admin.tokens.create(account=admin.accounts.list()[0].nametag).secret
    with ServerProcess(*place, home=home) as server:
        done: list[str] = []

        def write() -> None:
            with Kithkin.connect(server.url, token=token) as kin:
                try:
                    while True:
                        done.append(kin.entities.add("service", {}).uuid)
                except KithkinError:
                    return

        writers = [threading.Thread(target=write) for _ in range(4)]
        for writer in writers:
            writer.start()
        time.sleep(1.0)
        with Listener(server, token, last=0):
            begun = time.monotonic()
            assert server.stop() == 0
            assert time.monotonic() - begun < 20
        for writer in writers:
            writer.join()
    with Admin.open(place[0], realm=place[1]) as admin:
        assert {admin.kin.entities.show(uuid).uuid for uuid in done} == set(done)
        assert admin.tokens.list()[0].last_used_at is not None


def test_the_first_start_prints_a_link_that_sets_the_password(tmp_path: Path) -> None:
    with ServerProcess(str(tmp_path / "realm"), "kithkin", home=tmp_path) as server:
        code = server.link.rpartition("#")[2]
        assert server.link.startswith("Set your password within the hour: http://127.0.0.1:")
    assert code.startswith("kith_")


@pytest.fixture(autouse=True)
def _no_open_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KITHKIN_DB", raising=False)
