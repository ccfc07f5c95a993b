"""A call that would leave, whom it reaches, and the standing rules that let it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from kithkin.ids import ChatId, ContactId, ItemId, PersonId, QuestionId, RuleId


class Call(Struct, frozen=True):
    """A tool and its exact arguments."""

    tool: str
    arguments: Mapping[str, Any]


class Aim(Struct, frozen=True):
    """Somebody a call would reach, as its arguments say it."""

    argument: str
    value: str
    channel: str | None = None


class Target(Struct, frozen=True, omit_defaults=True):
    """Somebody a call would reach, as far as they are known."""

    argument: str
    value: str
    """As the rules compare it: a normalised address, or an id."""
    channel: str | None = None
    recipient: str | None = None
    """What the channel is given; None when there is no address to send to."""
    contact: ContactId | None = None
    person: PersonId | None = None
    chat: ChatId | None = None
    chat_version: int | None = None
    """Who was in the chat when this was looked up."""
    is_owner: bool = False
    name: str = ""

    @property
    def told(self) -> str:
        """Whom and where, as a human is asked about it."""
        where = f"{self.channel or 'unknown channel'} {self.recipient or 'without an address'}"
        return f"{self.name} ({where})" if self.name else f"{self.value!r} ({self.argument})"

    @property
    def resolved(self) -> bool:
        """Whether it is known whom this reaches."""
        return self.contact is not None or self.chat is not None


class Action(Struct, frozen=True):
    """A call with everybody it reaches: what is approved, to the letter."""

    call: Call
    targets: tuple[Target, ...]
    undeclared: tuple[str, ...] = ()
    """Arguments of which nobody has said what they do."""


class Exactly(Struct, frozen=True, tag="exact"):
    """The argument is this value."""

    value: Any


class Matching(Struct, frozen=True, tag="pattern"):
    """The argument matches; of several addresses, each on its own. `*` stands for any text."""

    pattern: str


class Anything(Struct, frozen=True, tag="any"):
    """The argument may be anything."""


Constraint = Exactly | Matching | Anything


class Rule(Struct, frozen=True, omit_defaults=True):
    """The owner's standing word that calls like this may leave."""

    id: RuleId
    tool: str
    constraints: Mapping[str, Constraint]
    made_at: str
    reason: str | None = None
    expires_at: str | None = None
    max_uses: int | None = None
    uses: int = 0
    active: bool = True


class Approved(Struct, frozen=True, tag=True):
    """The gate's word that an action may leave. Only the gate makes one."""

    action: Action
    why: str
    rule: RuleId | None = None


class NeedsHuman(Struct, frozen=True, tag=True):
    """The gate's word that a human decides."""

    action: Action
    why: str


Decision = Approved | NeedsHuman


class Sending(Struct, frozen=True):
    """A row of the outbox."""

    id: str
    key: str
    channel: str
    call: ItemId
    targets: tuple[Target, ...]
    decision: ItemId
    question: QuestionId | None
    state: str
    attempts: int
    due_at: str
    created_at: str
    leased_until: str | None = None
    result: str | None = None
    error: str | None = None
    done_at: str | None = None
