"""What may leave without a human's word."""

import pytest
from msgspec.structs import replace

from kithkin.accounts.model import Reply
from kithkin.errors import InvalidInput
from kithkin.ids import ChatId, ContactId, ItemId, PersonId, RuleId
from kithkin.outbound.gate import REPLY_SECONDS, decide
from kithkin.outbound.model import (
    Action,
    Anything,
    Approved,
    Call,
    Constraint,
    Exactly,
    Matching,
    NeedsHuman,
    Rule,
    Target,
)
from kithkin.outbound.rule_matching import matching, require_sound
from kithkin.outbound.tools import BUILT_IN, FORMER_NAMES, Tool, aims, tool_named

NOW = "2026-01-15T10:00:00.000000+00:00"
LATER = "2026-01-16T10:00:00.000000+00:00"
EMAIL = BUILT_IN["email_send_message"]


def to(value: str, argument: str = "to", **more: object) -> Target:
    known: dict[str, object] = {"contact": ContactId(f"c:{value}"), "person": PersonId("p"), **more}
    return Target(argument, value, "email", value, **known)  # type: ignore[arg-type] # a builder


def rule(number: int = 1, tool: str = "email_send_message", **more: object) -> Rule:
    fields: dict[str, object] = {"constraints": {"to": Exactly("a@co.com")}, **more}
    return Rule(id=RuleId(f"r{number}"), tool=tool, made_at=NOW, **fields)  # type: ignore[arg-type] # a builder


def mail(*targets: Target, **arguments: object) -> Action:
    return Action(Call("email_send_message", arguments), targets)


def gate(action: Action, *rules: Rule, reply: Reply | None = None, now: str = NOW) -> bool:
    return isinstance(decide(action, rules=rules, reply=reply, now=now), Approved)


def test_a_call_that_reaches_only_the_owner_is_approved() -> None:
    assert gate(mail(to("me@x.com", is_owner=True)))
    assert gate(mail(to("me@x.com", is_owner=True), to("me@y.com", "cc", is_owner=True)))


def test_one_target_that_is_not_the_owner_needs_a_human() -> None:
    action = mail(to("me@x.com", is_owner=True), to("sam@x.com", "bcc", name="Sam"))
    decision = decide(action, rules=(), reply=None, now=NOW)
    assert isinstance(decision, NeedsHuman)
    assert "Sam" in decision.why


def test_a_message_between_friends_is_approved_inside_the_realm_alone() -> None:
    sam, eve = ContactId("c:sam"), ContactId("c:eve")
    inside = Target("nametag", "swift-fox-42", "friend", "a", contact=sam, name="Sam")
    call = Call("friend_send", {"nametag": "swift-fox-42", "message": "Hi"})
    decision = decide(Action(call, (inside,)), rules=(), reply=None, friends=(sam,), now=NOW)
    assert decision == Approved(Action(call, (inside,)), "a message between friends")
    other = replace(inside, contact=eve, name="Eve")
    outside = replace(inside, channel="telegram")
    for targets in ((other,), (outside,), (inside, other), (replace(inside, contact=None),)):
        decision = decide(Action(call, targets), rules=(), reply=None, friends=(sam,), now=NOW)
        assert isinstance(decision, NeedsHuman)


def test_a_target_that_cannot_be_resolved_needs_a_human() -> None:
    lost = Target("to", "who@x.com", "email", "who@x.com")
    assert not gate(mail(lost))
    assert not gate(mail(to("me@x.com", is_owner=True), lost))


def test_a_call_that_names_nobody_needs_a_human() -> None:
    assert not gate(mail())


def test_a_standing_rule_lets_its_own_target_out_and_no_other() -> None:
    assert gate(mail(to("a@co.com")), rule())
    assert not gate(mail(to("b@co.com")), rule())
    assert not gate(mail(to("a@co.com"), to("b@co.com")), rule())


def test_a_pattern_must_match_each_address_on_its_own() -> None:
    of_company = rule(constraints={"to": Matching("*@co.com")})
    for said, out in [
        ("a@co.com", True),
        ("evil@x.com, a@co.com", False),
        ("a@co.com, b@co.com", True),
        ("a@co.com\nbcc: evil@x.com", False),
        ("a@co.com;evil@x.com", False),
        ("Evil <evil@x.com>, a@co.com", False),
        ("evil@x.com <a@co.com>", False),
    ]:
        found = aims(Call("email_send_message", {"to": said}), EMAIL)
        action = mail(*(to(aim.value.lower()) for aim in found))
        assert gate(action, of_company) is out, said


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        ("*@co.com", "a@co.com", True),
        ("*@co.com", "@co.com", True),
        ("*@co.com", "a@co.com.evil", False),
        ("*@CO.com", "A@co.COM", True),
        ("a*c*e", "abcde", True),
        ("a*c*e", "abde", False),
        ("ab*ba", "aba", False),
        ("ab*ba", "abba", True),
        ("a.c", "abc", False),
    ],
)
def test_a_star_stands_for_any_text_and_nothing_else_does(
    pattern: str,
    value: str,
    fits: bool,  # noqa: FBT001 - a table
) -> None:
    assert gate(mail(to(value)), rule(constraints={"to": Matching(pattern)})) is fits


def test_a_pattern_of_many_stars_is_decided_at_once() -> None:
    many = rule(constraints={"to": Matching("a*" * 200 + "b")})
    assert not gate(mail(to("a" * 20_000)), many)


