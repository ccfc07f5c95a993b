"""Chat: hear, remember, recall, answer. Without a model the answer is plain and honest."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure.audience import audience_of
from kithkin.disclosure.rule import Audience
from kithkin.disclosure.visible import Seen
from kithkin.errors import ModelUnavailable
from kithkin.identity.records import records_of
from kithkin.identity.self_person import speaker_in
from kithkin.ids import REAL, PersonId
from kithkin.memories import context, memory_edit, query_parser, recall
from kithkin.memories.context import day, joined, name_of
from kithkin.memories.learn import Learned, Remembered
from kithkin.memories.model import AboutSpeaker, Memory
from kithkin.memories.recall import Recalled
from kithkin.messages.message_append import Heard, Place
from kithkin.people import store as people
from kithkin.people.model import Person
from kithkin.personas.voices import STEWARD, Voice
from kithkin.ports import Embedder, Prompted, Responder
from kithkin.questions.model import Question

_ASKS: Final = re.compile(
    r"\?\s*$|^\s*(?:tell me|what|who|whose|when|where|why|how|which|do you (?:know|remember)"
    r"|remind me"
    r"|show me|list|describe|give me|is|are|does|did|has|have|can)\b",
    re.IGNORECASE,
)
_GREETS: Final = re.compile(
    r"^\s*(?:hello|hi|hey|good (?:morning|evening|afternoon)|yo|greetings)\b", re.IGNORECASE
)
_MOST_TOLD: Final = 8
_CONTEXT_TOKENS: Final = 1500


class Answer(Struct, frozen=True):
    """What was answered, and what became of what was said."""

    reply: str
    learned: tuple[Learned, ...] = ()
    superseded: tuple[Memory, ...] = ()
    questions: tuple[Question, ...] = ()
    persons: tuple[Person, ...] = ()
    recalled: tuple[Recalled, ...] = ()


class Voices(Struct, frozen=True):
    """What answers: a responder, if there is one; what the embedder read helps to recall."""

    responder: Responder | None = None
    embedder: Embedder | None = None


def chat(
    db: Database,
    remembered: Remembered,
    *,
    place: Place,
    voices: Voices,
    now: datetime,
    piece: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a message that was just taken in, with what may be told where it was said.

    `piece` is called with each part of the answer as it comes.
    """
    speaker = remembered.heard.speaker
    audience = audience_of(db, speaker, chat=place.chat, voice=remembered.heard.voice)
    found = _recalled(db, remembered, audience, voices, now)
    told = _Told(db, remembered, audience, voices, now)
    reply = "".join(_pieces(told, found, piece))
    return Answer(
        reply,
        remembered.learned,
        remembered.superseded,
        remembered.questions,
        _persons(db, remembered),
        tuple(found),
    )


def _recalled(
    db: Database, said: Remembered, audience: Audience, voices: Voices, now: datetime
) -> list[Recalled]:
    found = recall.recall(
        db,
        said.heard.text,
        audience=audience,
        speaker=said.heard.speaker,
        limit=30,
        now=now,
        embedder=voices.embedder,
    )
    # What was said this very moment is no answer to it.
    return [one for one in found if one.item != said.heard.item.uuid]


def _persons(db: Database, said: Remembered) -> tuple[Person, ...]:
    known = {person.id: person for person in said.persons}
    with db.snapshot() as tx:
        for person in query_parser.meant(tx, said.heard.text, said.heard.speaker, said.heard.voice):
            known.setdefault(person.id, person)
        known.pop(said.heard.person.id, None)
    return tuple(known.values())


