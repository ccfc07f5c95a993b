"""The authority matrix: every method of the facades, for every principal."""

import inspect
from collections.abc import Callable
from typing import Any, Literal

import pytest
from msgspec import Struct

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.errors import InvalidInput, NotAllowed, NotFound, Refused
from kithkin.identity.address_book import Details
from kithkin.memories.profile import Entry
from kithkin.outbound.send import Waits
from kithkin.questions.answers import code_of
from kithkin.soil.model import Note
from tests.household import OWNER, Household, house

__all__ = ["house"]

Outcome = Literal["yes", "no", "asks", "hidden"]
"""Done; refused; the owner is asked; said not to be there."""


class World(Struct):
    """What the calls are about."""

    house: Household
    chloe: str
    person: str
    other: str
    question: str
    answer: str
    item: str
    entity: str
    entry: str = ""


Call = Callable[[Kithkin, World], Any]
Row = tuple[Call, Outcome, Outcome, Outcome, Outcome]
ME = f"telegram:{OWNER}"

# Columns: the owner's own program, the owner's frontend agent, another account's agent, the
# owner's background agent. Somebody unknown cannot open the realm at all (the last test).
ALL: tuple[Outcome, ...] = ("yes", "yes", "yes", "yes")
OWNERS: tuple[Outcome, ...] = ("yes", "yes", "no", "yes")
REGISTERED: tuple[Outcome, ...] = ("no", "yes", "yes", "yes")

HIDDEN: tuple[Outcome, ...] = ("yes", "yes", "hidden", "yes")
"""Another account's agent is told that it is not there: it is the owner's."""
NOTHING_ASKED: tuple[Outcome, ...] = ("hidden", "hidden", "hidden", "hidden")
FRONTEND: tuple[Outcome, ...] = ("no", "yes", "yes", "no")


def stranger(world: World) -> str:
    """The nametag of somebody new, with an agent."""
    tag = world.house.admin.accounts.create("Stranger").nametag
    world.house.admin.agents.register(tag, "main", "frontend")
    return tag


def asking(kin: Kithkin, world: World) -> str:
    """The nametag of somebody new who has asked to be friends."""
    tag = stranger(world)
    agent = world.house.admin.agents.list(tag)[0]
    world.house.kin(agent).friends.add(kin.inbox.whoami()[0].nametag)
    return tag


def befriended(kin: Kithkin, world: World) -> str:
    """The nametag of a new friend."""
    tag = asking(kin, world)
    kin.friends.add(tag)
    return tag


def blocked(kin: Kithkin, world: World) -> str:
    """The nametag of somebody new who is blocked."""
    tag = stranger(world)
    kin.friends.block(tag)
    return tag


def profiled(world: World) -> str:
    """The id of something in the owner's profile."""
    return world.house.kin().profile.set(Entry("town", "Porto"), speaker=ME).memory.id


