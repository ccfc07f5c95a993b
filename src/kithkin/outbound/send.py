"""Everything that would leave passes here: what the gate says, what is asked, what is queued."""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kithkin.accounts import agents
from kithkin.accounts.model import Reply
from kithkin.accounts.replies import reply_to
from kithkin.canonical import canonical, sha256
from kithkin.clock import moment, stamp
from kithkin.config import Config
from kithkin.contacts.preamble import spoken
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, Lapsed, Refused
from kithkin.ids import AccountId, ItemId, QuestionId
from kithkin.outbound import gate
from kithkin.outbound import store as approvals
from kithkin.outbound.model import Action, Approved, Call, Decision, NeedsHuman, Rule, Target
from kithkin.outbound.targets import targets_of
from kithkin.outbound.tools import (
    BUILT_IN,
    FORMER_NAMES,
    Tool,
    channel_of,
    require_clear,
    tool_named,
    undeclared,
)
from kithkin.questions import ask, owner_notice
from kithkin.questions import store as questions
from kithkin.questions.answers import code_of, how_to_answer
from kithkin.questions.model import Question
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.soil import store as soil
from kithkin.soil.content import content_of
from kithkin.soil.model import SystemEvent, ToolCall

_log = logging.getLogger(__name__)
_MOST_OPEN = 1000
_NO_FOR = timedelta(days=1)
"""How long a no stands before the same may be asked again."""


class Queued(Struct, frozen=True, tag=True):
    """It may leave, and waits in the outbox."""

    sending: str
    why: str


class Waits(Struct, frozen=True, tag=True):
    """A human decides: the question is open."""

    question: QuestionId
    why: str


Outcome = Queued | Waits
Pin = list[str | None]
"""One target as it was asked about: argument, channel, recipient, contact, chat."""


class Request(Struct, frozen=True):
    """A call that would leave: for which account, why, and the message that led to it."""

    call: Call
    account: AccountId | None = None
    because_of: str | None = None
    reason: str | None = None


def act(db: Database, request: Request, *, config: Config, by: By) -> Outcome:
    """Let a call out, or ask. The same call asked again while it waits is one question."""
    request = replace(request, call=_under_its_name(request.call))
    call = request.call
    require_clear(call, tool_of(call, config))
    with db.transaction() as tx:
        action = _action(tx, call, config)
        _require_one_channel(action)
        reply = _reply(tx, request, by=by)
        decision = gate.decide(action, rules=_rules(tx, request), reply=reply, now=by.now)
        if isinstance(decision, Approved) and _names_a_question(tx, call):
            decision = NeedsHuman(action, "it holds the code of an open question")
        if isinstance(decision, NeedsHuman) or not _sendable(action):
            return _ask(tx, decision, request, config=config, by=by)
        _count_use(tx, decision, by=by)
        item = _record(tx, call, request, by=by)
        return _let_out(tx, decision, item, question=None, config=config, by=by)


def tool_of(call: Call, config: Config) -> Tool:
    """The tool a call uses: built in, the owner's own, or one that nobody listed."""
    own = config.tools.get(call.tool)
    if own is None:
        return tool_named(call.tool, BUILT_IN)
    return Tool(call.tool, own.channel, own.text, own.arguments, own.risky)


def approve(tx: Tx, question: Question, *, config: Config, by: By) -> Queued:
    """Let out what a human approved: that very call, to those very people, or nothing."""
    item = soil.get(tx, question.details["call"])
    action = _action(tx, call_in(tx, item.uuid), config)
    if not _sendable(action):
        raise InvalidInput(f"{_no_address(action)}, then answer again.")
    if not _as_asked(question.details["reaches"], _pinned(action.targets)):
        raise Lapsed(
            "Whom this would reach has changed since it was asked, so it is not sent: "
            "reject it, and let the agent ask again."
        )
    decision = gate.approve(action, by=by.actor)
    return _let_out(tx, decision, item.uuid, question=question.id, config=config, by=by)


