"""That the owner looked at what others said: the look is recorded, not the words."""

from collections.abc import Sequence

from kithkin.core.model import By
from kithkin.db import Database
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent

LOOKED = "looked"


def record(db: Database, how: str, ids: Sequence[str], *, by: By) -> None:
    """Record which memories and messages somebody with the owner's eyes was shown."""
    if not ids:
        return
    payload = {"actor": by.actor, "how": how, "ids": list(ids)}
    with db.transaction() as tx:
        soil.append(tx, SystemEvent(event_type=LOOKED, payload=payload), now=by.now)
