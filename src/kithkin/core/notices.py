"""The notices of changes, and how far each subscriber has read: ids are places in the ledger."""

from collections.abc import Iterable
from typing import Any, Final

from kithkin.core.model import Entity, Notice
from kithkin.db import Tx
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item

_INSERT: Final = (
    "INSERT INTO delta_notification (id, entity_uuid, entity_type, old_hash, new_hash, version,"
    " changed_at) VALUES (:id, :uuid, :type, :old, :new, :version, :at)"
)


def after(tx: Tx, cursor: int, *, limit: int) -> list[Notice]:
    """Changes after a cursor, in the order they happened. None is ever skipped."""
    rows = tx.execute(
        "SELECT id, entity_uuid, entity_type, old_hash, new_hash, version, changed_at"
        " FROM delta_notification WHERE id > :after ORDER BY id LIMIT :limit",
        {"after": cursor, "limit": limit},
    )
    return [Notice(*row) for row in rows]


def cursor_of(tx: Tx, subscriber: str) -> int:
    """How far a subscriber has read; 0 when it never did."""
    row = tx.execute(
        "SELECT cursor FROM subscriber WHERE name = :name", {"name": subscriber}
    ).fetchone()
    return row[0] if row else 0


def move_cursor(tx: Tx, subscriber: str, cursor: int) -> None:
    """Remember how far a subscriber has read. It never moves back."""
    tx.execute(
        "INSERT INTO subscriber (name, cursor) VALUES (:name, :cursor)"
        " ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor"
        " WHERE excluded.cursor > subscriber.cursor",
        {"name": subscriber, "cursor": cursor},
    )


def changed_since(tx: Tx, type_name: str, after: int) -> tuple[list[str], int]:
    """The entities of a type that changed after a cursor, in order, and the last cursor."""
    rows = tx.execute(
        "SELECT entity_uuid, id FROM delta_notification"
        " WHERE id > :after AND entity_type = :type ORDER BY id",
        {"after": after, "type": type_name},
    ).fetchall()
    return list(dict.fromkeys(row[0] for row in rows)), rows[-1][1] if rows else after


def restore(tx: Tx, item: Item) -> None:
    """Write the notice of a delta that the ledger holds."""
    fields = fields_of(item)
    notice = Notice(
        cursor=item.seq,
        entity_uuid=fields["entity_uuid"],
        entity_type=fields["entity_type"],
        old_hash=fields.get("parent"),
        new_hash=fields["commit"],
        version=fields["version"],
        changed_at=item.realized_at,
    )
    write(tx, (notice,))


def of(entity: Entity, *, cursor: int) -> Notice:
    """The notice of a change whose delta stands at a place of the ledger."""
    return Notice(
        cursor=cursor,
        entity_uuid=entity.uuid,
        entity_type=entity.type,
        old_hash=entity.previous_hash,
        new_hash=entity.hash,
        version=entity.version,
        changed_at=entity.updated_at,
    )


def write(tx: Tx, notices: Iterable[Notice]) -> None:
    """Write notices, in the transaction that makes the changes."""
    tx.executemany(_INSERT, map(_row, notices))


def _row(notice: Notice) -> dict[str, Any]:
    return {
        "id": notice.cursor,
        "uuid": notice.entity_uuid,
        "type": notice.entity_type,
        "old": notice.old_hash,
        "new": notice.new_hash,
        "version": notice.version,
        "at": notice.changed_at,
    }
