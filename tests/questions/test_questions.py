"""How a human's words answer a question, and who may answer."""

import pytest
from msgspec.structs import replace

from kithkin.errors import InvalidInput, Lapsed, NotAllowed
from kithkin.ids import PersonId, QuestionId
from kithkin.questions.answers import (
    code_of,
    named_in,
    read_answer,
    require_answer_by,
    require_open,
)
from kithkin.questions.model import Answer, Question

NOW = "2026-01-15T10:00:00.000000+00:00"
ASKED = Question(
    id=QuestionId("entity_1a2b3c4d-0000"),
    kind="approval",
    text="May it?",
    options=("approve", "reject"),
    dedup="d",
    asked_at=NOW,
    asked_after=10,
    audience=PersonId("bob"),
)
WHO = replace(
    ASKED, kind="unknown_sender", options=("merge", "confirm", "archive", "block", "name")
)


@pytest.mark.parametrize(
    "text", ["approve", "Yes", "ok.", "YES!", "allow it, please", "yes please"]
)
def test_a_yes_in_any_form_approves(text: str) -> None:
    assert read_answer(ASKED, text).option == "approve"


@pytest.mark.parametrize("text", ["no", "Reject", "deny", "don't send it", "no thanks"])
def test_a_no_in_any_form_rejects(text: str) -> None:
    assert read_answer(ASKED, text).option == "reject"


@pytest.mark.parametrize(
    "text", ["", "   ", "maybe", "yesterday", "the answer is yes", "Ok wait, do NOT send that yet!"]
)
def test_what_is_neither_is_not_guessed(text: str) -> None:
    with pytest.raises(InvalidInput, match="approve, reject"):
        read_answer(ASKED, text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Chloe", Answer("name", "Chloe")),
        ("Chloe Smith", Answer("name", "Chloe Smith")),
        ("merge Chloe Smith", Answer("merge", "Chloe Smith")),
        ("new", Answer("confirm")),
        ("confirm Chloe", Answer("confirm", "Chloe")),
        ("ignore", Answer("archive")),
        ("block", Answer("block")),
    ],
)
def test_an_unknown_sender_is_settled_by_a_word_or_a_name(text: str, answer: Answer) -> None:
    assert read_answer(WHO, text) == answer


def test_a_reply_names_the_question_by_its_code() -> None:
    code = code_of(ASKED)
    assert code == "1a2b3c"
    assert named_in(ASKED, f"yes {code}") == "yes"
    assert named_in(ASKED, f"Yes #{code.upper()}") == "Yes"
    assert named_in(ASKED, "yes") is None
    assert named_in(ASKED, f"yes {code}9") is None


def test_an_expired_question_is_a_no() -> None:
    with pytest.raises(Lapsed, match="counts as a no"):
        require_open(replace(ASKED, expires_at=NOW), now=NOW)
    require_open(replace(ASKED, expires_at="2026-01-16"), now=NOW)


def test_a_question_is_answered_once() -> None:
    with pytest.raises(Lapsed, match="answered"):
        require_open(replace(ASKED, state="answered", answer="approve"), now=NOW)


@pytest.mark.parametrize(
    ("person", "is_owner", "verified", "seq", "allowed"),
    [
        ("ann", True, True, 11, True),
        ("bob", False, True, 11, True),
        ("eve", False, True, 11, False),
        (None, False, True, 11, False),
        ("ann", True, False, 11, False),
        ("bob", False, False, 11, False),
        ("ann", True, True, 10, False),
    ],
)
def test_only_a_verified_later_message_of_who_is_asked_answers(
    person: str | None,
    is_owner: bool,  # noqa: FBT001 - a table
    verified: bool,  # noqa: FBT001 - the same
    seq: int,
    allowed: bool,  # noqa: FBT001 - the same
) -> None:
    who = PersonId(person) if person else None
    if allowed:
        require_answer_by(ASKED, person=who, is_owner=is_owner, verified=verified, seq=seq)
        return
    with pytest.raises(NotAllowed):
        require_answer_by(ASKED, person=who, is_owner=is_owner, verified=verified, seq=seq)
