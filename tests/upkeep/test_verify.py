"""Nothing can be altered unnoticed, everything can be computed again, words can be erased."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database, Tx
from kithkin.db.schema import TABLES
from kithkin.errors import InvalidInput, NotFound, Refused, StorageDamaged
from kithkin.soil.model import Head
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Broken, Verified

FOLDED = [table for table in TABLES if table not in ("subscriber", "access", "ledger_head", "item")]


def story(kin: Kithkin) -> dict[str, str]:
    """A few of everything; the ids by name."""
    note = kin.timeline.note("The alarm code is 4711")
    effect = kin.timeline.note("so we changed it", because_of=note.uuid)
    slip = kin.timeline.note("oops")
    kin.timeline.undo(slip.uuid)
    place = kin.entities.add("place", {"name": "Home", "tags": ["a"]}, derived_from=note.uuid)
    kin.entities.change(place.uuid, {"tags": ["a", "b"], "note": "Key under the flowerpot"})
    other = kin.entities.add("place", {"name": "Hut"}, group_id=place.uuid)
    kin.entities.supersede(other.uuid, superseded_by=place.uuid)
    kin.timeline.correct(effect.uuid, {"mood": "Relieved about it"})
    kin.relations.relate("mentions", note.uuid, place.uuid, metadata={"span": [0, 3]})
    gone = kin.relations.relate("mentions", effect.uuid, place.uuid)
    kin.relations.unrelate(gone.uuid)
    return {"note": note.uuid, "effect": effect.uuid, "place": place.uuid, "other": other.uuid}


def dump(db: Database) -> dict[str, list[Any]]:
    with db.snapshot() as tx:
        return {
            table: sorted(map(tuple, tx.execute(f"SELECT * FROM {table}", {})), key=repr)
            for table in FOLDED
        }


def tampered(db: Database, change: Callable[[Tx], object]) -> None:
    """Do what the triggers forbid, as somebody with the file would."""
    with db.transaction() as tx:
        if tx.dialect == "sqlite":
            rows = tx.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'", {})
            for (name,) in rows.fetchall():
                tx.execute(f"DROP TRIGGER {name}", {})
        else:
            tx.execute("ALTER TABLE item DISABLE TRIGGER ALL", {})
        change(tx)


def test_an_untouched_realm_is_sound(kin: Kithkin, admin: Admin) -> None:
    story(kin)
    found = admin.verify()
    assert isinstance(found, Verified)
    assert found.head == admin.head()
    assert found.items == admin.head().seq


def test_an_empty_realm_is_sound(admin: Admin) -> None:
    assert admin.verify() == Verified(items=0, entities=0, erased=0, head=Head(0, ""))


@pytest.mark.parametrize(
    ("what", "statement", "where"),
    [
        (
            "one byte of a payload",
            "UPDATE item SET data = replace(data, '4711', '4712') WHERE seq = 1",
            "item 1 (",
        ),
        (
            "one byte of a header",
            "UPDATE item SET header = replace(header, 'triggers', 'trigger5') WHERE seq = 3",
            "item 3 (",
        ),
        (
            "a time",
            "UPDATE item SET canonical_at = '2020-01-01T00:00:00.000000+00:00' WHERE seq = 2",
            "item 2 (",
        ),
        ("a dropped item", "DELETE FROM item WHERE seq = 4", "item 4"),
        (
            "the last item dropped",
            "DELETE FROM item WHERE seq = (SELECT max(seq) FROM item)",
            "end",
        ),
        (
            "a Core row",
            "UPDATE entity SET data = replace(data, 'Home', 'Hame') WHERE type = 'place'",
            "in Core, data",
        ),
        (
            "a Core hash",
            "UPDATE entity SET version = 9 WHERE type = 'override'",
            "in Core, version",
        ),
        ("a Core row gone", "DELETE FROM entity WHERE type = 'override'", "entity entity_"),
        (
            "a Core row added",
            (
                "INSERT INTO entity (uuid, type, hash, version, created_at, updated_at, data)"
                " VALUES ('entity_x', 'place', 'h', 1, 'a', 'a', '{}')"
            ),
            "entity entity_x",
        ),
        (
            "a fake erasure",
            "UPDATE item SET data = NULL, salt = NULL, erased_at = 'x' WHERE seq = 7",
            "in Core, data",
        ),
    ],
)
def test_verify_names_what_was_altered(
    kin: Kithkin, admin: Admin, db: Database, what: str, statement: str, where: str
) -> None:
    story(kin)
    tampered(db, lambda tx: tx.execute(statement, {}))
    found = admin.verify()
    assert isinstance(found, Broken), what
    assert where in found.where


def test_verify_names_two_items_that_were_swapped(kin: Kithkin, admin: Admin, db: Database) -> None:
    story(kin)

    def swap(tx: Tx) -> None:
        for old, new in ((1, -1), (2, 1), (-1, 2)):
            tx.execute("UPDATE item SET seq = :new WHERE seq = :old", {"old": old, "new": new})

    tampered(db, swap)
    found = admin.verify()
    assert isinstance(found, Broken)
    assert found.where.startswith("item 1 (")


def test_a_rewritten_tail_is_sound_by_itself_and_named_against_a_head_kept_before(
    kin: Kithkin, admin: Admin, db: Database
) -> None:
    first = kin.timeline.note("kept")
    kin.timeline.note("to be rewritten")
    kept = admin.head()

    def cut(tx: Tx) -> None:
        tx.execute("DELETE FROM item WHERE seq = 2", {})
        tx.execute("UPDATE ledger_head SET seq = 1, hash = :hash", {"hash": first.hash})

    tampered(db, cut)
    assert isinstance(admin.verify(against=kept), Broken)
    kin.timeline.note("another truth")
    assert isinstance(admin.verify(), Verified)
    found = admin.verify(against=kept)
    assert isinstance(found, Broken)
    assert "rewritten" in found.where
    assert (found.expected, found.found) == (kept.hash, admin.head().hash)


def test_a_head_kept_before_proves_an_honest_continuation(kin: Kithkin, admin: Admin) -> None:
    kin.timeline.note("one")
    kept = admin.head()
    kin.timeline.note("two")
    assert isinstance(admin.verify(against=kept), Verified)


def test_rebuild_gives_the_same_entities_and_look_up_rows(
    kin: Kithkin, admin: Admin, db: Database
) -> None:
    story(kin)
    kin.changes.acknowledge("reader", 3)
    before = dump(db)
    done = admin.rebuild()
    assert done.repaired is None
    assert dump(db) == before
    assert all(notice.cursor > 3 for notice in kin.changes.list(subscriber="reader"))


def test_rebuild_repairs_a_damaged_core_and_says_what_it_found(
    kin: Kithkin, admin: Admin, db: Database
) -> None:
    ids = story(kin)
    before = dump(db)
    with db.transaction() as tx:
        tx.execute("UPDATE entity SET data = '{}' WHERE uuid = :uuid", {"uuid": ids["place"]})
        tx.execute("DELETE FROM undone", {})
        tx.execute("DELETE FROM item_override", {})
        tx.execute("DELETE FROM multi_relation WHERE layer = 'core'", {})
        tx.execute("DELETE FROM delta_notification", {})
    done = admin.rebuild()
    assert done.repaired is not None
    assert ids["place"] in done.repaired.where
    assert dump(db) == before


def test_a_broken_ledger_is_not_built_upon(kin: Kithkin, admin: Admin, db: Database) -> None:
    story(kin)
    tampered(db, lambda tx: tx.execute("DELETE FROM item WHERE seq = 1", {}))
    before = dump(db)
    with pytest.raises(StorageDamaged, match="kithkin restore"):
        admin.rebuild()
    assert dump(db) == before


def test_erasing_keeps_verify_and_rebuild_clean_and_is_reported(
    kin: Kithkin, admin: Admin, db: Database
) -> None:
    ids = story(kin)
    admin.erase(ids["note"])
    admin.erase(ids["effect"])
    admin.erase(ids["place"])
    found = admin.verify()
    assert isinstance(found, Verified)
    assert found.erased == 5  # two notes, the belief about one of them, two versions of the place
    before = dump(db)
    assert admin.rebuild().repaired is None
    assert dump(db) == before


def test_erased_words_are_in_no_byte_of_the_folder(
    embedded: Kithkin, tmp_path: Path, clock: FixedClock
) -> None:
    ids = story(embedded)
    embedded.timeline.note("filler " * 3000)
    folder = tmp_path / "realm"
    with Admin.open(folder, clock=clock) as admin:
        for name in ("note", "effect", "place"):
            assert admin.erase(ids[name]).scrubbed
        left = b"".join(file.read_bytes() for file in folder.iterdir())
    # Four digits alone stand in some hash every tenth time.
    for words in (b"code is 4711", b"alarm", b"flowerpot", b"Relieved", b"Home"):
        assert words not in left
    assert b"filler" in left


def test_one_change_of_an_entity_is_not_erased_alone(kin: Kithkin, admin: Admin) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    (step,) = kin.entities.history(made.uuid)
    with pytest.raises(InvalidInput, match="whole entity"):
        admin.erase(step.item)
    with pytest.raises(NotFound):
        admin.erase("item_none")


def test_a_backup_restores_everywhere_with_the_same_hashes(
    kin: Kithkin, admin: Admin, tmp_path: Path, place: tuple[str, str]
) -> None:
    story(kin)
    file = tmp_path / "backup.db"
    head = admin.backup(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.glob("*.partial*")) == []
    realm = f"{place[1]}_2"
    for where in (str(tmp_path / "restored"), place[0] if place[1] != "kithkin" else None):
        if where is None:
            continue
        with Admin.open(where, realm=realm, seed=False) as restored:
            assert restored.restore(file) == head
            assert isinstance(restored.verify(), Verified)
            assert restored.rebuild().repaired is None


def test_a_backup_made_while_others_write_is_one_consistent_state(tmp_path: Path) -> None:
    home = tmp_path / "realm"
    script = (
        "import sys; from kithkin import Kithkin\n"
        "with Kithkin.open(sys.argv[1]) as kin:\n"
        "    e = kin.entities.add('counter', {'n': 0})\n"
        "    print('go', flush=True)\n"
        "    for n in range(1, 100000): kin.entities.change(e.uuid, {'n': n})\n"
    )
    with Admin.open(home) as admin:
        writer = subprocess.Popen(
            [sys.executable, "-c", script, str(home)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout
        writer.stdout.readline()
        try:
            for number in range(5):
                head = admin.backup(tmp_path / f"{number}.db")
                with Admin.open(tmp_path / f"restored{number}", seed=False) as restored:
                    assert restored.restore(tmp_path / f"{number}.db") == head
                    assert isinstance(restored.verify(), Verified)
        finally:
            writer.kill()
            writer.communicate()


def test_a_realm_that_holds_something_is_replaced_only_when_told_to(
    embedded: Kithkin, tmp_path: Path
) -> None:
    embedded.timeline.note("old")
    here, elsewhere = tmp_path / "realm", tmp_path / "other"
    with Admin.open(here, seed=False) as admin, Admin.open(elsewhere, seed=False) as other:
        admin.backup(tmp_path / "b.db")
        embedded.timeline.note("newer")
        with pytest.raises(Refused, match="--replace"):
            admin.restore(tmp_path / "b.db")
        assert admin.restore(tmp_path / "b.db", replace=True).seq == 1
        assert [s.item.seq for s in embedded.timeline.list().items] == [1]
        with pytest.raises(InvalidInput, match="no backup"):
            other.restore(Path(__file__))
        with pytest.raises(InvalidInput, match="exists already"):
            other.backup(tmp_path / "b.db")


def test_the_timeline_is_exported_with_the_tables_of_the_specification(
    kin: Kithkin, admin: Admin, tmp_path: Path
) -> None:
    ids = story(kin)
    admin.erase(ids["effect"])
    head = admin.export_soil(tmp_path / "soil.db")
    with closing(sqlite3.connect(tmp_path / "soil.db")) as soil:
        columns = [row[1] for row in soil.execute("PRAGMA table_info(item)")]
        assert columns == ["uuid", "_type", "realized_at", "canonical_at", "data"]
        assert soil.execute("SELECT count(*) FROM item").fetchone() == (head.seq,)
        cause = soil.execute(
            "SELECT json_extract(i.data, '$.description') FROM unique_relation r"
            " JOIN item i ON i.uuid = r.source WHERE r.target = ? AND r.kind = 'triggers'",
            (ids["effect"],),
        ).fetchone()
        assert cause == ("The alarm code is 4711",)


def test_the_doctor_says_how_the_realm_is(kin: Kithkin, admin: Admin, tmp_path: Path) -> None:
    story(kin)
    health = admin.doctor()
    assert health.entities["place"] == 2
    assert health.size > 0
    assert any("backup" in advice for advice in health.advice)
    admin.backup(tmp_path / "b.db")
    assert not any("backup" in advice for advice in admin.doctor().advice)
