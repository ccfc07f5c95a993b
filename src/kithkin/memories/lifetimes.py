"""How long a memory is believed, by its kind."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from kithkin.memories.model import Kind

LIFETIMES: Final[Mapping[Kind, timedelta | None]] = {
    "preference": None,
    "identity": None,
    "relationship": None,
    "knowledge": None,
    "context": timedelta(days=7),
    "event": timedelta(days=30),
    "task": timedelta(days=14),
    "observation": timedelta(days=3),
}


FAINT: Final = 0.42
"""Below this, a memory has faded."""


def expires_at(kind: Kind, *, observed_at: datetime, until: datetime | None) -> datetime | None:
    """When it stops being believed; one that speaks of a later day lives from that day on."""
    lifetime = LIFETIMES[kind]
    if lifetime is None:
        return None
    return max(observed_at, until or observed_at) + lifetime


def has_decayed(kind: Kind, *, confidence: float, observed_at: datetime, now: datetime) -> bool:
    """Whether a passing memory that was never certain has faded before its time.

    What is certain lives its whole lifetime; the less certain, the sooner it goes.
    """
    lifetime = LIFETIMES[kind]
    if lifetime is None:
        return False
    age = max((now - observed_at) / lifetime, 0.0)
    return confidence * math.exp2(-age) < FAINT
