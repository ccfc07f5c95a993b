"""Time: always UTC, always written so that text order is time order."""

from datetime import UTC, datetime

from kithkin.errors import InvalidInput


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """A moment as stored: UTC, microseconds always written, so that text sorts as time."""
    if moment.tzinfo is None:
        raise InvalidInput(f"{moment.isoformat()} has no time zone; add one, such as +00:00.")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """Read an ISO 8601 moment. One without a zone is taken as UTC."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(
            f"{text!r} is not a time; write it like 2026-01-15T10:00:00+00:00 or 2026-01-15."
        ) from error
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
