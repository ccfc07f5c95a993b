"""Let what nobody comes back to rest: weak relations fossilise, unreferred entities too."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment, stamp
from kithkin.contacts import store as contacts
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Database, Tx
from kithkin.identity import unknown_senders
from kithkin.questions import ask
from kithkin.questions import store as questions
from kithkin.relations import access
from kithkin.relations import store as relations
from kithkin.relations.strength import Strength, born, may_fossilise, reconsidered
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent

_UNKNOWN_FOR: Final = timedelta(days=30)
"""How long an unknown sender waits for somebody to say who it is."""


class Swept(Struct, frozen=True):
    """What a sweep did, or would do."""

    nominated: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    fossilised_relations: tuple[str, ...] = ()
    fossilised_entities: tuple[str, ...] = ()
    woken_entities: tuple[str, ...] = ()
    archived_contacts: tuple[str, ...] = ()
    expired_questions: tuple[str, ...] = ()
    dry_run: bool = True

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to do."""
        return not any(getattr(self, name) for name in self.__struct_fields__[:-1])


class _Found(Struct, frozen=True):
    uuid: str
    before: Strength
    is_relation: bool
    resting: bool = False
    may_rest: bool = True


def sweep(db: Database, *, by: By, dry_run: bool = True) -> Swept:
    """Look at every relation and entity of Core once; a dry run only says what would happen."""
    with db.snapshot() if dry_run else db.transaction() as tx:
        found = [*_relations(tx), *_entities(tx)]
        swept = _decide(found, moment(by.now), dry_run=dry_run)
        swept = replace(
            swept,
            archived_contacts=tuple(one.id for one in contacts.pending_since(tx, _long_ago(by))),
            expired_questions=tuple(one.id for one in questions.expired(tx, by.now)),
        )
        if not dry_run and not swept.nothing:
            _carry_out(tx, swept, found, by=replace(by, reason=by.reason or "sweep"))
    return swept


def _decide(found: list[_Found], now: datetime, *, dry_run: bool) -> Swept:
    rests = [one for one in found if not one.resting and one.may_rest]
    resting = [one for one in rests if may_fossilise(one.before, now)]
    gone = {one.uuid for one in resting}
    left = [(one, reconsidered(one.before, now)) for one in rests if one.uuid not in gone]
    return Swept(
        nominated=tuple(
            one.uuid for one, after in left if after.nominated_at and not one.before.nominated_at
        ),
        recalled=tuple(
            one.uuid for one, after in left if one.before.nominated_at and not after.nominated_at
        ),
        fossilised_relations=tuple(one.uuid for one in resting if one.is_relation),
        fossilised_entities=tuple(one.uuid for one in resting if not one.is_relation),
        woken_entities=tuple(
            one.uuid
            for one in found
            if one.resting and not (one.may_rest and reconsidered(one.before, now).nominated_at)
        ),
        dry_run=dry_run,
    )


def _carry_out(tx: Tx, swept: Swept, found: list[_Found], *, by: By) -> None:
    now = moment(by.now)
    strengths = {one.uuid: one.before for one in found}
    # The strength of what rests is kept too: looking at it often enough wakes it.
    for uuid in (*swept.nominated, *swept.recalled, *swept.fossilised_entities):
        access.save(tx, uuid, reconsidered(strengths[uuid], now))
    for uuid in swept.fossilised_relations:
        relations.fossilise(tx, uuid, by=by)
    access.forget(tx, swept.fossilised_relations)
    for uuid in swept.fossilised_entities:
        _set_resting(tx, uuid, resting=True, by=by)
    for uuid in swept.woken_entities:
        _set_resting(tx, uuid, resting=False, by=by)
    unknown_senders.archive_old(tx, _long_ago(by), by=by)
    ask.expire(tx, by=by)
    payload = {
        name: list(getattr(swept, name)) for name in swept.__struct_fields__ if name != "dry_run"
    }
    soil.append(tx, SystemEvent(event_type="sweep", payload=payload), now=by.now)


def _long_ago(by: By) -> str:
    return stamp(moment(by.now) - _UNKNOWN_FOR)


def _set_resting(tx: Tx, uuid: str, *, resting: bool, by: By) -> None:
    entity = core.get(tx, uuid)
    data = {**core.require_data(entity), "fossil": True if resting else None}
    core.change(tx, entity, data, by=by)


def _relations(tx: Tx) -> Iterator[_Found]:
    for edge in relations.edges(tx, layer="core"):
        before = access.of(tx, edge.uuid) or born(moment(edge.realized_at))
        yield _Found(edge.uuid, before, is_relation=True)


def _entities(tx: Tx) -> Iterator[_Found]:
    referred = {
        end.id for edge in relations.edges(tx, layer="core") for end in (edge.source, edge.target)
    } | core.linked_to(tx)
    for entity in core.walk(tx):
        if entity.data is not None and _fossilises(entity):
            yield _Found(
                entity.uuid,
                access.of(tx, entity.uuid) or born(moment(entity.updated_at)),
                is_relation=False,
                resting=bool(entity.data.get("fossil")),
                may_rest=entity.uuid not in referred,
            )


def _fossilises(entity: Entity) -> bool:
    projection = lookup_rows.of(entity.type)
    return projection is None or (projection.fossilises and projection.commands is None)
