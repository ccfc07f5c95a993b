"""A project as the specification's folder: written, read, and the same again."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.artifacts import commits
from kithkin.artifacts.artifact_edit import Why
from kithkin.artifacts.artifact_history import Replayed
from kithkin.artifacts.ops import content_of
from kithkin.db import Database
from kithkin.errors import InvalidInput, Refused
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.upkeep.test_verify import dump


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "elsewhere") as opened:
        yield opened


def facade(db: Database, clock: FixedClock, actor: str = "telegram:1") -> Kithkin:
    return Kithkin(Acting(db, actor=actor, clock=clock, sees_all=True))


def story(kin: Kithkin, agent: Kithkin) -> None:
    """A project with some of everything."""
    kin.projects.create("Website")
    outside = kin.timeline.note("The customer called")
    kin.artifacts.create("goals_doc", "Ship\r\nStay small\nno newline", because_of=outside.uuid)
    said = kin.branches.append("Switch to PostgreSQL, see goals_doc:2. It scales.")
    used = agent.reader.semantic_search(
        "small", artifact="goals_doc", asked=agent.reader.asked(because_of=said.item.uuid)
    )
    idea = said.fragments[0].id
    agent.artifacts.edit(
        "goals_doc", "Ship\r\nStay tiny\n", why=Why(because_of=used.call, references=(idea,))
    )
    agent.reader.note("scales?")
    agent.reader.scroll_to("goals_doc", 1, 2)
    child = agent.branches.fork()
    agent.branches.append(f"Thinking about {idea}", replies_to=said.item.uuid)
    agent.branches.collapse(child.uuid, "It does scale.")
    agent.branches.reopen(child.uuid)
    staged = agent.artifacts.propose("goals_doc", "Ship\n", reasoning="short")
    kin.artifacts.edit("goals_doc", "Ship\r\nStay tiny\nBe kind\n")
    kin.artifacts.reject(staged.uuid, reason="no")
    kin.artifacts.relabel("goals_doc", "aims")
    kin.artifacts.create("long", "0\n")
    for number in range(commits.DISTANCE + 2):
        kin.artifacts.edit("long", f"{number} again\n")


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix != ".db"
    }


def rows(file: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(file)) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
            for table in ("item", "unique_relation", "multi_relation")
        }


def loaded(file: Path) -> Any:
    return json.loads(file.read_text())


def test_the_folder_is_laid_out_as_the_specification_says(
    kin: Kithkin, db: Database, clock: FixedClock, tmp_path: Path
) -> None:
    story(kin, facade(db, clock, "agent"))
    out = tmp_path / "project_xyz"
    kin.projects.export(out)
    overview = kin.projects.show()
    assert loaded(out / "stack.json") == [log.uuid for log in overview.stack]
    frames = loaded(out / "frames.json")
    assert set(frames) == {"agent", "telegram:1"}
    assert set(frames["agent"]) == {"branch_uuid", "head"}
    labels = {one.label: one.uuid for one in overview.artifacts}
    assert loaded(out / "labels.json") == labels
    home = out / "artifacts" / labels["aims"]
    about = loaded(home / "metadata.json")
    assert (about["uuid"], about["label"], about["label_history"]) == (
        labels["aims"],
        "aims",
        ["goals_doc"],
    )
    assert (home / "content.txt").read_bytes() == b"Ship\r\nStay tiny\nBe kind\n"
    (snapshot,) = (out / "artifacts" / labels["long"] / "snapshots").iterdir()
    assert len(snapshot.stem) == 7
    for log in overview.stack:
        told = loaded(out / "logs" / f"{log.uuid}.json")
        assert told["uuid"] == log.uuid
        assert told["parent_uuid"] == log.parent_uuid
        own = kin.branches.show(log.uuid)
        assert told["items"] == [item.uuid for item in own.items[len(own.items) - own.own :]]
    collapsed = loaded(out / "logs" / f"{overview.stack[1].uuid}.json")
    assert collapsed["summary"]["content"] == "It does scale."
    assert rows(out / "soil.db")["item"]
    assert rows(out / "core_relations.db")["multi_relation"]


def test_what_is_exported_and_imported_is_exported_the_same(
    kin: Kithkin, db: Database, other: Database, clock: FixedClock, tmp_path: Path
) -> None:
    story(kin, facade(db, clock, "agent"))
    first, second = tmp_path / "first", tmp_path / "second"
    written = kin.projects.export(first)
    there = facade(other, clock)
    there.timeline.note("something else happened here before")
    taken = there.projects.import_(first)
    assert (taken.items, taken.logs, taken.artifacts, taken.left_out) == (
        written.items,
        written.logs,
        written.artifacts,
        (),
    )
    there.projects.export(second)
    assert files(second) == files(first)
    for name in ("soil.db", "core_relations.db"):
        old, new = rows(first / name), rows(second / name)
        assert new["item"] == old["item"]
        for table in old:
            assert sorted(map(repr, new[table])) == sorted(map(repr, old[table]))


def test_an_imported_project_lives_on(
    kin: Kithkin, db: Database, other: Database, clock: FixedClock, tmp_path: Path
) -> None:
    story(kin, facade(db, clock, "agent"))
    kin.projects.export(tmp_path / "out")
    there = facade(other, clock)
    there.projects.import_(tmp_path / "out")
    for log in kin.artifacts.log("aims", everything=True):
        assert there.artifacts.show(f"aims@{log.commit}").text == (
            kin.artifacts.show(f"aims@{log.commit}").text
        )
    assert isinstance(there.artifacts.verify("long"), Replayed)
    assert there.references.render("see goals_doc:2").text == "see [aims line 2]"
    assert [b.source for b in there.references.backlinks("aims:2")] == [
        b.source for b in kin.references.backlinks("aims:2")
    ]
    there.artifacts.edit("aims", "changed here\n")
    there.branches.append("we go on here")
    admin = Admin(Acting(other, actor="owner", clock=clock, sees_all=True), where="")
    assert isinstance(admin.verify(), Verified)
    before = dump(other)
    assert admin.rebuild().repaired is None
    assert dump(other) == before


def test_a_closed_project_comes_back_closed(
    kin: Kithkin, other: Database, clock: FixedClock, tmp_path: Path
) -> None:
    kin.projects.create("Website")
    kin.artifacts.create("doc", "x\n")
    kin.projects.close("Website")
    kin.projects.export(tmp_path / "out", "Website")
    there = facade(other, clock)
    project = there.projects.import_(tmp_path / "out").project
    assert project.closed_at
    edges = there.relations.around(project.uuid)
    assert {edge.layer for edge in edges if edge.kind == "groups_with"} == {"soil"}


def test_a_project_is_imported_once(kin: Kithkin, tmp_path: Path) -> None:
    kin.projects.create("Website")
    kin.projects.export(tmp_path / "out")
    with pytest.raises(Refused, match="here already"):
        kin.projects.import_(tmp_path / "out")
    with pytest.raises(InvalidInput, match="exists already"):
        kin.projects.export(tmp_path / "out")


def test_erased_words_are_not_exported(
    kin: Kithkin, admin: Admin, other: Database, clock: FixedClock, tmp_path: Path
) -> None:
    kin.projects.create("Website")
    said = kin.branches.append("The alarm code is heron-4711")
    kin.branches.append("Something harmless")
    made = kin.artifacts.create("secret", "heron-4711\n")
    admin.erase(said.item.uuid)
    admin.erase(made.uuid)
    kin.projects.export(tmp_path / "out")
    for file in (tmp_path / "out").rglob("*"):
        assert file.is_dir() or b"heron-4711" not in file.read_bytes()
    there = facade(other, clock)
    there.projects.import_(tmp_path / "out")
    (root,) = there.projects.show().stack
    assert len(there.branches.show(root.uuid).items) == 1


@pytest.mark.parametrize("harm", ["one word", "no soil", "not a database", "not JSON"])
def test_a_damaged_folder_is_refused_and_nothing_is_taken_in(
    kin: Kithkin, other: Database, clock: FixedClock, tmp_path: Path, harm: str
) -> None:
    kin.projects.create("Website")
    kin.artifacts.create("doc", "x\n")
    out = tmp_path / "out"
    kin.projects.export(out)
    match harm:
        case "one word":
            with closing(sqlite3.connect(out / "soil.db")) as connection:
                connection.execute("UPDATE item SET data = replace(data, 'Website', 'Webside')")
                connection.commit()
        case "no soil":
            (out / "soil.db").unlink()
        case "not a database":
            (out / "soil.db").write_bytes(b"hello" * 100)
        case _:
            (out / "project.json").write_text("{")
    with pytest.raises(InvalidInput):
        facade(other, clock).projects.import_(out)
    assert dump(other)["entity"] == []


def test_the_folder_of_another_program_is_taken_in_with_its_ids(
    other: Database, clock: FixedClock, tmp_path: Path
) -> None:
    out = tmp_path / "project_xyz"
    (out / "artifacts" / "art_uuid1").mkdir(parents=True)
    (out / "logs").mkdir()
    (out / "artifacts" / "art_uuid1" / "content.txt").write_text("one\ntwo\n")
    (out / "artifacts" / "art_uuid1" / "metadata.json").write_text(
        '{"uuid": "art_uuid1", "label": "goals_doc", "label_history": ["aims"]}'
    )
    (out / "stack.json").write_text('["uuid_1", "uuid_2"]')
    (out / "frames.json").write_text('{"agent": {"branch_uuid": "uuid_2", "head": "msg_001"}}')
    (out / "labels.json").write_text('{"goals_doc": "art_uuid1"}')
    (out / "logs" / "uuid_1.json").write_text(
        '{"uuid": "uuid_1", "parent_uuid": null, "items": ["msg_001"], "summary": null}'
    )
    (out / "logs" / "uuid_2.json").write_text(
        '{"uuid": "uuid_2", "parent_uuid": "uuid_1", "items": [], "summary": {"timestamp":'
        ' "2026-01-01T00:00:00Z", "author": "user", "content": "Done.", "fragment_ids": []}}'
    )
    with closing(sqlite3.connect(out / "soil.db")) as connection:
        connection.execute(
            "CREATE TABLE item (uuid TEXT PRIMARY KEY, _type TEXT NOT NULL, realized_at TEXT NOT"
            " NULL, canonical_at TEXT NOT NULL, data JSON NOT NULL)"
        )
        at = "2026-01-01T00:00:00.000000+00:00"
        connection.execute(
            "INSERT INTO item VALUES ('msg_001', 'Message', ?, ?, ?)",
            (at, at, '{"description": "Hello there", "sender": "user"}'),
        )
        connection.execute(
            "INSERT INTO item VALUES ('d1', 'ArtifactDelta', ?, ?, ?)",
            (at, at, '{"artifact_uuid": "art_uuid1", "commit": "e8d9f3c", "ops": "+1:^a7f"}'),
        )
        connection.commit()
    kin = facade(other, clock)
    taken = kin.projects.import_(out)
    assert (taken.project.name, taken.left_out) == ("project_xyz", ("d1",))
    assert content_of(kin.artifacts.show("aims").text) == "one\ntwo\n"
    assert kin.artifacts.show("goals_doc").artifact.uuid == "art_uuid1"
    root, child = kin.projects.show().stack
    assert (root.uuid, child.uuid, child.parent_uuid) == ("uuid_1", "uuid_2", "uuid_1")
    assert child.summary is not None
    assert [item.uuid for item in kin.branches.show("uuid_1").items] == ["msg_001"]
    assert kin.branches.frames()[0].head == "msg_001"
    assert kin.references.resolve("[that](uuid_2)").ref.uuid == "uuid_2"  # type: ignore[union-attr]  # a LogRef
    admin = Admin(Acting(other, actor="owner", clock=clock, sees_all=True), where="")
    before = dump(other)
    assert admin.rebuild().repaired is None
    assert dump(other) == before


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("stack.json", '["a", "b"]'),
        ("stack.json", '["b", "a", "b"]'),
        ("stack.json", '{"a": 1}'),
        ("stack.json", '["b", "c"]'),
        ("frames.json", "[]"),
        ("logs/b.json", '{"uuid": "b", "parent_uuid": "a"}'),
        ("logs/b.json", '{"items": []}'),
        ("logs/b.json", '{"uuid": "b", "summary": {"content": 3}}'),
        ("artifacts/x/metadata.json", '{"uuid": "x", "label": "1st"}'),
    ],
)
def test_a_folder_that_contradicts_itself_is_refused_whole(
    other: Database, clock: FixedClock, tmp_path: Path, file: str, says: str
) -> None:
    out = tmp_path / "odd"
    (out / "logs").mkdir(parents=True)
    (out / "artifacts" / "x").mkdir(parents=True)
    (out / "artifacts" / "x" / "content.txt").write_text("x\n")
    (out / "logs" / "a.json").write_text('{"uuid": "a", "parent_uuid": "b"}')
    (out / "logs" / "b.json").write_text('{"uuid": "b"}')
    (out / "stack.json").write_text('["b", "a"]')
    (out / file).write_text(says)
    with closing(sqlite3.connect(out / "soil.db")) as connection:
        connection.execute("CREATE TABLE item (uuid, _type, realized_at, canonical_at, data)")
        connection.commit()
    with pytest.raises(InvalidInput):
        facade(other, clock).projects.import_(out)
    assert dump(other)["entity"] == []


@pytest.mark.parametrize(
    "row",
    [
        ("i", "Note", "yesterday", "yesterday", '{"description": "x"}'),
        ("i", "Note", "2026-01-01", "2026-01-01", "{"),
        ("i", "Note", "2026-01-01", "2026-01-01", None),
        ("i", "Note", "2026-01-01", "2026-01-01", '{"text": "x"}'),
        ("i\n", "Note", "2026-01-01", "2026-01-01", '{"description": "x"}'),
        ("i", "note", "2026-01-01", "2026-01-01", '{"description": "x"}'),
    ],
)
def test_an_item_that_is_none_is_refused(
    other: Database, clock: FixedClock, tmp_path: Path, row: tuple[Any, ...]
) -> None:
    out = tmp_path / "odd"
    out.mkdir()
    with closing(sqlite3.connect(out / "soil.db")) as connection:
        connection.execute("CREATE TABLE item (uuid, _type, realized_at, canonical_at, data)")
        connection.execute("INSERT INTO item VALUES (?, ?, ?, ?, ?)", row)
        connection.commit()
    with pytest.raises(InvalidInput):
        facade(other, clock).projects.import_(out)


def test_an_id_from_elsewhere_never_leaves_the_folder(
    other: Database, clock: FixedClock, tmp_path: Path
) -> None:
    out = tmp_path / "evil"
    (out / "logs").mkdir(parents=True)
    (out / "logs" / "x.json").write_text('{"uuid": "../../evil", "items": []}')
    (out / "stack.json").write_text('["../../evil"]')
    with closing(sqlite3.connect(out / "soil.db")) as connection:
        connection.execute(
            "CREATE TABLE item (uuid TEXT, _type TEXT, realized_at TEXT, canonical_at TEXT,"
            " data JSON)"
        )
        connection.commit()
    kin = facade(other, clock)
    kin.projects.import_(out)
    kin.projects.export(tmp_path / "again")
    (log,) = (tmp_path / "again" / "logs").iterdir()
    assert loaded(log)["uuid"] == "../../evil"
