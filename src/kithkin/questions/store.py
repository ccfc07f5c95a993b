"""The queue of questions: each an entity, asked once however often it is raised."""

from typing import Any, Final

import msgspec

from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import NotFound
from kithkin.ids import QuestionId, new_entity_id
from kithkin.questions.model import Question

QUESTION: Final = "question"


def new_id() -> QuestionId:
    """A fresh id for a question."""
    return QuestionId(new_entity_id())


def get(tx: Tx, question: str) -> Question:
    """The question of that id."""
    entity = core.get(tx, question) if core.exists(tx, question) else None
    if entity is None or entity.type != QUESTION:
        raise NotFound(f"There is no question {question}. `kithkin questions list` lists them.")
    return _question(entity)


def asked(tx: Tx, dedup: str) -> Question | None:
    """The open question that asks just this."""
    row = tx.execute(
        "SELECT question FROM question_lookup WHERE dedup = :dedup AND state = 'open'",
        {"dedup": dedup},
    ).fetchone()
    return get(tx, row[0]) if row else None


def last_answered(tx: Tx, dedup: str) -> Question | None:
    """The last time just this was answered."""
    row = tx.execute(
        "SELECT question FROM question_lookup WHERE dedup = :dedup AND state = 'answered'"
        " ORDER BY asked_at DESC, question LIMIT 1",
        {"dedup": dedup},
    ).fetchone()
    return get(tx, row[0]) if row else None


def asked_since(tx: Tx, kind: str, since: str) -> int:
    """How many questions of a kind were asked since a moment."""
    row = tx.execute(
        "SELECT count(*) FROM question_lookup WHERE kind = :kind AND asked_at > :since",
        {"kind": kind, "since": since},
    ).fetchone()
    return int(row[0])


def naming(tx: Tx, uuid: str) -> list[str]:
    """Questions that name somebody or something."""
    rows = tx.execute(
        "SELECT uuid FROM entity WHERE type = 'question' AND data LIKE :named ORDER BY uuid",
        {"named": f"%{uuid}%"},
    )
    return [row[0] for row in rows.fetchall()]


def listed(
    tx: Tx, *, state: str | None, kind: str | None, audience: str | None, limit: int
) -> list[Question]:
    """Questions, oldest first; of one audience only when it is named."""
    rows = tx.execute(
        "SELECT question FROM question_lookup"
        " WHERE (CAST(:state AS TEXT) IS NULL OR state = :state)"
        " AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind)"
        " AND (CAST(:audience AS TEXT) IS NULL OR audience = :audience)"
        " ORDER BY asked_at, question LIMIT :limit",
        {"state": state, "kind": kind, "audience": audience, "limit": limit},
    )
    return [get(tx, row[0]) for row in rows.fetchall()]


def expired(tx: Tx, now: str) -> list[Question]:
    """Open questions whose time is over."""
    rows = tx.execute(
        "SELECT question FROM question_lookup WHERE state = 'open' AND expires_at <= :now",
        {"now": now},
    )
    return [get(tx, row[0]) for row in rows.fetchall()]


def save(tx: Tx, question: Question, *, by: By) -> Question:
    """The question as it is now."""
    data: dict[str, Any] = msgspec.to_builtins(question)
    del data["id"]
    core.save(tx, QUESTION, question.id, data, by=by)
    return question


def _question(entity: Entity) -> Question:
    return msgspec.convert({**core.require_data(entity), "id": entity.uuid}, Question)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        tx.execute("DELETE FROM question_lookup WHERE question = :q", {"q": after.uuid})
    if after.data is None:
        return
    question = _question(after)
    tx.execute(
        "INSERT INTO question_lookup"
        " (question, kind, state, dedup, audience, asked_at, expires_at, answered_with)"
        " VALUES (:question, :kind, :state, :dedup, :audience, :asked_at, :expires_at, :with)",
        {
            "question": question.id,
            "kind": question.kind,
            "state": question.state,
            "dedup": question.dedup,
            "audience": question.audience or "",
            "asked_at": question.asked_at,
            "expires_at": question.expires_at,
            "with": question.answered_with,
        },
    )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM question_lookup", {})


lookup_rows.register(
    QUESTION, lookup_rows.Projection(commands="`kithkin questions`", project=_project, clear=_clear)
)
