"""References lead where they say, follow their lines, and are found from the other end."""

import pytest

from kithkin.api.kithkin import Kithkin
from kithkin.artifacts.artifact_edit import Why
from kithkin.artifacts.model import Changed, Still
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.language.model import (
    AmbiguousRef,
    ArtifactLineRef,
    DanglingRef,
    FragmentRef,
    ItemRef,
    LogRef,
)
from kithkin.language.reference_scanner import raw
from kithkin.soil.fragment_ids import fragment_id
from tests.artifacts.builders import worded

pytestmark = pytest.mark.usefixtures("project")
GOALS = "".join(f"Goal {number}\n" for number in range(1, 21))


@pytest.fixture
def project(kin: Kithkin) -> str:
    made = kin.projects.create("Website").uuid
    kin.artifacts.create("goals_doc", GOALS)
    return made


def line(kin: Kithkin, said: str) -> ArtifactLineRef:
    found = kin.references.resolve(said).ref
    assert isinstance(found, ArtifactLineRef)
    return found


def test_a_fragment_reference_has_id_preview_and_message(kin: Kithkin) -> None:
    said = kin.branches.append("SQLite won't scale. We measured it.")
    first = said.fragments[0]
    found = kin.references.resolve(first.id).ref
    assert isinstance(found, FragmentRef)
    assert (found.id, found.preview, found.message_uuid, found.position) == (
        first.id,
        "SQLite won't scale.",
        said.item.uuid,
        0,
    )


def test_an_artifact_line_reference_has_uuid_label_line_and_content(kin: Kithkin) -> None:
    head = kin.artifacts.show("goals_doc")
    found = line(kin, "goals_doc:15")
    assert (found.uuid, found.label, found.line, found.content, found.commit) == (
        head.artifact.uuid,
        "goals_doc",
        15,
        "Goal 15",
        head.commit,
    )
    assert line(kin, "goals_doc:3-5").content == "Goal 3\nGoal 4\nGoal 5"


def test_a_log_reference_has_its_summary_or_first_fragment(kin: Kithkin) -> None:
    child = kin.branches.fork()
    kin.branches.append("Should we use SQLite? I think so.")
    going_on = kin.references.resolve(f"[that]({child.uuid})").ref
    assert going_on == LogRef(child.uuid, "Should we use SQLite?")
    kin.branches.collapse(child.uuid, "We keep SQLite.")
    assert kin.references.resolve(f"[that]({child.uuid})").ref == LogRef(
        child.uuid, "We keep SQLite."
    )


def test_an_item_reference_has_type_and_preview(kin: Kithkin) -> None:
    note = kin.timeline.note("Called the plumber")
    found = kin.references.resolve(f"@{note.uuid}").ref
    assert found == ItemRef(note.uuid, "Note", "Called the plumber")


def test_fragments_are_addressed_within_their_item_and_as_ranges(kin: Kithkin) -> None:
    said = kin.branches.append("First idea. Second idea. Third idea.")
    one, two, three = said.fragments
    exact = kin.references.resolve(f"{said.item.uuid}#{two.id}").ref
    assert isinstance(exact, FragmentRef)
    assert (exact.content, exact.position) == ("Second idea.", 1)
    many = kin.references.resolve(f"{said.item.uuid}#{one.id}:{three.id}").ref
    assert isinstance(many, FragmentRef)
    assert many.content == "First idea. Second idea. Third idea."


def collide(kin: Kithkin) -> tuple[str, str]:
    """Two messages with different fragments of one id."""
    wanted = "^a7f"
    first = worded(wanted)
    second = next(
        text for n in range(10**7) if fragment_id(text := f"Another thought {n}") == wanted
    )
    kin.branches.append(first)
    kin.branches.append(second)
    return first, second


