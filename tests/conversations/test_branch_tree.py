"""The tree of branches, as the specification's lifecycle has it."""

import pytest
from msgspec.structs import replace

from kithkin.conversations.branch_tree import (
    active_above,
    can_collapse,
    descendants,
    require_active,
    require_collapsible,
    tree,
    view,
)
from kithkin.conversations.model import Log, Summary, Tree
from kithkin.errors import Refused
from kithkin.ids import EntityId

SUMMARY = Summary("now", "user", "We keep SQLite.", ("^a7f",))


def log(number: int, parent: int | None = None, **more: str) -> Log:
    return Log(
        uuid=EntityId(f"uuid_{number}"),
        project="p",
        number=number,
        parent_uuid=f"uuid_{parent}" if parent else None,
        **more,  # type: ignore[arg-type]  # only texts are given here
    )


def collapsed(one: Log) -> Log:
    return replace(one, summary=SUMMARY)


def test_a_branch_can_collapse_only_if_it_has_no_active_children() -> None:
    logs = [log(1), log(2, 1), collapsed(log(3, 1))]
    assert not can_collapse(logs, "uuid_1")
    assert can_collapse(logs, "uuid_2")
    assert can_collapse([log(1), collapsed(log(2, 1))], "uuid_1")


def test_an_active_grandchild_counts_too() -> None:
    logs = [log(1), collapsed(log(2, 1)), log(3, 2)]
    assert not can_collapse(logs, "uuid_1")
    with pytest.raises(Refused, match=r"active children: collapse uuid_3 first"):
        require_collapsible(logs, logs[0])


def test_a_collapsed_branch_is_not_collapsed_again_nor_written_to() -> None:
    done = collapsed(log(2, 1))
    with pytest.raises(Refused, match="collapsed already"):
        require_collapsible([log(1), done], done)
    with pytest.raises(Refused, match="reopen uuid_2"):
        require_active(done)


def test_a_branch_shows_its_parents_prefix_and_its_own_items() -> None:
    items = {"uuid_1": ["a", "b", "c"], "uuid_2": ["d", "e"], "uuid_3": ["f"], "uuid_4": ["g"]}
    logs = {
        str(one.uuid): one
        for one in (
            log(1),
            log(2, 1, forked_at="b"),
            log(3, 2, forked_at="a"),
            log(4, 1),
        )
    }
    shown = {uuid: view(logs, one, items.__getitem__) for uuid, one in logs.items()}
    assert shown == {
        "uuid_1": ["a", "b", "c"],
        "uuid_2": ["a", "b", "d", "e"],
        "uuid_3": ["a", "f"],
        "uuid_4": ["g"],
    }


def test_a_reopened_branch_shows_all_of_the_old_one() -> None:
    items = {"uuid_1": ["a", "b"], "uuid_2": ["c"], "uuid_3": ["d"]}
    old = collapsed(log(2, 1, forked_at="a"))
    logs = {str(one.uuid): one for one in (log(1), old, log(3, 1, continues="uuid_2"))}
    assert view(logs, logs["uuid_3"], items.__getitem__) == ["a", "c", "d"]


def test_the_tree_follows_the_parents_in_the_order_of_the_stack() -> None:
    logs = [log(1), log(2, 1), log(3, 2), log(4, 1)]
    assert tree(logs[::-1]) == [
        Tree(logs[0], (Tree(logs[1], (Tree(logs[2]),)), Tree(logs[3]))),
    ]
    assert [one.uuid for one in descendants(logs[::-1], "uuid_1")] == ["uuid_2", "uuid_3", "uuid_4"]


def test_what_is_above_a_branch_is_the_nearest_that_goes_on() -> None:
    logs = {str(one.uuid): one for one in (log(1), collapsed(log(2, 1)), collapsed(log(3, 2)))}
    assert active_above(logs, logs["uuid_3"]) == logs["uuid_1"]
    assert active_above(logs, logs["uuid_1"]) is None


def test_branches_may_grow_from_each_other_without_end() -> None:
    logs = {"uuid_1": log(1)}
    for number in range(2, 3000):
        logs[f"uuid_{number}"] = log(number, number - 1, forked_at=f"item {number - 1}")
    shown = view(logs, logs["uuid_2999"], lambda uuid: [f"item {uuid.removeprefix('uuid_')}"])
    assert shown == [f"item {number}" for number in range(1, 3000)]
