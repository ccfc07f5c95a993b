"""What a server does, in numbers, as Prometheus reads them. Routes are named, people never."""

import resource
import sys
import threading
import time
from collections import Counter
from typing import Final

_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
MEDIA_TYPE: Final = "text/plain; version=0.0.4"


class Metrics:
    """Counts of requests, how long they took, and how many are under way."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._seconds: dict[str, float] = {}
        self._started = time.time()
        self._guard = threading.Lock()
        self.under_way = 0

    def done(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._guard:
            self._requests[route, status] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds
            for bound in _BOUNDS:
                if seconds <= bound:
                    self._within[route, bound] += 1

    def told(self) -> str:
        """All of it, as text."""
        with self._guard:
            lines = [*self._counts(), *self._durations()]
        lines += _gauge("kithkin_requests_under_way", "Requests being answered.", self.under_way)
        lines += _gauge("process_start_time_seconds", "When it was started.", self._started)
        lines += _gauge("process_peak_memory_bytes", "The most memory it took.", _peak())
        return "\n".join(lines) + "\n"

    def _counts(self) -> list[str]:
        name = "kithkin_requests_total"
        lines = [f"# HELP {name} Requests answered, by route and status.", f"# TYPE {name} counter"]
        for (route, status), count in sorted(self._requests.items()):
            lines.append(f'{name}{{route="{route}",status="{status}"}} {count}')
        return lines

    def _durations(self) -> list[str]:
        name = "kithkin_request_seconds"
        lines = [f"# HELP {name} How long answers took.", f"# TYPE {name} histogram"]
        for route, seconds in sorted(self._seconds.items()):
            count = sum(n for (one, _), n in self._requests.items() if one == route)
            lines += [
                f'{name}_bucket{{route="{route}",le="{bound}"}} {self._within[route, bound]}'
                for bound in _BOUNDS
            ]
            lines.append(f'{name}_bucket{{route="{route}",le="+Inf"}} {count}')
            lines.append(f'{name}_sum{{route="{route}"}} {seconds:.6f}')
            lines.append(f'{name}_count{{route="{route}"}} {count}')
        return lines


def _gauge(name: str, help_: str, value: float) -> list[str]:
    return [f"# HELP {name} {help_}", f"# TYPE {name} gauge", f"{name} {value}"]


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
