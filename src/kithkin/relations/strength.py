"""How strong a relation or belief still is, and when it may rest.

Strength starts at 1, halves with every half-life of neglect and grows with every access. Below one
threshold a thing is nominated to fossilise; only above a higher one is it recalled, so that it does
not flicker at a boundary; and it rests only after it has stayed nominated for a while.
"""

import math
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

HALF_LIFE: Final = timedelta(days=30)
BOOST: Final = 0.5
STRONGEST: Final = 4.0
NOMINATE_BELOW: Final = 0.125
RECALL_ABOVE: Final = 0.25
NOTICE: Final = timedelta(days=7)


class Strength(Struct, frozen=True):
    """How strong it was when last touched, and since when it is nominated to fossilise."""

    value: float
    touched_at: datetime
    nominated_at: datetime | None = None


def born(at: datetime) -> Strength:
    """The strength of something new."""
    return Strength(value=1.0, touched_at=at)


def strength_at(strength: Strength, now: datetime) -> float:
    """What is left of it: half after each half-life. A clock that went back weakens nothing."""
    age = max(now - strength.touched_at, timedelta())
    return strength.value * math.exp2(-(age / HALF_LIFE))


def accessed(strength: Strength, *, times: int, now: datetime) -> Strength:
    """Stronger by every access, up to a bound."""
    value = min(strength_at(strength, now) + BOOST * times, STRONGEST)
    touched = max(now, strength.touched_at)
    return reconsidered(Strength(value, touched, strength.nominated_at), now)


def reconsidered(strength: Strength, now: datetime) -> Strength:
    """Nominated when weak, recalled when strong again, left as it is in between."""
    value = strength_at(strength, now)
    if strength.nominated_at is None and value < NOMINATE_BELOW:
        return Strength(strength.value, strength.touched_at, now)
    if strength.nominated_at is not None and value > RECALL_ABOVE:
        return Strength(strength.value, strength.touched_at)
    return strength


def may_fossilise(strength: Strength, now: datetime) -> bool:
    """Whether it was nominated long enough ago and nobody has come back to it."""
    nominated = reconsidered(strength, now).nominated_at
    return nominated is not None and now - nominated >= NOTICE
