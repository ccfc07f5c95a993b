"""What an agent sees: whoever reads its answer, on every way of looking."""

from pathlib import Path

import pytest

from kithkin.accounts.model import Agent
from kithkin.api.kithkin import Kithkin
from kithkin.disclosure.explore import Wanted
from kithkin.errors import NotAllowed, NotFound
from kithkin.messages.message_append import Place
from kithkin.people.model import Ambiguous, ByClaim, Found, Unknown
from kithkin.upkeep.forget import Manner
from tests.household import OWNER, Household, house

__all__ = ["house"]

SAM, MIA = "1", "2"
JO = "telegram", "7"
ME = f"telegram:{OWNER}"


def owners(house: Household) -> str:
    """The owner's nametag."""
    return next(one.nametag for one in house.admin.accounts.list() if one.name == "Owner")


@pytest.fixture
def agent(house: Household) -> Agent:
    """The owner's agent, to whom telegram's messages come."""
    house.set_up()
    return house.admin.agents.register(owners(house), "main", "frontend")


@pytest.fixture
def kin(house: Household, agent: Agent) -> Kithkin:
    return house.kin(agent)


def learned(kin: Kithkin, *, speaker: str | None) -> list[str]:
    return [one.content for one in kin.memories.list(speaker=speaker)]


def test_what_comes_in_through_a_connector_is_remembered(house: Household, kin: Kithkin) -> None:
    came = house.hear(SAM, "I am allergic to nuts")
    assert learned(kin, speaker=came.message) == ["is allergic to nuts"]
    (memory,) = came.learned
    assert house.admin.why(memory).because[0].says == '"I am allergic to nuts"'


def test_a_message_brought_twice_is_learned_once(house: Household) -> None:
    first = house.hear(SAM, "I like tea", provider_id="m1")
    again = house.hear(SAM, "I like tea", provider_id="m1")
    assert (len(first.learned), again.learned) == (1, ())


def test_nothing_is_believed_on_the_word_of_who_is_not_vouched_for(house: Household) -> None:
    house.hear(SAM, "I live in Lisbon. My wife is Mia. Call me Boss", verified=False)
    assert house.admin.memories.list() == []
    assert {p.name for p in house.admin.kin.people.list_all()} == {
        "Owner",
        "Unknown (telegram 1)",
    }


def test_a_blocked_sender_teaches_nothing(house: Household) -> None:
    known = house.hear(SAM, "Hello there")
    house.admin.contacts.block(known.identity.contact_id)
    assert house.hear(SAM, "I live in Lisbon").learned == ()


def test_without_a_speaker_an_agent_sees_what_its_own_person_may_hear(
    house: Household, kin: Kithkin
) -> None:
    note = kin.timeline.note("The alarm is off")
    own = house.hear(OWNER, "I like tea")
    private = house.hear(SAM, "I am allergic to nuts")
    shown = {one.item.uuid for one in kin.timeline.list(Wanted(type="Message")).items}
    assert shown == {own.message}
    assert kin.timeline.show(note.uuid).shown.item.uuid == note.uuid
    assert learned(kin, speaker=None) == ["likes tea"]
    with pytest.raises(NotFound):
        kin.timeline.show(private.message)


def test_a_message_that_came_says_who_asks_and_where(house: Household, kin: Kithkin) -> None:
    there = house.hear(SAM, "I like tea", chat="-9", participants=(SAM, MIA))
    alone = house.hear(SAM, "I am allergic to nuts")
    assert learned(kin, speaker=alone.message) == ["is allergic to nuts", "likes tea"]
    assert learned(kin, speaker=there.message) == ["likes tea"]


