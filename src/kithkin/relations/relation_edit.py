"""Join things, take a connection back, and follow the chains."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound
from kithkin.relations import store as relations
from kithkin.relations.model import Edge, End, kind_named
from kithkin.soil import store as soil


class Trace(Struct, frozen=True):
    """What led to something and what it led to."""

    of: str
    causes: tuple[str, ...]
    """Nearest first."""
    root: str
    effects: tuple[tuple[str, str], ...]
    """Pairs of cause and effect."""


def relate(
    db: Database,
    kind: str,
    *,
    source: str,
    target: str,
    by: By,
    confidence: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Edge:
    """Join two things that are there."""
    with db.transaction() as tx:
        _require_not_a_branch(tx, kind, source)
        return relations.relate(
            tx,
            kind_named(kind),
            source=end_named(tx, source),
            target=end_named(tx, target),
            by=by,
            confidence=confidence,
            metadata=metadata,
        )


def unrelate(db: Database, uuid: str, *, by: By) -> Edge:
    """Take back a connection that is still in Core."""
    with db.transaction() as tx:
        return relations.retract(tx, uuid, by=by)


def around(db: Database, uuid: str) -> list[Edge]:
    """Every connection something stands in, oldest first."""
    with db.snapshot() as tx:
        end_named(tx, uuid)
        return relations.around(tx, uuid)


def trace(db: Database, uuid: str) -> Trace:
    """The whole chain through something, both ways."""
    with db.snapshot() as tx:
        end_named(tx, uuid)
        causes = relations.causes(tx, uuid)
        return Trace(
            of=uuid,
            causes=tuple(causes),
            root=causes[-1] if causes else uuid,
            effects=tuple(relations.effects(tx, uuid)),
        )


def end_named(tx: Tx, uuid: str) -> End:
    """What an id names: an item, a fragment of one, an artifact or another entity."""
    item, mark, fragment = uuid.partition("#")
    if soil.exists(tx, item):
        return End(uuid, "fragment" if mark and fragment else "item")
    if core.exists(tx, uuid):
        return End(uuid, "artifact" if core.get(tx, uuid).type == "artifact" else "entity")
    raise NotFound(f"There is nothing with the id {uuid}.")


def _require_not_a_branch(tx: Tx, kind: str, source: str) -> None:
    # What a branch contains is its conversation, in order: a look-up row stands for each.
    if kind == "contains" and core.exists(tx, source) and core.get(tx, source).type == "log":
        raise InvalidInput("A branch grows by `kithkin branch append`.")
