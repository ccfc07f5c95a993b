"""`people.jsonl`: read by people, edited by hand, never lost."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.db.lines_file import LinesFile
from kithkin.people.model import Found
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.upkeep.test_verify import dump

ALICE = "telegram:42"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "realm" / "people.jsonl"


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]


def name_of(kin: Kithkin, said: str) -> str | None:
    found = kin.people.find(said)
    return found.person.name if isinstance(found, Found) else None


def test_a_write_is_in_the_file_before_it_is_acknowledged(embedded: Kithkin, file: Path) -> None:
    embedded.people.resolve_or_create("my wife", speaker=ALICE, content_hint="my wife Sarah")
    (line,) = lines(file)
    assert (line["name"], line["created_by"]) == ("Sarah", "42")
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_old_format_line_appended_by_hand_is_read(embedded: Kithkin, file: Path) -> None:
    embedded.people.ensure_self(ALICE, name="Alice")
    with file.open("a") as out:
        out.write(
            '{"id":"old-1","version":1,"owner_user_id":"user-1","name":"Bob",'
            '"relationship":"friend","aliases":["bobby"]}\n'
        )
    assert name_of(embedded, "bobby") == "Bob"
    person = embedded.people.get("old-1")
    assert person.created_by == "user-1"
    assert person.relationship == "friend"
    assert embedded.entities.history("old-1")[0].actor == "file"


def test_a_hand_edit_wins(embedded: Kithkin, file: Path) -> None:
    made = embedded.people.resolve_or_create("Sarah", speaker=ALICE).resolution
    assert isinstance(made, Found)
    file.write_text(file.read_text().replace("Sarah", "Sarah Jane"))
    assert embedded.people.get(made.person.id).name == "Sarah Jane"
    assert embedded.entities.history(made.person.id)[-1].actor == "file"


def test_a_hand_edit_in_the_instant_of_a_write_wins_and_nobody_is_lost(
    embedded: Kithkin, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sarah = embedded.people.resolve_or_create("Sarah", speaker=ALICE).resolution
    assert isinstance(sarah, Found)
    append = LinesFile.append

    def edited_right_before(self: LinesFile, lines: Sequence[str], *, stale: int) -> bool:
        monkeypatch.setattr(LinesFile, "append", append)
        edited = file.with_name("edited")
        edited.write_text(file.read_text().replace('"Sarah"', '"Sarah Jane"'))
        edited.replace(file)
        return append(self, lines, stale=stale)

    monkeypatch.setattr(LinesFile, "append", edited_right_before)
    embedded.people.add_alias(sarah.person.id, "Sal", speaker=ALICE)
    assert embedded.people.get(sarah.person.id).name == "Sarah Jane"
    assert [step.actor for step in embedded.entities.history(sarah.person.id)][1:] == [
        "owner",
        "file",
    ]
    monkeypatch.setattr(LinesFile, "append", edited_right_before)
    embedded.people.resolve_or_create("Ben", speaker=ALICE)
    assert {str(line["name"]) for line in lines(file)} == {"Sarah Jane", "Ben"}


def test_a_line_without_times_does_not_move_the_times_that_are_known(
    embedded: Kithkin, file: Path, clock: FixedClock
) -> None:
    embedded.people.ensure_self(ALICE, name="Alice")
    with file.open("a") as out:
        out.write('{"id":"old-1","name":"Bob"}\n')
    met = embedded.people.get("old-1")
    clock.advance(hours=1)
    file.write_text(file.read_text().replace("Alice", "Alicia"))
    assert embedded.people.get("old-1") == met
    assert len(embedded.entities.history("old-1")) == 1


def test_a_lost_tail_is_not_taken_for_a_hand_edit_where_a_hand_wrote_the_line_before_it(
    embedded: Kithkin, file: Path, clock: FixedClock
) -> None:
    embedded.people.ensure_self(ALICE, name="Alice")
    with file.open("a") as out:
        out.write('{"id":"old-1","name":"Bob"}\n')
    assert name_of(embedded, "Bob") == "Bob"
    old = file.read_bytes()
    clock.advance(hours=1)
    embedded.people.rename("old-1", "Robert")
    clock.advance(hours=1)
    file.write_bytes(old)
    assert embedded.people.get("old-1").name == "Robert"
    assert lines(file)[-1]["name"] == "Robert"


def test_a_missing_line_is_written_back(embedded: Kithkin, file: Path) -> None:
    for name in ("Ann", "Ben", "Cid"):
        embedded.people.resolve_or_create(name, speaker=ALICE)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:1]))
    assert len(embedded.people.list_all()) == 3
    assert sorted(str(line["name"]) for line in lines(file)) == ["Ann", "Ben", "Cid"]


def test_a_lost_tail_is_not_taken_for_a_hand_edit(embedded: Kithkin, file: Path) -> None:
    made = embedded.people.resolve_or_create("Sarah", speaker=ALICE).resolution
    assert isinstance(made, Found)
    old = file.read_bytes()
    embedded.people.rename(made.person.id, "Sarah Jane")
    file.write_bytes(old)
    assert embedded.people.get(made.person.id).name == "Sarah Jane"
    assert lines(file)[-1]["name"] == "Sarah Jane"


def test_a_truncated_last_line_is_reported_and_written_again(
    embedded: Kithkin, file: Path, tmp_path: Path, clock: FixedClock
) -> None:
    embedded.people.resolve_or_create("Ann", speaker=ALICE)
    embedded.people.resolve_or_create("Ben", speaker=ALICE)
    file.write_bytes(file.read_bytes()[:-40])
    assert name_of(embedded, "Ben") == "Ben"
    with Admin.open(tmp_path / "realm", clock=clock, seed=False) as admin:
        found = admin.check_people()
    assert [line.number for line in found.invalid] == [2]
    assert file.read_text().splitlines()[-1].startswith('{"id"')


def test_an_invalid_line_is_kept_and_blocks_nobody(embedded: Kithkin, file: Path) -> None:
    embedded.people.resolve_or_create("Ann", speaker=ALICE)
    with file.open("a") as out:
        out.write('this is not JSON\n{"id":"old-2","name":"Zed"}\n')
    assert name_of(embedded, "Zed") == "Zed"
    for name in ("Ann Lee", "Ann Low", "Ann Mai"):
        embedded.people.rename(embedded.people.find_person_ids_for_username("Ann")[0], name)
    assert "this is not JSON" in file.read_text()


def test_everyone_is_restored_when_the_database_is_gone(
    tmp_path: Path, clock: FixedClock, file: Path
) -> None:
    home = tmp_path / "realm"
    with Kithkin.open(home, clock=clock) as kin, Admin.open(home, clock=clock) as admin:
        me = kin.people.ensure_self(ALICE, username="alice", name="Alice").person
        kin.people.resolve_or_create("my wife", speaker=ALICE, content_hint="my wife Sarah")
        other = kin.people.resolve_or_create("Zoe", speaker=ALICE).resolution
        assert isinstance(other, Found)
        wife = kin.people.find_for_speaker("my wife", ALICE)
        assert isinstance(wife, Found)
        admin.merge(wife.person.id, other.person.id)
        before = {person.id: person for person in kin.people.get_all()}
        text = sorted(line for line in file.read_text().splitlines())
    for name in ("kithkin.db", "kithkin.db-wal", "kithkin.db-shm"):
        (home / name).unlink(missing_ok=True)
    with Kithkin.open(home, clock=clock) as kin, Admin.open(home, clock=clock) as admin:
        assert {person.id: person for person in kin.people.get_all()} == before
        assert not kin.people.ensure_self(ALICE).created
        assert kin.people.ensure_self(ALICE).person.id == me.id
        assert isinstance(admin.verify(), Verified)
        assert set(text) >= set(file.read_text().splitlines())


def test_a_kill_between_database_and_file_is_made_good(tmp_path: Path, file: Path) -> None:
    script = (
        "import os, sys\n"
        "from kithkin import Kithkin\n"
        "from kithkin.db.lines_file import LinesFile\n"
        "kin = Kithkin.open(sys.argv[1])\n"
        "kin.people.resolve_or_create('Ann', speaker='telegram:1')\n"
        "LinesFile.append = lambda *a, **k: os._exit(9)\n"
        "kin.people.resolve_or_create('Ben', speaker='telegram:1')\n"
    )
    home = str(tmp_path / "realm")
    assert subprocess.run([sys.executable, "-c", script, home], check=False).returncode == 9
    assert "Ben" not in file.read_text()
    with Kithkin.open(home) as kin:
        assert name_of(kin, "Ben") == "Ben"
        kin.people.resolve_or_create("Cid", speaker=ALICE)
    assert [line["name"] for line in lines(file)] == ["Owner", "Ann", "Ben", "Cid"]


def test_two_processes_writing_lose_nothing_while_somebody_edits(
    tmp_path: Path, file: Path
) -> None:
    script = (
        "import sys\nfrom kithkin import Kithkin\n"
        "with Kithkin.open(sys.argv[1]) as kin:\n"
        "    for n in range(30):\n"
        "        kin.people.resolve_or_create(f'{sys.argv[2]} Number{n}', speaker='telegram:1')\n"
    )
    home = str(tmp_path / "realm")
    Kithkin.open(home).close()
    started = [
        subprocess.Popen([sys.executable, "-c", script, home, name]) for name in ("Ann", "Ben")
    ]
    for number in range(20):
        with file.open("a") as out:
            out.write(json.dumps({"id": f"by-hand-{number}", "name": f"Hand {number}"}) + "\n")
    assert [process.wait(120) for process in started] == [0, 0]
    with Kithkin.open(home) as kin, Admin.open(home) as admin:
        names = {person.name for person in kin.people.list_all()}
        assert len([n for n in names if "Number" in n]) == 60
        assert len([n for n in names if n.startswith("Hand")]) == 20
        assert isinstance(admin.verify(), Verified)
    assert {str(line["name"]) for line in lines(file)} == names


def test_hand_edits_racing_with_a_writer_win_and_lose_nobody(tmp_path: Path, file: Path) -> None:
    script = (
        "import sys\nfrom kithkin import Kithkin\n"
        "with Kithkin.open(sys.argv[1]) as kin:\n"
        "    for n in range(60):\n"
        "        kin.people.resolve_or_create(f'Ann Number{n}', speaker='telegram:1')\n"
    )
    home = str(tmp_path / "realm")
    with Kithkin.open(home) as kin:
        eve = kin.people.resolve_or_create("Eve Edit0", speaker=ALICE).resolution
        assert isinstance(eve, Found)
    writer = subprocess.Popen([sys.executable, "-c", script, home])
    edits = 0
    while writer.poll() is None:
        edited = file.with_name("edited")
        text = file.read_text()
        edited.write_text(text.replace(f"Eve Edit{edits}", f"Eve Edit{edits + 1}"))
        edited.replace(file)
        edits += 1
        time.sleep(0.005)
    assert writer.returncode == 0
    with Kithkin.open(home) as kin, Admin.open(home) as admin:
        assert kin.people.get(eve.person.id).name == f"Eve Edit{edits}"
        assert len([p for p in kin.people.get_all() if "Number" in p.name]) == 60
        history = admin.kin.entities.history(eve.person.id)
        assert {step.actor for step in history[1:]} == {"file"}
        assert isinstance(admin.verify(), Verified)
    assert len({str(line["id"]) for line in lines(file) if line["name"] != "Owner"}) == 61


def test_people_loaded_at_once_are_hashed_as_a_rebuild_reads_them(
    tmp_path: Path, file: Path
) -> None:
    odd = {
        "float": 1.0,
        "small": 1e-07,
        "large": 1e16,
        "long": 123456789012345678901234567890,
        "nothing": None,
        "nested": {"ü": [True, {"z": 1, "a": -0.0}]},
        "10": 1,
        "9": "\u2028\U0001f600\x7f",
    }
    file.parent.mkdir(mode=0o700)
    told = ({"id": f"p-{n}", "name": f"Zoë Number{n}", "metadata": odd} for n in range(50))
    file.write_text("".join(f"{json.dumps(person)}\n" for person in told))
    with Database.open(tmp_path / "realm") as db, Admin.open(tmp_path / "realm") as admin:
        kin = Kithkin(Acting(db, actor="owner", clock=FixedClock(), sees_all=True))
        assert kin.people.get("p-49").metadata == odd
        assert isinstance(admin.verify(), Verified)
        before = dump(db)
        assert admin.rebuild().repaired is None
        assert dump(db) == before


def test_a_file_is_exported_and_imported_elsewhere(
    embedded: Kithkin, tmp_path: Path, clock: FixedClock, admin: Admin, kin: Kithkin
) -> None:
    embedded.people.ensure_self(ALICE, username="alice", name="Alice")
    embedded.people.resolve_or_create("my wife", speaker=ALICE, content_hint="my wife Sarah")
    with Admin.open(tmp_path / "realm", clock=clock, seed=False) as owner:
        (tmp_path / "out.jsonl").write_text("\n".join(owner.export_people()))
    found = admin.import_people(tmp_path / "out.jsonl")
    assert (found.added, found.invalid) in ((2, ()), (0, ()))
    assert kin.people.get_all() == embedded.people.get_all()
    wife = kin.people.find_for_speaker("my wife", ALICE)
    assert isinstance(wife, Found)


def test_the_file_is_compacted_and_stays_readable(embedded: Kithkin, file: Path) -> None:
    made = embedded.people.resolve_or_create("Ann", speaker=ALICE).resolution
    assert isinstance(made, Found)
    for number in range(50):
        embedded.people.rename(made.person.id, f"Ann {number}")
    assert len(lines(file)) <= 3
    assert not list(file.parent.glob("*.partial"))


def test_an_erased_person_is_in_no_byte_of_the_folder_and_no_old_line_brings_them_back(
    embedded: Kithkin, file: Path, tmp_path: Path, clock: FixedClock
) -> None:
    me = embedded.people.ensure_self(ALICE, username="quetzal", name="Xiomara Quispe").person
    other = embedded.people.resolve_or_create("Yolanda Ugarte", speaker=ALICE).resolution
    assert isinstance(other, Found)
    kept = file.read_text()
    with Admin.open(tmp_path / "realm", clock=clock, seed=False) as admin:
        admin.merge(other.person.id, me.id)
        admin.erase(me.id)
        admin.erase(other.person.id)
        left = b"".join(f.read_bytes() for f in file.parent.iterdir() if f.is_file())
        for words in (b"Xiomara", b"quetzal", b"Yolanda"):
            assert words not in left
        assert isinstance(admin.verify(), Verified)
        with file.open("a") as out:
            out.write(kept)
        assert embedded.people.get_all() == []
        assert admin.rebuild().repaired is None


def test_a_restored_realm_is_what_the_backup_says_whatever_the_file_said(
    embedded: Kithkin, file: Path, tmp_path: Path, clock: FixedClock
) -> None:
    embedded.people.resolve_or_create("Ann Archer", speaker=ALICE)
    with Admin.open(tmp_path / "realm", clock=clock, seed=False) as admin:
        admin.backup(tmp_path / "b.db")
        embedded.people.resolve_or_create("Zed Zimmer", speaker=ALICE)
        admin.restore(tmp_path / "b.db", replace=True)
        assert [person.name for person in embedded.people.get_all()] == ["Ann Archer"]
        assert [line["name"] for line in lines(file)] == ["Ann Archer"]
        embedded.people.resolve_or_create("Ben Baker", speaker=ALICE)
        assert {str(line["name"]) for line in lines(file)} == {"Ann Archer", "Ben Baker"}
