"""How often an account may ask and write, in all and to one other."""

from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct

from kithkin.clock import moment, stamp
from kithkin.errors import TryLater

Use = Literal["add", "send"]
WITHIN: Final[dict[Use, timedelta]] = {"add": timedelta(days=1), "send": timedelta(hours=1)}
_SAID: Final[dict[Use, tuple[str, str, str]]] = {
    "add": ("asked", "asked ", "a day"),
    "send": ("written", "written to ", "an hour"),
}


class Limit(Struct, frozen=True):
    """At most so many uses in any day or hour: of one other when they are named, else in all."""

    use: Use
    most: int
    them: str | None = None


def window(use: Use, now: str) -> str:
    """The moment after which a use counts."""
    return stamp(moment(now) - WITHIN[use])


def require_within(limit: Limit, last: str | None, *, now: str) -> None:
    """Refuse one use more than the limit allows.

    `last` is when the use was that must grow old before there is room: of a limit of three, the
    third last.
    """
    if last is None or last <= window(limit.use, now):
        return
    in_all, of_one, stretch = _SAID[limit.use]
    what = f"{of_one}{limit.them}" if limit.them else in_all
    free = stamp(moment(last) + WITHIN[limit.use])
    times = "once" if limit.most == 1 else f"{limit.most} times"
    raise TryLater(f"You have {what} {times} within {stretch}", at=free)
