"""The one gate: what may leave without a human's word. What it cannot decide, a human does."""

from collections.abc import Collection, Iterable
from typing import Final

from kithkin.accounts.model import Reply
from kithkin.ids import FRIEND, ContactId
from kithkin.outbound.model import Action, Approved, Decision, NeedsHuman, Rule
from kithkin.outbound.rule_matching import matching

REPLY_SECONDS: Final = 24 * 3600
"""How long a message may be answered without asking."""


def decide(
    action: Action,
    *,
    rules: Iterable[Rule],
    reply: Reply | None,
    friends: Collection[ContactId] = (),
    now: str,
) -> Decision:
    """Whether an action may leave. The target decides, and all of them."""
    built_in = _built_in(action, reply, friends)
    if built_in is not None:
        return Approved(action, built_in)
    rule = matching(action, rules, now=now) if action.targets else None
    if rule is not None:
        return Approved(action, f"the standing rule {rule.id}", rule.id)
    return NeedsHuman(action, _why_asked(action))


def approve(action: Action, *, by: str) -> Approved:
    """A human's word that this very action may leave."""
    return Approved(action, f"approved by {by}")


def _built_in(action: Action, reply: Reply | None, friends: Collection[ContactId]) -> str | None:
    """Why an action needs no rule and no human; None when it does."""
    if not action.targets or action.undeclared:
        return None
    if all(target.channel == FRIEND and target.contact in friends for target in action.targets):
        return "a message between friends"
    if all(target.is_owner and target.resolved for target in action.targets):
        return "everybody it reaches is the owner"
    if reply and _answers(action, reply):
        return f"a reply to the verified sender of {reply.item}"
    return None


def _why_asked(action: Action) -> str:
    if not action.targets:
        return "it names nobody it would reach"
    if action.undeclared:
        return f"nobody has said what {', '.join(action.undeclared)} does"
    lost = [target for target in action.targets if not target.resolved]
    if lost:
        return f"nobody known is {lost[0].told}"
    strangers = sorted({target.told for target in action.targets if not target.is_owner})
    return f"it would reach {', '.join(strangers)}"


def _answers(action: Action, reply: Reply) -> bool:
    if not reply.verified or not 0 <= reply.age_seconds <= REPLY_SECONDS:
        return False
    return all(
        target.channel == reply.channel
        and (
            (target.chat is not None and target.chat == reply.chat)
            or (target.contact == reply.contact and target.recipient == reply.address)
        )
        for target in action.targets
    )
