"""How what was found is put in order: words, the turns beside, who said it, when, and nearness."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from kithkin.ids import PersonId

AFTER: Final = 0.5
"""How much of a turn's score the next turn gets; a question gives more to its answer."""
AFTER_A_QUESTION: Final = 0.7
BEFORE: Final = 0.3
TWO_AWAY: Final = 0.1
SAID_BY_MEANT: Final = 0.9
"""What is said by, or about, the person who is asked about stands out by this much."""
TIMED: Final = 0.3
IN_TIME: Final = 0.5
NEARNESS: Final = 0.2
"""The weight of vectors beside words."""
_ONE_TALK: Final = timedelta(hours=1)
"""Turns further apart than this are not of one conversation."""


class Candidate(Struct, frozen=True):
    """Something found that may be told."""

    seq: int
    words: float = 0.0
    """The score of its words, the best found being 1."""
    nearness: float = 0.0
    said_by: PersonId | None = None
    subjects: tuple[PersonId, ...] = ()
    said_at: datetime | None = None
    asks: bool = False
    timed: bool = False


class Neighbour(Struct, frozen=True):
    """A turn beside one that was found, so many turns after it; before it when negative."""

    of: int
    steps: int
    turn: Candidate


class Asked(Struct, frozen=True):
    """What the question is about, beside its words."""

    persons: frozenset[PersonId] = frozenset()
    when: bool = False
    """Whether it asks for a time."""
    since: datetime | None = None
    until: datetime | None = None


def ranked(
    found: Sequence[Candidate], beside: Sequence[Neighbour], asked: Asked
) -> list[tuple[int, float]]:
    """Places in the index with their scores, the best first; the older first among equals."""
    known = {one.turn.seq: one.turn for one in beside} | {one.seq: one for one in found}
    scores = {one.seq: one.words + NEARNESS * one.nearness for one in found}
    for seq, share in _shared(found, beside):
        scores[seq] = scores.get(seq, 0.0) + share
    for seq in scores:
        scores[seq] += _standing_out(known[seq], asked)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def _shared(found: Sequence[Candidate], beside: Sequence[Neighbour]) -> Sequence[tuple[int, float]]:
    """What each turn gives to the turns beside it, of the same conversation."""
    by_seq = {one.seq: one for one in found}
    return [
        (one.turn.seq, _share(by_seq[one.of], one.steps) * by_seq[one.of].words)
        for one in beside
        if one.of in by_seq and _of_one_talk(by_seq[one.of], one.turn)
    ]


def _share(given_by: Candidate, steps: int) -> float:
    if steps == 1:
        return AFTER_A_QUESTION if given_by.asks else AFTER
    return BEFORE if steps == -1 else TWO_AWAY


def _of_one_talk(one: Candidate, other: Candidate) -> bool:
    if one.said_at is None or other.said_at is None:
        return False
    return abs(one.said_at - other.said_at) <= _ONE_TALK


def _standing_out(one: Candidate, asked: Asked) -> float:
    score = 0.0
    if asked.persons and (one.said_by in asked.persons or asked.persons.intersection(one.subjects)):
        score += SAID_BY_MEANT
    if asked.when and one.timed:
        score += TIMED
    if asked.since and asked.until and one.said_at and asked.since <= one.said_at < asked.until:
        score += IN_TIME
    return score


def scaled(scores: Mapping[int, float], seqs: Collection[int]) -> dict[int, float]:
    """Scores from 0 to 1, the lowest and highest found being the ends."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    width = (high - low) or 1.0
    return {seq: (scores[seq] - low) / width for seq in seqs if seq in scores}