@pytest.mark.parametrize("hidden", ["bcc", "cc", "BCC", "recipient", "Bcc "])
def test_a_rule_does_not_pass_a_hidden_copy(hidden: str) -> None:
    call = Call("email_send_message", {"to": "a@co.com", hidden: "evil@x.com"})
    targets = [to(aim.value, aim.argument) for aim in aims(call, EMAIL)]
    assert len(targets) == 2
    assert not gate(Action(call, tuple(targets)), rule(constraints={"to": Matching("*@co.com")}))


def test_a_target_hidden_inside_another_argument_is_seen() -> None:
    call = Call("email_send_message", {"to": "a@co.com", "options": {"headers": [{"Bcc": "e@x"}]}})
    assert [aim.argument for aim in aims(call, EMAIL)] == ["to", "options.bcc"]


@pytest.mark.parametrize(
    ("limit", "live"),
    [
        ({"expires_at": LATER}, True),
        ({"expires_at": NOW}, False),
        ({"max_uses": 3, "uses": 2}, True),
        ({"max_uses": 3, "uses": 3}, False),
        ({"active": False}, False),
    ],
)
def test_a_rule_speaks_only_while_it_is_live(limit: dict[str, object], live: bool) -> None:  # noqa: FBT001 - a table
    assert gate(mail(to("a@co.com")), rule(1, "email_send_message", **limit)) is live


def test_the_most_specific_rule_decides_then_a_bounded_one_then_the_newest() -> None:
    wide = rule(1, constraints={"to": Matching("*@co.com")})
    exact = rule(2)
    bounded = rule(3, max_uses=5)
    newer = rule(4, max_uses=5)
    action = mail(to("a@co.com"))
    assert matching(action, [wide, exact], now=NOW) == exact
    assert matching(action, [exact, bounded, wide], now=NOW) == bounded
    assert matching(action, [newer, bounded], now=NOW) == newer


@pytest.mark.parametrize(
    "constraints",
    [
        {},
        {"to": Anything()},
        {"to": Matching("*")},
        {"to": Matching(" * ")},
        {"": Exactly("x")},
        {"to": Exactly("")},
    ],
)
def test_a_rule_that_is_malformed_or_too_wide_is_refused(
    constraints: dict[str, Constraint],
) -> None:
    with pytest.raises(InvalidInput):
        require_sound(EMAIL, constraints, None)


def test_a_rule_for_a_harmless_tool_may_be_wide() -> None:
    require_sound(Tool("log", risky=False), {}, None)
    with pytest.raises(InvalidInput, match="at least once"):
        require_sound(Tool("log", risky=False), {}, 0)


def answer(**more: object) -> Reply:
    fields: dict[str, object] = {
        "item": ItemId("i"),
        "contact": ContactId("c:sam@x.com"),
        "chat": ChatId("chat-1"),
        "channel": "email",
        "address": "sam@x.com",
        "verified": True,
        "age_seconds": 60.0,
        **more,
    }
    return Reply(**fields)  # type: ignore[arg-type] # a builder


@pytest.mark.parametrize(
    ("reply", "out"),
    [
        (answer(), True),
        (answer(verified=False), False),
        (answer(contact=ContactId("c:other")), False),
        (answer(channel="telegram"), False),
        (answer(age_seconds=REPLY_SECONDS + 1.0), False),
        (answer(age_seconds=-5.0), False),
    ],
)
def test_a_reply_to_the_verified_sender_who_wrote_needs_no_rule(reply: Reply, out: bool) -> None:  # noqa: FBT001 - a table
    assert gate(mail(to("sam@x.com")), reply=reply) is out


def test_a_reply_that_also_goes_to_somebody_else_needs_a_human() -> None:
    assert not gate(mail(to("sam@x.com"), to("eve@x.com", "cc")), reply=answer())


def test_a_reply_goes_to_the_chat_it_was_said_in() -> None:
    here = Target("chat_id", "-100", "email", "-100", chat=ChatId("chat-1"))
    there = Target("chat_id", "-200", "email", "-200", chat=ChatId("chat-2"))
    assert gate(mail(here), reply=answer())
    assert not gate(mail(there), reply=answer())


def test_a_tool_nobody_listed_is_gated_like_any_other() -> None:
    tool = tool_named("user_pigeon_send", BUILT_IN)
    call = Call(tool.name, {"to": "a@co.com"})
    assert not gate(Action(call, tuple(to(a.value) for a in aims(call, tool))))


def test_nothing_is_decided_by_the_prefix_of_a_tools_name() -> None:
    owner = to("me@x.com", is_owner=True)
    stranger = to("sam@x.com")
    for name in ("user_x", "bot_x", "x", *FORMER_NAMES):
        assert gate(Action(Call(name, {}), (owner,)))
        assert not gate(Action(Call(name, {}), (stranger,)))


def test_numbers_lists_and_nothing_are_read_as_targets() -> None:
    call = Call("telegram_send_message", {"chat_id": 42, "to": ["7", ["8"]], "cc": None, "bcc": ""})
    found = aims(call, BUILT_IN["telegram_send_message"])
    assert [(aim.argument, aim.value) for aim in found] == [
        ("chat_id", "42"),
        ("to", "7"),
        ("to", "8"),
    ]
    odd = aims(Call("telegram_send_message", {"to": {"id": 5}}), BUILT_IN["telegram_send_message"])
    assert [aim.value for aim in odd] == ["?"]
