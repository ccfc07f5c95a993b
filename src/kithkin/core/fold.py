"""Core as a fold of Soil: every entity recomputed from its deltas, every link checked."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from kithkin.core.delta import LINKS, apply
from kithkin.core.hashing import state_hash
from kithkin.core.model import Entity
from kithkin.ids import EntityId
from kithkin.soil.ledger import Broken
from kithkin.soil.model import Item


class _Header(Struct, frozen=True, gc=False):
    entity_uuid: str
    entity_type: str
    commit: str
    version: int
    parent: str | None = None


class _Changes(Struct, frozen=True, gc=False):
    fields: dict[str, Any]


class _Payload(Struct, frozen=True, gc=False):
    changes: _Changes


class _Chain(Struct, gc=False):
    """An entity as far as the fold has come.

    Its fields are kept as JSON: a million dictionaries would keep the garbage collector busy.
    """

    type: str
    commit: str
    parent: str | None
    version: int
    created_at: str
    updated_at: str
    superseded_by: str | None
    superseded_at: str | None
    fields: bytes | None


_FIRST: Final = (None, 1)
"""What comes before a first version: no commit, and the number it has."""
_header = msgspec.json.Decoder(_Header)
_payload = msgspec.json.Decoder(_Payload)


class Fold:
    """Takes the ledger's items in order and knows every entity at the end."""

    def __init__(self) -> None:
        self._chains: dict[str, _Chain] = {}

    def take(self, item: Item) -> Broken | None:
        """Fold one EntityDelta; anything wrong with its link is said and goes no further."""
        header = _header.decode(item.header)
        chain = self._chains.get(header.entity_uuid)
        if (header.parent, header.version) != (
            (chain.commit, chain.version + 1) if chain else _FIRST
        ):
            return _broken_link(item, header, chain)
        fields = _folded(item, chain)
        if fields is not None:
            found = state_hash(header.entity_uuid, header.entity_type, fields, header.parent)
            if found != header.commit:
                return Broken(where=_where(item, header), expected=header.commit, found=found)
        self._chains[header.entity_uuid] = _next(item, header, chain, fields)
        return None

    def entities(self) -> Iterable[Entity]:
        """Every entity as Core should hold it."""
        for uuid, chain in self._chains.items():
            yield _entity(uuid, chain)

    def compare(self, found: Iterable[Entity]) -> Broken | None:
        """The first entity of Core that is not what Soil says."""
        unseen = dict.fromkeys(self._chains)
        for entity in found:
            chain = self._chains.get(entity.uuid)
            if chain is None:
                return Broken(
                    where=f"entity {entity.uuid}", expected="no such entity", found=entity.hash
                )
            del unseen[entity.uuid]
            broken = _compare(_entity(entity.uuid, chain), entity)
            if broken:
                return broken
        for uuid in unseen:
            return Broken(
                where=f"entity {uuid}", expected=self._chains[uuid].commit, found="nothing in Core"
            )
        return None

    @property
    def count(self) -> int:
        """How many entities there are."""
        return len(self._chains)


def _broken_link(item: Item, header: _Header, chain: _Chain | None) -> Broken:
    expected = (chain.commit, chain.version + 1) if chain else _FIRST
    return Broken(
        where=_where(item, header),
        expected=f"version {expected[1]} after {expected[0]}",
        found=f"version {header.version} after {header.parent}",
    )


def _next(
    item: Item, header: _Header, chain: _Chain | None, fields: dict[str, Any] | None
) -> _Chain:
    superseded_by = fields.get("superseded_by") if fields else None
    same = chain is not None and chain.superseded_by == superseded_by
    superseded_at = chain.superseded_at if chain and same else item.realized_at
    return _Chain(
        header.entity_type,
        header.commit,
        header.parent,
        header.version,
        chain.created_at if chain else item.realized_at,
        item.realized_at,
        superseded_by,
        superseded_at if superseded_by else None,
        None if fields is None else msgspec.json.encode(fields),
    )


def _folded(item: Item, chain: _Chain | None) -> dict[str, Any] | None:
    if item.data is None or (chain and chain.fields is None):
        return None
    before = msgspec.json.decode(chain.fields) if chain and chain.fields else {}
    return apply(before, _payload.decode(item.data).changes.fields)


def _entity(uuid: str, chain: _Chain) -> Entity:
    fields = None if chain.fields is None else msgspec.json.decode(chain.fields)
    links = {name: (fields or {}).get(name) for name in LINKS}
    return Entity(
        uuid=EntityId(uuid),
        type=chain.type,
        hash=chain.commit,
        previous_hash=chain.parent,
        version=chain.version,
        created_at=chain.created_at,
        updated_at=chain.updated_at,
        data=None
        if fields is None
        else {name: value for name, value in fields.items() if name not in LINKS},
        superseded_at=chain.superseded_at,
        **links,
    )


def _compare(expected: Entity, found: Entity) -> Broken | None:
    for name in expected.__struct_fields__:
        want, have = getattr(expected, name), getattr(found, name)
        same = _written(want) == _written(have) if name == "data" else want == have
        if not same:
            return Broken(
                where=f"entity {found.uuid} in Core, {name}", expected=str(want), found=str(have)
            )
    return None


def _written(data: Mapping[str, Any] | None) -> bytes:
    # As text: 1, 1.0 and True are equal to Python and different to the hash.
    return msgspec.json.encode(data, order="deterministic")


def _where(item: Item, header: _Header) -> str:
    return f"entity {header.entity_uuid}, version {header.version} (item {item.seq})"
