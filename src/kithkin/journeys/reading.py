"""Read a message for what it says: people's words for people, memories' rules for the rest."""

from datetime import datetime

from kithkin.memories.extraction.extract import extract
from kithkin.memories.extraction.model import Mentioned, Proposal, Said, Who
from kithkin.people.mentions import mentioned_at


def read_message(text: str, *, said: datetime) -> tuple[Proposal, ...]:
    """What may be learned from a message by rules alone."""
    return extract(Said(text, said, _mentioned))


def _mentioned(text: str, at: int) -> Mentioned:
    found, end = mentioned_at(text, at)
    return Mentioned(tuple(Who(one.said, one.name, one.is_sure) for one in found), end)
