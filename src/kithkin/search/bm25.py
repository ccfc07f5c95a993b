"""How much a word counts: BM25, as FTS5 computes it, with no part that depends on other rows."""

import math
from collections.abc import Iterable
from typing import Final

K1: Final = 1.2
"""How soon more of the same word stops to count."""
_B: Final = 0.75
"""How far a long text counts less."""
_USUAL: Final = 16
"""The words of a usual turn. A fixed number: what others say must not move a text's weight."""
_SHARE: Final = 20
"""One row in so many may hold one of the rarest words of a query; the other words only rank."""
_LEAST: Final = 500
_MOST: Final = 8_000
"""Weighing a row costs much more than finding it: so many are weighed, at least and at most."""
FEW: Final = 1_200
"""Whoever may see no more rows than this has words weighed among those rows alone."""


def rarity(having: int, among: int) -> float:
    """The weight of a word that so many of these rows have."""
    weight = math.log((among - having + 0.5) / (having + 0.5)) if among > having else 0.0
    return max(weight, 1e-6)


def dampening(size: int) -> float:
    """What a text of so many words adds below the line: `times * (K1 + 1) / (times + this)`."""
    return K1 * (1 - _B + _B * size / _USUAL)


def budget(docs: int) -> int:
    """How many of so many rows the rarest words of a query may match together."""
    return max(_LEAST, min(docs // _SHARE, _MOST))


def rarest(counted: Iterable[tuple[int, str]], *, most: int, enough: int) -> list[str]:
    """The rarest words that together match no more rows than `most`, but at least `enough`."""
    rare: list[str] = []
    matched = 0
    for count, word in sorted(counted):
        if matched >= enough and matched + count > most:
            break
        matched += count
        rare.append(word)
    return rare
