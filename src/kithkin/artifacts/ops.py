"""The language of line operations: read, written, applied, inverted, joined."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, assert_never

from kithkin.artifacts.model import Add, Edit, Move, Op, Remove, Replace, Text
from kithkin.errors import InvalidInput
from kithkin.soil.fragment_ids import fragment_id, is_fragment_id

MOST_LINES: Final = 50_000
_NUMBER: Final = r"([1-9][0-9]{0,8})"
_ID: Final = r"(\^[0-9a-z]{3,4})"
_GRAMMAR: Final[tuple[tuple[re.Pattern[str], Callable[[tuple[str, ...]], Op]], ...]] = (
    (re.compile(rf"\+{_NUMBER}:{_ID}"), lambda p: Add(int(p[0]), p[1])),
    (re.compile(rf"-{_NUMBER}"), lambda p: Remove(int(p[0]))),
    (re.compile(rf"~{_NUMBER}:{_ID}(?:→|->){_ID}"), lambda p: Replace(int(p[0]), p[1], p[2])),
    (re.compile(rf">{_NUMBER}@{_NUMBER}"), lambda p: Move(int(p[0]), int(p[1]))),
)
_FORMS: Final = "`+15:^a7f`, `-23`, `~18:^b2e→^c3d` or `>12@30`"

TextOf = Callable[[str], str]
"""The text of a fragment, by its id."""


def parse(text: str) -> tuple[Op, ...]:
    """Read ops as the specification writes them; `->` is taken for `→`."""
    return tuple(_read(number, word) for number, word in enumerate(text.split(), start=1))


def printed(ops: Iterable[Op]) -> str:
    """Ops as the specification writes them: what `parse` reads back."""
    return " ".join(map(_written, ops))


def read_text(text: str) -> Text:
    """A content as lines, split at newlines only; nothing of it is lost."""
    if not text:
        return Text()
    whole = text.endswith("\n")
    lines = (text[:-1] if whole else text).split("\n")
    if len(lines) > MOST_LINES:
        raise InvalidInput(
            f"The text has {len(lines):,} lines; an artifact holds {MOST_LINES:,}. Split it."
        )
    return Text(tuple(lines), unfinished=not whole)


def content_of(text: Text) -> str:
    """The content that was read: `content_of(read_text(x)) == x`."""
    return "\n".join(text.lines) + ("\n" if text.lines and not text.unfinished else "")


def staged(text: Text, ops: Sequence[Op], *, text_of: TextOf) -> Edit:
    """Ops made whole: what they add is looked up, what they remove is read from the text."""
    added = [
        _one_line(number, op, text_of)
        for number, op in enumerate(ops, start=1)
        if isinstance(op, Add | Replace)
    ]
    return whole(text, ops, added, unfinished=text.unfinished)


def whole(text: Text, ops: Sequence[Op], added: Sequence[str], *, unfinished: bool) -> Edit:
    """Ops and the texts they add, with what they remove from a text."""
    lines = list(text.lines)
    removed = _carried_out(lines, ops, added)
    # A last line that is empty and unfinished would be no line at all.
    after = unfinished and bool(lines) and lines[-1] != ""
    return Edit(tuple(ops), tuple(added), tuple(removed), (text.unfinished, after))


def apply(text: Text, edit: Edit) -> Text:
    """The text after an edit: each op on what the one before left, all of them or none."""
    lines = list(text.lines)
    apply_in_place(lines, edit)
    return Text(tuple(lines), unfinished=edit.unfinished[1])


def apply_in_place(lines: list[str], edit: Edit) -> None:
    """Change a list of lines as an edit says: for long replays."""
    _carried_out(lines, edit.ops, edit.added)


def inverted(edit: Edit) -> Edit:
    """The edit that takes an edit back."""
    return Edit(
        ops=tuple(reversed(list(_undone(edit)))),
        added=edit.removed[::-1],
        removed=edit.added[::-1],
        unfinished=edit.unfinished[::-1],
    )


def composed(first: Edit, second: Edit) -> Edit:
    """One edit that does what two do, one after the other."""
    return Edit(
        ops=first.ops + second.ops,
        added=first.added + second.added,
        removed=first.removed + second.removed,
        unfinished=(first.unfinished[0], second.unfinished[1]),
    )


def _read(number: int, word: str) -> Op:
    for form, make in _GRAMMAR:
        if found := form.fullmatch(word):
            op = make(found.groups())
            for name in ("old", "new"):
                _require_id(number, word, getattr(op, name, None))
            return op
    raise InvalidInput(f"op {number}, `{word[:80]}`: this is no operation; write {_FORMS}.")


def _require_id(number: int, word: str, fragment: str | None) -> None:
    if fragment is not None and not is_fragment_id(fragment):
        raise InvalidInput(f"op {number}, `{word}`: {fragment} cannot be a fragment's id.")


def _written(op: Op) -> str:
    match op:
        case Add(line, new):
            return f"+{line}:{new}"
        case Remove(line):
            return f"-{line}"
        case Replace(line, old, new):
            return f"~{line}:{old}→{new}"
        case Move(line, to):
            return f">{line}@{to}"
        case _:
            assert_never(op)


def _carried_out(lines: list[str], ops: Iterable[Op], added: Iterable[str]) -> list[str]:
    texts = iter(added)
    removed: list[str] = []
    for number, op in enumerate(ops, start=1):
        old = _step(lines, number, op, next(texts) if isinstance(op, Add | Replace) else None)
        if old is not None:
            removed.append(old)
    return removed


def _step(lines: list[str], number: int, op: Op, new: str | None) -> str | None:
    """Carry out one op; what it took away, if anything."""
    last = len(lines) + 1 if isinstance(op, Add) else len(lines)
    if not 1 <= max(op.line, op.to if isinstance(op, Move) else 0) <= last:
        raise _refused(number, op, _room(len(lines), last))
    match op:
        case Add():
            lines.insert(op.line - 1, new or "")
            return None
        case Remove():
            return lines.pop(op.line - 1)
        case Replace():
            old = lines[op.line - 1]
            if fragment_id(old) != op.old:
                raise _refused(number, op, f"line {op.line} holds {fragment_id(old)}")
            lines[op.line - 1] = new or ""
            return old
        case Move():
            lines.insert(op.to - 1, lines.pop(op.line - 1))
            return None
        case _:
            assert_never(op)


def _room(lines: int, last: int) -> str:
    many = f"{lines} line{'' if lines == 1 else 's'}"
    return f"the text has {many}; {f'name one of 1 to {last}' if last else 'add one first'}"


def _refused(number: int, op: Op, why: str) -> InvalidInput:
    return InvalidInput(f"op {number}, `{_written(op)}`: {why}.")


def _one_line(number: int, op: Add | Replace, text_of: TextOf) -> str:
    text = text_of(op.new)
    if "\n" in text:
        raise _refused(
            number, op, f"{op.new} holds several lines; edit the text, or split the fragment"
        )
    return text


def _undone(edit: Edit) -> Iterator[Op]:
    removed = iter(edit.removed)
    for op in edit.ops:
        match op:
            case Add(line, _):
                yield Remove(line)
            case Remove(line):
                yield Add(line, fragment_id(next(removed)))
            case Replace(line, old, new):
                next(removed)
                yield Replace(line, new, old)
            case Move(line, to):
                yield Move(to, line)
            case _:
                assert_never(op)
