"""The kinds of relation, what each may join, and an edge."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from kithkin.errors import InvalidInput
from kithkin.ids import RelationId

EndType = Literal["item", "entity", "artifact", "fragment"]
Layer = Literal["core", "soil"]


class Kind(Struct, frozen=True):
    """What a kind of relation means."""

    name: str
    meaning: str
    unique_on: Literal["source", "target"] | None
    """The side that may stand in one relation of this kind only; None for many to many."""
    born_in: Layer
    """Structural kinds are born in Soil; the others live in Core until they fossilise."""


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("triggers", "cause → effect", "target", "soil"),
        Kind("supercedes", "new → old", "target", "soil"),
        Kind("replies_to", "reply → parent", "source", "soil"),
        Kind("continues", "new branch → old branch", "source", "soil"),
        Kind("contains", "container → contained", None, "soil"),
        Kind("mentions", "mentioner → mentioned", None, "core"),
        Kind("derived_from", "derived → source", None, "core"),
        Kind("groups_with", "member → group", None, "core"),
    )
}
_SPELLINGS: Final = {"supersedes": "supercedes"}
END_TYPES: Final[tuple[EndType, ...]] = ("item", "entity", "artifact", "fragment")


class End(Struct, frozen=True):
    """One end of a relation."""

    id: str
    type: EndType


class Edge(Struct, frozen=True):
    """A relation: in Core it can change, in Soil it cannot."""

    uuid: RelationId
    kind: str
    source: End
    target: End
    realized_at: str
    layer: Layer
    confidence: float | None = None
    metadata: Mapping[str, Any] | None = None


def kind_named(name: str) -> Kind:
    """The kind of that name, in either spelling of supersede."""
    kind = KINDS.get(_SPELLINGS.get(name, name))
    if kind is None:
        raise InvalidInput(f"{name!r} is no kind of relation. There are: {', '.join(KINDS)}.")
    return kind


def require_sound(kind: Kind, source: End, target: End, confidence: float | None) -> None:
    """Refuse an edge that cannot mean anything."""
    if source.id == target.id:
        raise InvalidInput(f"{source.id} cannot stand on both sides of {kind.name}.")
    if kind.unique_on and "fragment" in (source.type, target.type):
        raise InvalidInput(f"{kind.name} joins items, entities and artifacts, not fragments.")
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        raise InvalidInput(f"A confidence lies between 0 and 1, not at {confidence}.")
    if confidence is not None and kind.unique_on:
        raise InvalidInput(f"{kind.name} is stated, not inferred: it has no confidence.")
