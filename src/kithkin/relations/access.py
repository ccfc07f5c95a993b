"""How often things are looked at: counted in batches, outside the fold."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from kithkin.clock import moment, stamp
from kithkin.db import Tx
from kithkin.relations.strength import Strength, accessed, born


def record(tx: Tx, counts: Mapping[str, int], *, now: datetime) -> None:
    """Strengthen everything that was looked at."""
    for uuid, times in counts.items():
        before = of(tx, uuid) or born(now)
        save(tx, uuid, accessed(before, times=times, now=now))


def of(tx: Tx, uuid: str) -> Strength | None:
    """What is known of how strong something is; None when it was never looked at."""
    row = tx.execute(
        "SELECT strength, touched_at, nominated_at FROM access WHERE uuid = :uuid", {"uuid": uuid}
    ).fetchone()
    if row is None:
        return None
    return Strength(row[0], moment(row[1]), moment(row[2]) if row[2] else None)


def save(tx: Tx, uuid: str, strength: Strength) -> None:
    """Remember how strong it is and whether it is nominated to fossilise."""
    tx.execute(
        "INSERT INTO access (uuid, strength, touched_at, nominated_at)"
        " VALUES (:uuid, :strength, :touched_at, :nominated_at) ON CONFLICT (uuid) DO UPDATE SET"
        " strength = excluded.strength, touched_at = excluded.touched_at,"
        " nominated_at = excluded.nominated_at",
        {
            "uuid": uuid,
            "strength": strength.value,
            "touched_at": stamp(strength.touched_at),
            "nominated_at": stamp(strength.nominated_at) if strength.nominated_at else None,
        },
    )


def forget(tx: Tx, uuids: Iterable[str]) -> None:
    """Drop the counts of what has moved to Soil."""
    tx.executemany("DELETE FROM access WHERE uuid = :uuid", [{"uuid": uuid} for uuid in uuids])
