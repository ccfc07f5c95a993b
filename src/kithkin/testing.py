"""Fakes for tests, shipped as public API."""

from datetime import UTC, datetime, timedelta

from kithkin.errors import DeliveryFailed
from kithkin.ports import Outgoing


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


class FakeChannel:
    """A channel that remembers what it was given, and fails when it is told to."""

    def __init__(self) -> None:
        self.sent: list[Outgoing] = []
        self._failures: list[DeliveryFailed] = []

    def send(self, message: Outgoing) -> str | None:
        """Remember it; the provider's id is its number."""
        if self._failures:
            raise self._failures.pop(0)
        self.sent.append(message)
        return str(len(self.sent))

    def fail(self, times: int = 1, *, retryable: bool = True) -> None:
        """Refuse the next messages."""
        self._failures += [DeliveryFailed("It is down.", retryable=retryable)] * times

    @property
    def texts(self) -> list[str]:
        """What was sent, in order."""
        return [message.text for message in self.sent]
