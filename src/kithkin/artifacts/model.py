"""A document, what can be done to its lines, and the commits that did it."""

from typing import Final

from msgspec import Struct

from kithkin.ids import EntityId, PersonId

EMPTY: Final = "0" * 64
"""The commit before the first one: a document without a line."""


class Add(Struct, frozen=True, tag=True):
    """`+15:^a7f`: a line comes to stand at 15."""

    line: int
    new: str


class Remove(Struct, frozen=True, tag=True):
    """`-23`: line 23 goes."""

    line: int


class Replace(Struct, frozen=True, tag=True):
    """`~18:^b2e→^c3d`: line 18, which holds the old fragment, holds the new one."""

    line: int
    old: str
    new: str


class Move(Struct, frozen=True, tag=True):
    """`>12@30`: line 12 ends at 30."""

    line: int
    to: int


Op = Add | Remove | Replace | Move


class Text(Struct, frozen=True):
    """A document's content as lines; `unfinished` when the last one has no newline."""

    lines: tuple[str, ...] = ()
    unfinished: bool = False


class Edit(Struct, frozen=True):
    """Ops with all that replaying and inverting them takes.

    `added` has a text for each Add and Replace, `removed` one for each Remove and Replace, in the
    order of the ops: two texts may share a fragment id.
    """

    ops: tuple[Op, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unfinished: tuple[bool, bool] = (False, False)
    """Whether the last line lacked its newline before, and does after."""

    @property
    def nothing(self) -> bool:
        """Whether it changes nothing."""
        return not self.ops and self.unfinished[0] == self.unfinished[1]


class Artifact(Struct, frozen=True):
    """A document of a project, called by a label. Its text lives in its commits."""

    uuid: EntityId
    project: str
    label: str
    head: str
    label_history: tuple[str, ...] = ()


class Commit(Struct, frozen=True):
    """One change of a document; a merge has two parents, a first commit none."""

    commit: str
    parents: tuple[str, ...]
    item: str
    seq: int
    edit: Edit
    at: str
    actor: str | None = None
    reason: str | None = None
    references: tuple[str, ...] = ()
    aside: bool = False
    """Whether the head never stood on it."""


class Draft(Struct, frozen=True):
    """What a commit will say."""

    parents: tuple[str, ...]
    edit: Edit
    after: Text
    references: tuple[str, ...] = ()
    at: str | None = None
    """When it was written, if not now."""
    aside: bool = False


class Blame(Struct, frozen=True):
    """Who and what stands behind a line."""

    line: int
    text: str
    commit: str
    delta: str
    actor: str | None
    at: str
    message: str | None = None
    """The message at the root of the change, when one is known."""
    said_by: str | None = None
    person: PersonId | None = None
    """Who said it, or made the change, when that is somebody known."""


class Still(Struct, frozen=True, tag=True):
    """The line is there, unchanged, at this number."""

    line: int


class Changed(Struct, frozen=True, tag=True):
    """The line stands at this number with another text, which this commit gave it last."""

    line: int
    commit: str


class Gone(Struct, frozen=True, tag=True):
    """The line was removed by this commit."""

    commit: str


Became = Still | Changed | Gone


class Conflict(Struct, frozen=True):
    """Lines that both sides changed, each in its own way."""

    line: int
    """Where in the common ancestor it begins."""
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


class Clean(Struct, frozen=True, tag=True):
    """Both sides' changes fit together."""

    text: Text


class Conflicted(Struct, frozen=True, tag=True):
    """Both sides changed the same lines: somebody has to decide."""

    conflicts: tuple[Conflict, ...]


Merge = Clean | Conflicted


class Pending(Struct, frozen=True, tag="pending"):
    """Nobody has decided yet."""


class Accepted(Struct, frozen=True, tag="accepted"):
    """It became this commit."""

    by: str
    commit: str


class Rejected(Struct, frozen=True, tag="rejected"):
    """It was turned down."""

    by: str
    why: str | None = None


Decision = Pending | Accepted | Rejected


class Proposal(Struct, frozen=True):
    """A staged edit: what somebody would change, and why."""

    uuid: EntityId
    artifact: EntityId
    based_on: str
    edit: Edit
    by: str
    reasoning: str | None = None
    because_of: str | None = None
    """The tool call or message behind it."""
    decision: Decision = Pending()


class Hunk(Struct, frozen=True):
    """Neighbouring lines of a difference: each with ` `, `-` or `+` before it."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]
