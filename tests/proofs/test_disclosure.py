"""A generated world of viewers and memories: no way of looking shows what the rule denies."""

import random
from collections.abc import Iterator
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.chats import store as chats
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.disclosure.access_tokens import Indexed, place_of, tokens_for, tokens_of
from kithkin.disclosure.audience import audience_of
from kithkin.disclosure.explore import Wanted
from kithkin.disclosure.rule import Audience, Hearer, Record, Shown, Source, decide
from kithkin.errors import NotFound
from kithkin.identity.records import records_of
from kithkin.ids import ChatId, PersonaId, PersonId
from kithkin.language.sensitivity import Sensitivity
from kithkin.memories import store as memories
from kithkin.memories.model import Doubt, Memory
from kithkin.testing import FixedClock

WORDS = ("tea", "coffee", "hiking", "chess", "opera", "sailing", "pottery", "jazz", "cycling")
LEVELS: tuple[Sensitivity, ...] = ("public", "personal", "sensitive")


class World(Struct, frozen=True):
    """A realm, who speaks in it, and in which chats."""

    db: Database
    kin: Kithkin
    clock: FixedClock
    speakers: tuple[str, ...]
    groups: tuple[str, ...]


def made(place: tuple[str, str], *, memories_: int, seed: int) -> World:
    chance = random.Random(seed)
    db = Database.open(place[0], realm=place[1])
    clock = FixedClock()
    kin = Kithkin(Acting(db, actor="proof", clock=clock))
    people = max(8, memories_ // 40)
    speakers = tuple(f"telegram:{number}" for number in range(people))
    for speaker in speakers:
        kin.people.ensure_self(speaker, name=f"P{speaker.partition(':')[2]} Person")
    groups = tuple(f"group{number}" for number in range(max(3, people // 4)))
    world = World(db, kin, clock, speakers, groups)
    for start in range(0, memories_, 500):
        with db.transaction() as tx:
            for _ in range(min(500, memories_ - start)):
                _say(world, tx, chance)
    return world


def _say(world: World, tx: Tx, chance: random.Random) -> None:
    speaker = chance.choice(world.speakers)
    text = f"I like {chance.choice(WORDS)} number {chance.randrange(10**6)}"
    if chance.random() < 0.5:
        said = world.kin.memories.remember(text, speaker=speaker)
    else:
        chat = chance.choice(world.groups)
        members = chance.sample(world.speakers, 2) if chance.random() < 0.05 else ()
        said = world.kin.memories.remember(
            text, speaker=speaker, chat=chat, shared=True, members=members
        )
    for one in said.learned:
        _vary(tx, one.memory, chance, world)


def _vary(tx: Tx, memory: Memory, chance: random.Random, world: World) -> None:
    """Give a memory every kind of field the rule looks at."""
    now = world.clock.now()
    changed = replace(
        memory,
        sensitivity=chance.choice(LEVELS),
        portable=chance.random() < 0.3,
        private=chance.random() < 0.1,
        groups=("*",) if chance.random() < 0.9 else ("fiction",),
        doubt=Doubt(PersonaId("frodo"), memory.id) if chance.random() < 0.1 else None,
        expires_at=now - timedelta(days=1) if chance.random() < 0.05 else None,
        archived_at=now if (archived := chance.random() < 0.05) else None,
        archive_reason="forgotten" if archived else None,
    )
    memories.save(tx, changed, by=world.kin._acting.by())  # noqa: SLF001 - the proof's own hand


def records(world: World, known: list[Memory]) -> dict[str, Record]:
    """What the rule needs, with who was there read from the chats and not from the index."""
    there: dict[tuple[str, int], tuple[PersonId, ...]] = {}
    with world.db.snapshot() as tx:
        for memory in known:
            state = (memory.chat or "", memory.chat_version or 0)
            if state not in there:
                there[state] = tuple(map(PersonId, chats.at(tx, *state).participants))
    return {
        memory.id: replace(
            indexing.record_of(memory), heard_by=there[memory.chat or "", memory.chat_version or 0]
        )
        for memory in known
    }


def everything(tx: Tx) -> Iterator[Memory]:
    for _, memory in memories.listed(tx, after=2**62, limit=10**6, everything=True):
        yield memory


def test_no_way_of_looking_shows_what_the_rule_denies(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    count, viewers = (10_000, 60) if full else (150, 12)
    world = made(place, memories_=count, seed=count)
    chance = random.Random(7)
    shown = denied = 0
    with world.db.snapshot() as tx:
        known = list(everything(tx))
    rules = records(world, known)
    for _ in range(viewers):
        speaker = chance.choice(world.speakers)
        chat = chance.choice((None, *world.groups))
        audience = audience_of(world.db, speaker, chat=chat)
        may = {
            uuid
            for uuid, record in rules.items()
            if isinstance(decide(record, audience, now=world.clock.now()), Shown)
        }
        seen = _walked(world, speaker, chat, chance.sample(known, 10))
        assert seen <= may, (speaker, chat)
        listed = world.kin.memories.list(speaker=speaker, chat=chat, limit=1000, everything=True)
        if len(may) < 1000:
            assert {one.id for one in listed} == may
        shown += len(may)
        denied += len(known) - len(may)
    told = f"{len(known)} memories, {viewers} viewers: {shown} shown, {denied} denied"
    print(f"\n{world.db.dialect}: {told}")
    assert shown
    assert denied
    world.db.close()


def _walked(world: World, speaker: str, chat: str | None, some: list[Memory]) -> set[str]:
    """Every memory that any way of looking let through."""
    kin = world.kin
    found: set[str] = set()
    for word in ("tea", "chess number", "what do I like", "P1 Person"):
        told = kin.memories.search(word, speaker=speaker, chat=chat, limit=50)
        found |= {one.id for one in told if one.kind != "message"}
        context = kin.memories.context(word, speaker=speaker, chat=chat)
        assert all(m.content not in context for m in some if m.id not in found) or context
    found |= {one.id for one in kin.memories.list(speaker=speaker, chat=chat, limit=200)}
    persons = [m.said_by for m in some if m.said_by]
    about = kin.memories.find_memories_by_subject(persons, speaker=speaker, chat=chat)
    found |= {memory.id for memory in about}
    known = kin.entities.list("memory", limit=200, speaker=speaker, chat=chat)
    found |= {entity.uuid for entity in known}
    notices = kin.changes.list(limit=500, speaker=speaker, chat=chat)
    found |= {notice.entity_uuid for notice in notices if notice.entity_type == "memory"}
    deltas = Wanted(type="EntityDelta", everything=True, limit=50)
    page = kin.timeline.list(deltas, speaker=speaker, chat=chat)
    found |= {_entity_of(one.item.header) for one in page.items if '"memory"' in one.item.header}
    for memory in some:
        found |= _looked_at(world, memory, speaker, chat)
    return found


def _entity_of(header: str) -> str:
    import json  # noqa: PLC0415 - beside its only use

    return str(json.loads(header)["entity_uuid"])


def _looked_at(world: World, memory: Memory, speaker: str, chat: str | None) -> set[str]:
    kin = world.kin
    ways = (
        lambda: kin.memories.show(memory.id, speaker=speaker, chat=chat),
        lambda: kin.memories.history(memory.id, speaker=speaker, chat=chat),
        lambda: kin.why(memory.id, speaker=speaker, chat=chat),
        lambda: kin.entities.show(memory.id, speaker=speaker, chat=chat),
        lambda: kin.entities.history(memory.id, speaker=speaker, chat=chat),
        lambda: kin.entities.at(memory.id, world.clock.now(), speaker=speaker, chat=chat),
        lambda: kin.entities.diff(memory.id, 1, 1, speaker=speaker, chat=chat),
    )
    for look in ways:
        try:
            look()
        except NotFound:
            continue
        return {memory.id}
    return set()


def test_the_tokens_of_the_index_never_leave_out_what_the_rule_shows(
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    chance = random.Random(3)
    people = [PersonId(f"p{n}") for n in range(5)]
    sources: tuple[Source, ...] = ("private", "shared", "owner", "unknown")
    for _ in range(200_000 if full else 20_000):
        source = chance.choice(sources)
        there = tuple(chance.sample(people, chance.randrange(1, 4)))
        chat = ChatId(chance.choice("ab")) if source in ("private", "shared") else None
        version = chance.randrange(1, 3)
        place = place_of(chat, version) if chat and source == "shared" else None
        record = Record(
            source=source,
            chat=chat,
            said_by=chance.choice([None, *people]),
            subjects=tuple(chance.sample(people, chance.randrange(3))),
            heard_by=there if place else (),
            sensitivity=chance.choice(LEVELS),
            portable=chance.random() < 0.5,
            private=chance.random() < 0.2,
        )
        hearers = tuple(
            Hearer(frozenset([one]), verified=chance.random() < 0.9)
            for one in chance.sample(people, chance.randrange(3))
        )
        audience = Audience(hearers, chat=ChatId(chance.choice("abc")))
        among = all(hearer.ids & set(there) for hearer in hearers) and bool(hearers)
        places = [place] if place and among else []
        held = set(tokens_for(audience, places)) & set(tokens_of(Indexed(record, place)))
        told = isinstance(decide(record, audience, now=FixedClock().now()), Shown)
        assert not told or held
        assert told or not held, (record, audience)


def test_records_of_a_merged_person_are_one_hearer(place: tuple[str, str]) -> None:
    world = made(place, memories_=20, seed=1)
    with world.db.snapshot() as tx:
        (first,) = world.kin.people.find_person_ids_for_username("0")
        assert records_of(tx, first) == {first}
    world.db.close()
