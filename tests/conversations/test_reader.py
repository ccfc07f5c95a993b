"""User and agent share the same tools, observe each other, and retrace what happened."""

import pytest

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.artifacts.artifact_edit import Why
from kithkin.artifacts.model import Pending
from kithkin.artifacts.ops import content_of
from kithkin.db import Database
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.soil.content import fields_of
from kithkin.testing import FixedClock

TEXT = "".join(
    f"{line}\n"
    for line in [
        "# Requirements",
        "",
        "Users sign in with a passkey.",
        "The authentication flow redirects once.",
        "",
        *(f"Filler line {number}" for number in range(30)),
        "Failed authentication is logged.",
    ]
)


@pytest.fixture
def user(kin: Kithkin) -> Kithkin:
    kin.projects.create("Website")
    kin.artifacts.create("requirements", TEXT)
    return kin


@pytest.fixture
def agent(user: Kithkin, db: Database, clock: FixedClock) -> Kithkin:
    assert user
    return Kithkin(Acting(db, actor="agent", clock=clock, sees_all=True))


def item(kin: Kithkin, uuid: str) -> dict[str, object]:
    return fields_of(kin.timeline.show(uuid).shown.item)


@pytest.mark.parametrize("who", ["user", "agent"])
def test_every_operation_is_there_for_user_and_agent_alike(
    user: Kithkin, agent: Kithkin, who: str
) -> None:
    kin = {"user": user, "agent": agent}[who]
    used = [
        kin.reader.semantic_search("authentication", artifact="requirements"),
        kin.reader.scroll_to("requirements", 10, 14),
        kin.reader.scroll_up(3),
        kin.reader.scroll_down(5),
        kin.reader.note("look at the flow again"),
        kin.reader.select_lines("requirements", 3, 4),
        kin.reader.propose_edit("requirements", (3, 3), "Users sign in.", reasoning="shorter"),
    ]
    calls = [item(kin, one.call) for one in used]
    assert [call["operation"] for call in calls] == [
        "semantic_search",
        "scroll_to",
        "scroll_up",
        "scroll_down",
        "note",
        "select_lines",
        "propose_edit",
    ]
    assert {call["caller"] for call in calls} == {"telegram:1" if who == "user" else "agent"}
    assert {call["tool"] for call in calls} == {"artifact_reader", "scratchpad"}


def test_a_call_is_an_item_with_caller_context_and_a_result_item(agent: Kithkin) -> None:
    used = agent.reader.semantic_search(
        "authentication flow",
        artifact="requirements",
        asked=agent.reader.asked(context="Finding authentication-related sections"),
    )
    call, result = item(agent, used.call), item(agent, used.result)
    assert call["caller"] == "agent"
    assert call["context"] == "Finding authentication-related sections"
    assert call["params"]["query"] == "authentication flow"  # type: ignore[index]  # JSON
    payload = result["payload"]
    assert isinstance(payload, dict)
    assert (payload["call"], payload["status"]) == (used.call, "success")
    assert payload["output"]["matches"][0] == [used.passages[0].start, used.passages[0].end]
    assert agent.relations.trace(used.result).causes == (used.call,)


def test_search_finds_the_relevant_passages_and_says_how_to_refer_to_them(
    user: Kithkin,
) -> None:
    best, *others = user.reader.semantic_search("authentication flow").passages
    assert "The authentication flow redirects once." in best.lines
    assert any("Failed authentication is logged." in one.lines for one in [best, *others])
    found = user.references.resolve(best.reference).ref
    assert "authentication" in found.content  # type: ignore[union-attr]  # an ArtifactLineRef
    assert user.reader.semantic_search("zebra").passages == ()


def test_scrolling_moves_what_one_looks_at_and_stops_at_the_ends(agent: Kithkin) -> None:
    with pytest.raises(Refused, match="scroll-to"):
        agent.reader.scroll_down(1)

    def seen(used: object) -> tuple[int, int]:
        (one,) = used.passages  # type: ignore[attr-defined]  # a Used
        return one.start, one.end

    assert seen(agent.reader.scroll_to("requirements", 10, 14)) == (10, 14)
    assert seen(agent.reader.scroll_up(3)) == (7, 11)
    assert seen(agent.reader.scroll_up(99)) == (1, 5)
    assert seen(agent.reader.scroll_down(2)) == (3, 7)
    assert seen(agent.reader.scroll_down(999)) == (32, 36)
    with pytest.raises(InvalidInput, match="how many"):
        agent.reader.scroll_down(0)


def test_a_refusal_is_a_result_too(agent: Kithkin) -> None:
    before = agent.reader.ledger_end()
    with pytest.raises(InvalidInput, match="36 lines"):
        agent.reader.scroll_to("requirements", 30, 99)
    with pytest.raises(NotFound):
        agent.reader.scroll_to("nothing", 1, 2)
    steps = agent.reader.follow("agent", after=before)
    assert len(steps) == 2
    (_, told) = agent.reader.retrace(steps[0].item)
    assert "error" in told.what


