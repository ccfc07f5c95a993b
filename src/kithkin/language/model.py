"""What is found in a text: the ideas it is made of, and what it refers to."""

from msgspec import Struct, field


class Piece(Struct, frozen=True):
    """One idea of a text: its words with soft line ends joined, and where it stands."""

    content: str
    start: int
    end: int


class FragmentMention(Struct, frozen=True, tag_field="type", tag="fragment"):
    """`^a7f`, `item_1#^a7f` or `item_1#^a7f:^b2e`."""

    raw: str
    span: tuple[int, int]
    id: str
    item: str | None = None
    last: str | None = None


class LineMention(Struct, frozen=True, tag_field="type", tag="artifact_line"):
    """`goals_doc:15`, `goals_doc:15-20`, `goals_doc:15@c4f2a1b`."""

    raw: str
    span: tuple[int, int]
    label: str
    line: int
    last: int
    commit: str | None = None


class LinkMention(Struct, frozen=True, tag_field="type", tag="conversation_log"):
    """`[previous exploration](uuid_abc)`."""

    raw: str
    span: tuple[int, int]
    text: str
    uuid: str


class ItemMention(Struct, frozen=True, tag_field="type", tag="item"):
    """`@item_1`."""

    raw: str
    span: tuple[int, int]
    uuid: str


Mention = FragmentMention | LineMention | LinkMention | ItemMention


class FragmentRef(Struct, frozen=True, tag_field="type", tag="fragment"):
    """One idea somebody expressed, or a run of them."""

    id: str
    preview: str
    message_uuid: str
    position: int
    sha256: str
    content: str
    last: str | None = None


class ArtifactLineRef(Struct, frozen=True, tag_field="type", tag="artifact_line"):
    """A line of an artifact as it was when it was referred to, and what became of it."""

    uuid: str
    label: str
    line: int
    content: str
    commit: str
    last: int | None = None
    now: int | None = None
    """Where the line stands at the head; None when it is gone."""
    became: str = "unchanged"
    """unchanged, changed or removed, since."""
    by: str | None = None
    """The commit that changed or removed it."""


class LogRef(Struct, frozen=True, tag_field="type", tag="log"):
    """A conversation branch."""

    uuid: str
    summary_or_first_fragment: str


class ItemRef(Struct, frozen=True, tag_field="type", tag="item"):
    """An item of the timeline."""

    uuid: str
    item_type: str = field(name="_type")
    preview: str


class AmbiguousRef(Struct, frozen=True, tag_field="type", tag="ambiguous"):
    """Several things fit: ask, never guess."""

    candidates: tuple[FragmentRef, ...]


class DanglingRef(Struct, frozen=True, tag_field="type", tag="dangling"):
    """It leads nowhere, and why."""

    reason: str


Ref = FragmentRef | ArtifactLineRef | LogRef | ItemRef | AmbiguousRef | DanglingRef


class Rendered(Struct, frozen=True):
    """A text as people read it; `links` say which part stands for which reference."""

    text: str
    links: tuple[tuple[int, int, str], ...] = ()
    """Start and end in the readable text, and the raw reference."""
