"""Commits: what names them, how two sides join, where a line went and where it came from."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, assert_never

from kithkin.artifacts.diff import Lines, from_text, matches
from kithkin.artifacts.model import (
    Add,
    Became,
    Changed,
    Clean,
    Commit,
    Conflict,
    Conflicted,
    Edit,
    Gone,
    Merge,
    Move,
    Op,
    Remove,
    Replace,
    Still,
    Text,
)
from kithkin.artifacts.ops import apply, content_of
from kithkin.canonical import sha256
from kithkin.errors import InvalidInput

SHORT: Final = 7
"""How much of a commit is shown."""
LEAST: Final = 4
"""How much of a commit has to be given."""

TextAt = Callable[[str], Text]
"""The text at a commit."""
Part = tuple[str, ...]


def commit_of(text: Text, parents: Sequence[str]) -> str:
    """The name of a commit: SHA-256 over its ordered parents and its content."""
    return sha256(f"{' '.join(parents)}\n{content_of(text)}")


def require_prefix(start: str) -> str:
    """The start of a commit as somebody gave it, if it can be one."""
    given = start.strip().lower()
    if len(given) < LEAST or len(given) > len(sha256("")) or set(given) - set("0123456789abcdef"):
        raise InvalidInput(
            f"{start[:80]!r} is no commit: give at least {LEAST} of its digits, as `artifact log` "
            "shows them."
        )
    return given


def merged(base: Text, ours: Text, theirs: Text) -> Merge:
    """Three-way: what one side changed is taken, what both changed differently is a conflict."""
    lines: list[str] = []
    conflicts: list[Conflict] = []
    at = 0
    for was, mine, other in _parts(base.lines, ours.lines, theirs.lines):
        if mine in (other, was) or other == was:
            lines += other if mine == was else mine
        else:
            conflicts.append(Conflict(at + 1, was, mine, other))
        at += len(was)
    if conflicts:
        return Conflicted(tuple(conflicts))
    ends = theirs.unfinished if ours.unfinished == base.unfinished else ours.unfinished
    return Clean(Text(tuple(lines), unfinished=ends and bool(lines) and lines[-1] != ""))


def _parts(base: Lines, ours: Lines, theirs: Lines) -> Iterator[tuple[Part, Part, Part]]:
    for was, mine, other in _chunks(base, ours, theirs):
        # Neighbouring lines, one changed here and the other there, are two changes.
        if len(was) == len(mine) == len(other):
            yield from (((a,), (b,), (c,)) for a, b, c in zip(was, mine, other, strict=True))
        else:
            yield was, mine, other


def _chunks(base: Lines, ours: Lines, theirs: Lines) -> Iterator[tuple[Part, Part, Part]]:
    """The three texts cut into parts that belong together, at lines all three share."""
    mine, other = dict(matches(base, ours)), dict(matches(base, theirs))
    shared = [(at, mine[at], other[at]) for at in mine if at in other]
    a, b, c = 0, 0, 0
    for x, y, z in [*shared, (len(base), len(ours), len(theirs))]:
        if (x, y, z) != (a, b, c):
            yield tuple(base[a:x]), tuple(ours[b:y]), tuple(theirs[c:z])
        if x < len(base):
            yield (base[x],), (base[x],), (base[x],)
        a, b, c = x + 1, y + 1, z + 1


def replayed(commits: Sequence[Commit]) -> Iterator[tuple[Commit, Text]]:
    """Every version from its delta alone, oldest first; a text goes when no commit needs it."""
    left = Counter(one.parents[0] for one in commits if one.parents)
    texts: dict[str, Text] = {}
    for one in commits:
        before = texts[one.parents[0]] if one.parents else Text()
        text = apply(before, one.edit)
        yield one, text
        if one.parents:
            left[one.parents[0]] -= 1
            if not left[one.parents[0]]:
                del texts[one.parents[0]]
        if left[one.commit]:
            texts[one.commit] = text


def ancestors(commits: Mapping[str, Commit], start: str) -> set[str]:
    """A commit and everything before it."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        commit = waiting.pop()
        if commit in commits and commit not in found:
            found.add(commit)
            waiting += commits[commit].parents
    return found


