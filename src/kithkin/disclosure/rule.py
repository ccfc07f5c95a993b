"""What an audience may see. One rule for memories, messages, claims and aliases; it fails closed.

First match wins:

    archived, expired, erased                        no
    superseded by something this audience may see    no
    held by a doubt                                  its persona alone; others, what was confirmed
    no common group                                  no
    asked in the source chat                         yes
    kept to its conversation, or anyone unverified   no
    sensitive                                        the sayer alone, or a subject alone if portable
    personal, or learned in a private chat           the sayer alone, or all if public and portable
    learned in a shared chat                         those who were all there then, or portable
    source unknown                                   no
    else                                             yes
"""

from collections.abc import Collection
from datetime import datetime
from typing import Literal

from msgspec import Struct

from kithkin.ids import REAL, ChatId, PersonaId, PersonId, SpeakerKey
from kithkin.language.sensitivity import Sensitivity

Source = Literal["private", "shared", "owner", "unknown"]
"""Where it was learned: in a private or a shared chat, from the owner's own hand, or nowhere known.
"""


State = Literal["kept", "archived", "erased"]


class Hearer(Struct, frozen=True):
    """One of those who will read an answer: every record of that human, and who vouches."""

    ids: frozenset[PersonId]
    verified: bool = False


class Audience(Struct, frozen=True):
    """Everyone who will read an answer, where it is asked, and in whose voice it is given."""

    hearers: tuple[Hearer, ...]
    chat: ChatId | None = None
    persona: PersonaId | None = None
    groups: frozenset[str] = frozenset([REAL])
    keys: frozenset[SpeakerKey] = frozenset()
    """Under which the one who hears it alone, and is vouched for, has spoken."""
    asked_by: frozenset[SpeakerKey] = frozenset()
    """The same of whoever asks, and is vouched for, whoever else hears the answer."""


class Record(Struct, frozen=True, omit_defaults=True):
    """What the rule needs to know of a memory, a message, a claim or an alias."""

    source: Source = "unknown"
    chat: ChatId | None = None
    said_by: PersonId | None = None
    subjects: tuple[PersonId, ...] = ()
    heard_by: tuple[PersonId, ...] = ()
    """Who was there when it was said in a shared chat."""
    sensitivity: Sensitivity = "public"
    portable: bool = False
    private: bool = False
    groups: tuple[str, ...] = (REAL,)
    state: State = "kept"
    expires_at: datetime | None = None
    doubted_by: PersonaId | None = None
    """The persona whose word is in doubt. What was confirmed before is a record of its own."""


class Shown(Struct, frozen=True, tag=True):
    """It may be told, and why."""

    because: str


class Hidden(Struct, frozen=True, tag=True):
    """It may not be told, and why."""

    because: str


Decision = Shown | Hidden


def decide(
    record: Record, audience: Audience, *, now: datetime, successor: Decision | None = None
) -> Decision:
    """Whether these people may be told. `successor` is the decision on what superseded it."""
    held = _as_held(record, audience, now=now, successor=successor)
    return held if isinstance(held, Hidden) else _as_told(record, audience)


def _as_held(
    record: Record, audience: Audience, *, now: datetime, successor: Decision | None
) -> Decision:
    """What becomes of it whoever asks: gone, replaced, in doubt, or of another world."""
    if record.state != "kept":
        return Hidden(f"it was {record.state}")
    if has_expired(record.expires_at, now=now):
        return Hidden("its time is over")
    if isinstance(successor, Shown):
        return Hidden("something newer replaced it")
    if record.doubted_by is not None:
        if record.doubted_by != audience.persona:
            return Hidden("whether it is real waits for a human's word")
    elif not audience.groups.intersection(record.groups):
        return Hidden("it belongs to another group")
    return Shown("it stands")


def _as_told(record: Record, audience: Audience) -> Decision:
    """Who may hear it, by where it was said, by whom, and how delicate it is."""
    if record.chat is not None and record.chat == audience.chat:
        return Shown("asked in the chat it was said in")
    if record.private:
        return Hidden("it was said to stay in its conversation")
    if not audience.hearers or not all(hearer.verified for hearer in audience.hearers):
        return Hidden("nobody vouches for everyone who would hear it")
    if record.sensitivity == "sensitive":
        return _sensitive(record, audience)
    if record.sensitivity == "personal" or record.source == "private":
        return _personal(record, audience)
    return _open(record, audience)


def _sensitive(record: Record, audience: Audience) -> Decision:
    if _alone(audience, (record.said_by,)):
        return Shown("it is sensitive, and only the one who said it hears it")
    if record.portable and _alone(audience, record.subjects):
        return Shown("it is sensitive and portable, and only the one it is about hears it")
    return Hidden("it is sensitive")


def _personal(record: Record, audience: Audience) -> Decision:
    if _alone(audience, (record.said_by,)):
        return Shown("only the one who said it hears it")
    if record.sensitivity == "public" and record.portable:
        return Shown("it is public and portable")
    return Hidden("it is personal" if record.sensitivity == "personal" else "it was said privately")


def _open(record: Record, audience: Audience) -> Decision:
    if record.source == "shared":
        if all(hearer.ids.intersection(record.heard_by) for hearer in audience.hearers):
            return Shown("everyone who hears it was there when it was said")
        if record.portable:
            return Shown("it is portable")
        return Hidden("not everyone who would hear it was there when it was said")
    if record.source == "unknown":
        return Hidden("nobody knows where it comes from")
    return Shown("the owner wrote it down for everyone")


def _alone(audience: Audience, persons: Collection[PersonId | None]) -> bool:
    """Whether the one hearer is among these persons."""
    return len(audience.hearers) == 1 and bool(audience.hearers[0].ids.intersection(persons))


def has_expired(expires: datetime | None, *, now: datetime) -> bool:
    """Whether its time is over: at that very moment it is."""
    return expires is not None and expires <= now
