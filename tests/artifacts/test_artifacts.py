"""Artifacts as the specification has them, on both databases."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.artifacts import commits
from kithkin.artifacts.artifact_edit import Why, Written
from kithkin.artifacts.artifact_history import Replayed
from kithkin.artifacts.model import Accepted, Conflict, Conflicted, Pending, Rejected
from kithkin.artifacts.ops import content_of
from kithkin.db import Database
from kithkin.disclosure.explore import Wanted
from kithkin.errors import InvalidInput, NotFound, Refused, StaleEdit
from kithkin.soil.content import fields_of
from kithkin.soil.fragment_ids import fragment_id
from kithkin.soil.ledger import Broken
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.artifacts.builders import worded
from tests.upkeep.test_verify import dump, tampered

pytestmark = pytest.mark.usefixtures("project")

GOALS = "Ship in May\nStay small\nUse SQLite\n"


@pytest.fixture
def project(kin: Kithkin) -> str:
    return kin.projects.create("Website").uuid


@pytest.fixture
def agent(db: Database, clock: FixedClock) -> Kithkin:
    return Kithkin(Acting(db, actor="agent", clock=clock, sees_all=True))


def text(kin: Kithkin, said: str) -> str:
    return content_of(kin.artifacts.show(said).text)


def written(found: Written | Conflicted) -> Written:
    assert isinstance(found, Written)
    return found


def test_an_artifact_is_identified_by_its_uuid_and_called_by_its_label(
    kin: Kithkin, project: str
) -> None:
    made = kin.artifacts.create("goals_doc", GOALS)
    assert made.uuid.startswith("entity_")
    assert (made.project, made.label, made.label_history) == (project, "goals_doc", ())
    assert text(kin, "goals_doc") == text(kin, made.uuid) == GOALS
    assert kin.artifacts.show("goals_doc").text.lines == ("Ship in May", "Stay small", "Use SQLite")


def test_creation_and_initial_content_are_separate_items(kin: Kithkin) -> None:
    asked = kin.timeline.note("Write down the goals")
    made = kin.artifacts.create("goals_doc", GOALS, because_of=asked.uuid)
    created, delta = (
        kin.timeline.list(Wanted(type=kind)).items[0].item
        for kind in ("ArtifactCreated", "ArtifactDelta")
    )
    assert fields_of(created) == {"artifact_uuid": made.uuid, "label": "goals_doc"}
    assert fields_of(delta)["artifact_uuid"] == made.uuid
    for item in (created, delta):
        assert kin.relations.trace(item.uuid).causes == (asked.uuid,)


def test_an_artifacts_entity_holds_label_and_head_and_no_text(kin: Kithkin, project: str) -> None:
    made = kin.artifacts.create("goals_doc", GOALS)
    entity = kin.entities.show(made.uuid)
    assert entity.data == {"project": project, "label": "goals_doc", "head": made.head}
    with pytest.raises(InvalidInput, match="kithkin artifact"):
        kin.entities.change(made.uuid, {"head": "x"})


def test_labels_are_unique_per_project(kin: Kithkin) -> None:
    kin.artifacts.create("goals_doc")
    with pytest.raises(InvalidInput, match="already"):
        kin.artifacts.create("goals_doc")
    kin.projects.create("Garden")
    assert kin.artifacts.create("goals_doc", project="Garden").label == "goals_doc"
    with pytest.raises(InvalidInput, match=r"--project: Garden, Website"):
        kin.artifacts.show("goals_doc")


def test_relabelling_breaks_no_reference(kin: Kithkin) -> None:
    made = kin.artifacts.create("goals_doc", GOALS)
    renamed = kin.artifacts.relabel("goals_doc", "aims")
    assert (renamed.label, renamed.label_history) == ("aims", ("goals_doc",))
    assert kin.artifacts.show("goals_doc").artifact.uuid == made.uuid
    # The current label wins over an old one.
    other = kin.artifacts.create("goals_doc", "x\n")
    assert kin.artifacts.show("goals_doc").artifact.uuid == other.uuid
    # An old label counts only if it is unique.
    kin.artifacts.relabel("goals_doc", "targets")
    with pytest.raises(Refused, match="once called"):
        kin.artifacts.show("goals_doc")
    assert kin.artifacts.relabel("aims", "goals_doc").label_history == ("aims",)
    assert kin.artifacts.show("goals_doc").artifact.uuid == made.uuid


def test_the_specifications_own_delta_example(kin: Kithkin) -> None:
    before = ["one", "two", worded("^a7f"), "four", "five"]
    kin.artifacts.create("goals_doc", "".join(f"{line}\n" for line in before))
    said = kin.branches.append(f"{worded('^f9e')}.\n\n{worded('^k3m')}")
    assert said.fragments[1].id == "^k3m"
    done = kin.artifacts.operate(
        "goals_doc",
        "+4:^f9e -5 ~3:^a7f→^k3m",
        texts={"^f9e": worded("^f9e")},
        why=Why(because_of=said.item.uuid, references=("^k3m",)),
    )
    after = ["one", "two", worded("^k3m"), worded("^f9e"), "five"]
    assert text(kin, "goals_doc").splitlines() == after
    fields = fields_of(kin.timeline.show(done.commit.item).shown.item)
    assert fields["ops"] == "+4:^f9e -5 ~3:^a7f→^k3m"
    assert fields["references"] == ["^k3m"]
    assert fields["removed"] == ["four", worded("^a7f")]
    assert fields["parent"] == done.commit.parents[0]
    assert kin.relations.trace(done.commit.item).root == said.item.uuid


def test_ops_that_do_not_fit_change_nothing_and_say_where(kin: Kithkin) -> None:
    made = kin.artifacts.create("goals_doc", GOALS)
    held = fragment_id("Use SQLite")
    with pytest.raises(InvalidInput, match=rf"op 2, `~2:\^b2e→\^c3d`: line 2 holds \{held}"):
        kin.artifacts.operate("goals_doc", "-1 ~2:^b2e→^c3d", texts={"^c3d": worded("^c3d")})
    with pytest.raises(NotFound, match=r"no fragment \^c3d"):
        kin.artifacts.operate("goals_doc", "+1:^c3d")
    with pytest.raises(InvalidInput, match=r"is the fragment .*, not \^c3d"):
        kin.artifacts.operate("goals_doc", "+1:^c3d", texts={"^c3d": "something else"})
    assert kin.artifacts.show("goals_doc").commit == made.head


def test_a_line_can_be_repeated_by_its_id(kin: Kithkin) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    kin.artifacts.operate("goals_doc", f"+1:{fragment_id('Stay small')}")
    assert text(kin, "goals_doc") == f"Stay small\n{GOALS}"


def test_a_version_is_shown_by_any_unique_start_of_its_commit(kin: Kithkin) -> None:
    first = kin.artifacts.create("goals_doc", GOALS).head
    kin.artifacts.edit("goals_doc", GOALS.replace("May", "June"))
    assert text(kin, f"goals_doc@{first[:7]}") == GOALS
    assert text(kin, f"goals_doc@{first[:4]}") == GOALS
    assert text(kin, f"goals_doc@{first}") == GOALS
    with pytest.raises(InvalidInput, match="at least 4"):
        kin.artifacts.show(f"goals_doc@{first[:3]}")
    with pytest.raises(NotFound, match="artifact log goals_doc"):
        kin.artifacts.show(f"goals_doc@{'0' * 12}")


def test_a_commit_is_named_by_content_and_parents(kin: Kithkin) -> None:
    first = kin.artifacts.create("goals_doc", GOALS).head
    second = kin.artifacts.edit("goals_doc", "x\n").commit
    assert first == hashlib.sha256(f"\n{GOALS}".encode()).hexdigest()
    assert second.commit == hashlib.sha256(f"{first}\nx\n".encode()).hexdigest()
    assert second.parents == (first,)


def test_an_edit_based_on_a_moved_head_is_stale(kin: Kithkin) -> None:
    seen = kin.artifacts.create("goals_doc", GOALS).head
    now = kin.artifacts.edit("goals_doc", "x\n", based_on=seen).commit.commit
    with pytest.raises(StaleEdit) as refused:
        kin.artifacts.edit("goals_doc", "y\n", based_on=seen)
    assert refused.value.details == {
        "current_hash": now,
        "current_version": 2,
        "client_hash": seen,
        "client_version": None,
    }
    with pytest.raises(StaleEdit):
        kin.artifacts.operate("goals_doc", "-1", based_on=seen)
    assert text(kin, "goals_doc") == "x\n"


def test_an_edit_that_changes_nothing_is_said_to(kin: Kithkin) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    with pytest.raises(InvalidInput, match="changes nothing"):
        kin.artifacts.edit("goals_doc", GOALS)
    assert len(kin.artifacts.log("goals_doc")) == 1


@pytest.mark.parametrize(
    "content", ["", "x", "\n", "a\r\nb\r\n", "\n\n\n", "tab\t\u2028sep", "日本\n語", " ", "x\n\n"]
)
def test_every_byte_of_a_text_is_kept(kin: Kithkin, content: str) -> None:
    kin.artifacts.create("doc", "before\nit")
    kin.artifacts.edit("doc", content)
    assert text(kin, "doc") == content
    kin.artifacts.edit("doc", "after")
    assert text(kin, "doc") == "after"
    assert isinstance(kin.artifacts.verify("doc"), Replayed)


@pytest.mark.parametrize("content", ["\x00", "\ud800"])
def test_what_no_database_can_hold_is_refused(kin: Kithkin, project: str, content: str) -> None:
    with pytest.raises(InvalidInput):
        kin.artifacts.create("doc", content)
    assert kin.projects.show(project).artifacts == ()


def test_a_revert_makes_it_what_it_was_under_a_new_commit(kin: Kithkin) -> None:
    first = kin.artifacts.create("goals_doc", GOALS).head
    kin.artifacts.edit("goals_doc", "x\n")
    back = written(kin.artifacts.revert("goals_doc", first[:7]))
    assert text(kin, "goals_doc") == GOALS
    assert back.commit.commit != first
    assert kin.artifacts.log("goals_doc")[0].reason == f"revert to {first[:7]}"


def test_one_commit_is_taken_back_and_the_later_ones_stay(kin: Kithkin) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    wrong = kin.artifacts.edit("goals_doc", GOALS.replace("May", "June")).commit.commit
    kin.artifacts.edit("goals_doc", text(kin, "goals_doc") + "Be kind\n")
    written(kin.artifacts.revert("goals_doc", wrong, only=True))
    assert text(kin, "goals_doc") == GOALS + "Be kind\n"
    kin.artifacts.edit("goals_doc", text(kin, "goals_doc").replace("Be kind", "Be bold"))
    first = kin.artifacts.log("goals_doc")[2].commit
    assert isinstance(kin.artifacts.revert("goals_doc", first, only=True), Conflicted)


def test_the_log_tells_who_when_and_why(kin: Kithkin, agent: Kithkin) -> None:
    first = kin.artifacts.create("goals_doc", GOALS).head
    second = agent.artifacts.edit("goals_doc", "x\n", reason="shorter").commit
    newest, oldest = kin.artifacts.log("goals_doc")
    assert (newest.commit, newest.actor, newest.reason) == (second.commit, "agent", "shorter")
    assert (oldest.commit, oldest.actor, oldest.parents) == (first, "telegram:1", ())
    assert [one.commit for one in kin.artifacts.log(f"goals_doc@{first[:8]}")] == [first]


def test_a_difference_shows_the_lines_around_it(kin: Kithkin) -> None:
    first = kin.artifacts.create("goals_doc", GOALS).head
    kin.artifacts.edit("goals_doc", GOALS.replace("Stay small", "Grow"))
    (hunk,) = kin.artifacts.diff(f"goals_doc@{first[:7]}", "goals_doc").hunks
    assert hunk.lines == (" Ship in May", "-Stay small", "+Grow", " Use SQLite")
    assert kin.artifacts.diff(f"goals_doc@{first[:7]}").hunks == (hunk,)


def test_different_lines_edited_concurrently_are_merged(kin: Kithkin, agent: Kithkin) -> None:
    seen = kin.artifacts.create("goals_doc", GOALS).head
    kin.artifacts.edit("goals_doc", GOALS.replace("May", "June"), based_on=seen)
    beside = agent.artifacts.edit(
        "goals_doc", GOALS.replace("SQLite", "PostgreSQL"), based_on=seen, aside=True
    )
    assert text(kin, "goals_doc") == GOALS.replace("May", "June")
    assert beside.commit.aside
    ours = beside.artifact.head
    joined = written(agent.artifacts.merge("goals_doc", beside.commit.commit[:7]))
    assert joined.commit.parents == (ours, beside.commit.commit)
    assert text(kin, "goals_doc") == "Ship in June\nStay small\nUse PostgreSQL\n"
    delta = kin.timeline.show(joined.commit.item).shown.item
    assert fields_of(delta)["parent"] == [ours, beside.commit.commit]
    with pytest.raises(InvalidInput, match="part of goals_doc already"):
        kin.artifacts.merge("goals_doc", beside.commit.commit)
    assert isinstance(kin.artifacts.verify("goals_doc"), Replayed)


def test_the_same_line_edited_concurrently_is_a_conflict_until_somebody_settles_it(
    kin: Kithkin, agent: Kithkin
) -> None:
    seen = kin.artifacts.create("goals_doc", GOALS).head
    kin.artifacts.edit("goals_doc", GOALS.replace("SQLite", "MySQL"))
    beside = agent.artifacts.edit(
        "goals_doc", GOALS.replace("SQLite", "PostgreSQL"), based_on=seen, aside=True
    ).commit.commit
    found = kin.artifacts.merge("goals_doc", beside)
    clash = Conflict(3, ("Use SQLite",), ("Use MySQL",), ("Use PostgreSQL",))
    assert found == Conflicted((clash,))
    assert text(kin, "goals_doc") == GOALS.replace("SQLite", "MySQL")
    settled = GOALS.replace("SQLite", "a database")
    written(kin.artifacts.merge("goals_doc", beside, content=settled))
    assert text(kin, "goals_doc") == settled


def test_of_many_edits_based_on_one_head_exactly_one_wins(kin: Kithkin, db: Database) -> None:
    seen = kin.artifacts.create("goals_doc", GOALS).head

    def attempt(number: int) -> int:
        with suppress(StaleEdit):
            mine = Kithkin(Acting(db, actor=f"agent {number}", clock=None))
            mine.artifacts.edit("goals_doc", f"{GOALS}{number}\n", based_on=seen)
            return 1
        return 0

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1
    assert len(kin.artifacts.log("goals_doc", everything=True)) == 2


def test_edits_staged_by_many_on_different_lines_all_end_up_in_the_text(
    kin: Kithkin, db: Database
) -> None:
    lines = [f"line {number}" for number in range(8)]
    seen = kin.artifacts.create("doc", "\n".join(lines)).head

    def stage(number: int) -> str:
        mine = Kithkin(Acting(db, actor=f"agent {number}", clock=None))
        changed = [*lines]
        changed[number] += " changed"
        return mine.artifacts.propose("doc", "\n".join(changed), based_on=seen).uuid

    def accept(proposal: str) -> None:
        Kithkin(Acting(db, actor="owner", clock=None)).artifacts.accept(proposal)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(accept, pool.map(stage, range(8))))
    assert text(kin, "doc") == "\n".join(f"{line} changed" for line in lines)
    assert isinstance(kin.artifacts.verify("doc"), Replayed)


def test_a_staged_edit_waits_until_somebody_accepts_it(kin: Kithkin, agent: Kithkin) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    staged = agent.artifacts.propose("goals_doc", "x\n", reasoning="shorter is better")
    assert (staged.by, staged.decision, text(kin, "goals_doc")) == ("agent", Pending(), GOALS)
    assert kin.artifacts.proposals("goals_doc") == [staged]
    done = written(kin.artifacts.accept(staged.uuid))
    assert text(kin, "goals_doc") == "x\n"
    assert (done.commit.actor, done.commit.reason) == ("agent", "shorter is better")
    assert kin.artifacts.proposals("goals_doc") == []
    (decided,) = kin.artifacts.proposals("goals_doc", everything=True)
    assert decided.decision == Accepted("telegram:1", done.commit.commit)
    with pytest.raises(Refused, match="accepted by telegram:1 already"):
        kin.artifacts.accept(staged.uuid)


def test_a_rejected_edit_never_reaches_the_text(kin: Kithkin, agent: Kithkin) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    staged = kin.artifacts.propose("goals_doc", "x\n")
    decided = agent.artifacts.reject(staged.uuid, reason="too short")
    assert decided.decision == Rejected("agent", "too short")
    with pytest.raises(Refused, match="rejected by agent"):
        kin.artifacts.accept(staged.uuid)
    assert text(kin, "goals_doc") == GOALS


def test_accepting_an_edit_after_the_head_moved_merges_it_or_reports_the_conflict(
    kin: Kithkin, agent: Kithkin
) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    fits = agent.artifacts.propose("goals_doc", GOALS.replace("SQLite", "PostgreSQL"))
    clashes = agent.artifacts.propose("goals_doc", GOALS.replace("May", "July"))
    head = kin.artifacts.edit("goals_doc", GOALS.replace("May", "June")).commit.commit
    joined = written(kin.artifacts.accept(fits.uuid))
    assert joined.commit.parents[0] == head
    assert text(kin, "goals_doc") == "Ship in June\nStay small\nUse PostgreSQL\n"
    commits_before = len(kin.artifacts.log("goals_doc", everything=True))
    assert isinstance(kin.artifacts.accept(clashes.uuid), Conflicted)
    assert len(kin.artifacts.log("goals_doc", everything=True)) == commits_before
    assert kin.artifacts.proposals("goals_doc") == [clashes]


def test_behind_each_line_stands_a_delta_a_message_and_a_person(
    kin: Kithkin, agent: Kithkin
) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    alice = kin.people.ensure_self("telegram:1", name="Alice").person
    said = kin.branches.append("Switch to PostgreSQL")
    used = agent.reader.scroll_to(
        "goals_doc", 1, 3, asked=agent.reader.asked(because_of=said.item.uuid)
    )
    done = agent.artifacts.edit(
        "goals_doc", GOALS.replace("SQLite", "PostgreSQL"), why=Why(because_of=used.call)
    ).commit
    first, _, third = kin.artifacts.blame("goals_doc")
    assert (first.actor, first.message, first.said_by) == ("telegram:1", None, None)
    assert (third.commit, third.delta, third.actor) == (done.commit, done.item, "agent")
    assert (third.message, third.said_by) == (said.item.uuid, "telegram:1")
    assert (first.person, third.person) == (alice.id, alice.id)


def test_a_single_message_can_trigger_multiple_artifact_updates(kin: Kithkin) -> None:
    labels = ("goals_doc", "arch_diagram", "constraints")
    for label in labels:
        kin.artifacts.create(label, f"{label}\nUse SQLite\n")
    said = kin.branches.append("Switch to PostgreSQL")
    idea = said.fragments[0].id
    why = Why(because_of=said.item.uuid, references=(idea,))
    deltas = [
        kin.artifacts.edit(label, f"{label}\nUse PostgreSQL\n", why=why).commit for label in labels
    ]
    trace = kin.relations.trace(said.item.uuid)
    assert set(trace.effects) >= {(said.item.uuid, delta.item) for delta in deltas}
    assert all(delta.references == (idea,) for delta in deltas)
    edges = kin.relations.around(f"{said.item.uuid}#{idea}")
    assert {edge.source.id for edge in edges} == {delta.item for delta in deltas}
    assert {edge.kind for edge in edges} == {"derived_from"}


def test_deltas_appear_in_the_timeline_and_artifacts_do_not(kin: Kithkin) -> None:
    kin.artifacts.create("goals_doc", GOALS)
    types = {one.item.type for one in kin.timeline.list().items}
    assert "ArtifactDelta" in types
    with pytest.raises(InvalidInput, match="kithkin artifact"):
        kin.timeline.record_json(
            "ArtifactDelta", '{"artifact_uuid": "x", "commit": "y", "ops": "-1"}'
        )


def grown(kin: Kithkin, *, edits: int) -> list[tuple[str, str]]:
    """Every commit of a history of so many edits, and the text at it."""
    kin.artifacts.create("doc", "0\n")
    history = [(kin.artifacts.show("doc").commit, "0\n")]
    for number in range(1, edits):
        now = f"{history[-1][1]}{number}\n" if number % 3 else history[-1][1].replace("1", "x", 1)
        if now == history[-1][1]:
            now += "again\n"
        history.append((kin.artifacts.edit("doc", now).commit.commit, now))
    return history


def test_replaying_deltas_gives_every_version_and_snapshots_bound_the_replay(
    kin: Kithkin, admin: Admin, db: Database
) -> None:
    history = grown(kin, edits=commits.DISTANCE + 40)
    for commit, content in history:
        assert text(kin, f"doc@{commit}") == content
    uuid = kin.artifacts.show("doc").artifact.uuid
    with db.snapshot() as tx:
        assert len(list(commits.snapshots(tx, uuid))) == 1
    assert kin.artifacts.verify("doc") == Replayed(len(history), history[-1][0])
    before = dump(db)
    assert admin.rebuild().repaired is None
    assert dump(db) == before
    assert isinstance(admin.verify(), Verified)


def test_a_version_is_the_same_without_its_snapshots(kin: Kithkin, db: Database) -> None:
    history = grown(kin, edits=commits.DISTANCE + 5)
    with db.transaction() as tx:
        tx.execute("DELETE FROM artifact_snapshot", {})
    assert text(kin, f"doc@{history[100][0]}") == history[100][1]
    assert text(kin, "doc") == history[-1][1]


def test_a_snapshot_that_was_tampered_with_is_named(kin: Kithkin, db: Database) -> None:
    grown(kin, edits=commits.DISTANCE + 5)

    def alter(tx: object) -> None:
        import zlib  # noqa: PLC0415 - only here

        tx.execute(  # type: ignore[attr-defined]  # a Tx
            "UPDATE artifact_snapshot SET content = :c", {"c": zlib.compress(b"forged\n")}
        )

    tampered(db, alter)
    assert isinstance(kin.artifacts.verify("doc"), Broken)


def test_an_erased_artifact_leaves_no_word_of_it(kin: Kithkin, admin: Admin, db: Database) -> None:
    made = kin.artifacts.create("secret_plan", "The alarm code is heron-4711\n")
    kin.artifacts.edit("secret_plan", "The alarm code was heron-4711\n")
    kin.artifacts.propose("secret_plan", "The alarm code will be heron-4711\n")
    admin.erase(made.uuid)
    with pytest.raises(NotFound):
        kin.artifacts.show("secret_plan")
    for table, rows in dump(db).items():
        assert "heron-4711" not in repr(rows), table
    with db.snapshot() as tx:
        rows = tx.execute("SELECT data FROM item WHERE data IS NOT NULL", {}).fetchall()
    assert not any("heron-4711" in data or "secret_plan" in data for (data,) in rows)
    assert isinstance(admin.verify(), Verified)
    before = dump(db)
    assert admin.rebuild().repaired is None
    assert dump(db) == before
    assert kin.artifacts.create("secret_plan", "another\n").uuid != made.uuid


def test_one_commit_alone_cannot_be_erased(kin: Kithkin, admin: Admin) -> None:
    kin.artifacts.create("doc", "a\n")
    (commit,) = kin.artifacts.log("doc")
    with pytest.raises(InvalidInput, match="erase the artifact"):
        admin.erase(commit.item)


def test_a_backup_holds_every_version(
    kin: Kithkin, admin: Admin, tmp_path: Path, place: tuple[str, str]
) -> None:
    history = grown(kin, edits=commits.DISTANCE + 5)
    admin.backup(tmp_path / "backup.db")
    with Admin.open(tmp_path / "restored", seed=False) as restored:
        restored.restore(tmp_path / "backup.db")
    with Kithkin.open(tmp_path / "restored") as there:
        assert isinstance(there.artifacts.verify("doc"), Replayed)
        assert text(there, f"doc@{history[100][0]}") == history[100][1]
    if place[1] != "kithkin":
        again = f"{place[1]}_again"
        with Admin.open(place[0], realm=again, seed=False) as restored:
            restored.restore(tmp_path / "backup.db")
        with Kithkin.open(place[0], realm=again) as there:
            assert isinstance(there.artifacts.verify("doc"), Replayed)


def test_two_first_texts_proposed_for_an_empty_artifact_meet(kin: Kithkin) -> None:
    kin.artifacts.create("doc")
    one = kin.artifacts.propose("doc", "a\n")
    two = kin.artifacts.propose("doc", "a\n")
    other = kin.artifacts.propose("doc", "b\n")
    with pytest.raises(InvalidInput, match="edit it first"):
        kin.artifacts.edit("doc", "c\n", aside=True)
    written(kin.artifacts.accept(one.uuid))
    with pytest.raises(InvalidInput, match="already"):
        kin.artifacts.accept(two.uuid)
    assert isinstance(kin.artifacts.accept(other.uuid), Conflicted)
    aside = kin.artifacts.edit("doc", "z\n", based_on="0" * 64, aside=True).commit
    written(kin.artifacts.merge("doc", aside.commit, content="a\nz\n"))
    assert text(kin, "doc") == "a\nz\n"
    assert kin.references.resolve(f"doc:1@{aside.commit[:7]}").ref.now == 2  # type: ignore[union-attr]  # an ArtifactLineRef
    assert [one.commit for one in kin.artifacts.blame("doc")][1] == aside.commit