MATRIX: dict[str, tuple[Call, tuple[Outcome, ...]]] = {
    "people.find": (lambda k, _: k.people.find("Chloe"), ALL),
    "people.find_for_speaker": (lambda k, _: k.people.find_for_speaker("Chloe", ME), OWNERS),
    "people.resolve_or_create": (
        lambda k, _: k.people.resolve_or_create("Zed", speaker=ME),
        OWNERS,
    ),
    "people.ensure_self": (lambda k, _: k.people.ensure_self(ME), OWNERS),
    "people.get": (lambda k, w: k.people.get(w.person), ALL),
    "people.list_all": (lambda k, _: k.people.list_all(), ALL),
    "people.get_all": (lambda k, _: k.people.get_all(), ALL),
    "people.find_person_ids_for_username": (
        lambda k, _: k.people.find_person_ids_for_username("Chloe"),
        ALL,
    ),
    "people.rename": (lambda k, w: k.people.rename(w.person, "Chloe Lee"), OWNERS),
    "people.add_alias": (lambda k, w: k.people.add_alias(w.person, "Clo", speaker=ME), OWNERS),
    "people.remove_alias": (lambda k, w: k.people.remove_alias(w.person, "C", speaker=ME), OWNERS),
    "people.claim_relationship": (
        lambda k, w: k.people.claim_relationship(w.person, "friend", speaker=ME),
        OWNERS,
    ),
    "people.unclaim_relationship": (
        lambda k, w: k.people.unclaim_relationship(w.person, "boss", speaker=ME),
        OWNERS,
    ),
    "people.duplicates": (lambda k, _: k.people.duplicates(), ALL),
    "people.propose_merge": (
        lambda k, w: k.people.propose_merge(w.person, w.other),
        ("asks", "asks", "asks", "asks"),
    ),
    "people.prompt_section": (lambda k, _: k.people.prompt_section(speaker=ME), OWNERS),
    "contacts.resolve_contact_by_channel": (
        lambda k, _: k.contacts.resolve_contact_by_channel("telegram", "1"),
        ALL,
    ),
    "contacts.show": (lambda k, w: k.contacts.show(w.chloe), ALL),
    "contacts.list": (lambda k, _: k.contacts.list(), ALL),
    "contacts.edit": (lambda k, w: k.contacts.edit(w.chloe, name="C"), OWNERS),
    "contacts.propose_address": (
        lambda k, w: k.contacts.propose_address(w.chloe, "email", "c@x.com"),
        ("asks", "asks", "asks", "asks"),
    ),
    "outbound.notify": (lambda k, _: k.outbound.notify("To the owner"), ALL),
    "outbound.act": (
        lambda k, _: k.outbound.act("telegram_send_message", {"chat_id": "1", "text": "x"}),
        ("asks", "asks", "asks", "asks"),
    ),
    "questions.list": (lambda k, _: k.questions.list(), ALL),
    "questions.batch": (lambda k, _: k.questions.batch(), ALL),
    "questions.show": (lambda k, w: k.questions.show(w.question), ("yes", "yes", "hidden", "yes")),
    "questions.answer_with": (lambda k, w: k.questions.answer_with(w.question, w.answer), ALL),
    "inbox.whoami": (lambda k, _: k.inbox.whoami(), ALL),
    "inbox.list": (lambda k, _: k.inbox.list(), REGISTERED),
    "inbox.ack": (lambda k, _: k.inbox.ack(k.inbox.list()[0].waiting.id), REGISTERED),
    "inbox.sleep": (lambda k, _: k.inbox.sleep(), REGISTERED),
    "inbox.wake": (lambda k, _: k.inbox.wake(), REGISTERED),
    "friends.add": (lambda k, w: k.friends.add(stranger(w)), FRONTEND),
    "friends.remove": (lambda k, w: k.friends.remove(asking(k, w)), FRONTEND),
    "friends.send": (lambda k, w: k.friends.send(befriended(k, w), "Hi"), FRONTEND),
    "friends.list": (lambda k, _: k.friends.list(), FRONTEND),
    "friends.block": (lambda k, w: k.friends.block(stranger(w)), FRONTEND),
    "friends.unblock": (lambda k, w: k.friends.unblock(blocked(k, w)), FRONTEND),
    "timeline.note": (lambda k, _: k.timeline.note("x"), OWNERS),
    "timeline.record": (lambda k, _: k.timeline.record(Note("x")), OWNERS),
    "timeline.record_json": (
        lambda k, _: k.timeline.record_json("Note", '{"description":"x"}'),
        OWNERS,
    ),
    "timeline.undo": (lambda k, w: k.timeline.undo(w.item), OWNERS),
    "timeline.correct": (lambda k, w: k.timeline.correct(w.item, {"a": 1}), OWNERS),
    "timeline.show": (lambda k, w: k.timeline.show(w.item), HIDDEN),
    "timeline.list": (lambda k, _: k.timeline.list(), ALL),
    "entities.add": (lambda k, _: k.entities.add("thing", {"a": 1}), OWNERS),
    "entities.change": (lambda k, w: k.entities.change(w.entity, {"a": 2}), OWNERS),
    "entities.revert": (lambda k, w: k.entities.revert(w.entity, 1), OWNERS),
    "entities.supersede": (
        lambda k, w: k.entities.supersede(w.entity, superseded_by=w.person),
        OWNERS,
    ),
    "entities.show": (lambda k, w: k.entities.show(w.entity), HIDDEN),
    "entities.history": (lambda k, w: k.entities.history(w.entity), HIDDEN),
    "entities.at": (lambda k, w: k.entities.at(w.entity, w.house.clock.now()), HIDDEN),
    "entities.diff": (lambda k, w: k.entities.diff(w.entity, 1, 1), HIDDEN),
    "entities.list": (lambda k, _: k.entities.list(), ALL),
    "relations.relate": (lambda k, w: k.relations.relate("mentions", w.item, w.entity), OWNERS),
    "relations.unrelate": (
        lambda k, w: k.relations.unrelate(k.relations.relate("mentions", w.item, w.person).uuid),
        OWNERS,
    ),
    "relations.around": (lambda k, w: k.relations.around(w.entity), ALL),
    "relations.trace": (lambda k, w: k.relations.trace(w.item), HIDDEN),
    "changes.list": (lambda k, _: k.changes.list(), ALL),
    "changes.acknowledge": (lambda k, _: k.changes.acknowledge("s", 1), ALL),
    "personas.list": (lambda k, _: k.personas.list(), ALL),
    "personas.show": (lambda k, _: k.personas.show("Ei"), ALL),
    "profile.list": (lambda k, _: k.profile.list(speaker=ME), OWNERS),
    "profile.show": (lambda k, w: k.profile.show(profiled(w), speaker=ME), OWNERS),
    "profile.set": (lambda k, _: k.profile.set(Entry("town", "Lisbon"), speaker=ME), OWNERS),
    "doubts.list": (lambda k, _: k.doubts.list(), ALL),
    "doubts.ask": (lambda k, _: k.doubts.ask(), ALL),
    "doubts.answer_with": (lambda k, w: k.doubts.answer_with(w.answer), NOTHING_ASKED),
    "why": (lambda k, w: k.why(w.item), HIDDEN),
    "full_id": (lambda k, w: k.full_id(w.item), OWNERS),
}


