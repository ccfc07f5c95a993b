"""Ask a human: once for the same thing, with a time limit that denies."""

from datetime import timedelta

from msgspec.structs import replace

from kithkin.clock import moment, stamp
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.ids import ContactId
from kithkin.questions import store as questions
from kithkin.questions.answers import BATCH
from kithkin.questions.model import Question
from kithkin.soil import store as soil


def ask(
    tx: Tx, question: Question, *, by: By, expires: timedelta | None = None
) -> tuple[Question, bool]:
    """Put a question into the queue, and whether it is new: asked already, it gains a source."""
    open_one = questions.asked(tx, question.dedup)
    if open_one is not None and open_one.expires_at and open_one.expires_at <= by.now:
        questions.save(tx, replace(open_one, state="expired"), by=by)
        open_one = None
    if open_one is not None:
        sources = tuple(dict.fromkeys((*open_one.sources, *question.sources)))
        return questions.save(tx, replace(open_one, sources=sources), by=by), False
    asked = replace(
        question,
        asked_at=by.now,
        asked_after=soil.head(tx).seq,
        expires_at=stamp(moment(by.now) + expires) if expires else None,
    )
    return questions.save(tx, asked, by=by), True


def withdraw(tx: Tx, dedup: str, *, by: By) -> None:
    """Take a question back that something else has settled."""
    question = questions.asked(tx, dedup)
    if question is not None:
        questions.save(tx, replace(question, state="lapsed"), by=by)


def unknown_sender(contact: ContactId) -> str:
    """The dedup key of the question who a contact is."""
    return f"unknown_sender:{contact}"


def expire(tx: Tx, *, by: By) -> list[Question]:
    """Mark questions whose time is over: each counts as a no."""
    return [
        questions.save(tx, replace(one, state="expired"), by=by)
        for one in questions.expired(tx, by.now)
    ]


def listed(
    db: Database, *, state: str | None, kind: str | None, audience: str | None, limit: int = 100
) -> list[Question]:
    """Questions, oldest first."""
    with db.snapshot() as tx:
        return questions.listed(tx, state=state, kind=kind, audience=audience, limit=limit)


def batch(db: Database, *, audience: str | None) -> list[Question]:
    """The questions a person is asked next: at most five."""
    return listed(db, state="open", kind=None, audience=audience, limit=BATCH)


def get(db: Database, question: str) -> Question:
    """The question of that id."""
    with db.snapshot() as tx:
        return questions.get(tx, question)
