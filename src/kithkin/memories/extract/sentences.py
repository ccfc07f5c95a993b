"""Which parts of a message may be mined: no questions, quotations, code, commands or jokes."""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

LONGEST: Final = 4000
"""No more of a message is read: what has more is a document, not a message."""
RECALLED: Final = "\u2060⟦recalled⟧"
END_OF_RECALLED: Final = "⟦/recalled⟧\u2060"
"""Marks around text that Kithkin itself brought back: it is never learned again."""

_RECALLED_TEXT: Final = re.compile(rf"{RECALLED}.*?(?:{END_OF_RECALLED}|\Z)", re.DOTALL)
_LEFT_OUT: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|https?://\S+|^[ \t]*>.*$"
    r"|\u201c[^\u201d\n]*\u201d|(?<![\w'\"])\"(?=[^\s\"])[^\"\n]+\"(?=[\s,.;:!?)]|$)",
    re.DOTALL | re.MULTILINE,
)
_SENTENCE: Final = re.compile(
    r"[^.!?\n;]+(?:(?:\.(?=\S)|(?<=\b[A-Z])\.|(?<=Mr|Dr|Ms|St)\."
    r"|(?<=Mrs)\.)[^.!?\n;]*)*[.!?;]*"
)
_JOKE: Final = re.compile(
    r"\b(?:just kidding|jk|j/k|/s|kidding|hypothetically|for example|e\.g\.|roleplay|role-play"
    r"|pretend|imagine)\b|(?:^|\s)/s\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"^(?:who|whose|what|where|when|why|how|which|is|are|am|was|were|do|does|did|can|could|will"
    r"|would|should|has|have|had|may|might|isn't|aren't|don't|doesn't|didn't|shall|guess|any)\b",
    re.IGNORECASE,
)
_UNREAL: Final = re.compile(
    r"\b(?:if|would|wouldn't|i'd|you'd|he'd|she'd|they'd|we'd|could|couldn't|might|maybe|perhaps"
    r"|wish|wishes|hope|hopes|hopefully|suppose|supposedly|unless|probably|possibly|assume|bet"
    r"|think|thinks|thought|guess|guesses|wonder|seems?|looks like|sounds like|feels like|as if"
    r"|rumou?r|allegedly|i'll|let's|lets|gonna be|not sure|don't know|dunno|idk|dreamt|dreamed"
    r"|whether|should|shouldn't|ought)\b",
    re.IGNORECASE,
)
_REPORTED: Final = re.compile(
    r"\b(?:sa(?:id|ys|ying)|told|tells|telling|heard|hears|claims?|claimed|mention(?:s|ed)"
    r"|apparently|according to|reportedly|texted|wrote that|asked|asks|announced|swears|insists"
    r"|yelled|screamed|whispered|replied|goes like|quote|lyrics?)\b",
    re.IGNORECASE,
)


_SHORT: Final = 3


class Clause(Struct, frozen=True):
    """A part of a message that says one thing."""

    text: str
    start: int


def marked(text: str) -> str:
    """A text that was brought back, between the marks; nothing in it can end them early."""
    # Taking the marks out would not do: what is left around one may be another.
    return f"{RECALLED}\n{text.replace('⟦', '[')}\n{END_OF_RECALLED}"


def without_recalled(text: str) -> str:
    """The text with what was recalled blanked out, every place the same."""
    return _blanked(text, _RECALLED_TEXT)


def clauses_of(text: str) -> Iterator[Clause]:
    """The clauses that state something of their own, in order; of a long text, its beginning."""
    kept = _blanked(without_recalled(text[:LONGEST]), _LEFT_OUT)
    if _JOKE.search(kept) or kept.lstrip().startswith("/"):
        return
    for sentence in _SENTENCE.finditer(kept):
        said = sentence[0]
        if not said.rstrip().endswith("?") and not _ASKED.match(said.strip()):
            yield from _split(said, sentence.start())


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    # By line ends: what stands before and after are sentences of their own.
    return pattern.sub(lambda match: "\n" * len(match[0]), text)


# Each run of spaces is tried once, from its start: a message of spaces must not hold up the rest.
_BREAK: Final = re.compile(
    r"(?<!\s)(?:"
    r"\s+(?:but|because|cause|bc|cuz|so|although|though|while|whereas|which"
    r"|since (?=i\b|he\b|she\b|my\b))\s+|\s*,\s+(?:but|so)\s+|\s+[-\u2013\u2014]+\s+|\s*[()]\s*"
    r"|,?\s+and\s+(?=(?:i|i'm|i've|he|she|we|they|she's|he's|we're|my)\s)"
    r"|\s*,\s+(?=(?:i|i'm|i've|he|she|we|btw|fyi)\s))",
    re.IGNORECASE,
)


def _split(said: str, start: int) -> Iterator[Clause]:
    # What somebody reported, supposed or wished is not said of anybody by the speaker.
    if _REPORTED.search(said):
        return
    at = 0
    for brk in [*_BREAK.finditer(said), None]:
        end = brk.start() if brk else len(said)
        part = said[at:end]
        if brk and _joins(brk, part):
            continue
        if part.strip() and not _UNREAL.search(part):
            yield Clause(part, start + at)
        at = brk.end() if brk else end


def _joins(brk: re.Match[str], part: str) -> bool:
    """Whether the "and" stands in a list of people, as in "my wife and I", and parts no clauses."""
    return brk[0].split()[:1] == ["and"] and len(part.split()) <= _SHORT
