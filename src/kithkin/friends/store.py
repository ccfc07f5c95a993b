"""Friends' tables: each pair an entity with one row in `connections`; uses are counted beside."""

from typing import Any, Final

import msgspec

from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.disclosure import ownership
from kithkin.errors import NotFound
from kithkin.friends import handshake
from kithkin.friends.handshake import sort_pair
from kithkin.friends.limits import Use, window
from kithkin.friends.model import Pair
from kithkin.ids import AccountId, PairId, new_entity_id

PAIR: Final = "pair"


def find(tx: Tx, one: AccountId, other: AccountId) -> Pair | None:
    """The two as they stand, whichever is named first; None if they never had to do."""
    a, b = sort_pair(one, other)
    row = tx.execute(
        "SELECT pair FROM connections WHERE user_a_id = :a AND user_b_id = :b", {"a": a, "b": b}
    ).fetchone()
    return _pair(core.get(tx, row[0])) if row else None


def find_friends(tx: Tx, account: AccountId) -> list[Pair]:
    """Everybody with whom an account is friends."""
    rows = tx.execute(
        "SELECT pair FROM connections WHERE user_a_id = :account"
        " AND requested_a = 1 AND requested_b = 1 AND ended_by IS NULL"
        " UNION ALL SELECT pair FROM connections WHERE user_b_id = :account"
        " AND requested_a = 1 AND requested_b = 1 AND ended_by IS NULL",
        {"account": account},
    )
    return [_pair(core.get(tx, row[0])) for row in rows.fetchall()]


def of_account(tx: Tx, account: AccountId) -> list[Pair]:
    """Everybody an account ever had to do with."""
    rows = tx.execute(
        "SELECT pair FROM connections WHERE user_a_id = :account"
        " UNION ALL SELECT pair FROM connections WHERE user_b_id = :account",
        {"account": account},
    )
    return [_pair(core.get(tx, row[0])) for row in rows.fetchall()]


def upsert_request(tx: Tx, requester: AccountId, target: AccountId, *, by: By) -> Pair:
    """Set the requester's side to 1 as of now; the pair is made if there is none."""
    pair = find(tx, requester, target) or _new(requester, target)
    return save(tx, handshake.asked(pair, requester, now=by.now), by=by)


def clear_side(
    tx: Tx, account: AccountId, other: AccountId, *, cooldown_until: str | None = None, by: By
) -> Pair:
    """Set an account's side to 0 and keep its time, for the cooldown."""
    pair = _known(tx, account, other)
    return save(tx, handshake.cleared(pair, account, cooldown_until=cooldown_until), by=by)


def part(tx: Tx, account: AccountId, other: AccountId, *, by: By) -> Pair:
    """End a friendship: the account's own side to 0, and that it was they who ended it."""
    pair = _known(tx, account, other)
    return save(tx, handshake.parted(pair, account, now=by.now), by=by)


def set_block(tx: Tx, account: AccountId, other: AccountId, *, blocks: bool, by: By) -> Pair:
    """Whether an account takes anything from the other."""
    pair = find(tx, account, other) or _new(account, other)
    return save(tx, handshake.blocking(pair, account, blocks=blocks), by=by)


def save(tx: Tx, pair: Pair, *, by: By) -> Pair:
    """The pair as it is now."""
    data: dict[str, Any] = msgspec.to_builtins(pair)
    del data["id"]
    core.save(tx, PAIR, pair.id, data, by=by)
    return pair


def nth_last_use(
    tx: Tx, account: AccountId, use: Use, nth: int, *, other: AccountId | None
) -> str | None:
    """When an account asked or wrote for the nth time, counted backwards; in all, or to one."""
    if other is None:
        rows = tx.execute(
            "SELECT at FROM friend_use WHERE account = :account AND use = :use"
            " ORDER BY at DESC LIMIT 1 OFFSET :before",
            {"account": account, "use": use, "before": nth - 1},
        )
    else:
        rows = tx.execute(
            "SELECT at FROM friend_use WHERE account = :account AND other = :other AND use = :use"
            " ORDER BY at DESC LIMIT 1 OFFSET :before",
            {"account": account, "other": other, "use": use, "before": nth - 1},
        )
    row = rows.fetchone()
    return row[0] if row else None


def count_use(tx: Tx, account: AccountId, use: Use, *, other: AccountId, now: str) -> None:
    """Remember that an account asked or wrote; what no limit looks at any more goes."""
    tx.execute(
        "DELETE FROM friend_use WHERE account = :account AND use = :use AND at <= :since",
        {"account": account, "use": use, "since": window(use, now)},
    )
    tx.execute(
        "INSERT INTO friend_use (account, use, at, other) VALUES (:account, :use, :at, :other)",
        {"account": account, "use": use, "at": now, "other": other},
    )


def _known(tx: Tx, one: AccountId, other: AccountId) -> Pair:
    pair = find(tx, one, other)
    if pair is None:
        raise NotFound(f"{one} and {other} never had to do with each other.")
    return pair


def _new(one: AccountId, other: AccountId) -> Pair:
    return Pair(PairId(new_entity_id()), *sort_pair(one, other))


def _pair(entity: Entity) -> Pair:
    return msgspec.convert({**core.require_data(entity), "id": entity.uuid}, Pair)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        tx.execute("DELETE FROM connections WHERE pair = :pair", {"pair": after.uuid})
    if after.data is None:
        return
    pair = _pair(after)
    tx.execute(
        "INSERT INTO connections (user_a_id, user_b_id, requested_a, requested_b, requested_a_at,"
        " requested_b_at, cooldown_until_a, cooldown_until_b, ended_by, blocked_by_a, blocked_by_b,"
        " pair) VALUES (:a, :b, :requested_a, :requested_b, :requested_a_at, :requested_b_at,"
        " :cooldown_until_a, :cooldown_until_b, :ended_by, :blocked_by_a, :blocked_by_b, :pair)",
        {
            "a": pair.user_a_id,
            "b": pair.user_b_id,
            "requested_a": int(pair.a.requested),
            "requested_b": int(pair.b.requested),
            "requested_a_at": pair.a.requested_at,
            "requested_b_at": pair.b.requested_at,
            "cooldown_until_a": pair.a.cooldown_until,
            "cooldown_until_b": pair.b.cooldown_until,
            "ended_by": pair.ended_by,
            "blocked_by_a": int(pair.a.blocks),
            "blocked_by_b": int(pair.b.blocks),
            "pair": pair.id,
        },
    )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM connections", {})


lookup_rows.register(
    PAIR, lookup_rows.Projection(commands="`kithkin friend`", project=_project, clear=_clear)
)
# Who was rejected or blocked is not told.
ownership.register_as_nobodys(PAIR)