def test_an_ambiguous_id_gives_candidates_never_a_guess(kin: Kithkin) -> None:
    first, second = collide(kin)
    found = kin.references.resolve("^a7f").ref
    assert isinstance(found, AmbiguousRef)
    assert [one.content for one in found.candidates] == [first, second]
    exact = kin.references.resolve(f"{found.candidates[1].message_uuid}#^a7f").ref
    assert isinstance(exact, FragmentRef)
    assert exact.content == second
    with pytest.raises(Refused, match="may be any of"):
        kin.artifacts.operate("goals_doc", "+1:^a7f")
    with pytest.raises(Refused, match="may be any of"):
        kin.artifacts.edit("goals_doc", "x\n", why=Why(references=("^a7f",)))
    chosen = f"{found.candidates[1].message_uuid}#^a7f"
    done = kin.artifacts.edit("goals_doc", "x\n", why=Why(references=(chosen,)))
    assert done.commit.references == ("^a7f",)


def test_the_same_words_said_twice_are_one_idea(kin: Kithkin) -> None:
    first = kin.branches.append("We keep SQLite.")
    kin.branches.append("We keep SQLite.")
    found = kin.references.resolve(first.fragments[0].id).ref
    assert isinstance(found, FragmentRef)
    assert found.message_uuid == first.item.uuid


def test_a_line_that_comes_from_no_message_has_an_id_too(kin: Kithkin) -> None:
    found = line(kin, fragment_id("Goal 7"))
    assert (found.label, found.line, found.content) == ("goals_doc", 7, "Goal 7")


def test_users_see_readable_text_and_the_raw_one_comes_back(kin: Kithkin) -> None:
    said = kin.branches.append("SQLite won't scale.")
    child = kin.branches.fork()
    written = (
        f"Use PostgreSQL instead - {said.fragments[0].id} shows it. "
        f"Update goals_doc:15, see [previous exploration]({child.uuid}) and @{said.item.uuid}; "
        "not at 10:30, localhost:8080 or bob@x.com."
    )
    read = kin.references.render(written)
    assert read.text == (
        "Use PostgreSQL instead - [SQLite won't scale.] shows it. "
        "Update [goals_doc line 15], see [previous exploration] and [SQLite won't scale.]; "
        "not at 10:30, localhost:8080 or bob@x.com."
    )
    assert raw(read) == written


def test_a_line_reference_follows_the_line_through_later_edits(kin: Kithkin) -> None:
    then = kin.artifacts.show("goals_doc").commit
    kin.artifacts.edit("goals_doc", f"New\n{GOALS}")
    kin.artifacts.edit("goals_doc", f"New\n{GOALS}".replace("Goal 16\n", "Aim 16\n"))
    gone = kin.artifacts.edit(
        "goals_doc",
        f"New\n{GOALS}".replace("Goal 16\n", "Aim 16\n").replace("Goal 17\n", ""),
    ).commit.commit
    pinned = line(kin, f"goals_doc:15@{then[:7]}")
    assert (pinned.content, pinned.now, pinned.became) == ("Goal 15", 16, "unchanged")
    changed = line(kin, f"goals_doc:16@{then[:7]}")
    assert (changed.content, changed.now, changed.became) == ("Goal 16", 17, "changed")
    removed = line(kin, f"goals_doc:17@{then[:7]}")
    assert (removed.content, removed.now, removed.became, removed.by) == (
        "Goal 17",
        None,
        "removed",
        gone,
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("goals_doc:99", "has 20 lines"),
        ("goals_doc:1@abcdef0", "no commit"),
        ("nothing:1", "no artifact nothing"),
        ("^zzz", "no message"),
        ("@item_nowhere", "nothing with the id"),
        ("[x](uuid_nowhere)", "nothing with the id"),
    ],
)
def test_a_reference_that_leads_nowhere_says_why(kin: Kithkin, said: str, why: str) -> None:
    found = kin.references.resolve(said).ref
    assert isinstance(found, DanglingRef)
    assert why in found.reason


@pytest.mark.parametrize("said", ["", "10:30", "bob@x.com", "two ^a7f ^b2e", "hello"])
def test_what_is_no_reference_is_not_resolved(kin: Kithkin, said: str) -> None:
    with pytest.raises(InvalidInput, match="is no reference"):
        kin.references.resolve(said)