def methods(facade: object) -> set[str]:
    """Every public method, of the facade and its parts."""
    found = set()
    for name, part in vars(facade).items():
        if not name.startswith("_"):
            found |= {f"{name}.{m}" for m in dir(part) if not m.startswith("_")}
    return found


def test_every_method_of_the_agents_facade_stands_in_the_matrix(house: Household) -> None:
    own = {name for name in vars(Kithkin) if not name.startswith("_")} - {
        "open",
        "connect",
        "afar",
        "close",
    }
    alike = {name for name in methods(house.kin()) if name.split(".")[0] in OWNERS_WORK}
    assert methods(house.kin()) | own == set(MATRIX) | alike


OWNERS_WORK = (
    "projects",
    "branches",
    "artifacts",
    "references",
    "reader",
    "memories",
    "chat",
)
"""Parts in which every method that touches the realm is the owner's agents' alone."""
TOUCH_NOTHING = {"reader.asked"}


def _something_for(parameter: inspect.Parameter) -> object:
    if parameter.name == "speaker":
        return ME
    if "tuple" in str(parameter.annotation):
        return (1, 1)
    return 1 if parameter.annotation is int else "x"


def with_any_arguments(method: Callable[..., Any]) -> object:
    """Call a method with something for each argument it must have."""
    needed = [
        p
        for p in inspect.signature(method).parameters.values()
        if p.default is inspect.Parameter.empty
    ]
    given = [_something_for(p) for p in needed]
    by_name = {p.name: v for p, v in zip(needed, given, strict=True) if p.kind is p.KEYWORD_ONLY}
    if "speaker" in inspect.signature(method).parameters:
        by_name["speaker"] = ME
    plain = [v for p, v in zip(needed, given, strict=True) if p.kind is not p.KEYWORD_ONLY]
    return method(*plain, **by_name)


@pytest.mark.parametrize("part", OWNERS_WORK)
def test_the_owners_work_is_not_for_agents_of_others(house: Household, part: str) -> None:
    house.set_up()
    own, _, others, _ = principals(house)
    for name in sorted(one.split(".")[1] for one in methods(own) if one.startswith(f"{part}.")):
        if f"{part}.{name}" in TOUCH_NOTHING:
            continue
        with pytest.raises(NotAllowed):
            with_any_arguments(getattr(getattr(others, part), name))
        try:
            with_any_arguments(getattr(getattr(own, part), name))
        except (InvalidInput, NotFound, Refused, AttributeError, TypeError) as error:
            assert not isinstance(error, NotAllowed)  # noqa: PT017 - any other complaint will do


