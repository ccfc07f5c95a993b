"""What happened: recording, taking back, correcting, looking."""

from datetime import UTC, datetime, timedelta

import pytest

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.disclosure.explore import Wanted
from kithkin.errors import InvalidInput, NotFound, UndoRefused
from kithkin.soil.content import content_of
from kithkin.soil.model import Content, EntityDelta, Extension, Message, Note, ToolCall, ToolResult
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified


def texts(kin: Kithkin, wanted: Wanted) -> list[str]:
    return [
        content.description
        for shown in kin.timeline.list(wanted).items
        if isinstance(content := content_of(shown.item), Note | Message)
    ]


def test_items_are_listed_newest_first_and_page_by_page(kin: Kithkin, clock: FixedClock) -> None:
    for number in range(5):
        kin.timeline.note(f"note {number}")
        clock.advance(seconds=number % 2)  # some at the same instant
    first = kin.timeline.list(Wanted(limit=2))
    second = kin.timeline.list(Wanted(limit=2, before=first.next))
    third = kin.timeline.list(Wanted(limit=2, before=second.next))
    told = [s.item.seq for page in (first, second, third) for s in page.items]
    assert told == [5, 4, 3, 2, 1]
    assert third.next is None


def test_what_happened_earlier_is_ordered_by_when_it_happened(
    kin: Kithkin, clock: FixedClock
) -> None:
    kin.timeline.note("now")
    kin.timeline.note("in 2020", at=datetime(2020, 5, 1, tzinfo=UTC))
    clock.advance(seconds=1)
    kin.timeline.note("later")
    assert texts(kin, Wanted(clock="canonical")) == ["later", "now", "in 2020"]
    assert texts(kin, Wanted(clock="realized")) == ["later", "in 2020", "now"]


def test_a_corrected_time_is_shown_and_its_history_kept(kin: Kithkin, clock: FixedClock) -> None:
    kin.timeline.note("before")
    clock.advance(hours=1)
    item = kin.timeline.note("moved house")
    belief = kin.timeline.correct(item.uuid, at=datetime(2019, 1, 1, tzinfo=UTC))
    kin.timeline.correct(item.uuid, {"where": "Porto"}, at=datetime(2018, 1, 1, tzinfo=UTC))
    shown = kin.timeline.show(item.uuid).shown
    assert shown.canonical_at.startswith("2018-01-01")
    assert shown.beliefs == {"where": "Porto"}
    assert shown.item == item
    assert texts(kin, Wanted(clock="canonical")) == ["before", "moved house"]
    assert texts(kin, Wanted(clock="canonical", until=datetime(2020, 1, 1, tzinfo=UTC))) == [
        "moved house"
    ]
    assert [step.version for step in kin.entities.history(belief.uuid)] == [1, 2]


def test_corrected_and_plain_items_page_together_by_the_canonical_clock(
    kin: Kithkin, clock: FixedClock
) -> None:
    for number in range(9):
        item = kin.timeline.note(f"{number}")
        if number % 3 == 0:
            kin.timeline.correct(item.uuid, at=clock.now() - timedelta(days=number + 1))
        clock.advance(minutes=1)
    whole = [s.item.uuid for s in kin.timeline.list(Wanted(clock="canonical")).items]
    paged: list[str] = []
    mark = None
    while True:
        page = kin.timeline.list(Wanted(clock="canonical", limit=2, before=mark))
        paged += [s.item.uuid for s in page.items]
        mark = page.next
        if mark is None:
            break
    assert paged == whole
    assert len(whole) == 9


