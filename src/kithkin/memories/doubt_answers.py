"""Ask what was real, in the steward's voice, and do what the human says."""

from collections.abc import Sequence
from typing import assert_never

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.config import Config
from kithkin.core import notices
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, Lapsed, ModelUnavailable, NotFound
from kithkin.identity import people_file
from kithkin.ids import ItemId, PersonId
from kithkin.memories import doubt_effects, doubts
from kithkin.personas import validation_wording
from kithkin.personas.model import Asked, Verdict
from kithkin.personas.validation_answers import UNCLEAR, disposed, read_answers
from kithkin.ports import AnswerReader, Doubted
from kithkin.questions import owner_notice
from kithkin.questions import store as questions
from kithkin.questions.answers import BATCH, require_open
from kithkin.questions.model import Question
from kithkin.soil import store as soil

_MOST = 1000
_CEREMONY = "doubts.daily"
"""The subscriber whose cursor is where the ledger was when the day's questions were asked."""


class Batch(Struct, frozen=True):
    """What is asked at once, in the words it is asked in; nothing pending says nothing."""

    text: str = ""
    questions: tuple[Question, ...] = ()


class Settled(Struct, frozen=True):
    """What was decided about one persona's word on an item."""

    question: str
    item: str
    name: str
    persona: str
    verdict: Verdict


class _Line(Struct, frozen=True):
    question: Question
    asked: Asked


def pending(db: Database, *, audience: str | None) -> list[Question]:
    """Everything in doubt, in the order it is asked about."""
    with db.snapshot() as tx:
        return _pending(tx, audience)


def ask_batch(
    db: Database, *, audience: str | None, config: Config, tell: bool = False, by: By
) -> Batch:
    """Ask about at most five things; with `tell`, the owner is told where they are reached."""
    with db.transaction() as tx:
        waiting = _pending(tx, audience)
        if not waiting:
            return Batch()
        times = doubts.raised_in(waiting[0]).times
        chosen = [one for one in waiting if doubts.raised_in(one).times == times][:BATCH]
        lines = [line for one in chosen for line in doubts.raised_in(one).lines()]
        text = validation_wording.question(lines, times=times)
        asked = _mark(tx, chosen, by=by)
        return Batch(text, _tell(tx, asked, text, config=config, by=by) if tell else asked)


def ask_daily(db: Database, *, config: Config, by: By) -> Batch:
    """The daily ceremony: asks, and tells the owner, once after the hour that is set."""
    with db.snapshot() as tx:
        if not _is_time(tx, config=config, by=by):
            return Batch()
    with db.transaction() as tx:
        # Another server may have asked in between.
        if not _is_time(tx, config=config, by=by):
            return Batch()
        batch = ask_batch(db, audience=None, config=config, tell=True, by=by)
        notices.move_cursor(tx, _CEREMONY, soil.head(tx).seq)
        return batch


def _is_time(tx: Tx, *, config: Config, by: By) -> bool:
    """Whether the hour has come, nothing was asked today, and something is in doubt."""
    now = moment(by.now).astimezone()
    if now.time() < config.doubts.hour:
        return False
    held = notices.cursor_of(tx, _CEREMONY)
    last = soil.after(tx, held - 1, limit=1) if held else []
    if any(moment(one.realized_at).astimezone().date() >= now.date() for one in last):
        return False
    return bool(_pending(tx, None))


def answer(
    db: Database,
    text: str,
    *,
    question: str | None = None,
    audience: str | None = None,
    reader: AnswerReader | None = None,
    message: ItemId | None = None,
    config: Config,
    by: By,
) -> list[Settled]:
    """What a human's words decide: about one question, or about all that was last asked.

    What stays unclear stays open, to be asked again later, in other words.
    """
    with db.snapshot() as tx:
        lines = _lines(tx, question, audience)
    # A model may take its time, outside of any transaction.
    verdicts = _read(text, [line.asked for line in lines], reader)
    gone: list[PersonId] = []
    with db.transaction() as tx:
        settled = [
            _settle(db, tx, line, verdict, gone, config=config, by=by)
            for line, verdict in zip(lines, verdicts, strict=True)
        ]
        for one in dict.fromkeys(line.question.id for line in lines):
            _close(tx, one, settled, message=message, by=by)
    people_file.drop(db, gone)
    return settled


def last_asked(tx: Tx, audience: str | None) -> list[Question]:
    """The open questions that were asked together last, in the order they were asked."""
    asked = [(one, doubts.raised_in(one)) for one in _pending(tx, audience)]
    batch = max((raised.batch for _, raised in asked if raised.batch is not None), default=None)
    if batch is None:
        raise NotFound("Nothing was asked yet: `kithkin doubts ask` asks.")
    those = [(raised.place or 0, one) for one, raised in asked if raised.batch == batch]
    return [one for _, one in sorted(those, key=lambda pair: pair[0])]


