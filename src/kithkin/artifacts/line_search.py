"""Which lines of a document speak of something: a small keyword score."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

_WORD: Final = re.compile(r"[^\W_]+")
_SATURATION, _LENGTH = 1.2, 0.75
_NEIGHBOUR: Final = 0.4
"""How much of its score a line lends to the ones beside it: meaning runs over line ends."""
_ENOUGH: Final = 0.35
"""A line without a word of the query joins a passage from this much of the best score on."""
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "ated", "ates", "ate", "ors", "or", "ed", "es",
                   "ers", "er", "ies", "y", "s", "e")  # fmt: skip
_STEM: Final = 4
_EMPTY_WORDS: Final = frozenset(
    re.split(
        " ",
        "a an and are as at be by for from how in is it of on or that the this to was what where"
        " which who why with",
    )
)


class Passage(Struct, frozen=True):
    """Neighbouring lines that speak of what was asked, with how well they do."""

    start: int
    end: int
    score: float


def passages(lines: Sequence[str], query: str, *, most: int = 10) -> list[Passage]:
    """The passages that fit a query, the best first; none when no word of it occurs."""
    own = _scores([_words(line) for line in lines], _words(query))
    scores = _spread(own)
    least = max(scores, default=0.0) * _ENOUGH
    found = _runs([s if o > 0 or s > least else 0.0 for s, o in zip(scores, own, strict=True)])
    return sorted(found, key=lambda one: (-one.score, one.start))[:most]


def _words(text: str) -> list[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return [_stem(word) for word in words if word not in _EMPTY_WORDS]


def _stem(word: str) -> str:
    """Enough of a word that "authentication" finds "authenticated"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word


def _scores(lines: Sequence[Sequence[str]], query: Iterable[str]) -> list[float]:
    """BM25, each line a document."""
    wanted = frozenset(query)
    counts = [Counter(hit for word in line for hit in _hits(word, wanted)) for line in lines]
    spread = Counter(word for count in counts for word in count)
    usual = sum(map(len, lines)) / max(1, len(lines)) or 1.0
    return [
        sum(
            _weight(spread[word], len(lines)) * _saturated(times, len(line) / usual)
            for word, times in count.items()
        )
        for line, count in zip(lines, counts, strict=True)
    ]


def _hits(word: str, wanted: frozenset[str]) -> list[str]:
    """The words of the query that a word is, or begins with: "postgres" finds "PostgreSQL"."""
    if word in wanted:
        return [word]
    return [one for one in wanted if len(one) >= _STEM and word.startswith(one)]


def _weight(having: int, total: int) -> float:
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def _saturated(times: int, length: float) -> float:
    return times * (_SATURATION + 1) / (times + _SATURATION * (1 - _LENGTH + _LENGTH * length))


def _spread(scores: Sequence[float]) -> list[float]:
    padded = [0.0, *scores, 0.0]
    return [
        padded[at] + _NEIGHBOUR * max(padded[at - 1], padded[at + 1])
        for at in range(1, len(padded) - 1)
    ]


def _runs(scores: Sequence[float]) -> list[Passage]:
    found: list[Passage] = []
    for at, score in enumerate(scores, start=1):
        if score <= 0:
            continue
        if found and found[-1].end == at - 1:
            found[-1] = Passage(found[-1].start, at, max(found[-1].score, score))
        else:
            found.append(Passage(at, at, score))
    return found