def test_mentions_are_indexed_as_inferred_and_the_text_stays_the_truth(kin: Kithkin) -> None:
    first = kin.branches.append("SQLite won't scale.")
    text = f"Because of {first.fragments[0].id}, change goals_doc:3 and goals_doc:5."
    second = kin.branches.append(text)
    assert kin.timeline.show(second.item.uuid).shown.item == second.item
    edges = {
        edge.target.id: edge
        for edge in kin.relations.around(second.item.uuid)
        if edge.kind == "mentions"
    }
    artifact = kin.artifacts.show("goals_doc").artifact.uuid
    fragment = f"{first.item.uuid}#{first.fragments[0].id}"
    assert set(edges) == {artifact, fragment}
    assert all((edge.metadata or {})["inferred"] is True for edge in edges.values())
    spans = (edges[artifact].metadata or {})["spans"]
    assert [text[start:end] for start, end in spans] == ["goals_doc:3", "goals_doc:5"]
    assert edges[fragment].target.type == "fragment"
    assert edges[artifact].target.type == "artifact"


def test_backlinks_say_what_refers_to_a_line_wherever_it_stands_now(kin: Kithkin) -> None:
    said = kin.branches.append("Please check goals_doc:3 again")
    kin.branches.append("goals_doc:4-6 is fine")
    kin.artifacts.edit("goals_doc", f"New\n{GOALS}")
    assert kin.references.backlinks("goals_doc:3") == []
    (link,) = kin.references.backlinks("goals_doc:4")
    assert (link.source, link.kind, link.line) == (said.item.uuid, "mentions", 4)
    assert link.became == Still(4)
    assert link.words == "Please check goals_doc:3 again"
    assert len(kin.references.backlinks("goals_doc:6")) == 1
    kin.artifacts.edit("goals_doc", f"New\n{GOALS}".replace("Goal 3\n", "Aim 3\n"))
    (link,) = kin.references.backlinks("goals_doc:4")
    assert isinstance(link.became, Changed)
    old = kin.artifacts.log("goals_doc")[-1].commit
    (link,) = kin.references.backlinks(f"goals_doc:3@{old[:7]}")
    assert link.source == said.item.uuid


def test_backlinks_lead_from_fragments_items_branches_and_artifacts(kin: Kithkin) -> None:
    first = kin.branches.append("SQLite won't scale.")
    idea = first.fragments[0].id
    child = kin.branches.fork()
    second = kin.branches.append(
        f"{idea} and [this]({child.uuid}) and @{first.item.uuid} and goals_doc:1"
    ).item.uuid
    delta = kin.artifacts.edit("goals_doc", "x\n", why=Why(references=(idea,))).commit.item
    for said in (idea, f"{first.item.uuid}#{idea}"):
        sources = [(link.source, link.kind) for link in kin.references.backlinks(said)]
        assert sources == [(second, "mentions"), (delta, "derived_from")]
    for said in (child.uuid, first.item.uuid, f"@{first.item.uuid}", "goals_doc"):
        assert [link.source for link in kin.references.backlinks(said)] == [second]
    with pytest.raises(NotFound, match="names no line"):
        kin.references.backlinks("elsewhere")


def test_a_reference_by_an_old_label_goes_on_working(kin: Kithkin) -> None:
    kin.branches.append("see goals_doc:3")
    kin.artifacts.relabel("goals_doc", "aims")
    assert kin.references.render("see goals_doc:3").text == "see [aims line 3]"
    assert len(kin.references.backlinks("aims:3")) == 1


def test_the_references_of_a_message_are_told_when_it_is_appended(kin: Kithkin) -> None:
    said = kin.branches.append("goals_doc:3 at 10:30, see localhost:8080")
    (one,) = said.references
    assert one.mention.raw == "goals_doc:3"
    assert isinstance(one.ref, ArtifactLineRef)
