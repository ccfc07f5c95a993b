"""Split what somebody wrote into ideas: clauses and sentences, and nothing torn apart."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kithkin.language.model import Piece
from kithkin.language.spans import Span, fences, not_prose, touches
from kithkin.soil.fragment_ids import fragment_id
from kithkin.soil.model import Fragment

_OWN_LINE: Final = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\||[-*_=]{3,}[ \t]*$)")
_NEW_LINE: Final = re.compile(r"[ \t]*(?:[-*+•‣][ \t]|\(?[0-9]{1,3}[.)][ \t]|[a-z][)][ \t]|>)")
_MARKER: Final = re.compile(r"[ \t]*\(?[0-9]{1,3}[.)](?=[ \t])")
_SENTENCE: Final = re.compile(
    r"[.!?…]+[\"'”’)\]»*_]*(?=\s)|[。！？｡]+[」』”）】]*|[।؟۔]+"  # noqa: RUF001 - of other scripts
)
_CLAUSE: Final = re.compile(
    r";(?=\s)"
    r"|,(?=\s+(?:but|yet|whereas|although|though|while|however|so(?!\s+(?:that|far|on|forth)\b))\b)"
    r"|,(?=\s+(?:and|or|nor)\s+(?:i|you|he|she|it|we|they|this|that|there|these|those|let)\b)",
    re.IGNORECASE,
)
_WORD_BEFORE: Final = re.compile(r"[\w.]*\w\Z")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_SOME_WORDS: Final = re.compile(r"\s*\S+\s+\S+\s+\S")
_NEAR: Final = 64
"""How far to look around a full stop: enough for any word, and no more on a long text."""
_ALWAYS: Final = frozenset(
    re.split(
        " ",
        "mr mrs ms mx dr prof st jr sr vs cf al approx inc ltd corp dept univ resp incl excl bzw"
        " usw ggf evtl inkl vgl mio mrd ph.d m.sc b.sc gen col lt sgt capt gov sen rep hon messrs"
        " mme mlle sra ca ie eg",
    )
)
_BEFORE_NUMBER: Final = frozenset(
    re.split(
        " ",
        "no nos nr fig figs p pp ch sec eq vol vols art tel ext ver max min avg est ed jan feb mar"
        " apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ref str rev op para",
    )
)
_MAY_END: Final = frozenset(("etc", "a.m", "p.m"))


def split(text: str) -> list[Piece]:
    """The ideas of a text, in order. Together they hold every word of it."""
    pieces: list[Piece] = []
    at = 0
    for start, end in [*fences(text), (len(text), len(text))]:
        pieces += (piece for span in _blocks(text, at, start) for piece in _ideas(text, span))
        if text[start:end].strip():
            pieces.append(Piece(text[start:end].strip("\n"), start, end))
        at = end
    return pieces


def fragments(text: str) -> tuple[Fragment, ...]:
    """The ideas of a text with their ids."""
    return tuple(Fragment(fragment_id(piece.content), piece.content) for piece in split(text))


def _blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Paragraphs, list items, headings and rows: line ends within one are soft."""
    begun = start
    alone = False
    at = start
    for line in text[start:end].splitlines(keepends=True):
        blank, own = not line.strip(), bool(_OWN_LINE.match(line))
        if at > begun and (blank or own or alone or _NEW_LINE.match(line)):
            yield begun, at
            begun = at
        alone = own or blank
        at += len(line)
    yield begun, end


def _ideas(text: str, block: Span) -> Iterator[Piece]:
    words = text[slice(*block)]
    whole = not_prose(words)
    at = 0
    for end in [*_ends(words, whole), len(words)]:
        content = _joined(words[at:end])
        if content:
            yield Piece(content, block[0] + at, block[0] + end)
        at = end


def _joined(words: str) -> str:
    """The words with soft line ends as spaces."""
    return " ".join(part for line in words.split("\n") if (part := line.strip()))


def _ends(words: str, whole: Sequence[Span]) -> list[int]:
    """Where ideas end: sentences first, then the clauses within them."""
    marker = _MARKER.match(words)
    small = words.islower()
    sentences = [
        found.end()
        for found in _SENTENCE.finditer(words, marker.end() if marker else 0)
        if not touches(found.span(), whole) and _is_end(words, found, small=small)
    ]
    ends: list[int] = []
    for start, end in zip([0, *sentences], [*sentences, len(words)], strict=True):
        ends += [*_clauses(words, start, end, whole), end]
    return [end for end in ends if end < len(words)]


def _is_end(words: str, found: re.Match[str], *, small: bool) -> bool:
    """Whether a mark ends a sentence. `small` is a text whose sentences begin in lower case."""
    after = words[found.end() : found.end() + _NEAR].lstrip()
    if found[0][0] not in ".…":
        quoted = found[0][-1] in "\"'”’»"  # noqa: RUF001 - quotation marks of people
        return not (quoted and after[:1].islower())
    if after[:1].islower() and not small:
        return False
    return found[0][:2] == ".." or not _abbreviated(
        words[max(0, found.start() - _NEAR) : found.start()], after
    )


def _abbreviated(before: str, after: str) -> bool:
    found = _WORD_BEFORE.search(before)
    word = found[0].casefold() if found else ""
    if word in _MAY_END:
        return False
    if word in _BEFORE_NUMBER:
        return after[:1].isdigit()
    # One letter, or letters with dots between: an initial, "U.S", "z.B".
    return word in _ALWAYS or (bool(_DOTTED.fullmatch(word)) and word not in ("i", "a"))


def _clauses(words: str, start: int, end: int, whole: Sequence[Span]) -> Iterator[int]:
    for found in _CLAUSE.finditer(words, start, end):
        here = found.end()
        if (
            _SOME_WORDS.match(words, start, here)
            and _SOME_WORDS.match(words, here, end)
            and words.count("(", start, here) <= words.count(")", start, here)
            and not touches(found.span(), whole)
        ):
            start = found.end()
            yield start
