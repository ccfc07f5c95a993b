"""Parts of a text that are not prose: code, and addresses on the web."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

Span = tuple[int, int]

_FENCE: Final = re.compile(
    r"^[ ]{0,3}(?P<mark>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=mark)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_TICKS: Final = re.compile(r"`+")
_URL: Final = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]*://|\bmailto:|\bdata:[a-z]+/|(?<![\w@.])www\.)[^\s<>\"'`\]]+",
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


def touches(span: Span, others: Iterable[Span]) -> bool:
    """Whether a part overlaps one of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


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
    while end > start and (
        text[end - 1] in _TRAILING
        or (text[end - 1] == ")" and text.count("(", start, end) < text.count(")", start, end))
    ):
        end -= 1
    return start, end
