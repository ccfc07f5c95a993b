"""Read a message for what it says: people's words for people, memories' rules for the rest."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from kithkin.language.dates import made_absolute
from kithkin.language.mentions import mentioned_at
from kithkin.memories.extract.extract import extract
from kithkin.memories.extract.model import Fact, Mentioned, Proposal, Said, Who
from kithkin.memories.extract.sentences import without_recalled
from kithkin.memories.model import Quote
from kithkin.ports import Extracted

_LEAST_CONFIDENCE = 0.6
_MOST = 20
_LONGEST = 400


def read_message(text: str, *, said: datetime, before: Who | None = None) -> tuple[Proposal, ...]:
    """What may be learned from a message by rules alone."""
    return extract(Said(text, said, _mentioned, before))


def proposals_of(
    extracted: Sequence[Extracted], text: str, *, said: datetime
) -> tuple[Proposal, ...]:
    """What a model proposes, as far as its quotes stand in the message word for word."""
    return tuple(_checked(extracted, without_recalled(text), said))[:_MOST]


def _checked(extracted: Sequence[Extracted], text: str, said: datetime) -> Iterator[Fact]:
    for one in extracted:
        quote = one.quote.strip()
        start = text.find(quote) if quote else -1
        content = " ".join(one.content.split())
        if start < 0 or not 0 < len(content) <= _LONGEST or one.confidence < _LEAST_CONFIDENCE:
            continue
        # Whom the message does not name, no model may bring in.
        if all(_is_named(who, text) for who in one.about):
            yield Fact(
                tuple(Who(who.strip()) for who in one.about),
                made_absolute(content, said=said),
                one.kind,
                Quote(quote, start, start + len(quote)),
                min(one.confidence, 1.0),
            )


def _is_named(who: str, text: str) -> bool:
    plain = who.strip().lower()
    return plain == "me" or (bool(plain) and plain in text.lower())


def _mentioned(text: str, at: int) -> Mentioned:
    found, end = mentioned_at(text, at)
    return Mentioned(tuple(Who(one.said, one.name, one.is_sure) for one in found), end)
