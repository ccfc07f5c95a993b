"""A value said anew: "actually it's the 14th" in the place of the day that was said before."""

import re
from datetime import datetime
from typing import Final

from kithkin.language.dates import made_absolute, spans_in

_TIME: Final = re.compile(r"\b\d{1,2}(?::\d{2})?\s?(?:am|pm)\b|\b\d{1,2}:\d{2}\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:[.,'\u2019]\d+)*(?:[\"\u201d]|k\b)?(?!\w)")


def corrected(content: str, value: str, *, said: datetime) -> str | None:
    """The statement with its day, time or number replaced; None when it holds none of the kind."""
    plain = re.sub(r"^(?:on|at) ", "", value.strip(" .!"), flags=re.IGNORECASE)
    if spans_in(plain, said=said):
        return _with_day(content, plain, said)
    for pattern in (_TIME, _NUMBER):
        if pattern.fullmatch(plain):
            found = [m for m in pattern.finditer(content) if not _in_a_day(content, m, said)]
            return _replaced(content, found[-1].span(), plain) if found else None
    return None


def _with_day(content: str, value: str, said: datetime) -> str | None:
    spans = spans_in(content, said=said)
    if not spans:
        return None
    day = re.sub(r"^on ", "", made_absolute(value, said=said))
    return _replaced(content, (spans[-1].start, spans[-1].end), day)


def _in_a_day(content: str, match: re.Match[str], said: datetime) -> bool:
    spans = spans_in(content, said=said)
    return any(span.start < match.end() and match.start() < span.end for span in spans)


def _replaced(content: str, span: tuple[int, int], value: str) -> str | None:
    new = content[: span[0]] + value + content[span[1] :]
    return new if new != content else None
