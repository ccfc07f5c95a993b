"""Whatever is sent, by an agent, the owner or nobody: no fault, no other shape, no way in."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from kithkin.db import Database
from kithkin.upkeep.verify import Verified
from tests.served.conftest import CONFIG, Served, serving

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
APART = ("admin.owner.set_password", "admin.webhooks.add")
"""These would log the run out, or have the server write to addresses that were made up."""
COUNTED = re.compile(r'^kithkin_requests_total\{route="(.*)",status="(\d+)"\} (\d+)$', re.MULTILINE)
LEAST = 20_000


def _headers(served: Served, who: str) -> list[str]:
    match who:
        case "agent":
            told = [f"Authorization: Bearer {served.token()}"]
        case "owner":
            owner = served.log_in()
            told = [f"Cookie: {owner['Cookie']}", f"X-CSRF-Token: {owner['X_CSRF_Token']}"]
        case _:
            told = []
    return [part for one in told for part in ("-H", one)]


def _fuzz(served: Served, who: str, folder: Path, *, full: bool) -> str:
    size = ["--phases", "examples,coverage,fuzzing", "-n", "10"]
    ended = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")),
            *("run", f"{served.url}/openapi.json", "--checks", CHECKS, "--seed", "1", "-w", "2"),
            *("--no-shrink", "--warnings", "off", "--suppress-health-check", "all"),
            *("--generation-with-security-parameters", "false"),
            *(size if full else ["--phases", "fuzzing", "-n", "1"]),
            *(part for name in APART for part in ("--exclude-operation-id", name)),
            *_headers(served, who),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-6000:]
    return ended.stdout


def _prepare(served: Served) -> None:
    served.admin.owner.add_address("telegram", "42")
    served.admin.kin.projects.create("Website")
    served.admin.kin.artifacts.create("goals_doc", "# Goals\nShip it.\n")
    served.admin.kin.memories.remember("My wife Sarah likes hiking", speaker="telegram:42")


def _counts(served: Served) -> Counter[tuple[str, int]]:
    told = served.ask("GET", "/metrics").body.decode()
    return Counter({(m[1], int(m[2])): int(m[3]) for m in COUNTED.finditer(told)})


@pytest.mark.parametrize("who", ["agent", "owner", "nobody"])
def test_whatever_is_sent_is_answered_as_described(who: str, tmp_path: Path, *, full: bool) -> None:
    server = replace(CONFIG.server, slow_seconds=30.0)
    with (
        Database.open(tmp_path / "realm") as db,
        serving(db, home=tmp_path, config=replace(CONFIG, server=server)) as served,
    ):
        _prepare(served)
        _fuzz(served, who, tmp_path, full=full)
        counts = _counts(served)
        assert isinstance(served.admin.verify(), Verified)
    statuses = Counter[int]()
    for (_, status), count in counts.items():
        statuses[status] += count
    print(f"{who}: {counts.total()} requests, {dict(sorted(statuses.items()))}")
    assert not [status for status in statuses if status >= 500]
    assert not full or counts.total() * 3 >= LEAST
    if who == "nobody":
        done = {route for route, status in counts if status < 400}
        assert done <= {"GET /openapi.json", "GET /metrics"}
