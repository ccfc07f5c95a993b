"""How the word lists of this package are written, and how a text is cut into words."""

import re
from typing import Final

WORD: Final = re.compile(r"[^\W_]+(?:['\u2019./-][^\W_]+)*")
"""A word: letters and digits, with marks inside but not around it."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def alternatives(text: str) -> str:
    """The words of a text as a pattern that takes the longest; an underscore is a space."""
    words = sorted(text.split(), key=len, reverse=True)
    return "|".join(word.replace("_", " ") for word in words)
