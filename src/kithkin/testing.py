"""Fakes for tests, shipped as public API."""

from datetime import UTC, datetime, timedelta


class FixedClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, start: datetime = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """The moment it stands at."""
        return self._now

    def advance(self, **duration: float) -> None:
        """Move by a duration, named as for `timedelta`: `advance(seconds=301)`."""
        self._now += timedelta(**duration)

    def set(self, moment: datetime) -> None:
        """Move to a moment, backwards too: clocks do."""
        self._now = moment
