"""What leads from one text to another: the fewest line operations, and how people read them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final, assert_never

from rapidfuzz.distance import LCSseq

from kithkin.artifacts.model import Add, Edit, Hunk, Move, Op, Remove, Replace, Text
from kithkin.artifacts.ops import whole
from kithkin.soil.fragment_ids import fragment_id

MOST_MOVES: Final = 100
"""Beyond this a rearranged text is told as removals and additions."""

_STEP: Final = 256

Lines = Sequence[str]
Match = tuple[int, int]
"""A line that stays: where it stood, and where it stands."""


def from_text(old: Text, new: Text) -> Edit:
    """The fewest ops that make one text of another: a longest common subsequence stays."""
    head, tail = _common_ends(old.lines, new.lines)
    before, after = old.lines[head : len(old.lines) - tail], new.lines[head : len(new.lines) - tail]
    ops = [_shifted(op, head) for op in _ops(before, after)]
    # From top to bottom, an added line comes to stand where it will stay.
    added = [new.lines[op.line - 1] for op in ops if isinstance(op, Add | Replace)]
    return whole(old, ops, added, unfinished=new.unfinished)


def _ops(old: Lines, new: Lines) -> list[Op]:
    straight = _straight(old, new)
    if len(straight) == 1:
        return straight
    moves, arranged = _moves(old, new)
    moved = [*moves, *_straight(arranged, new)] if moves else straight
    return moved if len(moved) < len(straight) else straight


def _shifted(op: Op, by: int) -> Op:
    match op:
        case Add(line, new):
            return Add(line + by, new)
        case Remove(line):
            return Remove(line + by)
        case Replace(line, was, new):
            return Replace(line + by, was, new)
        case Move(line, to):
            return Move(line + by, to + by)
        case _:
            assert_never(op)


def matches(old: Lines, new: Lines) -> list[Match]:
    """The longest common subsequence, as pairs of places."""
    head, tail = _common_ends(old, new)
    before, after = range(head, len(old) - tail), range(head, len(new) - tail)
    # A line of one side only is in no common subsequence: a rewrite leaves little to compare.
    ours, theirs = {old[at] for at in before}, {new[at] for at in after}
    kept = [at for at in before if old[at] in theirs], [at for at in after if new[at] in ours]
    numbers = {line: number for number, line in enumerate(ours)}
    first = [numbers[old[at]] for at in kept[0]]
    second = [numbers[new[at]] for at in kept[1]]
    return [
        *((at, at) for at in range(head)),
        *((kept[0][one], kept[1][other]) for one, other in _longest(first, second)),
        *((len(old) - at, len(new) - at) for at in range(tail, 0, -1)),
    ]


def hunks(old: Lines, new: Lines, *, context: int = 3) -> list[Hunk]:
    """A difference as people read it, with some lines around each change."""
    found: list[Hunk] = []
    gap: list[tuple[str, int, int, str]] = []
    for row in _rows(old, new):
        gap.append(row)
        unchanged = len(list(takewhile(lambda one: one[0] == " ", reversed(gap))))
        if unchanged > 2 * context and unchanged < len(gap):
            found.append(_hunk(gap[: len(gap) - unchanged + context]))
            gap = gap[-context:] if context else []
        elif unchanged == len(gap) > context:
            gap = gap[1:]
    changed = [at for at, row in enumerate(gap) if row[0] != " "]
    return [*found, _hunk(gap[: changed[-1] + 1 + context])] if changed else found


def _hunk(rows: Sequence[tuple[str, int, int, str]]) -> Hunk:
    _, old_start, new_start, _ = rows[0]
    return Hunk(old_start + 1, new_start + 1, tuple(f"{mark}{text}" for mark, _, _, text in rows))


def _rows(old: Lines, new: Lines) -> Iterator[tuple[str, int, int, str]]:
    here, there = 0, 0
    for one, other in [*matches(old, new), (len(old), len(new))]:
        yield from (("-", at, there, old[at]) for at in range(here, one))
        yield from (("+", one, at, new[at]) for at in range(there, other))
        if one < len(old):
            yield " ", one, other, old[one]
        here, there = one + 1, other + 1


def _common_ends(old: Lines, new: Lines) -> tuple[int, int]:
    shorter = min(len(old), len(new))
    head = _agreeing(old, new, shorter)
    return head, _agreeing(old[::-1], new[::-1], shorter - head)


def _agreeing(old: Lines, new: Lines, most: int) -> int:
    """How many lines are the same from the beginning: in large steps, then one by one."""
    at = 0
    while at + _STEP <= most and old[at : at + _STEP] == new[at : at + _STEP]:
        at += _STEP
    while at < most and old[at] == new[at]:
        at += 1
    return at


def _longest(first: list[int], second: list[int]) -> Iterator[Match]:
    for block in LCSseq.opcodes(first, second):
        if block.tag == "equal":
            yield from zip(
                range(block.src_start, block.src_end),
                range(block.dest_start, block.dest_end),
                strict=True,
            )


def _straight(old: Lines, new: Lines) -> list[Op]:
    """Ops from top to bottom: what stands where another stood is a replacement."""
    ops: list[Op] = []
    here, there = 0, 0
    for one, other in [*matches(old, new), (len(old), len(new))]:
        both = min(one - here, other - there)
        for at in range(both):
            was, now = fragment_id(old[here + at]), fragment_id(new[there + at])
            ops.append(Replace(there + at + 1, was, now))
        ops += [Remove(there + both + 1)] * (one - here - both)
        ops += [Add(at + 1, fragment_id(new[at])) for at in range(there + both, other)]
        here, there = one + 1, other + 1
    return ops


def _moves(old: Lines, new: Lines) -> tuple[list[Op], list[str]]:
    """Lines that are told apart by their text and only stand elsewhere; the text after them."""
    stays = {one for one, _ in matches(old, new)}
    once = _once(old, new)
    moved = {line for at, line in enumerate(old) if at not in stays and line in once}
    if not 0 < len(moved) <= MOST_MOVES:
        return [], list(old)
    settled = {old[at] for at in stays} & once
    ops: list[Op] = []
    lines = list(old)
    for place, line in enumerate(new):
        if line in moved:
            here = lines.index(line)
            lines.pop(here)
            there = _behind(lines, new[:place], settled)
            lines.insert(there, line)
            settled.add(line)
            ops.append(Move(here + 1, there + 1))
    return ops, lines


def _once(old: Lines, new: Lines) -> set[str]:
    before, after = Counter(old), Counter(new)
    return {line for line in before if line.strip() and before[line] == 1 == after[line]}


def _behind(lines: list[str], above: Lines, settled: set[str]) -> int:
    """The place behind the nearest line above that stands in its order already."""
    anchor = next((line for line in reversed(above) if line in settled), None)
    return 0 if anchor is None else lines.index(anchor) + 1
