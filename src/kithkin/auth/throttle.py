"""How long a login waits after failures, whoever fails: guessing must not pay."""

from datetime import datetime, timedelta
from typing import Final

FREE: Final = 5
"""Failures nobody has to wait for."""
WINDOW: Final = timedelta(minutes=15)
_LONGEST: Final = timedelta(minutes=5)


def free_again_at(failures: int, last: datetime) -> datetime:
    """From when a password is looked at again: twice as long after each failure in the window."""
    if failures < FREE:
        return last
    return last + min(timedelta(seconds=2 ** min(failures - FREE + 1, 20)), _LONGEST)
