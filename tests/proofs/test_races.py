"""Several processes with several threads each, on one realm."""

import subprocess
import sys

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.upkeep.verify import Verified

SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from kithkin.api.kithkin import Kithkin
from kithkin.errors import StaleEdit

where, realm, shared, rounds, name = sys.argv[1:6]
kin = Kithkin.open(where, realm=realm)

def work(thread):
    won = 0
    for number in range(int(rounds)):
        kin.timeline.note(f"{name}/{thread}/{number}")
        seen = kin.entities.show(shared)
        try:
            kin.entities.change(shared, {"by": f"{name}/{thread}/{number}"}, based_on=seen.hash)
            won += 1
        except StaleEdit:
            pass
    return won

with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(work, range(4))))
kin.close()
"""


def test_two_processes_of_four_threads_lose_nothing_and_one_edit_wins_per_hash(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    where, realm = place
    rounds = 250 if full else 25
    with Kithkin.open(where, realm=realm) as kin:
        shared = kin.entities.add("shared", {"by": "nobody"}).uuid
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, where, realm, shared, str(rounds), name],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    won = sum(int(process.communicate(timeout=600)[0]) for process in started)
    assert [process.returncode for process in started] == [0, 0]
    with Database.open(where, realm=realm) as db, db.snapshot() as tx:
        notes = tx.execute("SELECT count(*) FROM item WHERE _type = 'Note'", {}).fetchone()[0]
        seqs = [row[0] for row in tx.execute("SELECT seq FROM item ORDER BY seq", {})]
        parents = [
            row[0]
            for row in tx.execute(
                "SELECT old_hash FROM delta_notification WHERE entity_uuid = :uuid",
                {"uuid": shared},
            )
        ]
    assert notes == 2 * 4 * rounds
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(set(parents)) == len(parents)
    with Admin.open(where, realm=realm) as admin, Kithkin.open(where, realm=realm) as kin:
        assert kin.entities.show(shared).version == 1 + won
        assert isinstance(admin.verify(), Verified)
    print(f"\n2 processes x 4 threads: {notes} notes, {won} of {notes} edits won, no gap")
