"""What becomes of a persona's word: it is real, it stays in its play, or it goes."""

from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.config import Config
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import Lapsed, Refused
from kithkin.identity import person_merge, self_person
from kithkin.ids import REAL, PersonaId, PersonId
from kithkin.memories import doubts
from kithkin.memories import store as memories
from kithkin.memories.merged_records import claim_of
from kithkin.memories.model import Memory
from kithkin.memories.supersession import keys_of, may_supersede
from kithkin.people import store as people
from kithkin.people.model import Person
from kithkin.personas import store as personas
from kithkin.personas.groups import group_for_moving, is_global
from kithkin.search import store as search
from kithkin.search import vectors
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent


def keep(db: Database, tx: Tx, memory: str, *, config: Config, by: By) -> Memory:
    """It is real: the real world holds it from now on, at a human's word.

    It is written anew. The words it was taken from, and its past, stay where they were said: the
    rest of that sentence may be role-play.
    """
    before = _held(tx, memory)
    if is_global(before.groups):
        _make_real(db, tx, before, config=config, by=by)
    return _confirmed(tx, before, before.groups, by=by)


def _confirmed(tx: Tx, before: Memory, groups: tuple[str, ...], *, by: By) -> Memory:
    """An item of a profile is changed in its place; anything else has a successor."""
    of = _standing(tx, before)
    if of is not None and of.profile:
        value = replace(of, content=before.content, validated="human")
        kept = memories.save(tx, replace(value, last_changed_by=before.last_changed_by), by=by)
    else:
        kept = _written_anew(tx, replace(before, validated="human"), groups, by=by)
    _retire(tx, before, kept, by=by)
    return kept


def promote(db: Database, memory: str, *, config: Config, by: By) -> Memory:
    """A human says that something is real: what a persona holds in doubt or in its group."""
    with db.transaction() as tx:
        before = memories.get(tx, memory)
        if before.doubt is not None:
            kept = keep(db, tx, memory, config=config, by=by)
            doubts.withdraw(tx, before, by=by)
            return kept
        if before.archived_at is not None:
            raise Refused(f"{memory} was archived ({before.archive_reason}): it is not changed.")
        if is_global(before.groups):
            return memories.save(tx, replace(before, validated="human"), by=by)
        _make_real(db, tx, before, config=config, by=by)
        return _confirmed(tx, before, (REAL,), by=by)


def move(tx: Tx, memory: str, *, by: By) -> Memory:
    """It was role-play: it belongs to the persona's group; the real world keeps what it had."""
    before = _held(tx, memory)
    persona = personas.get(tx, _persona(before))
    group = group_for_moving(persona)
    if persona.group_primary is None and group not in persona.groups_visible:
        # The group that a persona without one is given must be one it sees.
        seen = (*persona.groups_visible, group)
        personas.save(tx, replace(persona, groups_visible=seen), by=by)
    for person in _created_with(tx, before, persona.id):
        people.save(tx, replace(person, groups=(group,), updated_at=moment(by.now)), by=by)
    moved = _written_anew(tx, replace(before, validated=None), (group,), by=by)
    _retire(tx, before, moved, by=by)
    return moved


def remove(tx: Tx, memory: str, *, by: By) -> tuple[PersonId, ...]:
    """It is to go: erased, and not learned again; what it would have changed stands.

    Returns the people who came up with nothing else, and went with it.
    """
    before = _held(tx, memory)
    if before.item:
        event = SystemEvent(
            event_type=indexing.FORGOTTEN, payload={"actor": by.actor, "items": [before.item]}
        )
        indexing.restore_forgotten(tx, soil.append(tx, event, now=by.now))
    created = _created_with(tx, before, _persona(before))
    gone = [one.id for one in created if not _is_known_otherwise(tx, one, before)]
    for person in gone:
        core.erase(tx, person, now=by.now)
    hit = search.get(tx, before.id)
    if hit is not None:
        vectors.forget(tx, [hit.seq])
    core.erase(tx, before.id, now=by.now)
    return tuple(gone)


def _held(tx: Tx, memory: str) -> Memory:
    found = memories.get(tx, memory)
    if found.doubt is None or found.archived_at is not None:
        raise Lapsed(f"{memory} is not in doubt any more.")
    return found


def _persona(memory: Memory) -> PersonaId:
    assert memory.doubt is not None  # noqa: S101 - only what is in doubt comes here
    return memory.doubt.persona


def _standing(tx: Tx, before: Memory) -> Memory | None:
    """What it would change, unless that is gone by now."""
    of = before.doubt.of if before.doubt else None
    if of is None:
        return _of_that_name(tx, before)
    if core.get(tx, of).data is None:
        return None
    found = memories.get(tx, of)
    return None if found.archived_at or found.superseded_by else found


def _of_that_name(tx: Tx, before: Memory) -> Memory | None:
    """The real item of the same name, which a fiction's own stood beside."""
    if before.profile is None or before.said_by is None:
        return None
    named = (
        one
        for one in memories.about_any(tx, [before.said_by])
        if one.profile and one.doubt is None and is_global(one.groups)
    )
    return next((one for one in named if one.name == before.name), None)


def _written_anew(tx: Tx, before: Memory, groups: tuple[str, ...], *, by: By) -> Memory:
    made = replace(
        before,
        id=memories.new_id(),
        groups=groups,
        doubt=None,
        quote=None,
        superseded_by=None,
    )
    kept = memories.add(tx, made, by=by)
    mine = claim_of(tx, kept)
    for old in memories.comparable(tx, mine.about, keys_of(kept.content)):
        real = old.doubt is None and doubts.same_world(old, kept) and old.id != kept.id
        if real and may_supersede(mine, claim_of(tx, old)):
            memories.supersede(tx, old, by_memory=kept, by=by)
    return kept


def _retire(tx: Tx, before: Memory, kept: Memory, *, by: By) -> None:
    gone = replace(before, archived_at=moment(by.now), archive_reason="superseded")
    memories.save(tx, gone, by=by)
    memories.supersede(tx, gone, by_memory=kept, by=by)


def _created_with(tx: Tx, memory: Memory, persona: PersonaId) -> list[Person]:
    """The people that came up with it and that only its persona knows so far."""
    found = (people.get(tx, person) for person in memory.subject_person_ids)
    return [one for one in found if one and one.groups == (persona,)]


def _is_known_otherwise(tx: Tx, person: Person, besides: Memory) -> bool:
    return any(one.id != besides.id for one in memories.about_any(tx, [person.id]))


def _make_real(db: Database, tx: Tx, memory: Memory, *, config: Config, by: By) -> None:
    """Whom it is about is real then; whether it is somebody known already is a question."""
    for person_id in memory.subject_person_ids:
        person = people.get(tx, person_id)
        if person is None or not person.groups or person.merged_into:
            continue
        known = [one for one in self_person.exactly_named(tx, person.name) if one.id != person.id]
        people.save(tx, replace(person, groups=(), updated_at=moment(by.now)), by=by)
        for one in known[:1]:
            person_merge.propose(
                db, one.id, person.id, reason="said to be real, too", config=config, by=by
            )
