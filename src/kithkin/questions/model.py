"""A question: something only a human can settle."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from kithkin.ids import ItemId, PersonId, QuestionId

Kind = Literal["approval", "unknown_sender", "protected", "doubt", "ambiguous"]
State = Literal["open", "answered", "expired", "lapsed"]
"""Expired: nobody answered in time, which denies. Lapsed: what it was about is not so any more."""


class Question(Struct, frozen=True, omit_defaults=True):
    """What is asked, of whom, and what came of it. Asking the same again is the same question."""

    id: QuestionId
    kind: Kind
    text: str
    options: tuple[str, ...]
    dedup: str
    asked_at: str
    asked_after: int
    """The ledger's end when it was asked: an older message is no answer to it."""
    audience: PersonId | None = None
    """Who may answer beside the owner."""
    subject: str | None = None
    sources: tuple[str, ...] = ()
    details: Mapping[str, Any] = {}
    expires_at: str | None = None
    notice: ItemId | None = None
    """The call that told the owner: a reply to it is an answer."""
    state: State = "open"
    answer: str | None = None
    answered_by: str | None = None
    answered_at: str | None = None
    answered_with: ItemId | None = None
    """The message that answered it."""


class Answer(Struct, frozen=True):
    """One of the options, and what was said with it: a name, or whom to merge into."""

    option: str
    about: str = ""
