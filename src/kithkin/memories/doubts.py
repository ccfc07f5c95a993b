"""Doubt: what a persona was told of the real world waits, apart, for a human's word."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kithkin.core.model import By
from kithkin.db import Tx
from kithkin.ids import REAL
from kithkin.memories.model import AboutPersons, Doubt, Memory, Profile
from kithkin.personas import validation_wording
from kithkin.personas.groups import needs_word
from kithkin.personas.model import Change, Raised
from kithkin.personas.voices import Voice, seen_by
from kithkin.questions import ask
from kithkin.questions import store as questions
from kithkin.questions.model import Question
from kithkin.soil import store as soil

KIND = "doubt"
OPTIONS = ("keep", "move", "remove")
_REAL = frozenset([REAL])


class Held(Struct, frozen=True):
    """A memory as it may be kept, and what it replaces at once; in doubt, nothing confirmed."""

    memory: Memory
    replaces: tuple[Memory, ...] = ()
    confirmed: Memory | None = None
    """What a memory in doubt would change: everybody else goes on seeing it."""


def may_build_on(voice: Voice, memory: Memory) -> bool:
    """Whether a voice may repeat or replace a memory: what it sees and nobody else holds in doubt.

    What the steward is told is about the real world.
    """
    if not heard_by(voice, memory):
        return False
    sees = _REAL if voice.is_steward else voice.visible or _REAL
    return memory.doubt is not None or not sees.isdisjoint(memory.groups)


def same_world(old: Memory, new: Memory) -> bool:
    """Whether one memory can take another's place: a fiction's never takes that of a real one."""
    return not set(old.groups).isdisjoint(new.groups)


def hold(voice: Voice, memory: Memory, replaced: Sequence[Memory]) -> Held:
    """The memory as it may be kept: held in doubt, if a human has to speak first."""
    confirmed = [old for old in replaced if old.doubt is None]
    own = [old for old in replaced if old.doubt is not None]
    # What the human says to the steward is the human's own word: it may change what is locked.
    locked = not voice.is_steward and any(old.validated == "human" for old in confirmed)
    if voice.persona is None or not needs_word(voice.persona, memory.groups, locked=locked):
        return Held(memory, tuple(replaced))
    before = confirmed[0] if confirmed else None
    doubt = own[0].doubt if own else None
    item = before.id if before else memory.id
    made = doubt or Doubt(voice.persona.id, item=item, of=before.id if before else None)
    return Held(replace(memory, doubt=made), tuple(own), before)


def ask_about(tx: Tx, held: Held, voice: Voice, *, by: By) -> Question:
    """Put what is in doubt into the queue: one question for an item, with every change of it."""
    memory = held.memory
    assert memory.doubt is not None  # noqa: S101 - only what is held is asked about
    assert voice.persona is not None  # noqa: S101 - and only a persona's word is held
    change = Change(
        persona=voice.persona.id,
        persona_name=voice.persona.name,
        is_new=memory.doubt.of is None,
        new=memory.content,
        old=held.confirmed.content if held.confirmed else None,
        said=memory.quote.text if memory.quote else None,
        memory=memory.id,
    )
    named = memory.name or (held.confirmed.content if held.confirmed else memory.content)
    dedup = dedup_of(memory.doubt)
    known = questions.asked(tx, dedup)
    if known is not None:
        raised = raised_in(known)
        return _save(tx, known, replace(raised, changes=(*raised.changes, change)), by=by)
    since = soil.head(tx).seq
    raised = Raised(memory.doubt.item, named, data_type_of(memory), (change,), since)
    question = Question(
        id=questions.new_id(),
        kind="doubt",
        text=validation_wording.question(raised.lines()),
        options=OPTIONS,
        dedup=dedup,
        asked_at=by.now,
        asked_after=0,
        audience=memory.said_by,
        subject=memory.doubt.item,
        sources=(memory.item,) if memory.item else (),
        details=msgspec.to_builtins(raised),
    )
    return ask.ask(tx, question, by=by)[0]


def dedup_of(doubt: Doubt) -> str:
    """The key of the one question about an item."""
    return f"doubt:{doubt.item}"


def raised_in(question: Question) -> Raised:
    """What a question about a doubt holds."""
    return msgspec.convert(question.details, Raised)


def save(tx: Tx, question: Question, raised: Raised, *, by: By) -> Question:
    """The question with what it holds now; with nothing left to decide, it is over."""
    if not raised.changes:
        return questions.save(tx, replace(question, state="lapsed"), by=by)
    return _save(tx, question, raised, by=by)


def _save(tx: Tx, question: Question, raised: Raised, *, by: By) -> Question:
    text = validation_wording.question(raised.lines())
    changed = replace(question, text=text, details=msgspec.to_builtins(raised))
    return questions.save(tx, changed, by=by)


def withdraw(tx: Tx, memory: Memory, *, by: By) -> None:
    """Take back what was in doubt: its question no longer lists it."""
    known = questions.asked(tx, dedup_of(memory.doubt)) if memory.doubt else None
    if known is None:
        return
    raised = raised_in(known)
    left = tuple(change for change in raised.changes if change.memory != memory.id)
    save(tx, known, replace(raised, changes=left), by=by)


def data_type_of(memory: Memory) -> Profile:
    """What kind of item of a profile a memory is."""
    if memory.profile:
        return memory.profile
    if isinstance(memory.about, AboutPersons):
        return "person"
    return "topic" if memory.kind == "preference" else "fact"


def heard_by(voice: Voice, memory: Memory) -> bool:
    """Whether a voice may build on a memory: not on what another persona holds in doubt."""
    return memory.doubt is None or (memory.doubt.persona == voice.id and voice.id is not None)


def may_be_changed(tx: Tx, voice: Voice, memory: Memory) -> bool:
    """Whether a voice sees a memory at all: what it does not see it cannot change."""
    if memory.doubt is not None:
        return heard_by(voice, memory)
    return not seen_by(tx, voice).isdisjoint(memory.groups or (REAL,))
