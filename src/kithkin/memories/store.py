"""Memories' tables: each memory an entity, found by whom it is about, who said it and where."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kithkin.clock import stamp
from kithkin.core import store as core
from kithkin.core.delta import present
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.db.sql import EACH
from kithkin.errors import NotFound
from kithkin.ids import MemoryId, new_entity_id
from kithkin.memories.model import AboutSpeaker, Memory
from kithkin.memories.supersession import keys_of

MEMORY: Final = "memory"
_KEYS: Final = {dialect: each.replace(":each", ":keys") for dialect, each in EACH.items()}
_LINKED: Final = ("id", "item", "superseded_by")
_defaults: Final = {
    field.encode_name: field.default
    for field in msgspec.structs.fields(Memory)
    if not field.required
}


def new_id() -> MemoryId:
    """A fresh id for a memory."""
    return MemoryId(new_entity_id())


def add(tx: Tx, memory: Memory, *, by: By) -> Memory:
    """A new memory, derived from its item."""
    core.add(tx, MEMORY, data_of(memory), by=by, uuid=memory.id, derived_from=memory.item)
    return memory


def save(tx: Tx, memory: Memory, *, by: By, based_on: str | None = None) -> Memory:
    """The memory as it is now; equal data changes nothing."""
    before = core.get(tx, memory.id)
    core.change(tx, before, data_of(memory), by=by, based_on=based_on)
    return memory


def supersede(tx: Tx, old: Memory, *, by_memory: Memory, by: By) -> Memory:
    """Mark a memory as replaced; it stays, linked."""
    core.supersede(tx, old.id, superseded_by=by_memory.id, by=by)
    return replace(old, superseded_by=by_memory.id)


def get(tx: Tx, memory: str) -> Memory:
    """The memory as it is now."""
    return _memory(core.get(tx, memory))


def _memory(entity: Entity) -> Memory:
    if entity.type != MEMORY:
        raise NotFound(f"{entity.uuid} is no memory. `kithkin memory list` lists them.")
    core.require_data(entity)
    return memory_from(entity)


def about_any(tx: Tx, persons: Collection[str], *, limit: int = 1000) -> list[Memory]:
    """Memories about these people: as subjects, or said by them of themselves; newest first."""
    rows = tx.execute(
        "SELECT memory FROM memory_row WHERE archived IS NULL AND superseded_by IS NULL"  # noqa: S608 - a constant
        f" AND memory IN (SELECT memory FROM memory_subject WHERE person IN ({EACH[tx.dialect]}))"
        " ORDER BY seq DESC LIMIT :limit",
        {"each": _json(persons), "limit": limit},
    )
    return _all(tx, rows)


def comparable(tx: Tx, persons: Collection[str], keys: Collection[str]) -> list[Memory]:
    """Standing memories about these people that share a key: they may be replaced or repeated."""
    rows = tx.execute(
        "SELECT DISTINCT k.memory FROM memory_key k JOIN memory_row m ON m.memory = k.memory"  # noqa: S608 - constants
        f" WHERE k.person IN ({EACH[tx.dialect]}) AND k.key IN ({_KEYS[tx.dialect]})"
        " AND m.archived IS NULL AND m.superseded_by IS NULL",
        {"each": _json(persons), "keys": _json(keys)},
    )
    return _all(tx, rows)


def all_about(tx: Tx, persons: Collection[str]) -> list[Memory]:
    """Every memory about these people, archived and superseded ones too."""
    rows = tx.execute(
        "SELECT DISTINCT s.memory FROM memory_subject s"  # noqa: S608 - a constant
        f" WHERE s.person IN ({EACH[tx.dialect]})",
        {"each": _json(persons)},
    )
    return _all(tx, rows)


def said_by(tx: Tx, persons: Collection[str]) -> list[Memory]:
    """Every memory these people brought about, archived and superseded ones too."""
    rows = tx.execute(
        "SELECT memory FROM memory_row"  # noqa: S608 - a constant
        f" WHERE said_by IN ({EACH[tx.dialect]}) ORDER BY seq",
        {"each": _json(persons)},
    )
    return _all(tx, rows)


def learned_in(tx: Tx, chat: str) -> list[Memory]:
    """Every memory learned in a chat, archived and superseded ones too."""
    rows = tx.execute(
        "SELECT memory FROM memory_row WHERE chat = :chat ORDER BY seq", {"chat": chat}
    )
    return _all(tx, rows)


def from_item(tx: Tx, item: str) -> list[Memory]:
    """Every memory derived from an item."""
    rows = tx.execute(
        "SELECT memory FROM memory_row WHERE item = :item ORDER BY seq", {"item": item}
    )
    return _all(tx, rows)


def replaced_in(tx: Tx, items: Collection[str]) -> dict[str, list[str]]:
    """The memories of each of these items whose facts have all been replaced since."""
    rows = tx.execute(
        "SELECT item, memory, superseded_by FROM memory_row"  # noqa: S608 - a constant
        f" WHERE item IN ({EACH[tx.dialect]}) AND archived IS NULL",
        {"each": _json(items)},
    ).fetchall()
    standing = {item for item, _, superseded_by in rows if superseded_by is None}
    replaced: dict[str, list[str]] = {}
    for item, memory, _ in rows:
        if item not in standing:
            replaced.setdefault(item, []).append(memory)
    return replaced


def replaced_by(tx: Tx, memory: str) -> list[Memory]:
    """The memories that this one replaced."""
    rows = tx.execute(
        "SELECT memory FROM memory_row WHERE superseded_by = :memory ORDER BY seq",
        {"memory": memory},
    )
    return _all(tx, rows)


def held_by(tx: Tx, persona: str) -> dict[str, MemoryId]:
    """What each memory would become in a persona's eyes, while a human has not spoken."""
    rows = tx.execute(
        "SELECT changes, memory FROM memory_held WHERE persona = :persona AND changes IS NOT NULL",
        {"persona": persona},
    )
    return {row[0]: MemoryId(row[1]) for row in rows.fetchall()}