@pytest.fixture
def world(house: Household) -> World:
    house.set_up()
    chloe = house.admin.contacts.add(Details(name="Chloe")).contact
    other = house.admin.contacts.add(Details(name="Other")).contact
    house.admin.contacts.add_address(chloe.id, "telegram", "1")
    kin = house.kin()
    kin.people.add_alias(chloe.person, "C", speaker=ME)
    kin.people.claim_relationship(chloe.person, "boss", speaker=ME)
    asked = kin.outbound.act("email_send_message", {"to": "x@y.z", "body": "x"})
    assert isinstance(asked, Waits)
    code = code_of(house.admin.questions.show(asked.question))
    return World(
        house=house,
        chloe=chloe.id,
        person=chloe.person,
        other=other.person,
        question=asked.question,
        answer=house.hear(OWNER, f"no {code}").message,
        item=kin.timeline.note("something").uuid,
        entity=kin.entities.add("thing", {"a": 1}).uuid,
    )


def principals(house: Household) -> list[Kithkin]:
    owner = next(one.nametag for one in house.admin.accounts.list() if one.name == "Owner")
    jo = house.admin.accounts.create("Jo")
    agents = [
        house.admin.agents.register(owner, "front", "frontend"),
        house.admin.agents.register(jo.nametag, "jos", "frontend"),
        house.admin.agents.register(owner, "back", "background"),
    ]
    kins = [house.kin(), *(house.kin(agent) for agent in agents)]
    give_everybody_a_message(house)
    return kins


def give_everybody_a_message(house: Household) -> None:
    from kithkin.accounts import inbox  # noqa: PLC0415 - only here
    from kithkin.ids import SpeakerKey  # noqa: PLC0415 - the same

    item = house.kin().timeline.note("hello").uuid
    with house.db.transaction() as tx:
        for agent in house.admin.agents.list():
            sender = SpeakerKey(ME) if agent.name != "jos" else None
            inbox.post(tx, agent.account, [agent], item, sender=sender, now="2026")


def outcome_of(call: Call, kin: Kithkin, world: World) -> Outcome:
    before = len(world.house.admin.questions.list())
    try:
        call(kin, world)
    except NotAllowed:
        return "no"
    except (NotFound, InvalidInput):
        return "hidden"
    return "asks" if len(world.house.admin.questions.list()) > before else "yes"


@pytest.mark.parametrize("column", range(4), ids=["owner", "agent", "another", "background"])
@pytest.mark.parametrize("method", MATRIX)
def test_each_method_answers_each_principal_as_the_matrix_says(
    world: World, method: str, column: int
) -> None:
    call, expected = MATRIX[method]
    kin = principals(world.house)[column]
    assert outcome_of(call, kin, world) == expected[column]


def test_an_agent_states_nothing_by_itself(world: World) -> None:
    kin = principals(world.house)[1]
    with pytest.raises(NotAllowed, match="whose word"):
        kin.people.remove_alias(world.person, "C")
    with pytest.raises(NotAllowed, match="whose word"):
        kin.people.resolve_or_create("Zed")


def test_nothing_of_the_owners_is_on_the_agents_facade(house: Household) -> None:
    owners = {name for name in vars(Admin) if not name.startswith("_")} | methods(house.admin)
    agents = {name for name in vars(Kithkin) if not name.startswith("_")} | set(MATRIX)
    shared = {
        "open",
        "connect",
        "afar",
        "close",
        "personas.list",
        "profile.show",
        "doubts.list",
        "doubts.ask",
        "full_id",
        "why",
        "contacts.edit",
        "questions.list",
        "questions.show",
    }
    assert owners & agents == shared


def test_somebody_unknown_cannot_open_the_realm(house: Household) -> None:
    for agent in ("entity_nobody", "brave-otter-42", house.admin.owner.show().contact.id):
        with pytest.raises((NotFound, InvalidInput)):
            Kithkin.open(house.place[0], realm=house.place[1], agent=agent)