def test_my_wife_is_the_wife_of_whoever_sent_the_message(house: Household, kin: Kithkin) -> None:
    came = house.hear(SAM, "My wife Ruth plays chess")
    mine = house.hear(OWNER, "My wife Anna plays the piano")
    asked = "what does my wife play?"
    assert [one.content for one in kin.memories.search(asked, speaker=came.message)][:1] == [
        "plays chess"
    ]
    assert [one.content for one in kin.memories.search(asked)][:1] == ["plays the piano"]
    for message, name in ((came.message, "Ruth"), (mine.message, "Anna")):
        found = kin.people.find_for_speaker("my wife", message)
        assert isinstance(found, Found)
        assert found.person.name == name
        assert f"**{name}** (wife)" in kin.people.prompt_section(speaker=message)


def test_in_a_chat_of_several_my_wife_is_still_the_wife_of_whoever_asks(
    house: Household, kin: Kithkin
) -> None:
    house.hear(SAM, "My wife Ruth plays chess")
    asked = house.hear(SAM, "Where is my wife?", chat="-9", participants=(SAM, MIA))
    other = house.hear(MIA, "Where is my wife?", chat="-9", participants=(SAM, MIA))
    found = kin.people.find_for_speaker("my wife", asked.message)
    assert isinstance(found, Found)
    assert found.person.name == "Ruth"
    assert found.person.relationships == ()
    assert isinstance(kin.people.find_for_speaker("my wife", other.message), Unknown)


def test_a_message_that_came_to_somebody_else_says_nothing(house: Household, kin: Kithkin) -> None:
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    came = house.hear(SAM, "I like tea")
    for look in (
        lambda: jos.memories.list(speaker=came.message),
        lambda: jos.timeline.list(speaker=came.message),
        lambda: jos.why(came.message, speaker=came.message),
    ):
        with pytest.raises(NotAllowed):
            look()
    note = kin.timeline.note("no message")
    with pytest.raises(NotAllowed):
        kin.memories.list(speaker=note.uuid)


def test_a_forged_sender_hears_nothing_outside_the_chat_they_write_in(
    house: Household, kin: Kithkin
) -> None:
    house.hear(SAM, "I like tea", chat="-9", participants=(SAM, MIA))
    forged = house.hear(SAM, "What do I like?", verified=False)
    assert learned(kin, speaker=forged.message) == []


def claims_told(kin: Kithkin, person: str) -> set[str]:
    """Every relationship and relational alias that any way of looking at people tells."""
    found = kin.people.find("Ruth")
    assert isinstance(found, Found)
    told = [kin.people.get(person), found.person, *kin.people.list_all(), *kin.people.get_all()]
    said = {claim.relationship for one in told for claim in one.relationships}
    said |= {one.claim.relationship for one in found.evidence if isinstance(one, ByClaim)}
    return (said | {alias.value for one in told for alias in one.aliases}) - {"self"}


def test_what_somebody_is_to_one_is_not_told_to_another(house: Household, kin: Kithkin) -> None:
    house.hear(SAM, "My therapist Ruth is great")
    found = house.admin.kin.people.find("Ruth")
    assert isinstance(found, Found)
    assert "therapist" in {claim.relationship for claim in found.person.relationships}
    told = claims_told(kin, found.person.id)
    assert "therapist" not in told
    assert not any("therapist" in one for one in told)
    assert "therapist" not in kin.people.prompt_section()
    again = kin.people.get(found.person.id)
    assert (again.name, again.created_by) == ("Ruth", None)


def test_to_whoever_said_it_it_is_told(house: Household, kin: Kithkin) -> None:
    house.hear(SAM, "My therapist Ruth is great")
    found = kin.people.find_for_speaker("my therapist", f"telegram:{SAM}")
    assert isinstance(found, Found)
    assert found.person.relationship == "therapist"


def test_a_page_of_what_may_be_seen_leaves_nothing_out(house: Household, kin: Kithkin) -> None:
    for number in range(30):
        house.hear(SAM, f"secret {number}")
        kin.timeline.note(f"note {number}")
    seen: list[str] = []
    wanted = Wanted(type="Note", limit=7)
    page = kin.timeline.list(wanted)
    seen += [one.item.uuid for one in page.items]
    while page.next:
        page = kin.timeline.list(Wanted(type="Note", limit=7, before=page.next))
        seen += [one.item.uuid for one in page.items]
    assert len(seen) == len(set(seen)) == 30


