"""What tools answer: short enough for a model to read, with the ids that lead on."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct

from kithkin.accounts.agents import Delivered
from kithkin.disclosure.explore import Page
from kithkin.errors import NotFound
from kithkin.mcp.caller import Caller
from kithkin.memories.learn import Learned, Remembered
from kithkin.memories.model import AboutSpeaker, AboutUnresolved, Memory
from kithkin.memories.recall import Recalled
from kithkin.people.model import Ambiguous, ByClaim, Found, Person, Resolution, Unknown
from kithkin.questions.model import Question
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item


class Named(Struct, frozen=True):
    """Somebody, by the id that is theirs and the name they go by."""

    id: str
    name: str


class Kept(Struct, frozen=True, omit_defaults=True):
    """One thing that is known from now on."""

    id: str
    content: str
    kind: str
    trust: str
    about: tuple[Named, ...] = ()
    unresolved: str | None = None
    """Whom it is about, if nobody knows who that is."""


class Asked(Struct, frozen=True, omit_defaults=True):
    """Something only a human can settle."""

    id: str
    kind: str
    text: str
    options: tuple[str, ...] = ()
    state: str = "open"
    expires_at: str | None = None


class Taken(Struct, frozen=True, omit_defaults=True):
    """What became of somebody's words."""

    message: str | None
    learned: tuple[Kept, ...] = ()
    replaced: tuple[str, ...] = ()
    """What is not believed any more."""
    people: tuple[Named, ...] = ()
    questions: tuple[Asked, ...] = ()
    hint: str | None = None


class Told(Struct, frozen=True, omit_defaults=True):
    """Something that may be told here."""

    id: str
    content: str
    kind: str
    when: str
    trust: str
    said_by: Named | None = None
    about: tuple[Named, ...] = ()
    quote: str | None = None
    message: str | None = None
    because: str = ""
    """Why it may be told."""


class Fact(Struct, frozen=True):
    """Something that is known, without who said it."""

    id: str
    content: str
    kind: str


class Recall(Struct, frozen=True):
    """What is known about something, the best first."""

    found: tuple[Told, ...]


class Who(Struct, frozen=True, omit_defaults=True):
    """Who is meant. Of several candidates none is picked: ask."""

    answer: Literal["found", "ambiguous", "unknown"]
    reason: str
    person: Named | None = None
    relationship: str | None = None
    """What they are, by the word that led to them."""
    candidates: tuple[Named, ...] = ()


class Waiting(Struct, frozen=True, omit_defaults=True):
    """Something that came for this agent."""

    id: str
    """Say it in `done` once it is dealt with."""
    message: str
    """The id of the message: say it in `on_behalf_of` or `because_of`."""
    seq: int
    text: str
    came_at: str


class Mail(Struct, frozen=True):
    """What has not been dealt with, in the order it came."""

    waiting: tuple[Waiting, ...]


class Happened(Struct, frozen=True, omit_defaults=True):
    """Something that happened."""

    id: str
    type: str
    at: str
    what: str
    details: dict[str, Any] = {}


class Happenings(Struct, frozen=True, omit_defaults=True):
    """A part of the timeline, newest first; `next` goes on from there."""

    items: tuple[Happened, ...]
    next: str | None = None


class Text(Struct, frozen=True):
    """A text for a prompt."""

    text: str


class Open(Struct, frozen=True):
    """Questions, oldest first."""

    questions: tuple[Asked, ...]


class Document(Struct, frozen=True, omit_defaults=True):
    """A version of an artifact; an edit says that it is `based_on` its commit."""

    id: str
    label: str
    commit: str
    content: str


class Edited(Struct, frozen=True, omit_defaults=True):
    """An artifact after an edit."""

    id: str
    label: str
    commit: str


def taken(caller: Caller, kept: Remembered | Learned) -> Taken:
    """What became of words, and what to do if nothing did."""
    if isinstance(kept, Learned):
        return Taken(None, (_kept(caller, kept),))
    nothing = "Nothing was kept: give the person's own words, or write it with note_person."
    return Taken(
        kept.heard.item.uuid,
        tuple(_kept(caller, one) for one in kept.learned),
        tuple(old.content for old in kept.superseded),
        tuple(map(named, kept.persons)),
        tuple(map(asked, kept.questions)),
        None if kept.learned or kept.persons or kept.questions else nothing,
    )


def recall(caller: Caller, found: Iterable[Recalled]) -> Recall:
    """What was recalled, with names."""
    return Recall(tuple(_told(caller, one) for one in found))


def who(found: Resolution) -> Who:
    """Who is meant, and by whose word."""
    match found:
        case Found(person=person, reason=reason, evidence=evidence):
            own = (one.claim.relationship for one in evidence if isinstance(one, ByClaim))
            return Who("found", reason, named(person), next(own, None))
        case Ambiguous(candidates=candidates, reason=reason):
            return Who("ambiguous", reason, candidates=tuple(map(named, candidates)))
        case Unknown(reason=reason):
            return Who("unknown", reason)


def named(person: Person) -> Named:
    """A person as tools speak of them."""
    return Named(person.id, person.name)


def asked(question: Question) -> Asked:
    """A question as an agent may pass it on."""
    return Asked(
        question.id,
        question.kind,
        question.text,
        question.options,
        question.state,
        question.expires_at,
    )


def waiting(came: Delivered) -> Waiting:
    """Something in the inbox, as it is read."""
    one = came.waiting
    return Waiting(one.id, one.item, one.seq, came.text or gist(came.item), one.posted_at)


def happenings(page: Page) -> Happenings:
    """A part of the timeline, a line each."""
    return Happenings(
        tuple(
            Happened(one.item.uuid, one.item.type, one.canonical_at, gist(one.item))
            for one in page.items
        ),
        page.next,
    )


def gist(item: Item) -> str:
    """What an item says, on one line."""
    if item.data is None:
        return "(erased)"
    fields = fields_of(item)
    names = ("description", "operation", "event_type", "label", "title", "reason")
    return next((str(fields[name]) for name in names if fields.get(name)), item.type)


def _kept(caller: Caller, one: Learned) -> Kept:
    memory = one.memory
    return Kept(
        memory.id,
        memory.content,
        memory.kind,
        one.trust,
        _names(caller, _about(memory)),
        memory.about.said if isinstance(memory.about, AboutUnresolved) else None,
    )


def _about(memory: Memory) -> Sequence[str]:
    if isinstance(memory.about, AboutSpeaker):
        return (memory.said_by,) if memory.said_by else ()
    return memory.subject_person_ids


def _told(caller: Caller, one: Recalled) -> Told:
    said_by = _names(caller, (one.said_by,) if one.said_by else ())
    return Told(
        one.id,
        one.content,
        one.kind,
        one.when,
        one.trust,
        said_by[0] if said_by else None,
        _names(caller, one.subjects),
        one.quote,
        one.item,
        one.because,
    )


def _names(caller: Caller, persons: Iterable[str]) -> tuple[Named, ...]:
    return tuple(_name(caller, person) for person in persons)


def _name(caller: Caller, person: str) -> Named:
    try:
        return named(caller.kin.people.get(person))
    except NotFound:
        return Named(person, "somebody")
