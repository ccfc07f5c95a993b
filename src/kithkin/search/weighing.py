"""How much a word counts: BM25, as FTS5 computes it, with no part that depends on other rows."""

import math
from typing import Final

K1: Final = 1.2
"""How soon more of the same word stops to count."""
_B: Final = 0.75
"""How far a long text counts less."""
_USUAL: Final = 16
"""The words of a usual turn. A fixed number: what others say must not move a text's weight."""
FEW: Final = 1_200
"""Whoever may see no more rows than this has words weighed among those rows alone."""


def rarity(having: int, among: int) -> float:
    """The weight of a word that so many of these rows have."""
    weight = math.log((among - having + 0.5) / (having + 0.5)) if among > having else 0.0
    return max(weight, 1e-6)


def dampening(size: int) -> float:
    """What a text of so many words adds below the line: `times * (K1 + 1) / (times + this)`."""
    return K1 * (1 - _B + _B * size / _USUAL)
