"""The facts Soil holds: one value per item type, and the item that carries it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from kithkin.ids import ItemId


class Note(Struct, frozen=True, omit_defaults=True):
    """Text that somebody wrote down."""

    description: str
    summary: str | None = None
    title: str | None = None


class Fragment(Struct, frozen=True):
    """One idea within a message; not an item of its own."""

    id: str
    content: str


class Message(Struct, frozen=True, omit_defaults=True):
    """What one participant said to another."""

    description: str
    sender: str
    recipient: str | None = None
    subject: str | None = None
    summary: str | None = None
    title: str | None = None
    fragments: tuple[Fragment, ...] = ()
    person: str | None = None
    """Who the sender was then: an address may pass to somebody else."""
    chat: str | None = None
    chat_version: int | None = None
    """The state of the chat it was said in: who was there to hear it."""
    provider_id: str | None = None
    """The channel's own id of the message, by which a second delivery is recognised."""
    verified: bool = False
    """Whether the connector vouches for the sender."""
    answers: str | None = None
    """The item it replies to, as the connector says."""
    groups: tuple[str, ...] = ()
    """The groups of the personas it was said to; none of the real world's."""


class ToolResult(Struct, frozen=True, omit_defaults=True):
    """How a tool call ended."""

    status: Literal["success", "error", "cancelled"]
    output: Any
    timestamp: datetime


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """A tool used by a person or an agent, and what for."""

    tool: str
    operation: str
    params: Mapping[str, Any]
    caller: str
    result: ToolResult | None = None
    context: str | None = None


class ArtifactCreated(Struct, frozen=True):
    """A document came to be."""

    artifact_uuid: str
    label: str


class ArtifactDelta(Struct, frozen=True, omit_defaults=True):
    """One commit to a document; a merge has several parents.

    The ops name fragments; what they add and remove is written out, to replay and to invert them.
    """

    artifact_uuid: str
    commit: str
    ops: str
    parent: str | tuple[str, ...] | None = None
    references: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unfinished: tuple[bool, bool] | None = None
    """Whether the last line lacked its newline before, and does after; None for neither."""
    actor: str | None = None
    reason: str | None = None
    aside: bool = False
    """Whether the head stayed where it was."""


class SystemEvent(Struct, frozen=True, omit_defaults=True):
    """Something Kithkin did by itself, or was told to do to itself."""

    event_type: str
    payload: Mapping[str, Any] | None = None


class EntityDelta(Struct, frozen=True, omit_defaults=True):
    """One change of a belief in Core: who made it, why, and each field's old and new value."""

    entity_uuid: str
    entity_type: str
    commit: str
    version: int
    changes: Mapping[str, Any]
    actor: str
    parent: str | None = None
    reason: str | None = None


class Undo(Struct, frozen=True, omit_defaults=True):
    """A tombstone: the item it names was a mistake."""

    undoes: str
    actor: str
    reason: str | None = None


class Relation(Struct, frozen=True, omit_defaults=True):
    """An edge that can no longer change: structural from birth, or fossilised."""

    relation: str
    kind: str
    source: str
    source_type: str
    target: str
    target_type: str
    born_at: str
    confidence: float | None = None
    metadata: Mapping[str, Any] | None = None


class Extension(Struct, frozen=True):
    """An item of a type Kithkin does not know: its JSON is kept byte for byte."""

    type: str
    json: str


Known = (
    Note
    | Message
    | ToolCall
    | ArtifactCreated
    | ArtifactDelta
    | SystemEvent
    | EntityDelta
    | Undo
    | Relation
)
Content = Known | Extension


# gc=False: a verification makes millions of these, and texts cannot form a cycle.
class Item(Struct, frozen=True, gc=False):
    """One entry of the ledger. `data` and `salt` are gone once it is erased."""

    seq: int
    uuid: ItemId
    type: str
    realized_at: str
    canonical_at: str
    header: str
    data: str | None
    salt: str | None
    payload_hash: str
    hash: str
    erased_at: str | None = None


class Head(Struct, frozen=True, gc=False):
    """The last entry of the ledger: whoever keeps it can prove later what came before."""

    seq: int
    hash: str
