"""Every verb of an agent is a tool, and gives what the method itself gives."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from kithkin.api.kithkin import Kithkin
from kithkin.mcp.caller import caller
from kithkin.mcp.server import Visit, make_server
from kithkin.mcp.tool_selection import chosen_tools, every_tool
from kithkin.mcp.verb_tools import is_tool, tool_name
from kithkin.memories.profile import Entry
from kithkin.outbound.send import Waits
from kithkin.verb import Shape, Verb
from kithkin.verbs.agent_verbs import VERBS
from tests.household import OWNER, Household, house
from tests.surfaces.mcp_client import Talk, said, talking

__all__ = ["house"]

ME = f"telegram:{OWNER}"
FILES = {"projects.export", "projects.import_"}


class World(Struct):
    """A realm with one of everything, its owner's agent, and what verbs may name."""

    kin: Kithkin
    client: Talk
    names: dict[str, Any]
    """What an argument of that name names here."""
    own: dict[str, dict[str, Any]]
    """What single verbs are given instead."""


def agents_kin(house: Household) -> Kithkin:
    (account,) = house.admin.accounts.list()
    return house.kin(house.admin.agents.register(account.nametag, "main", "frontend"))


@pytest.fixture
def world(house: Household) -> Iterator[World]:
    house.set_up()
    kin = agents_kin(house)
    came = house.hear(OWNER, "My wife Sarah likes hiking", name="Alice").message
    entry = kin.inbox.list()[-1].waiting.id
    memory = kin.memories.list(speaker=ME)[0]
    sarah = kin.people.add_alias(memory.subjects[0], "Sally", speaker=ME)
    tom = house.admin.kin.people.ensure_self("telegram:7", name="Tom").person
    question = kin.outbound.notify("Hi", channel="telegram", recipient="99")
    assert isinstance(question, Waits)
    note = kin.timeline.note("Dug the pond")
    kin.profile.set(Entry("height", "180 cm"), speaker=ME)
    service = kin.entities.add("service", {"phone": "555-0100"})
    kin.entities.change(service.uuid, {"phone": "555-0111"})
    kin.projects.create("garden")
    first = kin.artifacts.create("plan", "one\ntwo\n").head
    kin.artifacts.edit("plan", "one\n")
    aside = kin.artifacts.edit("plan", "one\nthree\n", based_on=first, aside=True).commit.commit
    kin.reader.scroll_to("plan", 1, 1)
    friend = house.admin.accounts.create("Bob").nametag
    names = {
        "person": sarah.id,
        "person_ids": [sarah.id],
        "primary": sarah.id,
        "secondary": tom.id,
        "memory": memory.id,
        "item": note.uuid,
        "entity": service.uuid,
        "superseded_by": kin.entities.add("service", {"phone": "555-0122"}).uuid,
        "relation": kin.relations.relate("mentions", note.uuid, service.uuid).uuid,
        "uuid": came,
        "question": question.question,
        "contact": kin.contacts.show(tom.id).contact.id,
        "entry": entry,
        "nametag": friend,
        "said": "plan",
        "artifact": "plan",
        "commit": first,
        "project": "garden",
        "branch": kin.branches.meant(project="garden"),
        "reference": "Sarah",
        "proposal": kin.artifacts.propose("plan", "four\n").uuid,
    }
    own: dict[str, dict[str, Any]] = {
        "full_id": {"start": note.uuid[:12]},
        "memories.learn": {"item": came},
        "artifacts.diff": {"old": f"plan@{first[:8]}", "new": "plan"},
        "artifacts.bring_in": {"label": "past"},
        "artifacts.operate": {"ops": "-1", "texts": {}},
        "artifacts.merge": {"commit": aside},
        "relations.relate": {"source": came, "target": service.uuid},
        "questions.answer_with": {"message": came},
        "doubts.answer_with": {"message": came},
        "personas.show": {"name": kin.personas.list()[0].name},
        "profile.set": {"entry": {"name": "shoes", "description": "size 44"}},
        "profile.show": {"item": kin.profile.list(speaker=ME)[0].id},
        "reader.scroll_to": {"start": 1, "end": 1},
        "reader.select_lines": {"start": 1, "end": 1},
        "references.resolve": {"reference": "plan:1"},
    }
    visit = Visit(caller(kin), chosen_tools("all"))
    with talking(make_server(lambda _: visit)) as client:
        yield World(kin, client, names, own)


def test_every_verb_of_an_agent_is_a_tool() -> None:
    methods = {tool.method for tool in every_tool().values()}
    missing = {verb.name for verb in VERBS if verb.does not in methods}
    assert missing == FILES
    assert {verb.name for verb in VERBS if not is_tool(verb)} == FILES


def arguments(verb: Verb, world: World) -> dict[str, Any]:
    """What the verb's example gives, with the names of things that are there."""
    shape = Shape(verb)
    wanted = {*shape.in_path, *(shape.names & verb.example.keys())}
    required = {one.name for one in msgspec.structs.fields(shape.takes) if one.required}
    there = {**verb.example, **(world.names if verb.name != "entities.diff" else {})}
    given = {name: there.get(name, world.names.get(name)) for name in wanted | required}
    given |= {"speaker": ME} if "speaker" in given else {}
    return given | world.own.get(verb.name, {})


# Those of the default set are tested by themselves.
MADE = [verb for verb in VERBS if tool_name(verb) in every_tool()]
SAFE = [verb for verb in MADE if verb.is_safe]


@pytest.mark.parametrize("verb", SAFE, ids=lambda verb: verb.name)
def test_a_tool_tells_what_the_method_tells(world: World, verb: Verb) -> None:
    given = arguments(verb, world)
    found = world.client.result(tool_name(verb), given)
    assert not found.is_error, said(found)
    shape = Shape(verb)
    in_path = {one: given.pop(one) for one in shape.in_path}
    read = shape.read(msgspec.convert(given, shape.takes), in_path)
    expected = msgspec.json.decode(msgspec.json.encode(shape.call(world.kin, read)))
    assert found.structured_content in (expected, {"result": expected})


REFUSALS = {
    "questions.answer_with": "not_allowed",  # the message came before the question
    "doubts.answer_with": "not_found",  # nothing was asked
    "friends.unblock": "refused",  # nobody is blocked
    "branches.reopen": "refused",  # it goes on
}
WRITES = [verb for verb in MADE if not verb.is_safe]


@pytest.mark.parametrize("verb", WRITES, ids=lambda verb: verb.name)
def test_a_tool_that_writes_is_carried_out_or_says_why_not(world: World, verb: Verb) -> None:
    found = world.client.result(tool_name(verb), arguments(verb, world))
    told = found.structured_content or {}
    assert (verb.name, told.get("error") if found.is_error else None, said(found)) == (
        verb.name,
        REFUSALS.get(verb.name),
        said(found),
    )
