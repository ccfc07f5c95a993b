"""Standing rules: which call one lets out, which of several decides, which may be made."""

from collections.abc import Iterable, Mapping
from typing import Any

from kithkin.errors import InvalidInput
from kithkin.outbound.model import Action, Anything, Constraint, Exactly, Matching, Rule
from kithkin.outbound.tools import Tool


def matching(action: Action, rules: Iterable[Rule], *, now: str) -> Rule | None:
    """The rule that lets an action out: the most specific, then a bounded one, then the newest."""
    fitting = [rule for rule in rules if is_live(rule, now=now) and covers(rule, action)]
    return max(fitting, key=_precedence, default=None)


def is_live(rule: Rule, *, now: str) -> bool:
    """Whether a rule still speaks."""
    in_time = rule.expires_at is None or rule.expires_at > now
    return rule.active and in_time and (rule.max_uses is None or rule.uses < rule.max_uses)


def covers(rule: Rule, action: Action) -> bool:
    """Whether the rule lets this call out. Somebody reached whom it does not name: no."""
    if rule.tool != action.call.tool:
        return False
    reached: dict[str, list[str]] = {}
    for target in action.targets:
        reached.setdefault(target.argument, []).append(target.value)
    if not {*reached, *action.undeclared} <= rule.constraints.keys():
        return False
    return all(
        _all_hold(constraint, reached.get(name) or [action.call.arguments.get(name)])
        for name, constraint in rule.constraints.items()
    )


def _all_hold(constraint: Constraint, values: Iterable[Any]) -> bool:
    return all(_holds(constraint, value) for value in values)


def _holds(constraint: Constraint, value: Any) -> bool:
    match constraint:
        case Exactly(value=wanted):
            return type(value) is type(wanted) and bool(value == wanted)
        case Matching(pattern=pattern):
            return isinstance(value, str) and _fits(pattern.casefold(), value.casefold())
        case Anything():
            return True


def _fits(pattern: str, value: str) -> bool:
    """Whether a value is the pattern, with any text for each `*`; in time that does not explode."""
    first, *middle = pattern.split("*")
    if not middle:
        return value == first
    last = middle.pop()
    if not value.startswith(first) or len(value) < len(first) + len(last):
        return False
    at, end = len(first), len(value) - len(last)
    for part in middle:
        found = value.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return value.endswith(last)


def _precedence(rule: Rule) -> tuple[int, int, bool, str, str]:
    kinds = [type(constraint) for constraint in rule.constraints.values()]
    bounded = rule.expires_at is not None or rule.max_uses is not None
    return kinds.count(Exactly), kinds.count(Matching), bounded, rule.made_at, rule.id


def require_sound(tool: Tool, constraints: Mapping[str, Constraint], max_uses: int | None) -> None:
    """Refuse a rule that is malformed, or too wide for a risky tool."""
    for name, constraint in constraints.items():
        if not name.strip():
            raise InvalidInput("A constraint names an argument, such as to=*@example.com.")
        if isinstance(constraint, Matching) and not constraint.pattern.strip("* "):
            raise InvalidInput(
                f"{name}={constraint.pattern!r} matches everything: say any instead."
            )
        if isinstance(constraint, Exactly) and constraint.value in ("", None):
            raise InvalidInput(f"{name} is to be exactly nothing: give it a value.")
    if max_uses is not None and max_uses < 1:
        raise InvalidInput("A rule is used at least once: --max-uses 1 or more.")
    if tool.risky and all(isinstance(one, Anything) for one in constraints.values()):
        raise InvalidInput(
            f"{tool.name} sends things out: a rule for it pins at least one argument, "
            "such as to=sarah@example.com."
        )
