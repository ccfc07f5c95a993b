"""Projects and their branches, as the specification's lifecycle has them, on both databases."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.artifacts.artifact_edit import Why
from kithkin.conversations.model import Frame
from kithkin.db import Database
from kithkin.disclosure.explore import Wanted
from kithkin.errors import InvalidInput, NotFound, Refused, UndoRefused
from kithkin.soil.content import fields_of
from kithkin.soil.fragment_ids import fragment_id
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.upkeep.test_verify import dump

SEARCH_BAR = (
    "I want the search bar at the top because mobile users need quick \n"
    "access, but it should collapse when scrolling to save space."
)


@pytest.fixture
def user(kin: Kithkin) -> Kithkin:
    kin.projects.create("Website")
    return kin


@pytest.fixture
def agent(db: Database, clock: FixedClock) -> Kithkin:
    return Kithkin(Acting(db, actor="agent", clock=clock, sees_all=True))


def frames(kin: Kithkin) -> dict[str, tuple[str, str | None]]:
    return {one.participant: (one.branch_uuid, one.head) for one in kin.branches.frames()}


def said(kin: Kithkin, branch: str) -> list[str]:
    items = kin.branches.show(branch).items
    return [str(fields_of(item).get("description", item.type)) for item in items]


def events(kin: Kithkin) -> list[str]:
    found = kin.timeline.list(Wanted(type="SystemEvent", limit=1000)).items
    return [fields_of(one.item)["event_type"] for one in reversed(found)]


def stack(kin: Kithkin) -> list[str]:
    return [log.uuid for log in kin.projects.show().stack]


def test_a_project_begins_with_one_active_branch(user: Kithkin) -> None:
    (root,) = user.projects.show().stack
    assert (root.parent_uuid, root.summary, root.number) == (None, None, 1)
    assert frames(user) == {"telegram:1": (root.uuid, None)}
    assert events(user) == ["project_created"]


def test_projects_are_told_apart_by_name_or_id(user: Kithkin) -> None:
    other = user.projects.create("  My   Garden ")
    assert other.name == "My Garden"
    assert user.projects.show("My Garden").project == other
    assert user.projects.show(other.uuid[:16]).project == other
    assert [one.name for one in user.projects.list()] == ["My Garden", "Website"]
    with pytest.raises(InvalidInput, match="already"):
        user.projects.create("Website")
    with pytest.raises(InvalidInput, match="name"):
        user.projects.create("  ")
    with pytest.raises(NotFound, match="project list"):
        user.projects.show("Nowhere")
    with pytest.raises(InvalidInput, match="--project"):
        user.projects.show()


def test_a_message_is_kept_whole_and_in_fragments(user: Kithkin) -> None:
    done = user.branches.append(SEARCH_BAR)
    fields = fields_of(done.item)
    assert fields["description"] == SEARCH_BAR
    assert fields["sender"] == "telegram:1"
    first, second = done.fragments
    assert fields["fragments"] == [
        {"id": first.id, "content": first.content},
        {"id": second.id, "content": second.content},
    ]
    assert second.content == "but it should collapse when scrolling to save space."
    assert first.id == fragment_id(first.content)


def test_what_a_participant_says_is_appended_to_their_frames_branch(
    user: Kithkin, agent: Kithkin
) -> None:
    first = user.branches.append("one").item.uuid
    second = agent.branches.append("two").item.uuid
    (root,) = stack(user)
    assert said(user, root) == ["one", "two"]
    assert frames(user) == {"telegram:1": (root, first), "agent": (root, second)}


def test_user_and_agent_work_in_different_branches_simultaneously(
    user: Kithkin, agent: Kithkin
) -> None:
    user.branches.append("three ideas")
    agent.branches.append("let us explore them in parallel")
    (root,) = stack(user)
    third = agent.branches.fork()
    fourth = user.branches.fork()
    assert (third.parent_uuid, fourth.parent_uuid) == (root, root)
    assert frames(user) == {"agent": (third.uuid, None), "telegram:1": (fourth.uuid, None)}
    ninth = agent.branches.append("idea 1").item.uuid
    eleventh = user.branches.append("idea 2").item.uuid
    assert frames(user) == {"agent": (third.uuid, ninth), "telegram:1": (fourth.uuid, eleventh)}
    shared = ["three ideas", "let us explore them in parallel"]
    assert said(user, third.uuid) == [*shared, "idea 1"]
    assert said(user, fourth.uuid) == [*shared, "idea 2"]
    assert said(user, root) == shared


def test_the_stack_has_every_branch_once_in_the_order_they_were_made(
    user: Kithkin, agent: Kithkin
) -> None:
    made = [user.branches.fork().uuid, agent.branches.fork().uuid, user.branches.fork().uuid]
    assert stack(user)[1:] == made
    user.branches.collapse(made[2], "done")
    assert stack(user)[1:] == made


def test_a_branch_forks_from_any_item_and_records_the_point(user: Kithkin) -> None:
    first = user.branches.append("first").item.uuid
    user.branches.append("second")
    forked = user.branches.fork(at=first)
    assert forked.forked_at == first
    user.branches.append("another way")
    assert said(user, forked.uuid) == ["first", "another way"]
    (root, _) = stack(user)
    user.branches.go(root)
    elsewhere = user.branches.append("third").item.uuid
    user.branches.go(forked.uuid)
    assert user.branches.fork(at=elsewhere).parent_uuid == root
    with pytest.raises(NotFound, match="no branch of Website"):
        user.branches.fork(at=user.timeline.note("outside").uuid)
    with pytest.raises(NotFound, match="is not in"):
        user.branches.fork(branch=forked.uuid, at=elsewhere)


def test_a_branch_with_active_children_cannot_be_collapsed(user: Kithkin) -> None:
    (root,) = stack(user)
    child = user.branches.fork()
    assert not user.branches.can_collapse(root)
    with pytest.raises(Refused, match="Cannot collapse a branch with active children"):
        user.branches.collapse(root, "too early")
    user.branches.collapse(child.uuid, "done")
    assert user.branches.can_collapse(root)


def test_an_active_grandchild_keeps_a_branch_open(user: Kithkin) -> None:
    (root,) = stack(user)
    child, grandchild = user.branches.fork(), user.branches.fork()
    assert grandchild.parent_uuid == child.uuid
    with pytest.raises(Refused, match=grandchild.uuid):
        user.branches.collapse(root, "too early")
    with pytest.raises(Refused, match=grandchild.uuid):
        user.branches.collapse(child.uuid, "too early")


def test_a_collapsed_branch_has_a_summary_with_author_and_fragments(
    user: Kithkin, clock: FixedClock
) -> None:
    user.branches.append("start")
    child = user.branches.fork()
    user.branches.append("a long exploration")
    done = user.branches.collapse(child.uuid, "We keep SQLite. It is enough.")
    assert done.summary is not None
    assert (done.summary.author, done.summary.content) == (
        "telegram:1",
        "We keep SQLite. It is enough.",
    )
    assert done.summary.timestamp.startswith(clock.now().strftime("%Y-%m-%dT%H:%M"))
    assert done.summary.fragment_ids == (
        fragment_id("We keep SQLite."),
        fragment_id("It is enough."),
    )
    assert said(user, child.uuid) == ["start", "a long exploration"]
    with pytest.raises(Refused, match="collapsed already"):
        user.branches.collapse(child.uuid, "again")
    with pytest.raises(InvalidInput, match="empty"):
        user.branches.collapse(stack(user)[0], "  ")


def test_the_learnings_of_a_branch_are_seen_on_the_main_path(user: Kithkin) -> None:
    (root,) = stack(user)
    child = user.branches.fork()
    user.branches.collapse(child.uuid, "We keep SQLite.")
    (event,) = user.branches.show(root).items
    assert fields_of(event)["event_type"] == "summary_generated"
    assert fields_of(event)["payload"]["content"] == "We keep SQLite."
    found = user.references.resolve(fragment_id("We keep SQLite."))
    assert found.ref.message_uuid == event.uuid  # type: ignore[union-attr]  # a FragmentRef


def test_a_frame_on_a_collapsed_branch_moves_to_its_parent(user: Kithkin, agent: Kithkin) -> None:
    (root,) = stack(user)
    child = user.branches.fork()
    agent.branches.go(child.uuid)
    agent.branches.collapse(child.uuid, "done")
    (event,) = user.branches.show(root).items
    assert frames(user) == {"telegram:1": (root, event.uuid), "agent": (root, event.uuid)}
    user.branches.append("and on we go")
    assert said(user, root)[-1] == "and on we go"


def test_nothing_is_added_to_a_collapsed_branch(user: Kithkin) -> None:
    (root,) = stack(user)
    user.branches.append("all")
    user.branches.collapse(root, "all is said")
    for attempt in (
        lambda: user.branches.append("more"),
        lambda: user.branches.fork(branch=root),
        lambda: user.branches.go(root),
    ):
        with pytest.raises(Refused, match="reopen"):
            attempt()


def test_reopening_makes_a_new_log_and_leaves_the_old_summary_intact(user: Kithkin) -> None:
    user.branches.append("start")
    child = user.branches.fork()
    user.branches.append("SQLite or PostgreSQL?")
    before = user.branches.collapse(child.uuid, "We keep SQLite.")
    again = user.branches.reopen(child.uuid)
    assert stack(user)[-1] == again.log.uuid
    assert again.log.continues == child.uuid
    assert again.log.parent_uuid == child.parent_uuid
    assert user.branches.show(child.uuid).log == before
    # The first item refers to the old exploration, whose items are the context.
    own = user.branches.show(again.log.uuid)
    first = own.items[-1]
    assert own.own == 1
    assert fields_of(first)["description"] == f"Continues [We keep SQLite.]({child.uuid})."
    assert list(again.context) == [item.uuid for item in own.items[:-1]]
    assert frames(user) == {"telegram:1": (again.log.uuid, first.uuid)}
    edges = user.relations.around(again.log.uuid)
    assert [e.target.id for e in edges if e.kind == "continues"] == [child.uuid]
    with pytest.raises(Refused, match="goes on"):
        user.branches.reopen(again.log.uuid)
    # It can be taken up as often as somebody likes.
    assert user.branches.reopen(child.uuid).log.uuid != again.log.uuid


def test_a_branch_reopened_under_a_collapsed_parent_grows_from_the_nearest_active_one(
    user: Kithkin,
) -> None:
    (root,) = stack(user)
    child, grandchild = user.branches.fork(), user.branches.fork()
    user.branches.collapse(grandchild.uuid, "deep")
    user.branches.collapse(child.uuid, "less deep")
    assert user.branches.reopen(grandchild.uuid).log.parent_uuid == root
    user.branches.collapse(stack(user)[-1], "deep again")
    user.branches.collapse(root, "over")
    assert user.branches.reopen(root).log.parent_uuid is None


def test_each_step_of_a_branch_is_a_system_event(user: Kithkin) -> None:
    child = user.branches.fork()
    user.branches.collapse(child.uuid, "done")
    user.branches.reopen(child.uuid)
    user.projects.close("Website")
    assert events(user) == [
        "project_created",
        "branch_created",
        "summary_generated",
        "branch_reopened",
        "project_closed",
    ]


def test_the_tree_shows_what_grows_from_what(user: Kithkin) -> None:
    (root,) = stack(user)
    child = user.branches.fork()
    grandchild = user.branches.fork()
    user.branches.go(root)
    other = user.branches.fork()
    (top,) = user.projects.tree()
    assert top.log.uuid == root
    assert [one.log.uuid for one in top.children] == [child.uuid, other.uuid]
    assert [one.log.uuid for one in top.children[0].children] == [grandchild.uuid]


def test_closing_a_project_fossilises_its_organisational_relations(
    user: Kithkin, admin: Admin, db: Database
) -> None:
    made = user.artifacts.create("goals_doc", "x\n")
    project = user.projects.show().project
    (edge,) = [e for e in user.relations.around(made.uuid) if e.kind == "groups_with"]
    assert (edge.target.id, edge.layer) == (project.uuid, "core")
    closed = user.projects.close("Website")
    assert closed.closed_at
    layers = {e.layer for e in user.relations.around(project.uuid) if e.kind == "groups_with"}
    assert layers == {"soil"}
    for attempt in (
        lambda: user.branches.append("more", project="Website"),
        lambda: user.artifacts.edit("goals_doc", "y\n", project="Website"),
        lambda: user.artifacts.create("another", project="Website"),
        lambda: user.projects.close("Website"),
        lambda: user.reader.note("x", asked=user.reader.asked(project="Website")),
    ):
        with pytest.raises(Refused, match="was closed"):
            attempt()
    assert user.artifacts.show("goals_doc", project="Website").text.lines == ("x",)
    before = dump(db)
    assert admin.rebuild().repaired is None
    assert dump(db) == before


def test_a_causal_chain_runs_from_message_to_call_to_delta_to_reply(
    user: Kithkin, agent: Kithkin
) -> None:
    user.artifacts.create("goals_doc", "Use SQLite\n")
    agent.branches.append("I am here")
    asked = user.branches.append("Switch to PostgreSQL").item.uuid
    call = agent.reader.semantic_search(
        "database SQLite", artifact="goals_doc", asked=agent.reader.asked(because_of=asked)
    ).call
    why = Why(because_of=call)
    delta = agent.artifacts.edit("goals_doc", "Use PostgreSQL\n", why=why).commit.item
    reply = agent.branches.append("Done.", because_of=delta, replies_to=asked).item.uuid
    assert user.relations.trace(reply).causes == (delta, call, asked)
    edges = user.relations.around(reply)
    assert [e.target.id for e in edges if e.kind == "replies_to"] == [asked]
    (root,) = stack(user)
    kinds = [item.type for item in user.branches.show(root).items]
    assert kinds[-4:] == ["Message", "ToolCall", "ArtifactDelta", "Message"]


def test_an_item_that_is_there_already_can_be_put_on_a_branch_once(user: Kithkin) -> None:
    note = user.timeline.note("seen elsewhere")
    log = user.branches.append_item(note.uuid)
    assert said(user, log.uuid) == ["seen elsewhere"]
    with pytest.raises(InvalidInput, match="already"):
        user.branches.append_item(note.uuid)
    with pytest.raises(InvalidInput, match="branch append"):
        user.relations.relate("contains", log.uuid, user.timeline.note("x").uuid)


def test_messages_of_many_threads_are_all_there_once(user: Kithkin, db: Database) -> None:
    def speak(number: int) -> str:
        mine = Kithkin(Acting(db, actor=f"agent {number % 4}", clock=None))
        return mine.branches.append(f"message {number}").item.uuid

    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(speak, range(32)))
    (root,) = stack(user)
    assert sorted(item.uuid for item in user.branches.show(root).items) == sorted(sent)


def test_branches_forked_by_many_threads_stand_in_the_stack_once(
    user: Kithkin, db: Database
) -> None:
    def fork(number: int) -> str:
        mine = Kithkin(Acting(db, actor=f"agent {number}", clock=None))
        return mine.branches.fork().uuid

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(fork, range(12)))
    assert sorted(stack(user)[1:]) == sorted(made)
    assert [log.number for log in user.projects.show().stack] == list(range(1, 14))


def test_empty_words_and_nameless_participants_are_refused(user: Kithkin, db: Database) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        user.branches.append(" \n ")
    nobody = Kithkin(Acting(db, actor=" ", clock=None))
    with pytest.raises(InvalidInput, match="participant"):
        nobody.branches.append("hello")


def test_frames_outlive_the_session(user: Kithkin, db: Database) -> None:
    child = user.branches.fork()
    later = Kithkin(Acting(db, actor="telegram:1", clock=None))
    assert later.branches.frames() == [Frame("telegram:1", child.uuid)]
    assert later.branches.append("still here").log.uuid == child.uuid


def test_a_rebuild_writes_every_row_of_a_project_again(
    user: Kithkin, agent: Kithkin, admin: Admin, db: Database
) -> None:
    user.artifacts.create("goals_doc", "a\nb\n")
    user.branches.append(f"{SEARCH_BAR} See goals_doc:2.")
    child = agent.branches.fork()
    agent.branches.append("idea")
    agent.reader.note("remember this")
    agent.artifacts.propose("goals_doc", "a\n")
    agent.branches.collapse(child.uuid, "Nothing came of it.")
    user.artifacts.relabel("goals_doc", "aims")
    before = dump(db)
    assert admin.rebuild().repaired is None
    assert dump(db) == before
    assert isinstance(admin.verify(), Verified)


def test_an_erased_message_leaves_no_fragment_behind(
    user: Kithkin, admin: Admin, db: Database
) -> None:
    secret = user.branches.append("The alarm code is 4711. Tell nobody.")
    admin.erase(secret.item.uuid)
    assert [item.data for item in user.branches.show(stack(user)[0]).items] == [None]
    found = user.references.resolve(secret.fragments[0].id)
    assert type(found.ref).__name__ == "DanglingRef"
    before = dump(db)
    assert admin.rebuild().repaired is None
    assert dump(db) == before


def test_what_was_undone_leaves_the_branch_and_commits_are_taken_back_instead(
    user: Kithkin,
) -> None:
    slip = user.branches.append("oops")
    kept = user.branches.append("what I meant")
    user.timeline.undo(slip.item.uuid)
    shown = user.branches.show(stack(user)[0])
    assert ([item.uuid for item in shown.items], shown.own) == ([kept.item.uuid], 1)
    assert type(user.references.resolve(slip.fragments[0].id).ref).__name__ == "DanglingRef"
    user.artifacts.create("goals_doc", "x\n")
    (commit,) = user.artifacts.log("goals_doc")
    with pytest.raises(UndoRefused, match="artifact revert"):
        user.timeline.undo(commit.item)
