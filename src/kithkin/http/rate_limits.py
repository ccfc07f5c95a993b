"""How often one principal may ask: a bucket that fills evenly, kept by each server process."""

import threading
import time
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import Final

from kithkin.clock import stamp
from kithkin.errors import TryLater

_MOST_KEPT: Final = 10_000


class Buckets:
    """One bucket for each principal: a minute's worth of requests, filled as time goes by."""

    def __init__(self, per_minute: int) -> None:
        self._size = float(per_minute)
        self._per_second = per_minute / 60
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._guard = threading.Lock()

    def take(self, who: str) -> None:
        """Take one request out, or say when there will be one."""
        now = time.monotonic()
        with self._guard:
            left, at = self._left.pop(who, (self._size, now))
            left = min(self._size, left + (now - at) * self._per_second)
            self._left[who] = (max(left - 1, 0.0) if left >= 1 else left, now)
            if len(self._left) > _MOST_KEPT:
                self._left.popitem(last=False)
        if left < 1:
            wait = timedelta(seconds=(1 - left) / self._per_second)
            raise TryLater("Too many requests", at=stamp(datetime.now(UTC) + wait))