def recent_in(tx: Tx, chat: str, said_by: str, *, limit: int) -> list[Memory]:
    """The latest standing memories that somebody brought about in a chat."""
    rows = tx.execute(
        "SELECT memory FROM memory_row WHERE chat = :chat AND said_by = :said_by"
        " AND archived IS NULL AND superseded_by IS NULL ORDER BY seq DESC LIMIT :limit",
        {"chat": chat, "said_by": said_by, "limit": limit},
    )
    return _all(tx, rows)


def listed(tx: Tx, *, after: int, limit: int, everything: bool) -> list[tuple[int, Memory]]:
    """Memories newest first, from before a place; those that are gone only when asked for."""
    rows = tx.execute(
        "SELECT seq, memory FROM memory_row WHERE seq < :after"
        " AND (:everything = 1 OR (archived IS NULL AND superseded_by IS NULL))"
        " ORDER BY seq DESC LIMIT :limit",
        {"after": after, "limit": limit, "everything": int(everything)},
    ).fetchall()
    found = core.several(tx, [row[1] for row in rows])
    return [(row[0], _memory(found[row[1]])) for row in rows]


def expired(tx: Tx, now: datetime) -> list[Memory]:
    """Memories whose time is over and that are not archived yet."""
    rows = tx.execute(
        "SELECT memory FROM memory_row WHERE archived IS NULL AND expires_at <= :now ORDER BY seq",
        {"now": stamp(now)},
    )
    return _all(tx, rows)


def count(tx: Tx) -> dict[str, int]:
    """How many memories stand, were superseded, and were archived, by reason."""
    rows = tx.execute(
        "SELECT coalesce(archived, CASE WHEN superseded_by IS NULL THEN 'standing'"
        " ELSE 'superseded' END) AS state, count(*) FROM memory_row GROUP BY 1 ORDER BY 1",
        {},
    )
    return dict(rows.fetchall())


def forget_item(tx: Tx, item: str) -> None:
    """Remember that what an item said was forgotten."""
    tx.execute(
        "INSERT INTO forgotten_item (item) VALUES (:item) ON CONFLICT (item) DO NOTHING",
        {"item": item},
    )


def is_forgotten(tx: Tx, item: str) -> bool:
    """Whether something learned from this item was forgotten."""
    row = tx.execute("SELECT 1 FROM forgotten_item WHERE item = :item", {"item": item}).fetchone()
    return row is not None


def clear_forgotten(tx: Tx) -> None:
    """Empty the list of forgotten items, for the fold to write again."""
    tx.execute("DELETE FROM forgotten_item", {})


