"""Parts of a text that are not prose: code, and addresses on the web."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

Span = tuple[int, int]

_FENCE: Final = re.compile(
    r"^[ ]{0,3}(?P<mark>`{3,}(?!`)(?=[^`\n]*\n)|~{3,}(?!~))[^\n]*\n"
    r".*?(?:^[ ]{0,3}(?P=mark)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_TICKS: Final = re.compile(r"`+")
_URL: Final = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{0,20}://|\bmailto:|\bdata:[a-z]+/|(?<![\w@.])www\.)[^\s<>\"'`\]]+",
    re.IGNORECASE,
)
_TRAILING: Final = ".,;:!?…*_~"


def fences(text: str) -> list[Span]:
    """Fenced blocks of code; one that is never closed runs to the end."""
    return [found.span() for found in _FENCE.finditer(text)]


def code(text: str) -> list[Span]:
    """Everything set as code: fenced blocks, and spans between as many backticks as began them."""
    blocks = fences(text)
    return [*blocks, *(span for span in _inline(text) if not touches(span, blocks))]


def urls(text: str) -> list[Span]:
    """Addresses on the web, without the punctuation that ends the sentence around them."""
    return [_trimmed(text, *found.span()) for found in _URL.finditer(text)]


def not_prose(text: str) -> list[Span]:
    """Code and addresses, in order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted([*code(text), *urls(text)]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def touches(span: Span, others: Sequence[Span]) -> bool:
    """Whether a part overlaps one of others that stand in order and apart."""
    last = bisect_left(others, (span[1],)) - 1
    return last >= 0 and others[last][1] > span[0]


def _inline(text: str) -> Iterator[Span]:
    runs = [found.span() for found in _TICKS.finditer(text)]
    places: dict[int, list[Span]] = {}
    for start, end in reversed(runs):
        places.setdefault(end - start, []).append((start, end))
    after = 0
    for start, end in runs:
        same = places[end - start]
        same.pop()
        if start >= after and same and "\n\n" not in text[end : same[-1][0]]:
            after = same[-1][1]
            yield start, after


def _trimmed(text: str, start: int, end: int) -> Span:
    spare = text.count(")", start, end) - text.count("(", start, end)
    while end > start and (text[end - 1] in _TRAILING or (text[end - 1] == ")" and spare > 0)):
        spare -= text[end - 1] == ")"
        end -= 1
    return start, end
