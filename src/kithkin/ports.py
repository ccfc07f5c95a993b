"""What the world supplies to Kithkin."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Says what time it is, in UTC."""

    def now(self) -> datetime:
        """The present moment, with its zone."""
        ...
