"""What leaves: the gate, standing rules, approvals, the outbox."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kithkin.accounts.model import Agent
from kithkin.config import ApprovalSettings, Config, ToolSettings
from kithkin.disclosure.explore import Wanted
from kithkin.errors import InvalidInput, Lapsed, NotAllowed
from kithkin.identity.address_book import Details
from kithkin.outbound.delivery import MOST_ATTEMPTS
from kithkin.outbound.model import Anything, Exactly, Matching, Rule
from kithkin.outbound.send import Outcome, Queued, Waits
from kithkin.outbound.standing_rules import Draft
from kithkin.questions.answers import code_of
from kithkin.soil.content import content_of
from kithkin.soil.model import Message, SystemEvent
from kithkin.upkeep.verify import Verified
from tests.household import OWNER, Household, house

__all__ = ["house"]


@pytest.fixture
def sam(house: Household) -> str:
    """A known contact with telegram 7 and an e-mail address."""
    house.set_up()
    contact = house.admin.contacts.add(Details(name="Sam Lee")).contact.id
    house.admin.contacts.add_address(contact, "telegram", "7")
    house.admin.contacts.add_address(contact, "email", "sam@co.com")
    return contact


def mail(house: Household, to: str = "sam@co.com", body: str = "Hi", **more: object) -> Outcome:
    return house.kin().outbound.act("email_send_message", {"to": to, "body": body, **more})


def allow(house: Household, **constraints: str) -> Rule:
    drafted = {name: Matching(v) if "*" in v else Exactly(v) for name, v in constraints.items()}
    return house.admin.rules.add(Draft("email_send_message", drafted))


def sent(house: Household) -> list[str]:
    house.admin.outbox.deliver()
    return [f"{one.channel} {','.join(one.to)}: {one.text}" for one in house.email.sent]


def question_of(outcome: Outcome) -> str:
    assert isinstance(outcome, Waits)
    return outcome.question


def test_a_message_to_the_owner_leaves_at_once(house: Household) -> None:
    house.set_up()
    outcome = house.kin().outbound.notify("Dinner is ready")
    assert isinstance(outcome, Queued)
    assert outcome.why == "everybody it reaches is the owner"
    house.admin.outbox.deliver()
    assert [(one.to, one.text) for one in house.telegram.sent] == [((OWNER,), "Dinner is ready")]


def test_a_message_to_anybody_else_waits_for_the_owner(house: Household, sam: str) -> None:
    question = question_of(house.kin().outbound.notify("Hello", contact_id=sam))
    house.admin.outbox.deliver()
    assert not any(one.to == ("7",) for one in house.telegram.sent)
    assert house.admin.questions.answer(question, "approve").state == "answered"
    house.admin.outbox.deliver()
    assert [one.text for one in house.telegram.sent if one.to == ("7",)] == ["Hello"]


def test_a_rejected_action_never_leaves(house: Household, sam: str) -> None:
    assert sam
    house.admin.questions.answer(question_of(mail(house)), "no")
    assert sent(house) == []


def test_the_owner_is_told_once_and_the_telling_asks_nothing(house: Household, sam: str) -> None:
    assert sam
    first, second = mail(house), mail(house)
    assert question_of(first) == question_of(second)
    house.admin.outbox.deliver()
    assert len(house.telegram.sent) == 1
    assert len(house.admin.questions.list()) == 1


def test_a_pending_action_has_a_dossier(house: Household, sam: str) -> None:
    came = house.hear("7", "Please mail me the plan", name="Sam Lee")
    outcome = house.kin().outbound.act(
        "email_send_message",
        {"to": "sam@co.com", "body": "The plan"},
        because_of=came.message,
        reason="Sam asked for it",
    )
    asked = house.admin.questions.show(question_of(outcome))
    assert asked.details["asked_by"] == "agent"
    assert asked.details["because_of"] == came.message
    assert asked.details["reason"] == "Sam asked for it"
    assert asked.details["names"] == ["Sam Lee (email sam@co.com)"]
    assert asked.details["reaches"] == [["to", "email", "sam@co.com", sam, None]]
    call = house.admin.kin.timeline.show(str(asked.details["call"])).shown.item
    assert '"The plan"' in str(call.data)


def test_approving_twice_sends_once(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    house.admin.questions.answer(question, "yes")
    with pytest.raises(Lapsed, match="answered"):
        house.admin.questions.answer(question, "yes")
    assert sent(house) == ["email sam@co.com: Hi"]


def test_of_many_approvals_at_once_one_counts(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    start = threading.Barrier(8)

    def approve(_: int) -> str:
        start.wait()
        try:
            return house.admin.questions.answer(question, "approve").state
        except Lapsed:
            return "lapsed"

    with ThreadPoolExecutor(8) as pool:
        assert Counter(pool.map(approve, range(8))) == {"answered": 1, "lapsed": 7}
    assert sent(house) == ["email sam@co.com: Hi"]


def test_approving_after_expiry_finds_it_expired(house: Household, sam: str) -> None:
    assert sam
    house.config = Config(approvals=ApprovalSettings(expires_hours=1))
    question = question_of(mail(house))
    house.clock.advance(hours=1)
    with pytest.raises(Lapsed, match="expired"):
        house.admin.questions.answer(question, "approve")
    assert house.admin.questions.show(question).state == "expired"
    assert sent(house) == []
    assert question_of(mail(house)) != question


def test_the_sweep_expires_questions(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    house.clock.advance(hours=73)
    assert house.admin.sweep(dry_run=False).expired_questions == (question,)


def test_if_the_target_became_somebody_else_the_approval_lapses(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    other = house.admin.contacts.add(Details(name="Eve")).contact.id
    house.admin.contacts.move_address("email", "sam@co.com", other)
    with pytest.raises(Lapsed, match="changed"):
        house.admin.questions.answer(question, "approve")
    assert house.admin.questions.show(question).state == "open"
    assert sent(house) == []


def test_if_the_target_changes_between_approval_and_sending_nothing_is_sent(
    house: Household, sam: str
) -> None:
    assert sam
    house.admin.questions.answer(question_of(mail(house)), "approve")
    other = house.admin.contacts.add(Details(name="Eve")).contact.id
    house.admin.contacts.move_address("email", "sam@co.com", other)
    assert sent(house) == []
    (row,) = house.admin.outbox.list(state="failed")
    assert "somebody else" in str(row.error)


def test_executing_twice_sends_once_and_answers_with_the_stored_result(
    house: Household, sam: str
) -> None:
    assert sam
    allow(house, to="sam@co.com")
    outcome = mail(house)
    assert isinstance(outcome, Queued)
    first = house.admin.outbox.execute(outcome.sending)
    again = house.admin.outbox.execute(outcome.sending)
    assert (first.state, again.result) == ("sent", first.result)
    assert again.result == '{"provider_id":"1"}'
    assert len(house.email.sent) == 1


def test_a_rule_with_three_uses_lets_exactly_three_of_twenty_concurrent_calls_out(
    house: Household, sam: str
) -> None:
    assert sam
    house.admin.rules.add(Draft("email_send_message", {"to": Exactly("sam@co.com")}, max_uses=3))
    start = threading.Barrier(20)

    def call(number: int) -> str:
        start.wait()
        return type(mail(house, body=f"Hi {number}")).__name__

    with ThreadPoolExecutor(20) as pool:
        assert Counter(pool.map(call, range(20))) == {"Queued": 3, "Waits": 17}
    assert len(sent(house)) == 3
    assert house.admin.rules.list()[0].uses == 3


@pytest.mark.parametrize(
    ("arguments", "leaves"),
    [
        ({"to": "sam@co.com"}, True),
        ({"to": "Sam <Sam@CO.com>"}, True),
        ({"to": ["sam@co.com", "jo@co.com"]}, True),
        ({"to": "evil@x.com, sam@co.com"}, False),
        ({"to": "sam@co.com", "bcc": "evil@x.com"}, False),
        ({"to": "sam@co.com", "BCC": "evil@x.com"}, False),
        ({"to": "sam@co.com", "extra": {"bcc": "evil@x.com"}}, False),
        ({"to": "sam@co.com\r\nBcc: evil@x.com"}, False),
    ],
)
def test_a_pattern_lets_out_only_what_reaches_whom_it_names(
    house: Household,
    sam: str,
    arguments: dict[str, object],
    leaves: bool,  # noqa: FBT001 - a table
) -> None:
    assert sam
    allow(house, to="*@co.com")
    outcome = house.kin().outbound.act("email_send_message", {**arguments, "body": "Hi"})
    assert isinstance(outcome, Queued) is leaves


def test_a_rule_that_was_removed_or_has_expired_lets_nothing_out(
    house: Household, sam: str
) -> None:
    assert sam
    rule = allow(house, to="sam@co.com")
    assert isinstance(mail(house), Queued)
    house.admin.rules.remove(rule.id)
    assert isinstance(mail(house, body="2"), Waits)


def test_a_risky_rule_must_pin_something(house: Household) -> None:
    with pytest.raises(InvalidInput, match="pins at least one"):
        house.admin.rules.add(Draft("email_send_message", {"to": Anything()}))
    with pytest.raises(InvalidInput, match="pins at least one"):
        house.admin.rules.add(Draft("pigeon_send", {}))


def test_an_unlisted_outbound_tool_is_gated(house: Household, sam: str) -> None:
    assert sam
    outcome = house.kin().outbound.act("pigeon_send", {"to": "sam@co.com", "message": "coo"})
    assert isinstance(outcome, Waits)


def test_a_call_that_names_nobody_can_be_approved(house: Household) -> None:
    outcome = house.kin().outbound.act("pigeon_send", {})
    house.admin.questions.answer(question_of(outcome), "approve")
    [queued] = house.admin.outbox.list()
    assert (queued.channel, queued.targets) == ("pigeon_send", ())


def test_a_tool_of_ones_own_sends_by_its_channel(house: Household, sam: str) -> None:
    house.config = Config(tools={"letter": ToolSettings(channel="email", text=("words",))})
    outcome = house.kin().outbound.act("letter", {"contact_id": sam, "words": "Dear Sam"})
    house.admin.questions.answer(question_of(outcome), "approve")
    assert sent(house) == ["email sam@co.com: Dear Sam"]


def test_old_tool_names_are_accepted_with_a_warning(
    house: Household, sam: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert sam
    allow(house, to="sam@co.com")
    outcome = house.kin().outbound.act("user_email_send_message", {"to": "sam@co.com", "body": "x"})
    assert isinstance(outcome, Queued)
    assert "is called email_send_message now" in caplog.text


def test_imported_rules_are_renamed_and_colliding_bot_rules_are_switched_off(
    house: Household, tmp_path: Path
) -> None:
    file = tmp_path / "rules.json"
    file.write_text(
        """[
        {"tool_name": "user_email_send_message",
         "arg_constraints": {"to": {"type": "exact", "value": "sam@co.com"}}},
        {"tool_name": "bot_email_send_message",
         "arg_constraints": {"to": {"type": "pattern", "pattern": "*@co.com"}}},
        {"tool_name": "bot_telegram_send_message", "arg_constraints": {"chat_id": "7"}}]"""
    )
    found = house.admin.rules.import_file(file)
    assert [(rule.tool, rule.active) for rule in found] == [
        ("email_send_message", True),
        ("email_send_message", False),
        ("telegram_send_message", True),
    ]
    file.write_text('[{"tool_name": "x", "arg_constraints": {"a": {"type": "sometimes"}}}]')
    with pytest.raises(InvalidInput, match="exact, pattern or any"):
        house.admin.rules.import_file(file)


@pytest.fixture
def agent(house: Household) -> Agent:
    return house.admin.agents.register(house.admin.accounts.list()[0].nametag, "a", "frontend")


def test_a_reply_to_the_verified_sender_who_wrote_leaves_at_once(
    house: Household, agent: Agent, sam: str
) -> None:
    came = house.hear("7", "What time?", name="Sam Lee")
    outcome = house.kin(agent).outbound.notify(
        "At eight", contact_id=sam, channel="telegram", because_of=came.message
    )
    assert isinstance(outcome, Queued)
    unverified = house.hear("7", "And where?", verified=False)
    waits = house.kin(agent).outbound.notify(
        "Here", contact_id=sam, channel="telegram", because_of=unverified.message
    )
    assert isinstance(waits, Waits)


def test_a_message_that_came_to_somebody_else_is_no_pretext(
    house: Household, agent: Agent, sam: str
) -> None:
    assert agent
    came = house.hear("7", "What time?", name="Sam Lee")
    jo = house.admin.accounts.create("Jo")
    jos = house.admin.agents.register(jo.nametag, "jos", "frontend")
    outcome = house.kin(jos).outbound.notify("Buy!", contact_id=sam, because_of=came.message)
    assert isinstance(outcome, Waits)


def test_an_old_message_is_no_pretext(house: Household, agent: Agent, sam: str) -> None:
    came = house.hear("7", "What time?", name="Sam Lee")
    house.clock.advance(hours=25)
    outcome = house.kin(agent).outbound.notify(
        "Hm", contact_id=sam, channel="telegram", because_of=came.message
    )
    assert isinstance(outcome, Waits)


def test_the_owners_rules_do_not_speak_for_others_agents(house: Household, sam: str) -> None:
    assert sam
    allow(house, to="sam@co.com")
    jo = house.admin.accounts.create("Jo")
    jos = house.admin.agents.register(jo.nametag, "jos", "frontend")
    outcome = house.kin(jos).outbound.act("email_send_message", {"to": "sam@co.com", "body": "x"})
    assert isinstance(outcome, Waits)


def test_notify_prefers_the_primary_address_of_the_channel(house: Household, sam: str) -> None:
    contacts = house.admin.contacts
    contacts.add_address(sam, "email", "sam@home.org", primary=True, context="personal")
    question = question_of(house.kin().outbound.notify("Hi", contact_id=sam, channel="email"))
    house.admin.questions.answer(question, "approve")
    assert sent(house) == ["email sam@home.org: Hi"]
    contacts.make_primary(sam, "email", "sam@co.com")
    question = question_of(house.kin().outbound.notify("Ho", contact_id=sam, channel="email"))
    house.admin.questions.answer(question, "approve")
    assert sent(house)[1:] == ["email sam@co.com: Ho"]


def test_notify_uses_a_recipient_as_it_is(house: Household) -> None:
    house.set_up()
    assert isinstance(house.kin().outbound.notify("x", recipient=OWNER, channel="telegram"), Queued)
    unknown = house.kin().outbound.notify("x", recipient="999", channel="telegram")
    assert isinstance(unknown, Waits)


def test_no_identifier_on_file_parks_the_notice_once_and_the_owner_is_told(
    house: Household, sam: str
) -> None:
    first = house.kin().outbound.notify("Hi", contact_id=sam, channel="signal")
    again = house.kin().outbound.notify("Hi", contact_id=sam, channel="signal")
    question = question_of(first)
    assert question_of(again) == question
    assert first.why.startswith("Cannot deliver signal notification to Sam Lee — no signal")
    house.admin.outbox.deliver()
    assert len(house.telegram.sent) == 1
    with pytest.raises(InvalidInput, match="no signal identifier"):
        house.admin.questions.answer(question, "approve")
    house.admin.contacts.add_address(sam, "signal", "+4915100000")
    assert house.admin.questions.answer(question, "approve").state == "answered"


@pytest.mark.parametrize(
    "wrong",
    [
        {"message": " "},
        {"message": "x", "recipient": "7"},
        {"message": "x", "recipient": "7", "contact_id": "c", "channel": "telegram"},
    ],
)
def test_a_notice_that_makes_no_sense_is_refused(house: Household, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        house.kin().outbound.notify(**wrong)


def test_a_failing_channel_is_tried_again_later_and_at_last_given_up(
    house: Household, sam: str
) -> None:
    assert sam
    allow(house, to="sam@co.com")
    mail(house)
    house.email.fail(MOST_ATTEMPTS)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        done = house.admin.outbox.deliver()
        assert bool(done.failed) is (attempt == MOST_ATTEMPTS)
        assert house.admin.outbox.deliver().sent == ()
        house.clock.advance(hours=2)
    (dead,) = house.admin.outbox.list(state="failed")
    assert (dead.attempts, dead.error) == (MOST_ATTEMPTS, "It is down.")
    house.admin.outbox.retry(dead.id)
    assert sent(house) == ["email sam@co.com: Hi"]
    assert {one.key for one in house.email.sent} == {dead.key}


def test_what_can_never_be_delivered_is_given_up_at_once(house: Household, sam: str) -> None:
    assert sam
    allow(house, to="sam@co.com")
    mail(house)
    house.email.fail(retryable=False)
    assert len(house.admin.outbox.deliver().failed) == 1


def test_a_channel_that_is_not_set_up_keeps_the_message_and_says_what_to_do(
    house: Household, sam: str
) -> None:
    house.admin.rules.add(Draft("notify", {"contact_id": Exactly(sam)}))
    house.admin.contacts.add_address(sam, "pigeon", "left window")
    house.kin().outbound.notify("coo", contact_id=sam, channel="pigeon")
    house.admin.outbox.deliver()
    row = next(one for one in house.admin.outbox.list(state="due") if one.channel == "pigeon")
    assert "[channels.pigeon]" in str(row.error)


def test_an_erased_message_is_not_sent(house: Household, sam: str) -> None:
    assert sam
    allow(house, to="sam@co.com")
    mail(house)
    (row,) = house.admin.outbox.list()
    house.admin.erase(row.call)
    assert sent(house) == []
    assert "erased" in str(house.admin.outbox.list()[0].error)


def test_two_deliverers_at_once_send_each_message_once(house: Household, sam: str) -> None:
    assert sam
    allow(house, to="sam@co.com")
    for number in range(30):
        mail(house, body=str(number))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: house.admin.outbox.deliver(), range(8)))
    assert sorted(house.email.texts, key=int) == [str(number) for number in range(30)]


def test_every_decision_is_audited_with_its_reason(house: Household, sam: str) -> None:
    assert sam
    rule = allow(house, to="sam@co.com")
    mail(house)
    mail(house, to="sam@co.com, jo@x.com")
    events = [
        content_of(shown.item)
        for shown in house.admin.kin.timeline.list(Wanted(type="SystemEvent")).items
    ]
    told = [
        (e.payload["decision"], e.payload.get("rule"))
        for e in events
        if isinstance(e, SystemEvent) and e.payload and e.event_type == "gate"
    ]
    assert ("approved", rule.id) in told
    assert ("ask", None) in told


def test_a_verified_message_with_the_code_answers(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    code = code_of(house.admin.questions.show(question))
    said = house.hear(OWNER, f"Yes {code}")
    assert house.kin().questions.answer_with(question, said.message).state == "answered"
    assert sent(house) == ["email sam@co.com: Hi"]


def test_a_reply_to_the_notice_answers_without_the_code(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    house.admin.outbox.deliver()
    said = house.hear(OWNER, "yes", reply_to="1")
    assert house.kin().questions.answer_with(question, said.message).state == "answered"


@pytest.mark.parametrize(
    ("sender", "text", "verified"),
    [
        ("7", "yes {code}", True),
        (OWNER, "yes {code}", False),
        (OWNER, "yes", True),
        ("999", "yes {code}", True),
    ],
)
def test_no_other_message_answers(
    house: Household,
    sam: str,
    sender: str,
    text: str,
    verified: bool,  # noqa: FBT001 - a table
) -> None:
    assert sam
    question = question_of(mail(house))
    code = code_of(house.admin.questions.show(question))
    said = house.hear(sender, text.format(code=code), verified=verified)
    with pytest.raises(NotAllowed):
        house.kin().questions.answer_with(question, said.message)
    assert house.admin.questions.show(question).state == "open"


def test_a_yes_from_before_the_question_answers_nothing(house: Household, sam: str) -> None:
    assert sam
    said = house.hear(OWNER, "yes")
    question = question_of(mail(house))
    with pytest.raises(NotAllowed, match="older"):
        house.kin().questions.answer_with(question, said.message)


def test_an_agent_cannot_write_the_owners_answer_itself(house: Household, sam: str) -> None:
    assert sam
    question = question_of(mail(house))
    code = code_of(house.admin.questions.show(question))
    owner = house.admin.owner.show().contact
    with pytest.raises(NotAllowed, match="Only a connector"):
        house.kin().timeline.record(
            Message(f"yes {code}", f"telegram:{OWNER}", person=owner.person, verified=True)
        )
    forged = house.kin().timeline.record(Message(f"yes {code}", f"telegram:{OWNER}"))
    with pytest.raises(NotAllowed):
        house.kin().questions.answer_with(question, forged.uuid)


def test_one_message_answers_one_question(house: Household, sam: str) -> None:
    assert sam
    first, second = question_of(mail(house)), question_of(mail(house, body="2"))
    codes = [code_of(house.admin.questions.show(one)) for one in (first, second)]
    both = house.hear(OWNER, f"yes {codes[0]} {codes[1]}")
    with pytest.raises(InvalidInput, match="answers nothing"):
        house.kin().questions.answer_with(first, both.message)
    said = house.hear(OWNER, f"yes {codes[0]}")
    house.kin().questions.answer_with(first, said.message)
    with pytest.raises(NotAllowed, match="which question"):
        house.kin().questions.answer_with(second, said.message)


def test_an_unknown_sender_is_settled_by_replying_with_a_name(house: Household, sam: str) -> None:
    stranger = house.hear("555", "Hi", name="mystery")
    (question,) = house.admin.questions.list()
    said = house.hear(OWNER, f"Sam Lee {code_of(question)}")
    house.kin().questions.answer_with(question.id, said.message)
    merged = house.kin().contacts.show(stranger.identity.contact_id).contact
    assert merged.merged_into == sam


def test_a_name_nobody_has_confirms_a_new_person(house: Household) -> None:
    stranger = house.hear("555", "Hi", name="mystery")
    (question,) = house.admin.questions.list()
    house.admin.questions.answer(question.id, "Zoe Doe")
    person = house.kin().people.get(stranger.identity.entity_id)
    assert (person.name, house.admin.contacts.pending()) == ("Zoe Doe", [])


def test_several_questions_are_answered_together_or_not_at_all(house: Household, sam: str) -> None:
    assert sam
    asked = [question_of(mail(house, body=str(n))) for n in range(6)]
    assert len(house.kin().questions.batch()) == 5
    with pytest.raises(InvalidInput, match="one to 5"):
        house.admin.questions.answer_batch(dict.fromkeys(asked, "yes"))
    with pytest.raises(InvalidInput):
        house.admin.questions.answer_batch({asked[0]: "yes", asked[1]: "perhaps"})
    assert len(house.admin.questions.list()) == 6
    house.admin.questions.answer_batch({asked[0]: "yes", asked[1]: "no"})
    assert len(sent(house)) == 1
    assert isinstance(house.admin.verify(), Verified)


def test_everything_is_a_fold_and_is_rebuilt_as_it_was(house: Household, sam: str) -> None:
    assert sam
    rule = allow(house, to="sam@co.com")
    mail(house)
    question_of(mail(house, to="jo@x.com"))
    house.admin.rebuild()
    assert house.admin.rules.list()[0].id == rule.id
    assert len(house.admin.questions.list()) == 1
    assert house.hear("7", "Hi").identity.name == "Sam Lee"
    assert isinstance(house.admin.verify(), Verified)
