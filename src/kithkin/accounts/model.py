"""An account, the agents that act for it, and what waits in an inbox."""

from typing import Literal

from msgspec import Struct

from kithkin.ids import AccountId, AgentId, ChatId, ContactId, ItemId, PersonId

Kind = Literal["frontend", "background"]
"""A frontend agent talks to the person; a background one works for them."""


class Account(Struct, frozen=True, omit_defaults=True):
    """Somebody who uses this installation."""

    id: AccountId
    name: str
    person: PersonId
    nametag: str
    former_nametags: tuple[str, ...] = ()
    """They redirect: what was printed on a card keeps working."""
    keys: tuple[tuple[str, str], ...] = ()
    """(connector, key): by which a connector knows the account."""


class Agent(Struct, frozen=True, omit_defaults=True):
    """A program acting for an account. A sleeping one gets its messages when it wakes."""

    id: AgentId
    account: AccountId
    name: str
    kind: Kind
    awake: bool = True
    persona: str | None = None


class Waiting(Struct, frozen=True):
    """Something in an inbox: the item that was delivered, until it is acknowledged."""

    id: str
    account: AccountId
    agent: AgentId | None
    seq: int
    item: ItemId
    posted_at: str
    acked_at: str | None = None


class Reply(Struct, frozen=True):
    """The message a call answers: who wrote it, where, and whether they are vouched for."""

    item: ItemId
    contact: ContactId | None
    chat: ChatId | None
    channel: str
    address: str
    verified: bool
    age_seconds: float
