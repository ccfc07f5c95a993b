"""The owner's standing rules: made, taken back, and brought along from elsewhere."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment, stamp
from kithkin.config import Config
from kithkin.contacts.addresses import normalised
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.errors import InvalidInput
from kithkin.outbound import store as approvals
from kithkin.outbound.model import Anything, Call, Constraint, Exactly, Matching, Rule
from kithkin.outbound.rule_matching import require_sound
from kithkin.outbound.send import tool_of
from kithkin.outbound.tools import FORMER_NAMES, TARGETS, Tool


class Draft(Struct, frozen=True):
    """A rule to be: which tool, with which arguments, for how long and how often."""

    tool: str
    constraints: Mapping[str, Constraint]
    reason: str | None = None
    expires_at: datetime | None = None
    max_uses: int | None = None
    active: bool = True


def add(db: Database, draft: Draft, *, config: Config, by: By) -> Rule:
    """A standing rule. One that is malformed or too wide is refused, and never matches."""
    tool = tool_of(Call(draft.tool, {}), config)
    named = {name.strip().casefold(): one for name, one in draft.constraints.items()}
    constraints = {name: _as_compared(name, one, tool) for name, one in named.items()}
    require_sound(tool, constraints, draft.max_uses)
    rule = Rule(
        id=approvals.new_rule_id(),
        tool=draft.tool,
        constraints=constraints,
        made_at=by.now,
        reason=draft.reason,
        expires_at=stamp(draft.expires_at) if draft.expires_at else None,
        max_uses=draft.max_uses,
        active=draft.active,
    )
    with db.transaction() as tx:
        return approvals.save_rule(tx, rule, by=by)


def _as_compared(name: str, constraint: Constraint, tool: Tool) -> Constraint:
    """An address as the gate compares it: in the one way it is written."""
    if not isinstance(constraint, Exactly) or name not in TARGETS or tool.channel is None:
        return constraint
    try:
        return Exactly(normalised(tool.channel, str(constraint.value)).value)
    except InvalidInput:
        return constraint


def remove(db: Database, rule: str, *, by: By) -> Rule:
    """Take a rule back; it stays in the history and lets nothing out any more."""
    with db.transaction() as tx:
        return approvals.save_rule(tx, replace(approvals.get_rule(tx, rule), active=False), by=by)


def listed(db: Database) -> list[Rule]:
    """Every standing rule, oldest first."""
    with db.snapshot() as tx:
        return approvals.all_rules(tx)


def import_file(db: Database, file: Path, *, config: Config, by: By) -> list[Rule]:
    """Take in rules of an older installation, under the tools' present names.

    A rule for `bot_X` would gain the authority of `user_X` where both were known: it comes along
    switched off.
    """
    read = [_draft(one) for one in _objects(file)]
    taken = {FORMER_NAMES.get(one.tool, one.tool) for one in read if not _was_bots(one.tool)}
    with db.transaction():
        taken |= {rule.tool for rule in listed(db) if rule.active}
        return [
            add(db, _renamed(one, collides=_modern(one.tool) in taken), config=config, by=by)
            for one in read
        ]


def read_constraint(text: str) -> tuple[str, Constraint]:
    """`to=*@example.com` is a pattern, `to=any` anything, `to=sarah@example.com` that value."""
    name, mark, value = text.partition("=")
    if not mark or not name.strip():
        raise InvalidInput(f"{text!r} is no constraint: write ARGUMENT=VALUE, PATTERN or any.")
    if value.strip().casefold() in ("any", "*"):
        return name, Anything()
    return name, Matching(value) if "*" in value else Exactly(value)


def _was_bots(tool: str) -> bool:
    return tool in FORMER_NAMES and tool != f"user_{FORMER_NAMES[tool]}"


def _modern(tool: str) -> str:
    return FORMER_NAMES.get(tool, tool)


def _renamed(draft: Draft, *, collides: bool) -> Draft:
    off = _was_bots(draft.tool) and collides
    return replace(draft, tool=_modern(draft.tool), active=draft.active and not off)


def _objects(file: Path) -> list[dict[str, Any]]:
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read as JSON: {error}.") from error
    if not isinstance(read, list) or not all(isinstance(one, dict) for one in read):
        raise InvalidInput(f"{file} must be a list of rules.")
    return read


def _draft(one: Mapping[str, Any]) -> Draft:
    tool = one.get("tool_name") or one.get("tool")
    if not isinstance(tool, str):
        raise InvalidInput(f"A rule has no tool_name: {sorted(one)}.")
    expires = one.get("expires_at")
    return Draft(
        tool=tool,
        constraints={
            name: _constraint(value)
            for name, value in (one.get("arg_constraints") or one.get("constraints") or {}).items()
        },
        reason=one.get("description") or one.get("reason"),
        expires_at=moment(expires) if expires else None,
        max_uses=one.get("max_uses"),
        active=bool(one.get("active", True)),
    )


def _constraint(value: Any) -> Constraint:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "exact":
        return Exactly(value.get("value"))
    if kind == "pattern":
        return Matching(str(value.get("pattern") or value.get("value")))
    if kind == "any" or value in ("*", "any"):
        return Anything()
    if isinstance(value, dict):
        raise InvalidInput(f"{value!r} is no constraint: its type is exact, pattern or any.")
    return Exactly(value)