def references_to(item: str, kin: Kithkin, project: str) -> str:
    """What every way of following a reference says of it."""
    text = f"see @{item}"
    found = (
        kin.references.resolve(f"@{item}", project=project),
        *kin.references.parse(text, project=project),
        kin.references.render(text, project=project),
    )
    return str(found)


def test_stories_and_references_do_not_lead_to_what_may_not_be_seen(
    house: Household, kin: Kithkin
) -> None:
    project = kin.projects.create("Move").name
    private = house.hear(SAM, "I am allergic to nuts").message
    done = kin.timeline.note("Ordered without nuts", because_of=private)
    owner = house.admin.kin
    assert [step.item for step in owner.reader.retrace(done.uuid)] == [private, done.uuid]
    assert [step.item for step in kin.reader.retrace(done.uuid)] == [done.uuid]
    assert kin.relations.trace(done.uuid).root == done.uuid
    assert "nuts" in references_to(private, owner, project)
    assert "nuts" not in references_to(private, kin, project)


def test_each_agents_subscribers_are_its_own(house: Household, kin: Kithkin) -> None:
    other = house.kin(house.admin.agents.register(owners(house), "other", "background"))
    kin.entities.add("thing", {"a": 1})
    last = kin.changes.list(limit=1000)[-1].cursor
    kin.changes.acknowledge("feed", last)
    assert kin.changes.list(subscriber="feed") == []
    assert other.changes.list(subscriber="feed", limit=1000)[-1].cursor == last


def test_who_was_blocked_or_rejected_is_in_no_list_of_changes(
    house: Household, kin: Kithkin
) -> None:
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    jos.friends.add(owners(house))
    kin.friends.block(jo.nametag)
    for one in (kin, jos):
        assert "pair" not in {notice.entity_type for notice in one.changes.list(limit=1000)}
        assert one.entities.list("pair") == []


def test_an_agent_does_not_let_itself_or_others_into_a_chat(house: Household) -> None:
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    me = f"account:{jo.nametag}"
    there = house.hear(SAM, "The key is under the mat", chat="-9", participants=(SAM, MIA))
    for speak in (
        lambda: jos.memories.remember("Hi", speaker=me, chat=there.chat),
        lambda: jos.chat.say("Hi", speaker=me, chat=there.chat),
        lambda: jos.memories.add("likes tea", speaker=me, place=Place(there.chat)),
    ):
        with pytest.raises(NotAllowed):
            speak()
    shown = jos.timeline.list(Wanted(type="Message"), speaker=me, chat=there.chat)
    assert there.message not in {one.item.uuid for one in shown.items}


def test_an_agent_waits_in_no_chat_for_others_to_speak(house: Household) -> None:
    jo = house.admin.accounts.create("Jo")
    house.admin.contacts.add_address(house.admin.kin.contacts.show(jo.person).contact.id, *JO)
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    for me, chat in ((":".join(JO), SAM), (f"account:{jo.nametag}", "owner")):
        with pytest.raises(NotAllowed):
            jos.memories.remember("Hi", speaker=me, chat=chat, shared=True)
    private = house.hear(SAM, "The key is under the mat")
    with pytest.raises(NotFound):
        jos.timeline.show(private.message)


def test_what_is_kept_of_ones_words_tells_nothing_of_what_others_said(house: Household) -> None:
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    me = f"account:{jo.nametag}"
    house.hear(SAM, "My therapist Ruth is great. My boss Jo hates tea")
    kept = jos.memories.remember("I love tea. Ruth likes chess", speaker=me)
    said = jos.chat.say("What does Ruth like?", speaker=me)
    added = jos.memories.add("likes coffee", about=["Ruth"], speaker=me)
    assert {one.name for one in (*kept.persons, *said.persons)} == {"Ruth"}
    assert kept.learned
    for told in (kept, said, added):
        assert "therapist" not in str(told)
        assert "hates" not in str(told)
        assert f"telegram:{SAM}" not in str(told)