def test_an_undone_item_leaves_the_timeline_and_stays_in_the_ledger(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    item = kin.timeline.note("oops")
    clock.advance(seconds=299)
    kin.timeline.undo(item.uuid, reason="a slip")
    assert texts(kin, Wanted()) == []
    assert texts(kin, Wanted(everything=True)) == ["oops"]
    assert kin.timeline.show(item.uuid).undone
    assert isinstance(admin.verify(), Verified)


def test_after_301_seconds_undo_is_refused_and_nothing_is_written(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    item = kin.timeline.note("too late")
    before = admin.head()
    clock.advance(seconds=301)
    with pytest.raises(UndoRefused):
        kin.timeline.undo(item.uuid)
    assert admin.head() == before


def test_the_timeline_is_searched_by_type_time_text_and_relation(
    kin: Kithkin, clock: FixedClock
) -> None:
    asked = kin.timeline.record(Message(description="Où est ÉMILE ?", sender="telegram:1"))
    clock.advance(hours=1)
    kin.timeline.note('He said "Émile is here"', because_of=asked.uuid)
    kin.timeline.note("something else")
    assert texts(kin, Wanted(type="Message")) == ["Où est ÉMILE ?"]
    assert texts(kin, Wanted(text="émile")) == ['He said "Émile is here"', "Où est ÉMILE ?"]
    assert texts(kin, Wanted(text='"émile')) == ['He said "Émile is here"']
    assert texts(kin, Wanted(since=clock.now())) == ["something else", 'He said "Émile is here"']
    assert texts(kin, Wanted(until=clock.now())) == ["Où est ÉMILE ?"]
    assert texts(kin, Wanted(related_to=asked.uuid)) == ['He said "Émile is here"']


def test_a_rare_text_is_found_beyond_the_first_batch(kin: Kithkin) -> None:
    kin.timeline.note("needle")
    for _ in range(600):
        kin.timeline.note("hay")
    assert texts(kin, Wanted(text="needle", limit=1)) == ["needle"]


def test_bookkeeping_is_shown_only_when_asked_for(kin: Kithkin) -> None:
    kin.entities.add("place", {"name": "Home"})
    assert kin.timeline.list().items == ()
    assert [s.item.type for s in kin.timeline.list(Wanted(type="EntityDelta")).items] == [
        "EntityDelta"
    ]


def test_every_item_type_of_the_specification_is_recorded_and_read_back(
    kin: Kithkin, clock: FixedClock
) -> None:
    contents: list[Content] = [
        Note(description="n", summary="s", title="t"),
        Message(description="m", sender="user", recipient="agent", subject="s"),
        ToolCall(
            tool="artifact_reader",
            operation="semantic_search",
            params={"query": "authentication flow"},
            caller="agent",
            result=ToolResult("success", {"matches": [[145, 162]]}, clock.now()),
            context="Finding authentication-related sections",
        ),
        Extension("BudgetEntry", '{ "amount": 1.50 }'),
    ]
    for content in contents:
        item = kin.timeline.record(content)
        assert content_of(kin.timeline.show(item.uuid).shown.item) == content


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_note_is_refused(kin: Kithkin, text: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        kin.timeline.note(text)


def test_a_change_of_an_entity_cannot_be_forged_as_an_item(kin: Kithkin) -> None:
    with pytest.raises(InvalidInput, match="change the entity"):
        kin.timeline.record(EntityDelta("entity_1", "t", "c", 1, {"fields": {}}, "owner"))


def test_an_unknown_cause_records_nothing(kin: Kithkin, admin: Admin) -> None:
    with pytest.raises(NotFound):
        kin.timeline.note("x", because_of="item_none")
    assert admin.head().seq == 0


def test_a_clock_that_goes_back_loses_nothing(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    kin.timeline.note("first")
    clock.advance(days=-400)
    kin.timeline.note("second")
    assert texts(kin, Wanted(everything=True)) == ["second", "first"]
    assert isinstance(admin.verify(), Verified)


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_page_has_a_bounded_size(kin: Kithkin, limit: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 1000"):
        kin.timeline.list(Wanted(limit=limit))


@pytest.mark.parametrize("mark", ["x", "~1", "2026~x"])
def test_a_page_mark_that_is_none_is_refused(kin: Kithkin, mark: str) -> None:
    with pytest.raises(InvalidInput):
        kin.timeline.list(Wanted(before=mark))


def test_the_start_of_an_id_is_enough_when_it_is_the_only_one(kin: Kithkin) -> None:
    item = kin.timeline.note("x")
    assert kin.full_id(item.uuid[:13]) == item.uuid
    kin.timeline.note("y")
    with pytest.raises(InvalidInput, match="several"):
        kin.full_id("item_")
    with pytest.raises(NotFound):
        kin.full_id("nothing")