def common_ancestor(commits: Mapping[str, Commit], ours: str, theirs: str) -> str | None:
    """The latest commit that both sides come from; None when they have nothing in common."""
    shared = ancestors(commits, ours) & ancestors(commits, theirs)
    return max(shared, key=lambda commit: commits[commit].seq, default=None)


def path(commits: Mapping[str, Commit], *, old: str, new: str) -> list[tuple[str, str]] | None:
    """Steps of (parent, child) that lead from an old commit to a newer one, if any do."""
    came_from: dict[str, tuple[str, str]] = {}
    waiting = [new]
    while waiting and old not in came_from and old != new:
        child = waiting.pop(0)
        for parent in commits[child].parents:
            if parent not in came_from:
                came_from[parent] = (parent, child)
                waiting.append(parent)
    if old != new and old not in came_from:
        return None
    steps, at = [], old
    while at != new:
        steps.append(came_from[at])
        at = came_from[at][1]
    return steps


def followed(
    line: int, steps: Iterable[tuple[str, str]], commits: Mapping[str, Commit], text_at: TextAt
) -> Became:
    """What became of a line through later commits."""
    became: Still | Changed = Still(line)
    for parent, child in steps:
        commit = commits[child]
        # A merge's ops lead from its first parent; from the other one they are worked out.
        edit = (
            commit.edit
            if commit.parents[0] == parent
            else from_text(text_at(parent), text_at(child))
        )
        after = _through(became, edit, child)
        if isinstance(after, Gone):
            return after
        became = after
    return became


def _through(became: Still | Changed, edit: Edit, commit: str) -> Became:
    line, changed = became.line, isinstance(became, Changed)
    last = became.commit if isinstance(became, Changed) else commit
    for op in edit.ops:
        after = _after(op, line)
        if after is None:
            return Gone(commit)
        if isinstance(op, Replace) and op.line == line:
            changed, last = True, commit
        line = after
    return Changed(line, last) if changed else Still(line)


def _after(op: Op, line: int) -> int | None:
    """Where a line stands after an op; None when it is gone."""
    match op:
        case Add():
            return line + (op.line <= line)
        case Remove():
            return None if op.line == line else line - (op.line < line)
        case Replace():
            return line
        case Move():
            if op.line == line:
                return op.to
            return line - (op.line < line) + (op.to <= line - (op.line < line))
        case _:
            assert_never(op)


def origins(commits: Sequence[Commit], head: str, text_at: TextAt) -> list[str]:
    """For each line at the head, the commit that wrote it. `commits` come oldest first."""
    wanted = ancestors({one.commit: one for one in commits}, head)
    needed = [one for one in commits if one.commit in wanted]
    left = _uses(needed)
    known: dict[str, list[str]] = {}
    for one in needed:
        lines = _first_origins(one, known, left)
        _write_origins(lines, one)
        for other in one.parents[1:]:
            _take_over(lines, one.commit, known[other], text_at(other), text_at(one.commit))
        known[one.commit] = lines
    return known.get(head, [])


def _uses(commits: Iterable[Commit]) -> dict[str, int]:
    uses: dict[str, int] = {}
    for one in commits:
        for parent in one.parents:
            uses[parent] = uses.get(parent, 0) + 1
    return uses


def _first_origins(one: Commit, known: dict[str, list[str]], left: dict[str, int]) -> list[str]:
    if not one.parents:
        return []
    parent = one.parents[0]
    left[parent] -= 1
    # Taken over, not copied, where nobody else goes on from it: a long history stays linear.
    return known.pop(parent) if left[parent] == 0 and len(one.parents) == 1 else [*known[parent]]


def _write_origins(lines: list[str], one: Commit) -> None:
    for op in one.edit.ops:
        match op:
            case Add():
                lines.insert(op.line - 1, one.commit)
            case Remove():
                lines.pop(op.line - 1)
            case Replace():
                lines[op.line - 1] = one.commit
            case Move():
                lines.insert(op.to - 1, lines.pop(op.line - 1))
            case _:
                assert_never(op)


def _take_over(lines: list[str], merge: str, theirs: list[str], side: Text, joined: Text) -> None:
    """Lines a merge brought in were written on the other side."""
    for there, here in matches(side.lines, joined.lines):
        if lines[here] == merge:
            lines[here] = theirs[there]