def seq_of(tx: Tx, memory: str) -> int:
    """The place in the ledger where a memory began."""
    row = tx.execute(
        "SELECT id FROM delta_notification WHERE entity_uuid = :memory AND version = 1",
        {"memory": memory},
    ).fetchone()
    return int(row[0])


def data_of(memory: Memory) -> dict[str, Any]:
    """A memory as its entity holds it: nothing that is as usual, no links."""
    fields: dict[str, Any] = msgspec.to_builtins(memory)
    usual = {
        name for name, value in _defaults.items() if fields[name] == msgspec.to_builtins(value)
    }
    return present({k: v for k, v in fields.items() if k not in usual and k not in _LINKED})


def memory_from(entity: Entity) -> Memory:
    """A memory from its entity."""
    data = core.require_data(entity)
    fields = {
        **data,
        # Before personas it was only said whether a human had confirmed it.
        "validated": "human" if data.get("validated") is True else data.get("validated"),
        "id": entity.uuid,
        "item": entity.derived_from,
        "superseded_by": entity.superseded_by,
    }
    return msgspec.convert(fields, Memory)


def subjects(memory: Memory) -> tuple[str, ...]:
    """The records of whom it is about, the speaker's own for what they said of themselves."""
    if isinstance(memory.about, AboutSpeaker):
        return (memory.said_by,) if memory.said_by else ()
    return memory.subject_person_ids


def project(tx: Tx, before: Entity | None, after: Entity) -> None:
    """Bring the look-up rows in step with a memory."""
    if before is not None:
        tx.execute("DELETE FROM memory_row WHERE memory = :memory", {"memory": after.uuid})
        tx.execute("DELETE FROM memory_subject WHERE memory = :memory", {"memory": after.uuid})
        tx.execute("DELETE FROM memory_key WHERE memory = :memory", {"memory": after.uuid})
        tx.execute("DELETE FROM memory_held WHERE memory = :memory", {"memory": after.uuid})
    if after.data is None:
        return
    memory = memory_from(after)
    tx.execute(
        "INSERT INTO memory_row (memory, seq, item, chat, said_by, observed_at, expires_at,"
        " superseded_by, archived) VALUES (:memory, :seq, :item, :chat, :said_by, :observed_at,"
        " :expires_at, :superseded_by, :archived)",
        _row(tx, memory),
    )
    tx.executemany(
        "INSERT INTO memory_subject (person, memory) VALUES (:person, :memory)",
        [{"person": p, "memory": memory.id} for p in dict.fromkeys(subjects(memory))],
    )
    tx.executemany(
        "INSERT INTO memory_key (person, key, memory) VALUES (:person, :key, :memory)",
        [
            {"person": person, "key": key, "memory": memory.id}
            for person in dict.fromkeys(subjects(memory))
            for key in sorted(keys_of(memory.content))
        ],
    )
    if memory.doubt and memory.archived_at is None and memory.superseded_by is None:
        tx.execute(
            "INSERT INTO memory_held (memory, persona, changes)"
            " VALUES (:memory, :persona, :changes)",
            {
                "memory": memory.id,
                "persona": memory.doubt.persona,
                "changes": memory.doubt.of,
            },
        )


def clear(tx: Tx) -> None:
    """Empty the look-up rows, for a rebuild to write again."""
    tx.execute("DELETE FROM memory_held", {})
    tx.execute("DELETE FROM memory_row", {})
    tx.execute("DELETE FROM memory_subject", {})
    tx.execute("DELETE FROM memory_key", {})


def _row(tx: Tx, memory: Memory) -> dict[str, Any]:
    return {
        "memory": memory.id,
        "seq": seq_of(tx, memory.id),
        "item": memory.item,
        "chat": memory.chat,
        "said_by": memory.said_by,
        "observed_at": stamp(memory.observed_at),
        "expires_at": stamp(memory.expires_at) if memory.expires_at else None,
        "superseded_by": memory.superseded_by,
        "archived": memory.archive_reason,
    }


def _all(tx: Tx, rows: Any) -> list[Memory]:
    ids = [row[0] for row in rows]
    found = core.several(tx, ids) if ids else {}
    return [_memory(found[uuid]) for uuid in ids]


def _json(values: Collection[str] | Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
