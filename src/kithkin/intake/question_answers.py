"""A human's answer: checked, applied and recorded in one transaction."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from kithkin.accounts import inbox
from kithkin.accounts.replies import message_in
from kithkin.config import Config
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of
from kithkin.contacts.model import OWNER
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, Lapsed, NotAllowed
from kithkin.identity import address_book, person_merge, unknown_senders
from kithkin.ids import FRIEND, ItemId
from kithkin.memories import doubt_answers, doubts, memory_edit
from kithkin.memories.doubt_answers import Settled
from kithkin.outbound import send
from kithkin.personas.validation_answers import UNCLEAR
from kithkin.ports import AnswerReader
from kithkin.questions import store as questions
from kithkin.questions.answers import (
    BATCH,
    named_in,
    read_answer,
    require_answer_by,
    require_open,
)
from kithkin.questions.model import Answer, Question


def answer(db: Database, question: str, text: str, *, config: Config, by: By) -> Question:
    """The owner's answer, in words: applied at once, or refused with nothing changed."""
    _close_if_over(db, question, by=by)
    with db.transaction() as tx:
        asked = questions.get(tx, question)
        if asked.kind == doubts.KIND:
            return _decide(db, tx, asked, text, None, config=config, by=by)
        return _apply(db, tx, asked, read_answer(asked, text), None, config=config, by=by)


def answer_batch(
    db: Database, answers: Mapping[str, str], *, config: Config, by: By
) -> list[Question]:
    """Several answers at once: all of them, or none."""
    if not 0 < len(answers) <= BATCH:
        raise InvalidInput(f"Answer one to {BATCH} questions at a time.")
    with db.transaction():
        return [answer(db, one, text, config=config, by=by) for one, text in answers.items()]


def answer_with(db: Database, question: str, item: str, *, config: Config, by: By) -> Question:
    """The answer that a message gives: its verified sender must be whom the question asks.

    The message names the question by its code, or replies to the notice of it.
    """
    _close_if_over(db, question, by=by)
    with db.transaction() as tx:
        asked = questions.get(tx, question)
        message, text, actor = _said(tx, asked, item)
        signed = By(actor=actor, now=by.now, reason=f"answered in {message}")
        if asked.kind == doubts.KIND:
            return _decide(db, tx, asked, text, message, config=config, by=signed)
        return _apply(db, tx, asked, read_answer(asked, text), message, config=config, by=signed)


def answer_doubts_with(
    db: Database,
    item: str,
    *,
    audience: str | None,
    reader: AnswerReader | None,
    config: Config,
    by: By,
) -> list[Settled]:
    """What a message says of everything that was last asked: it names one of them, or replies."""
    with db.snapshot() as tx:
        asked = doubt_answers.last_asked(tx, audience)
        named = next((one for one in asked if _is_named(tx, one, item)), asked[0])
        message, text, actor = _said(tx, named, item)
    signed = By(actor=actor, now=by.now, reason=f"answered in {message}")
    return doubt_answers.answer(
        db, text, audience=audience, reader=reader, message=message, config=config, by=signed
    )


def _is_named(tx: Tx, asked: Question, item: str) -> bool:
    found = message_in(tx, item)
    return found is not None and named_in(asked, found[1].description) is not None


def _decide(
    db: Database,
    tx: Tx,
    asked: Question,
    text: str,
    message: ItemId | None,
    *,
    config: Config,
    by: By,
) -> Question:
    """An answer to one doubt. What decides nothing is refused, and the question stays open."""
    require_open(asked, now=by.now)
    done = doubt_answers.answer(db, text, question=asked.id, message=message, config=config, by=by)
    if all(one.verdict == UNCLEAR for one in done):
        raise InvalidInput(
            f"{text[:40]!r} decides nothing here: say that it is real, just role-play, or to be "
            "removed."
        )
    return questions.get(tx, asked.id)


def _said(tx: Tx, asked: Question, item: str) -> tuple[ItemId, str, str]:
    """The message, its words, and who they are of."""
    found = message_in(tx, item)
    if found is None:
        raise InvalidInput(f"{item} is no message that stands.")
    came, message = found
    if not inbox.came_in(tx, came.uuid):
        raise NotAllowed("Only a message that a connector brought answers a question.")
    if address_of(message.sender).type == FRIEND:
        raise NotAllowed("An agent sent this for its person: only their own words answer.")
    contact = contacts.at(tx, address_of(message.sender))
    same = contact is not None and contact.person == message.person
    require_answer_by(
        asked,
        person=contact.person if contact and same else None,
        is_owner=bool(contact and same and contact.is_owner),
        verified=message.verified,
        seq=came.seq,
    )
    text = named_in(asked, message.description)
    if text is None and asked.notice is not None and message.answers == asked.notice:
        text = message.description
    if text is None:
        raise NotAllowed("The message does not say which question it answers: it needs the code.")
    return came.uuid, text, OWNER if contact and contact.is_owner else str(message.person)


def _close_if_over(db: Database, question: str, *, by: By) -> None:
    """A question whose time is over is marked so, and stays so, before the answer is refused."""
    with db.transaction() as tx:
        asked = questions.get(tx, question)
        if asked.state == "open" and asked.expires_at and asked.expires_at <= by.now:
            questions.save(tx, replace(asked, state="expired"), by=by)


def _apply(
    db: Database,
    tx: Tx,
    asked: Question,
    said: Answer,
    message: ItemId | None,
    *,
    config: Config,
    by: By,
) -> Question:
    require_open(asked, now=by.now)
    answered = replace(
        asked,
        state="answered",
        answer=f"{said.option} {said.about}".strip(),
        answered_by=by.actor,
        answered_at=by.now,
        answered_with=message,
    )
    questions.save(tx, answered, by=by)
    _carry_out(db, tx, asked, said, config=config, by=by)
    return answered


def _carry_out(
    db: Database, tx: Tx, asked: Question, said: Answer, *, config: Config, by: By
) -> None:
    match asked.kind:
        case "approval" if said.option == "approve":
            send.approve(tx, asked, config=config, by=by)
        case "unknown_sender":
            _settle(db, str(asked.subject), said, by=by)
        case "ambiguous":
            memory_edit.say_who(tx, str(asked.subject), said.about, by=by)
        case "protected" if said.option == "approve":
            _change(db, asked.details, by=by)
        case _:
            # A no changes nothing but the question.
            pass


def _settle(db: Database, contact: str, said: Answer, *, by: By) -> None:
    match said.option:
        case "merge":
            unknown_senders.merge_into(db, contact, said.about, by=by)
        case "confirm":
            unknown_senders.confirm(db, contact, name=said.about or None, by=by)
        case "archive":
            unknown_senders.archive(db, contact, by=by)
        case "block":
            unknown_senders.block(db, contact, by=by)
        case _:
            unknown_senders.name(db, contact, said.about, by=by)


def _change(db: Database, details: Mapping[str, Any], *, by: By) -> None:
    """Make the protected change that somebody proposed and the owner allows."""
    owner = By(actor=OWNER, now=by.now, reason=by.reason)
    match details["change"]:
        case "merge":
            person_merge.merge(db, details["primary"], details["secondary"], by=owner)
        case "address":
            address_book.add_address(
                db, details["contact"], details["type"], details["value"], by=owner
            )
        case other:
            raise Lapsed(f"There is no change {other!r} any more: propose it again.")
