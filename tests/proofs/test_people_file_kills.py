"""Nobody acknowledged is lost, whatever happens to a writer and to the end of `people.jsonl`."""

import json
import subprocess
import sys
from pathlib import Path

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.people.model import Person
from kithkin.upkeep.verify import Verified

SCRIPT = """
import json, os, random, signal, sys, time
from pathlib import Path
from kithkin.api.kithkin import Kithkin

home, kills = sys.argv[1], int(sys.argv[2])
file, chance = Path(home, "people.jsonl"), random.Random(kills)

def write_until_killed(name):
    with Kithkin.open(home) as kin:
        for number in range(10**9):
            met = kin.people.resolve_or_create(f"{name} Number{number}", speaker="telegram:1")
            person = met.resolution.person
            os.write(1, f"{person.id}\\t{person.name}\\n".encode())
            person = kin.people.rename(person.id, f"{name} Renamed{number}")
            os.write(1, f"{person.id}\\t{person.name}\\n".encode())

by_hand = b""
for kill in range(kills):
    if file.exists():
        text = file.read_bytes()
        safe = text.rfind(by_hand) + len(by_hand)
        os.truncate(file, chance.randint(max(safe, len(text) - 600), len(text)))
        by_hand = json.dumps({"id": f"hand-{kill}", "name": f"Hand {kill}"}).encode()
        with file.open("ab") as out:
            out.write(b"\\n" + by_hand + b"\\n")
        os.write(1, f"hand-{kill}\\tHand {kill}\\n".encode())
    child = os.fork()
    if child == 0:
        write_until_killed(f"Child{kill}")
    time.sleep(chance.uniform(0.02, 0.2))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


def names(person: Person) -> set[str]:
    return {person.name, *(alias.value for alias in person.aliases)}


def lacking(people: list[Person], acknowledged: list[tuple[str, str]]) -> list[tuple[str, str]]:
    known = {str(person.id): names(person) for person in people}
    return [(uuid, name) for uuid, name in acknowledged if name not in known.get(uuid, ())]


def test_nobody_is_lost_when_writers_are_killed_and_the_end_of_the_file_is_torn_and_edited(
    tmp_path: Path,
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    home, kills = tmp_path / "realm", 300 if full else 12
    Kithkin.open(home).close()
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(home), str(kills)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = ended.stdout.splitlines()
    acknowledged = [(uuid, name) for uuid, _, name in (line.partition("\t") for line in lines)]
    assert acknowledged
    with Kithkin.open(home) as kin, Admin.open(home) as admin:
        assert lacking(kin.people.get_all(), acknowledged) == []
        assert isinstance(admin.verify(), Verified)
        invalid = {line.number for line in admin.check_people().invalid}
    texts = (home / "people.jsonl").read_text().splitlines()
    said = [text for number, text in enumerate(texts, 1) if number not in invalid and text]
    assert {json.loads(text)["id"] for text in said} >= {uuid for uuid, _ in acknowledged}
    for left in home.glob("kithkin.db*"):
        left.unlink()
    with Kithkin.open(home) as kin:
        assert lacking(kin.people.get_all(), acknowledged) == []
    print(f"\n{kills} kills and torn ends: {len(acknowledged)} acknowledged writes, all there")