def _tell_owner(tx: Tx, question: Question, config: Config, by: By) -> None:
    """Tell the owner that there is a question, where they can be reached.

    The one path of notices. It never asks anything itself: an owner without an address finds the
    question in the queue.
    """
    text = f"{question.text}\n{how_to_answer(question)}"
    call = Call("notify", {"message": text, "question": question.id})
    action = _action(tx, call, config)
    decision = gate.decide(action, rules=(), reply=None, now=by.now)
    if isinstance(decision, Approved) and _sendable(action):
        request = Request(call, reason="a question to the owner")
        item = _record(tx, call, request, by=by)
        _let_out(tx, decision, item, question=None, config=config, by=by)
        questions.save(tx, replace(question, notice=item), by=by)


def _action(tx: Tx, call: Call, config: Config) -> Action:
    tool = tool_of(call, config)
    return Action(call, targets_of(tx, call, tool), undeclared(call, tool))


def _require_one_channel(action: Action) -> None:
    channels = {target.channel for target in action.targets if target.recipient and target.channel}
    if len(channels) > 1:
        raise InvalidInput(
            f"It would leave by {' and '.join(sorted(channels))}: make a call for each."
        )
    if action.targets and not _sendable(action) and all(t.is_owner for t in action.targets):
        raise Refused(
            "The owner cannot be told anything yet: `kithkin owner setup` says where they are."
        )


def _names_a_question(tx: Tx, call: Call) -> bool:
    """Whether a call would put an open question's code before somebody, in words of its own."""
    said = canonical(dict(call.arguments)).casefold()
    open_ones = questions.listed(tx, state="open", kind=None, audience=None, limit=_MOST_OPEN)
    return any(code_of(question) in said for question in open_ones)


def call_in(tx: Tx, item: str) -> Call:
    """The exact call that an item records."""
    call = content_of(soil.get(tx, item))
    if not isinstance(call, ToolCall):
        raise InvalidInput(f"{item} is no call of a tool.")
    return Call(call.tool, call.params)


def arguments(db: Database, item: str) -> Mapping[str, Any]:
    """The exact arguments of a call."""
    with db.snapshot() as tx:
        return call_in(tx, item).arguments


def _under_its_name(call: Call) -> Call:
    name = FORMER_NAMES.get(call.tool)
    if name is None:
        return call
    _log.warning("The tool %s is called %s now; the old name goes away.", call.tool, name)
    return Call(name, call.arguments)


def _reply(tx: Tx, request: Request, *, by: By) -> Reply | None:
    if request.because_of is None:
        return None
    return reply_to(tx, request.because_of, account=request.account, now=by.now)


def _rules(tx: Tx, request: Request) -> list[Rule]:
    """The owner's standing rules, which speak for the owner's own agents alone."""
    if request.account not in (None, agents.owner_account(tx).id):
        return []
    return approvals.rules_for(tx, request.call.tool)


def _count_use(tx: Tx, decision: Approved, *, by: By) -> None:
    if decision.rule:
        rule = approvals.get_rule(tx, decision.rule)
        approvals.save_rule(tx, replace(rule, uses=rule.uses + 1), by=by)


def _record(tx: Tx, call: Call, request: Request, *, by: By) -> ItemId:
    """The call as an item: its exact arguments stand there and nowhere else."""
    content = ToolCall(
        tool=call.tool,
        operation="send",
        params=call.arguments,
        caller=by.actor,
        context=request.because_of,
    )
    item = soil.append(tx, content, now=by.now)
    if request.because_of:
        cause = End(soil.get(tx, request.because_of).uuid, "item")
        effect = End(item.uuid, "item")
        relations.relate(tx, KINDS["triggers"], source=cause, target=effect, by=by)
    return item.uuid


def _let_out(
    tx: Tx,
    decision: Approved,
    call: ItemId,
    *,
    question: QuestionId | None,
    config: Config,
    by: By,
) -> Queued:
    """The decision, its reason and the outbox row, together."""
    audited = audit(tx, decision, call, question, by=by)
    action = decision.action
    tool = tool_of(action.call, config)
    # A tool that names nobody is approved for what it does: its own channel decides.
    reached = action.targets[0].channel if action.targets else None
    channel = channel_of(action.call, tool) or reached or tool.name
    sending = approvals.enqueue(
        tx,
        # Of a question there is one sending, whoever approves it how often.
        key=question or call,
        channel=channel,
        call=call,
        targets=action.targets,
        decision=audited,
        question=question,
        now=by.now,
    )
    return Queued(sending.id, decision.why)