def test_notes_go_to_a_scratchpad_that_is_an_entity_of_its_own(
    user: Kithkin, agent: Kithkin
) -> None:
    user.reader.note("first")
    agent.reader.note("second")
    pad = user.projects.scratchpad()
    assert pad is not None
    assert pad.type == "scratchpad"
    notes = (pad.data or {})["notes"]
    assert [(note["content"], note["by"]) for note in notes] == [
        ("first", "telegram:1"),
        ("second", "agent"),
    ]
    assert [step.actor for step in user.entities.history(pad.uuid)] == ["telegram:1", "agent"]
    assert len(user.projects.show().notes) == 2
    with pytest.raises(InvalidInput, match="empty"):
        user.reader.note(" ")


def test_a_proposed_edit_is_staged_with_its_reasoning_and_its_call(
    user: Kithkin, agent: Kithkin
) -> None:
    used = agent.reader.propose_edit(
        "requirements", (3, 4), "Users sign in once.", reasoning="two lines say one thing"
    )
    staged = used.proposal
    assert staged is not None
    assert (staged.reasoning, staged.because_of, staged.decision) == (
        "two lines say one thing",
        used.call,
        Pending(),
    )
    done = user.artifacts.accept(staged.uuid)
    text = content_of(user.artifacts.show("requirements").text)
    assert text.splitlines()[2:4] == ["Users sign in once.", ""]
    assert user.relations.trace(done.commit.item).causes == (used.call,)  # type: ignore[union-attr]  # Written


def test_an_insertion_can_be_staged_too(user: Kithkin) -> None:
    used = user.reader.propose_edit("requirements", (1, 0), "Draft")
    assert used.proposal is not None
    user.artifacts.accept(used.proposal.uuid)
    assert content_of(user.artifacts.show("requirements").text) == f"Draft\n{TEXT}"
    end = len(TEXT.splitlines()) + 1
    more = user.reader.propose_edit("requirements", (end + 1, end), "The end").proposal
    assert more is not None
    user.artifacts.accept(more.uuid)
    assert content_of(user.artifacts.show("requirements").text) == f"Draft\n{TEXT}The end\n"
    with pytest.raises(InvalidInput, match="not among them"):
        user.reader.propose_edit("requirements", (99, 99), "x")


def test_who_does_not_follow_sees_a_status_line(user: Kithkin, agent: Kithkin) -> None:
    assert user.reader.status("agent").line == "agent has not looked at anything yet."
    agent.reader.scroll_to(
        "requirements", 3, 4, asked=agent.reader.asked(context="Checking sign-in")
    )
    assert user.reader.status("agent").line == "agent looks at requirements 3-4: Checking sign-in"


def test_who_follows_sees_each_step_live(user: Kithkin, agent: Kithkin) -> None:
    cursor = user.reader.ledger_end()
    assert user.reader.follow("agent", after=cursor) == []
    agent.reader.scroll_to("requirements", 3, 4)
    user.reader.scroll_to("requirements", 1, 2)
    (step,) = user.reader.follow("agent", after=cursor)
    assert (step.who, step.what) == ("agent", "read requirements 3-4")
    agent.reader.note("interesting")
    agent.branches.append("I found it.")
    agent.artifacts.edit("requirements", f"{TEXT}More\n")
    later = user.reader.follow("agent", after=step.seq)
    assert [one.what.split(" (")[0] for one in later] == [
        "noted “interesting”",
        "said “I found it.”",
        "changed requirements",
    ]
    assert len(user.reader.follow("agent", after=cursor, limit=2)) == 2
    user.projects.create("Garden")
    agent.branches.append("Elsewhere", project="Garden")
    assert len(user.reader.follow("agent", project="Website", after=cursor)) == 4
    assert len(user.reader.follow("agent", project="Garden", after=cursor)) == 1


def test_a_chain_is_retraced_as_a_readable_story(user: Kithkin, agent: Kithkin) -> None:
    said = user.branches.append("Make the sign-in shorter").item.uuid
    call = agent.reader.semantic_search(
        "sign in",
        artifact="requirements",
        asked=agent.reader.asked(because_of=said, context="Looking for it"),
    ).call
    delta = agent.artifacts.edit(
        "requirements",
        TEXT.replace("with a passkey", "once"),
        why=Why(because_of=call),
        reason="shorter",
    ).commit
    agent.branches.append("Done.", because_of=delta.item)
    steps = user.reader.retrace(delta.item)
    assert [(one.depth, one.who, one.what) for one in steps] == [
        (0, "telegram:1", "said “Make the sign-in shorter”"),
        (1, "agent", "looked in requirements for “sign in” (Looking for it)"),
        (2, None, "→ found 1 passages: 2-4"),
        (2, "agent", f"changed requirements ({delta.commit[:7]}, replaced 1): shorter"),
        (3, "agent", "said “Done.”"),
    ]
    assert user.reader.retrace(said) == steps
