"""Who acts through a facade, on what database, by which clock."""

from collections import Counter
from datetime import datetime

from kithkin.clock import SystemClock, stamp
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.ports import Clock, Models
from kithkin.relations import access

_BATCH = 256


class Acting:
    """What every part of a facade shares."""

    def __init__(
        self, db: Database, *, actor: str, clock: Clock | None, models: Models | None = None
    ) -> None:
        self.db = db
        self.actor = actor
        self.clock = clock or SystemClock()
        self.models = models or Models()
        self._looked_at: Counter[str] = Counter()

    def now(self) -> datetime:
        """The present moment."""
        return self.clock.now()

    def by(self, reason: str | None = None) -> By:
        """The signature under a change made now."""
        return By(actor=self.actor, now=stamp(self.now()), reason=reason)

    def looked_at(self, uuid: str) -> None:
        """Count an access. Counts are written in batches: looking is not worth a commit."""
        self._looked_at[uuid] += 1
        if len(self._looked_at) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the counts that are waiting."""
        counts, self._looked_at = self._looked_at, Counter()
        if counts:
            with self.db.transaction() as tx:
                access.record(tx, counts, now=self.now())

    def close(self) -> None:
        """Write what is waiting and close the database."""
        try:
            self.flush()
        finally:
            self.db.close()
