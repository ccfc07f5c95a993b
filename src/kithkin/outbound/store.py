"""Approvals' tables: standing rules are entities; the outbox is an ordinary queue beside them."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

import msgspec

from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.ids import ItemId, QuestionId, RuleId, new_entity_id
from kithkin.outbound.model import Rule, Sending, Target

RULE: Final = "rule"
_targets: Final = msgspec.json.Decoder(tuple[Target, ...])


def new_rule_id() -> RuleId:
    """A fresh id for a standing rule."""
    return RuleId(new_entity_id())


def get_rule(tx: Tx, rule: str) -> Rule:
    """The standing rule of that id."""
    entity = core.get(tx, rule) if core.exists(tx, rule) else None
    if entity is None or entity.type != RULE:
        raise NotFound(f"There is no rule {rule}. `kithkin rules list` lists them.")
    return msgspec.convert({**core.require_data(entity), "id": rule}, Rule)


def rules_for(tx: Tx, tool: str) -> list[Rule]:
    """The active rules for a tool."""
    rows = tx.execute(
        "SELECT rule FROM rule_lookup WHERE tool = :tool AND active = 1", {"tool": tool}
    )
    return [get_rule(tx, row[0]) for row in rows.fetchall()]


def all_rules(tx: Tx) -> list[Rule]:
    """Every standing rule, oldest first."""
    rows = tx.execute(
        "SELECT r.rule FROM rule_lookup r JOIN entity e ON e.uuid = r.rule"
        " ORDER BY e.created_at, e.uuid",
        {},
    )
    return [get_rule(tx, row[0]) for row in rows.fetchall()]


def save_rule(tx: Tx, rule: Rule, *, by: By) -> Rule:
    """The rule as it is now."""
    data: dict[str, Any] = msgspec.to_builtins(rule)
    del data["id"]
    core.save(tx, RULE, rule.id, data, by=by)
    return rule


def enqueue(
    tx: Tx,
    *,
    key: str,
    channel: str,
    call: ItemId,
    targets: Sequence[Target],
    decision: ItemId,
    question: QuestionId | None,
    now: str,
) -> Sending:
    """A new row of the outbox, due at once."""
    sending = Sending(
        id=f"sending_{uuid4()}",
        key=key,
        channel=channel,
        call=call,
        targets=tuple(targets),
        decision=decision,
        question=question,
        state="due",
        attempts=0,
        due_at=now,
        created_at=now,
    )
    tx.execute(
        "INSERT INTO outbox (id, key, channel, call, targets, decision, question, state, attempts,"
        " due_at, created_at) VALUES (:id, :key, :channel, :call, :targets, :decision, :question,"
        " 'due', 0, :now, :now)",
        {
            "id": sending.id,
            "key": key,
            "channel": channel,
            "call": call,
            "targets": msgspec.json.encode(sending.targets).decode(),
            "decision": decision,
            "question": question,
            "now": now,
        },
    )
    return sending


def get_sending(tx: Tx, sending: str) -> Sending:
    """A row of the outbox."""
    found = _sendings(tx.execute(f"{_SELECT} WHERE id = :id", {"id": sending}))
    if not found:
        raise NotFound(f"There is no sending {sending}. `kithkin outbox list` lists them.")
    return found[0]


def sendings(tx: Tx, *, state: str | None, limit: int) -> list[Sending]:
    """The newest rows of the outbox."""
    return _sendings(
        tx.execute(
            f"{_SELECT} WHERE (CAST(:state AS TEXT) IS NULL OR state = :state)"
            " ORDER BY created_at DESC, id LIMIT :limit",
            {"state": state, "limit": limit},
        )
    )


def due(tx: Tx, *, now: str, limit: int) -> list[Sending]:
    """What is to be sent now and nobody else is sending."""
    return _sendings(
        tx.execute(
            f"{_SELECT} WHERE state = 'due' AND due_at <= :now"
            " AND (leased_until IS NULL OR leased_until <= :now) ORDER BY due_at, id LIMIT :limit",
            {"now": now, "limit": limit},
        )
    )


def lease(tx: Tx, sending: Sending, *, until: str) -> None:
    """Keep others from sending it until then; whoever dies meanwhile loses only the lease."""
    tx.execute(
        "UPDATE outbox SET leased_until = :until, attempts = attempts + 1 WHERE id = :id",
        {"until": until, "id": sending.id},
    )


def settle(
    tx: Tx, sending: str, *, state: str, now: str, result: str | None = None, error: str | None
) -> None:
    """What came of a sending: sent, or failed for good."""
    tx.execute(
        "UPDATE outbox SET state = :state, done_at = :now, leased_until = NULL, result = :result,"
        " error = :error WHERE id = :id AND state = 'due'",
        {"state": state, "now": now, "result": result, "error": error, "id": sending},
    )


def postpone(tx: Tx, sending: str, *, due_at: str, error: str | None) -> None:
    """Send it again at a later time; a failed one becomes due again."""
    tx.execute(
        "UPDATE outbox SET state = 'due', due_at = :due_at, leased_until = NULL, done_at = NULL,"
        " error = :error WHERE id = :id AND state <> 'sent'",
        {"due_at": due_at, "error": error, "id": sending},
    )


def forget_contact(tx: Tx, contact: str) -> list[ItemId]:
    """Take everything out of the outbox that was for a contact; the calls it was to carry out."""
    named = {"named": f"%{contact}%"}
    rows = tx.execute("SELECT call FROM outbox WHERE targets LIKE :named", named).fetchall()
    tx.execute("DELETE FROM outbox WHERE targets LIKE :named", named)
    return [ItemId(row[0]) for row in rows]


_SELECT: Final = (
    "SELECT id, key, channel, call, targets, decision, question, state, attempts, due_at,"
    " created_at, leased_until, result, error, done_at FROM outbox"
)


def _sendings(rows: Any) -> list[Sending]:
    return [_sending(*row) for row in rows.fetchall()]


def _sending(*values: Any) -> Sending:
    fields = dict(zip(Sending.__struct_fields__, values, strict=True))
    return Sending(**{**fields, "targets": _targets.decode(fields["targets"])})


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        tx.execute("DELETE FROM rule_lookup WHERE rule = :rule", {"rule": after.uuid})
    if after.data is not None:
        tx.execute(
            "INSERT INTO rule_lookup (rule, tool, active) VALUES (:rule, :tool, :active)",
            {
                "rule": after.uuid,
                "tool": after.data["tool"],
                "active": int(after.data.get("active", True)),
            },
        )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM rule_lookup", {})


lookup_rows.register(
    RULE, lookup_rows.Projection(commands="`kithkin rules`", project=_project, clear=_clear)
)
