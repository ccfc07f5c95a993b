"""The one gate: what may leave without a human's word. What it cannot decide, a human does."""

from collections.abc import Collection, Iterable
from typing import Final

from kithkin.approvals.model import Action, Approved, Decision, NeedsHuman, Reply, Rule
from kithkin.approvals.rules import matching
from kithkin.ids import FRIEND, ContactId

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
    if not action.targets:
        return NeedsHuman(action, "it names nobody it would reach")
    built_in = _built_in(action, reply, friends)
    if built_in is not None:
        return Approved(action, built_in)
    rule = matching(action, rules, now=now)
    if rule is not None:
        return Approved(action, f"the standing rule {rule.id}", rule.id)
    lost = [target for target in action.targets if not target.resolved]
    if lost:
        return NeedsHuman(action, f"nobody known is {lost[0].value!r} ({lost[0].argument})")
    strangers = sorted({target.name for target in action.targets if not target.is_owner})
    return NeedsHuman(action, f"it would reach {', '.join(strangers)}")


def approve(action: Action, *, by: str) -> Approved:
    """A human's word that this very action may leave."""
    return Approved(action, f"approved by {by}")


def _built_in(action: Action, reply: Reply | None, friends: Collection[ContactId]) -> str | None:
    """Why an action needs no rule and no human; None when it does."""
    if all(target.channel == FRIEND and target.contact in friends for target in action.targets):
        return "a message between friends"
    if all(target.is_owner and target.resolved for target in action.targets):
        return "everybody it reaches is the owner"
    if reply and _answers(action, reply):
        return f"a reply to the verified sender of {reply.item}"
    return None


def _answers(action: Action, reply: Reply) -> bool:
    if not reply.verified or not 0 <= reply.age_seconds <= REPLY_SECONDS:
        return False
    return all(
        target.channel == reply.channel
        and (
            (target.chat is not None and target.chat == reply.chat)
            or (target.contact is not None and target.contact == reply.contact)
        )
        for target in action.targets
    )