class _Told(Struct, frozen=True):
    """Everything an answer is made from."""

    db: Database
    said: Remembered
    audience: Audience
    voices: Voices
    now: datetime

    def more(self, question: str) -> str:
        """What else may be told here, for a model that asks."""
        found = recall.recall(
            self.db,
            question,
            audience=self.audience,
            speaker=self.said.heard.speaker,
            now=self.now,
            embedder=self.voices.embedder,
        )
        return context.context(self.db, found, tokens=_CONTEXT_TOKENS // 3)


def _pieces(
    told: _Told, found: Sequence[Recalled], piece: Callable[[str], None] | None
) -> Iterator[str]:
    for part in _spoken(told, found):
        if piece:
            piece(part)
        yield part


def _spoken(told: _Told, found: Sequence[Recalled]) -> Iterator[str]:
    db, said = told.db, told.said
    if told.voices.responder is None:
        yield plain_reply(db, said, found)
        return
    section = Seen(db, told.audience, now=lambda: told.now).people_section(said.heard.speaker)
    prompted = Prompted(
        people=section,
        context=context.context(db, found, tokens=_CONTEXT_TOKENS),
        said=said.heard.text,
        speaker_name=said.heard.person.name,
        search=told.more,
    )
    parts = told.voices.responder.respond(prompted)
    try:
        first = next(parts, "")
    except ModelUnavailable:
        yield plain_reply(db, said, found)
        return
    yield first
    yield from parts


def plain_reply(db: Database, said: Remembered, found: Sequence[Recalled]) -> str:
    """An answer by rules: who is who, what was said and when; or that nothing is known."""
    with db.snapshot() as tx:
        teller = _Teller(tx, said.heard)
        if _ASKS.search(said.heard.text):
            return teller.answer(said, found)
        return teller.acknowledge(said)


class _Teller:
    """Says things to one speaker, in one voice."""

    def __init__(self, tx: Tx, heard: Heard) -> None:
        self._tx, self._voice = tx, heard.voice
        who = speaker_in(tx, heard.speaker)
        self._keys = who.keys if who else frozenset()
        self._me = records_of(tx, who.person) if who and who.person else frozenset()

    def acknowledge(self, said: Remembered) -> str:
        """What was understood, or that nothing was there to learn."""
        parts = [f"Noted: {self._statement(one.memory)}." for one in said.learned]
        parts += [f"I had noted: {self._statement(one)}." for one in said.superseded]
        parts += [question.text for question in said.questions]
        if not parts:
            parts += [self._introduced(person) for person in said.persons]
        if not parts and _GREETS.match(said.heard.text):
            name = said.heard.person.name
            return "Hello!" if name.startswith("Unknown (") else f"Hello, {name}!"
        return " ".join(part for part in parts if part) or "I understood nothing to remember there."

    def answer(self, said: Remembered, found: Sequence[Recalled]) -> str:
        """Who the people asked about are, and what may be told."""
        heard = said.heard
        named = query_parser.meant(self._tx, heard.text, heard.speaker, heard.voice)
        meant = [person for person in named if person.id not in self._me]
        known = [one for one in found if one.kind != "message"][:_MOST_TOLD]
        if meant:
            ids = {one for person in meant for one in records_of(self._tx, person.id)}
            known = [one for one in known if self._is_about(one, ids)]
        own = [one for one in known if not one.subjects and one.said_by in self._me]
        if own and not meant and query_parser.is_about_asker(heard.text):
            known = own
        unclear = query_parser.unclear_in(self._tx, heard.text, heard.speaker, heard.voice)
        if unclear and not meant:
            return unclear
        parts = [self._introduced(person) for person in meant]
        parts += self._told(known, named=bool(meant))
        if not known and not meant:
            parts += self._quoted(found)
        if meant and not known:
            names = joined(person.name for person in meant)
            parts.append(f"I know nothing more about {names} that I may tell here.")
        parts += [f"Noted: {self._statement(one.memory)}." for one in said.learned]
        parts += [question.text for question in said.questions]
        return " ".join(part for part in parts if part) or "I know nothing about that."

    def _is_about(self, one: Recalled, ids: set[PersonId]) -> bool:
        return bool(ids.intersection(one.subjects)) or (not one.subjects and one.said_by in ids)

    def _introduced(self, person: Person) -> str:
        terms = [
            claim.relationship
            for claim in person.relationships
            if claim.stated_by in self._keys and claim.relationship != "self"
        ]
        called = joined(dict.fromkeys(terms))
        return f"{person.name} is your {called}{self._played(person.groups)}." if terms else ""

    def _played(self, groups: Sequence[str]) -> str:
        """In which play something is true; inside of it nobody says so."""
        real = not groups or REAL in groups or not self._voice.is_steward
        return "" if real else f" (in {joined(groups)})"

    def _told(self, known: Sequence[Recalled], *, named: bool) -> list[str]:
        """What is known, gathered by who said it on which day; of one who is named, without it."""
        by_sayer: dict[tuple[PersonId | None, str], list[Recalled]] = {}
        for one in sorted(known, key=lambda one: one.when):
            by_sayer.setdefault((one.said_by, day(one.when)), []).append(one)
        return [
            self._by(sayer, when, told, named=named) for (sayer, when), told in by_sayer.items()
        ]

    def _by(
        self, sayer: PersonId | None, when: str, told: Sequence[Recalled], *, named: bool
    ) -> str:
        bare = named and len({one.subjects for one in told}) == 1
        what = "; ".join(dict.fromkeys(self._said(one, bare=bare) for one in told))
        if sayer in self._me:
            return f"You told me on {when}: {what}."
        if sayer is None:
            return f"Noted on {when}: {what}."
        own = all(not one.subjects for one in told)
        name = name_of(self._tx, sayer)
        whose = f"{name} said on {when}" + (" of themselves" if own else "")
        return f"{whose}: {what}."

    def _said(self, one: Recalled, *, bare: bool) -> str:
        played = self._played(one.groups)
        if bare or not one.subjects:
            return f"{one.content}{played}"
        names = joined(name_of(self._tx, person) for person in one.subjects)
        return f"{names} {one.content}{played}"

    def _quoted(self, found: Sequence[Recalled]) -> list[str]:
        """The words themselves, when nothing was learned that answers."""
        said = [
            one
            for one in found
            if one.kind == "message" and not one.is_past and not _ASKS.search(one.content)
        ]
        return [
            f'{self._sayer(one)} on {day(one.when)}: "{_short(one.content)}"' for one in said[:3]
        ]

    def _sayer(self, one: Recalled) -> str:
        if one.said_by in self._me:
            return "You said"
        return f"{name_of(self._tx, one.said_by)} said" if one.said_by else "Somebody said"

    def _statement(self, memory: Memory) -> str:
        if isinstance(memory.about, AboutSpeaker):
            return f"you: {memory.content}"
        if memory.kind == "relationship":
            return memory.content
        names = [people.get(self._tx, person) for person in memory.subject_person_ids]
        told = joined(person.name for person in names if person) if names else ""
        return f"{told} {memory.content}".strip()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 200 else f"{flat[:199]}…"  # noqa: PLR2004 - a line or two


def undo_all(db: Database, answer: Answer, *, voice: Voice = STEWARD, by: By) -> int:
    """Take back everything an answer says was learned."""
    for one in answer.learned:
        memory_edit.undo(db, one.memory.id, voice=voice, by=by)
    return len(answer.learned)
