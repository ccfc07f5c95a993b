"""Texts and ops, made up at random or to order."""

from functools import cache
from itertools import count

import hypothesis.strategies as st

from kithkin.artifacts.model import Add, Edit, Move, Op, Remove, Replace, Text
from kithkin.artifacts.ops import whole
from kithkin.soil.fragment_ids import fragment_id

# Few different lines, so that texts repeat themselves and agree by chance.
line = st.one_of(
    st.sampled_from(["", "a", "b", "c", "  ", "x = 1", "日本語", "\r", "e\u0301", "\u2028"]),
    st.text(st.characters(exclude_characters="\n\x00", exclude_categories=["Cs"]), max_size=8),
)
content = st.lists(line, max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "".join(f"{one}\n" for one in lines)])
)
number = st.integers(1, 10**9 - 1)
identifier = line.map(fragment_id)
op: st.SearchStrategy[Op] = st.one_of(
    st.builds(Add, number, identifier),
    st.builds(Remove, number),
    st.builds(Replace, number, identifier, identifier),
    st.builds(Move, number, number),
)


@st.composite
def edits(draw: st.DrawFn, text: Text) -> Edit:
    """Ops that can be carried out on a text, one after the other."""
    lines = list(text.lines)
    ops: list[Op] = []
    added: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["add", "remove", "replace", "move"] if lines else ["add"]))
        at = draw(st.integers(1, len(lines) + (kind == "add")))
        if kind in ("add", "replace"):
            added.append(draw(line))
        match kind:
            case "add":
                ops.append(Add(at, fragment_id(added[-1])))
                lines.insert(at - 1, added[-1])
            case "remove":
                ops.append(Remove(at))
                lines.pop(at - 1)
            case "replace":
                ops.append(Replace(at, fragment_id(lines[at - 1]), fragment_id(added[-1])))
                lines[at - 1] = added[-1]
            case _:
                ops.append(Move(at, draw(st.integers(1, len(lines)))))
                moving = ops[-1]
                assert isinstance(moving, Move)
                lines.insert(moving.to - 1, lines.pop(at - 1))
    return whole(text, ops, added, unfinished=text.unfinished)


@cache
def worded(wanted: str) -> str:
    """A line whose fragment id is the one the specification's example uses."""
    return next(
        text for number in count() if fragment_id(text := f"Idea number {number}") == wanted
    )
