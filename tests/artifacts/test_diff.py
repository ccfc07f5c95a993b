"""Text becomes ops: a proper diff, not a positional one."""

import random
import time

import pytest
from hypothesis import given

from kithkin.artifacts.diff import from_text, hunks, matches
from kithkin.artifacts.model import Replace, Text
from kithkin.artifacts.ops import apply, inverted, printed, read_text
from kithkin.soil.fragment_ids import fragment_id
from tests.artifacts.builders import content


def ops(old: str, new: str) -> str:
    return printed(from_text(read_text(old), read_text(new)).ops)


def lines(*words: str) -> str:
    return "".join(f"{word}\n" for word in words)


@given(content, content)
def test_from_text_leads_from_the_old_to_the_new_and_back(old: str, new: str) -> None:
    before, after = read_text(old), read_text(new)
    edit = from_text(before, after)
    assert apply(before, edit) == after
    assert apply(after, inverted(edit)) == before


def test_the_diff_of_one_insertion_is_one_add() -> None:
    text = lines(*map(str, range(1000)))
    for place in (0, 1, 500, 1000):
        new = lines(*map(str, range(place)), "new", *map(str, range(place, 1000)))
        assert ops(text, new) == f"+{place + 1}:{fragment_id('new')}"


def test_the_diff_of_one_removal_is_one_remove() -> None:
    assert ops(lines("a", "b", "c"), lines("a", "c")) == "-2"


def test_the_diff_of_one_changed_line_is_one_replace() -> None:
    expected = Replace(2, fragment_id("b"), fragment_id("B"))
    assert from_text(Text(("a", "b", "c")), Text(("a", "B", "c"))).ops == (expected,)


def test_the_diff_of_one_moved_line_is_one_move() -> None:
    old = lines("a", "b", "c", "d", "e", "f", "g")
    assert ops(old, lines("a", "c", "d", "e", "f", "b", "g")) == ">2@6"
    assert ops(old, lines("f", "a", "b", "c", "d", "e", "g")) == ">6@1"


def test_an_inserted_line_does_not_touch_the_equal_ones_around_it() -> None:
    old = lines("x", "", "y", "", "z")
    assert ops(old, lines("x", "", "new", "", "y", "", "z")).count("+") == 2
    assert len(from_text(read_text(old), read_text(lines("x", "", "y", "", "", "z"))).ops) == 1


def test_only_the_final_newline_is_a_change_too() -> None:
    edit = from_text(read_text("a\nb"), read_text("a\nb\n"))
    assert (edit.ops, edit.unfinished, edit.nothing) == ((), (True, False), False)
    assert from_text(read_text("a\n"), read_text("a\n")).nothing


def longest(old: str, new: str) -> int:
    """The textbook's table."""
    row = [0] * (len(new) + 1)
    for one in old:
        before = row[:]
        for at, other in enumerate(new, start=1):
            row[at] = before[at - 1] + 1 if one == other else max(before[at], row[at - 1])
    return row[-1]


def test_as_many_lines_stay_as_can() -> None:
    chance = random.Random(7)
    for _ in range(300):
        old = "".join(chance.choices("abcd", k=chance.randrange(14)))
        new = "".join(chance.choices("abcd", k=chance.randrange(14)))
        found = matches(old, new)
        assert all(old[one] == new[other] for one, other in found)
        assert found == sorted(set(found))
        assert len(found) == longest(old, new)


@pytest.mark.parametrize("kind", ["reversed", "shuffled", "two letters", "another text"])
def test_the_worst_texts_take_no_time(kind: str) -> None:
    chance = random.Random(3)
    old = [f"line {number}" for number in range(10_000)]
    new = {
        "reversed": old[::-1],
        "shuffled": chance.sample(old, len(old)),
        "two letters": chance.choices("ab", k=10_000),
        "another text": [f"other {number}" for number in range(10_000)],
    }[kind]
    if kind == "two letters":
        old = chance.choices("ab", k=10_000)
    started = time.perf_counter()
    edit = from_text(Text(tuple(old)), Text(tuple(new)))
    assert time.perf_counter() - started < 5
    assert apply(Text(tuple(old)), edit).lines == tuple(new)


@given(content, content)
def test_a_difference_is_shown_with_every_changed_line_and_no_other(old: str, new: str) -> None:
    before, after = read_text(old).lines, read_text(new).lines
    shown = [line for hunk in hunks(before, after) for line in hunk.lines]
    stay = len(matches(before, after))
    assert sum(line.startswith("-") for line in shown) == len(before) - stay
    assert sum(line.startswith("+") for line in shown) == len(after) - stay
    assert all(line[0] in " -+" for line in shown)
    for hunk in hunks(before, after):
        olds = [line[1:] for line in hunk.lines if line[0] != "+"]
        news = [line[1:] for line in hunk.lines if line[0] != "-"]
        assert list(before[hunk.old_start - 1 :][: len(olds)]) == olds
        assert list(after[hunk.new_start - 1 :][: len(news)]) == news


def test_distant_changes_are_separate_hunks_with_three_lines_around() -> None:
    old = [str(number) for number in range(40)]
    new = [*old[:5], "x", *old[6:30], "y", *old[30:]]
    first, second = hunks(old, new)
    assert first.lines == (" 2", " 3", " 4", "-5", "+x", " 6", " 7", " 8")
    assert (first.old_start, first.new_start) == (3, 3)
    assert second.lines == (" 27", " 28", " 29", "+y", " 30", " 31", " 32")
    assert (second.old_start, second.new_start) == (28, 28)