def _pending(tx: Tx, audience: str | None) -> list[Question]:
    found = questions.listed(tx, state="open", kind=doubts.KIND, audience=audience, limit=_MOST)
    return sorted(found, key=_order)


def _order(question: Question) -> tuple[int, int, int]:
    raised = doubts.raised_in(question)
    return raised.times, validation_wording.rank_of(raised.data_type), raised.since


def _mark(tx: Tx, chosen: Sequence[Question], *, by: By) -> tuple[Question, ...]:
    batch = soil.head(tx).seq
    return tuple(
        questions.save(
            tx,
            replace(one, asked_after=batch, details=_asked_in(one, batch, place, by.now)),
            by=by,
        )
        for place, one in enumerate(chosen)
    )


def _asked_in(question: Question, batch: int, place: int, now: str) -> dict[str, object]:
    raised = replace(doubts.raised_in(question), batch=batch, place=place, asked_at=now)
    made: dict[str, object] = msgspec.to_builtins(raised)
    return made


def _tell(
    tx: Tx, asked: tuple[Question, ...], text: str, *, config: Config, by: By
) -> tuple[Question, ...]:
    """One notice for all that is asked together: a reply to it answers them all."""
    first = asked[0]
    owner_notice.tell_owner(tx, replace(first, text=text), config=config, by=by)
    notice = questions.get(tx, first.id).notice
    return tuple(questions.save(tx, replace(one, notice=notice), by=by) for one in asked)


def _lines(tx: Tx, question: str | None, audience: str | None) -> list[_Line]:
    chosen = [questions.get(tx, question)] if question else last_asked(tx, audience)
    if question and chosen[0].kind != doubts.KIND:
        raise InvalidInput(f"{question} is no doubt: `kithkin questions answer` answers it.")
    return [_Line(one, line) for one in chosen for line in doubts.raised_in(one).lines()]


def _read(text: str, asked: Sequence[Asked], reader: AnswerReader | None) -> tuple[Verdict, ...]:
    read = read_answers(text, asked)
    if reader is None or UNCLEAR not in read:
        return read
    given = [Doubted(one.name, one.value.new, one.personas[0]) for one in asked]
    try:
        return disposed(text, reader.read(text, given), asked)
    except ModelUnavailable:
        return read


def _settle(
    db: Database,
    tx: Tx,
    line: _Line,
    verdict: Verdict,
    gone: list[PersonId],
    *,
    config: Config,
    by: By,
) -> Settled:
    asked = questions.get(tx, line.question.id)
    require_open(asked, now=by.now)
    raised, value = doubts.raised_in(asked), line.asked.value
    if not set(line.asked.changes) <= set(raised.changes):
        raise Lapsed("What was asked has changed meanwhile: `kithkin doubts ask` asks anew.")
    memory = str(value.memory)
    signed = By(actor=by.actor, now=by.now, reason=f"a human said: {verdict}")
    match verdict:
        case "keep":
            doubt_effects.keep(db, tx, memory, config=config, by=signed)
        case "move":
            doubt_effects.move(tx, memory, by=signed)
        case "remove":
            gone += doubt_effects.remove(tx, memory, by=signed)
        case "unclear":
            pass
        case _:
            assert_never(verdict)
    name = line.asked.name
    return Settled(asked.id, raised.item, name, value.persona_name, verdict)


def _close(
    tx: Tx, question: str, settled: Sequence[Settled], *, message: ItemId | None, by: By
) -> None:
    """Take what was settled off the question; it stays open for what is still unclear."""
    asked = questions.get(tx, question)
    mine = [one for one in settled if one.question == question]
    done = {one.persona for one in mine if one.verdict != UNCLEAR}
    raised = doubts.raised_in(asked)
    left = tuple(change for change in raised.changes if change.persona_name not in done)
    if left:
        still = replace(raised, changes=left, times=raised.times + 1)
        if any(one.verdict != UNCLEAR for one in settled):
            # The numbers that were asked by mean something else now.
            still = replace(still, batch=None, place=None)
        doubts.save(tx, asked, still, by=by)
        return
    told = [one.verdict if len(mine) == 1 else f"{one.persona}: {one.verdict}" for one in mine]
    answered = replace(
        asked,
        state="answered",
        answer=", ".join(told),
        answered_by=by.actor,
        answered_at=by.now,
        answered_with=message,
    )
    questions.save(tx, answered, by=by)