def _ask(tx: Tx, decision: Decision, request: Request, *, config: Config, by: By) -> Waits:
    action = decision.action
    why = decision.why if _sendable(action) else _no_address(action)
    dedup = _dedup(action.call, request)
    _require_not_refused(tx, dedup, by=by)
    known = questions.asked(tx, dedup)
    call = known.details["call"] if known else _record(tx, action.call, request, by=by)
    question = Question(
        id=questions.new_id(),
        kind="approval",
        text=_told(action, why, request, by=by),
        options=("approve", "reject"),
        dedup=dedup,
        asked_at=by.now,
        asked_after=0,
        subject=call,
        sources=(request.because_of,) if request.because_of else (),
        details=_dossier(action, request, call, why, by=by),
    )
    expires = timedelta(hours=config.approvals.expires_hours)
    asked, is_new = ask.ask(tx, question, by=by, expires=expires)
    if is_new:
        audit(tx, NeedsHuman(action, why), call, asked.id, by=by)
        owner_notice.tell_owner(tx, asked, config=config, by=by)
    return Waits(asked.id, why)


def _require_not_refused(tx: Tx, dedup: str, *, by: By) -> None:
    last = questions.last_answered(tx, dedup)
    if last is None or last.answer != "reject" or last.answered_at is None:
        return
    until = moment(last.answered_at) + _NO_FOR
    if moment(by.now) < until:
        raise Refused(f"The owner said no to this. Ask again after {stamp(until)[:16]}.")


def _dedup(call: Call, request: Request) -> str:
    same = [call.tool, dict(call.arguments), request.account]
    return f"approval:{sha256(canonical(same))}"


def _dossier(
    action: Action, request: Request, call: ItemId, why: str, *, by: By
) -> Mapping[str, Any]:
    """Who asks, in which conversation, why, and whom it would reach; the item says what."""
    return {
        "call": call,
        "tool": action.call.tool,
        "asked_by": by.actor,
        "account": request.account,
        "because_of": request.because_of,
        "reason": request.reason,
        "why_asked": why,
        "reaches": _pinned(action.targets),
        "names": [target.told for target in action.targets],
    }


def _told(action: Action, why: str, request: Request, *, by: By) -> str:
    reason = f" Reason given: {spoken(request.reason)}." if request.reason else ""
    return f"{by.actor} wants to use {spoken(action.call.tool)}: {why}.{reason}"


def _sendable(action: Action) -> bool:
    return all(target.recipient is not None for target in action.targets)


def _pinned(targets: tuple[Target, ...]) -> list[Pin]:
    pins = [[t.argument, t.channel, t.recipient, t.contact, _there(t)] for t in targets]
    # In an order of their own: a call comes back from the ledger with its arguments sorted.
    return sorted(pins, key=str)


def _there(target: Target) -> str | None:
    """The chat as it was: whoever has joined since was not approved."""
    return f"{target.chat} {target.chat_version}" if target.chat else None


def _as_asked(asked: list[Pin], now: list[Pin]) -> bool:
    """Whether it reaches whom it would have reached; adding a missing address was asked for."""
    if len(asked) != len(now):
        return False
    return all(
        (before[0], *before[3:]) == (after[0], *after[3:])
        and (before[2] is None or before == after)
        for before, after in zip(asked, now, strict=True)
    )


def _no_address(action: Action) -> str:
    target = next(target for target in action.targets if target.recipient is None)
    if target.contact is None:
        return f"{target.value!r} ({target.argument}) is no address"
    channel = target.channel or "channel"
    return (
        f"Cannot deliver {channel} notification to {target.name} — no {channel} identifier on "
        f"file. Add it with `kithkin contacts address add {target.contact} {channel} VALUE`"
    )


def audit(
    tx: Tx, decision: Decision, call: ItemId, question: QuestionId | None, *, by: By
) -> ItemId:
    """What the gate said of a call, and why, as an item."""
    payload = {
        "call": call,
        "tool": decision.action.call.tool,
        "decision": "approved" if isinstance(decision, Approved) else "ask",
        "why": decision.why,
        "reaches": [target.contact or target.chat for target in decision.action.targets],
        "rule": decision.rule if isinstance(decision, Approved) else None,
        "question": question,
        "actor": by.actor,
    }
    return soil.append(tx, SystemEvent(event_type="gate", payload=payload), now=by.now).uuid


owner_notice.register_teller(_tell_owner)