def test_once_somebody_was_forgotten_an_agent_sees_the_rest(house: Household, kin: Kithkin) -> None:
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    jos.outbound.notify("Dinner?", channel="telegram", recipient=OWNER)
    jos.friends.add(owners(house))
    gone = house.hear(SAM, "I like tea").identity.entity_id
    note = kin.timeline.note("The alarm is off")
    place = kin.entities.add("place", {"name": "Home"})
    for person in (gone, jo.person):
        house.admin.memories.forget_person(person, manner=Manner(done=True))
    assert note.uuid in {one.item.uuid for one in kin.timeline.list(Wanted(limit=1000)).items}
    assert kin.entities.list("chat") == []
    assert place.uuid in {one.uuid for one in kin.entities.list(limit=1000)}
    assert place.uuid in {one.entity_uuid for one in kin.changes.list(limit=1000)}


@pytest.mark.parametrize("said", ["Sam's therapist", "therapist of Sam", "Sam's wife's boss"])
def test_whom_somebody_calls_what_is_not_found_by_asking_for_it(
    house: Household, kin: Kithkin, said: str
) -> None:
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    came = house.hear(SAM, "My therapist Ruth is great. My wife is Anna", name="Sam")
    for one in (kin, jos):
        assert isinstance(one.people.find(said), Unknown)
        assert isinstance(one.people.find_for_speaker(said), Unknown)
    mine = kin.people.find_for_speaker("Sam's therapist", came.message)
    assert isinstance(mine, Found)


def test_what_the_other_side_said_is_offered_to_whom_it_is_about_alone(
    house: Household, kin: Kithkin
) -> None:
    house.hear(SAM, "Hello", name="Sam")
    about = house.hear(MIA, "Who is my husband?", name="Mia")
    mia = about.identity.entity_id
    house.admin.kin.people.claim_relationship(mia, "wife", speaker=f"telegram:{SAM}")
    offered = kin.people.find_for_speaker("my husband", about.message)
    assert isinstance(offered, Ambiguous)
    assert isinstance(kin.people.find("Mia's husband"), Unknown)


def test_why_and_the_address_book_tell_others_not_where_somebody_is_reached(
    house: Household,
) -> None:
    jo = house.admin.accounts.create("Jo")
    house.admin.contacts.add_address(house.admin.kin.contacts.show(jo.person).contact.id, *JO)
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    came = house.hear(SAM, "I like tea", chat="-9", participants=(SAM, JO[1]), name="Sam")
    contact = came.identity.contact_id
    house.admin.contacts.add_address(contact, "email", "sam@co.com")
    house.admin.contacts.edit(contact, name="The nuisance next door")
    house.admin.contacts.block(contact)
    assert "sam@co.com" not in str(jos.why(came.message))
    assert "sam@co.com" in str(house.admin.why(came.message))
    looked = jos.contacts.resolve_contact_by_channel("telegram", SAM)
    for told in (jos.contacts.show(contact), jos.contacts.list(unlisted=True), looked):
        assert "Sam" in str(told)
        assert not any(one in str(told) for one in ("nuisance", "blocked", "sam@co.com"))


def test_a_project_leads_nobody_to_what_they_may_not_see(
    house: Household, kin: Kithkin, tmp_path: Path
) -> None:
    project = kin.projects.create("Move").name
    private = house.hear(SAM, "I am allergic to nuts").message
    log = kin.branches.append_item(private, project=project)
    kin.branches.append("Ordered without", project=project, because_of=private)
    owner = house.admin.kin
    for one, where, seen in ((kin, tmp_path / "a", False), (owner, tmp_path / "b", True)):
        one.projects.export(where, project)
        words = one.branches.gist(log.uuid), one.references.resolve(f"[x]({log.uuid})")
        assert ("nuts" in str(words)) is seen
        assert (b"nuts" in (where / "soil.db").read_bytes()) is seen
