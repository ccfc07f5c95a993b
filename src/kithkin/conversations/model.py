"""A project, its branches and who stands where in them; what a reference leads to."""

from msgspec import Struct

from kithkin.ids import EntityId
from kithkin.language.model import Mention, Ref


class Project(Struct, frozen=True):
    """The container of a body of work: its branches, its artifacts, its participants' frames."""

    uuid: EntityId
    name: str
    closed_at: str | None = None


class Summary(Struct, frozen=True):
    """What a collapsed branch came to."""

    timestamp: str
    author: str
    content: str
    fragment_ids: tuple[str, ...] = ()


class Log(Struct, frozen=True):
    """A conversation branch. Its items are appended and never taken away."""

    uuid: EntityId
    project: str
    number: int
    """Its place in the project's stack, from 1."""
    parent_uuid: str | None = None
    forked_at: str | None = None
    """The parent's last item that belongs to this branch too; None for none of them."""
    continues: str | None = None
    """The collapsed branch that this one takes up again."""
    summary: Summary | None = None
    """Present once it is collapsed; it stays."""

    @property
    def active(self) -> bool:
        """Whether it goes on."""
        return self.summary is None


class Frame(Struct, frozen=True):
    """Where a participant works, and the latest item they saw or made there."""

    participant: str
    branch_uuid: str
    head: str | None = None


class Viewport(Struct, frozen=True):
    """The lines of an artifact a participant looks at."""

    participant: str
    artifact: str
    start: int
    end: int
    call: str
    """The tool call that brought them there."""
    at: str


class Tree(Struct, frozen=True):
    """A branch of the tree with the branches that grow from it."""

    log: Log
    children: tuple["Tree", ...] = ()


class Resolved(Struct, frozen=True):
    """A reference in a text and what it leads to."""

    mention: Mention
    ref: Ref
