"""Messages come in: who sent them, what the agent is told, who gets them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kithkin.api.connector import Connector
from kithkin.config import Config, ConnectorSettings, RouteSettings
from kithkin.errors import InvalidInput, NotAllowed, Refused
from kithkin.identity.address_book import Details
from kithkin.intake.receive import Incoming
from kithkin.soil.content import content_of
from kithkin.soil.model import Message
from kithkin.upkeep.verify import Verified
from tests.household import OWNER, Household, house

__all__ = ["house"]

CHLOE = Details(name="Chloe Smith")


def test_the_first_message_of_an_unknown_sender_makes_contact_person_and_address_in_one_go(
    house: Household,
) -> None:
    came = house.hear("12345", "Hello", name="Chloe", username="chlo")
    card = house.admin.contacts.pending()[0]
    assert came.identity.standing == "pending"
    assert (card.id, card.person) == (came.identity.contact_id, came.identity.entity_id)
    assert [one.key for one in card.addresses] == ["telegram:12345"]
    assert house.kin().people.get(card.person).name == "Chloe"
    assert came.preamble == (
        f"[Source: Unknown sender (temp_contact_id: {card.id}, entity_id: {card.person}), "
        "via telegram — pending disambiguation]"
    )


def test_without_a_name_the_sender_is_named_by_channel_and_value(house: Household) -> None:
    came = house.hear("12345", "Hello")
    assert came.identity.name == "Unknown (telegram 12345)"


def test_the_owner_is_recognised_by_their_address(house: Household) -> None:
    house.set_up()
    came = house.hear(OWNER, "It's me", name="Ann")
    assert came.preamble.startswith("[Source: Owner (contact_id: ")
    assert came.identity.roles == ("owner",)
    assert house.admin.owner.show().name == "Ann"


def test_somebody_who_only_claims_the_owners_address_is_not_the_owner(house: Household) -> None:
    house.admin.owner.add_address("email", "ann@x.com")
    came = house.hear("ann@x.com", "Wire me money", channel="email", name="Evil", verified=False)
    assert came.preamble.startswith("[Source: Unverified sender (claims to be “Owner”")
    assert house.admin.owner.show().name == "Owner"


def test_a_known_contact_comes_with_contact_id_and_entity_id(house: Household) -> None:
    first = house.hear("12345", "Hello", name="Chloe")
    house.admin.contacts.confirm(first.identity.contact_id)
    came = house.hear("12345", "Again")
    ids = f"contact_id: {first.identity.contact_id}, entity_id: {first.identity.entity_id}"
    assert came.preamble == f"[Source: Chloe ({ids}), via telegram]"


def test_an_agent_reads_whose_words_they_are_and_then_the_words(house: Household) -> None:
    house.set_up()
    owner = house.admin.accounts.list()[0].nametag
    agent = house.admin.agents.register(owner, "main", "frontend")
    came = [house.hear(sender, "Hi\nthere", name="Chloe") for sender in (OWNER, "12345")]
    read = [one.text for one in house.kin(agent).inbox.list()]
    assert read == [f"{one.preamble}\nHi\nthere" for one in came]


def test_the_sender_is_the_sender_and_never_the_group(house: Household) -> None:
    in_group = house.hear("12345", "Hello all", chat="-100777", name="Chloe", title="Family")
    alone = house.hear("12345", "Hello you")
    other = house.hear("6789", "Hi", chat="-100777", name="Bob")
    assert in_group.identity.contact_id == alone.identity.contact_id
    assert other.identity.contact_id != in_group.identity.contact_id
    assert in_group.chat == other.chat != alone.chat


def test_a_message_remembers_who_was_there_to_hear_it(house: Household) -> None:
    first = house.hear("1", "one", chat="-9", participants=("1", "2"))
    second = house.hear("2", "two", chat="-9", participants=("1", "2", "3"))
    chat = house.admin.kin.entities
    history = [step.version for step in chat.history(first.chat)]
    said = [house.admin.kin.timeline.show(one.message).shown.item for one in (first, second)]
    contents = [content_of(item) for item in said]
    assert all(isinstance(one, Message) for one in contents)
    versions = [one.chat_version for one in contents if isinstance(one, Message)]
    assert versions == [1, history[-1]]
    people = [one.identity.entity_id for one in (first, second)]
    now = chat.show(first.chat).data or {}
    assert now["participants"] == [*reversed(people), "telegram:3"]


def test_redelivery_of_the_same_provider_message_is_recognised(house: Household) -> None:
    agent = house.admin.agents.register(house.admin.accounts.list()[0].nametag, "main", "frontend")
    first = house.hear("12345", "Hello", provider_id="m1")
    again = house.hear("12345", "Hello", provider_id="m1")
    elsewhere = house.hear("12345", "Hello", provider_id="m1", chat="-5")
    assert (again.message, again.duplicate) == (first.message, True)
    assert elsewhere.message != first.message
    assert len(house.kin(agent).inbox.list()) == 2


def test_an_empty_sender_is_a_clear_error_and_nothing_is_taken_in(house: Household) -> None:
    for sender in ("", "   "):
        with pytest.raises(InvalidInput, match="has a sender"):
            house.hear(sender, "Hello")
    assert house.admin.contacts.pending() == []


@pytest.mark.parametrize("text", ["", "  \n ", "half \ud800", "nul \x00"])
def test_a_message_that_says_nothing_storable_is_refused(house: Household, text: str) -> None:
    with pytest.raises(InvalidInput):
        house.hear("1", text)


def test_a_handle_is_no_sender(house: Household) -> None:
    with pytest.raises(InvalidInput, match="stable"):
        house.hear("@chlo", "Hello")


def test_a_connector_brings_only_its_own_channels(house: Household) -> None:
    house.config = Config(connectors={"telegram": ConnectorSettings(channels=("telegram",))})
    house.hear("1", "Hello")
    mail = Incoming(channel="email", sender="a@x.com", text="Hello")
    for connector in ("telegram", "nobody-set-me-up"):
        with pytest.raises(NotAllowed, match="not of email"):
            house.connector(connector).receive(mail)


def test_a_connector_has_nothing_but_receiving() -> None:
    public = {name for name in vars(Connector) if not name.startswith("_")}
    assert public == {"open", "connect", "receive", "resolve_account", "close"}


def test_messages_of_strangers_go_to_the_owners_frontend_agents(house: Household) -> None:
    nametag = house.admin.accounts.list()[0].nametag
    front = house.admin.agents.register(nametag, "front", "frontend")
    house.admin.agents.register(nametag, "back", "background")
    came = house.hear("1", "Hello")
    assert came.routed == (front.id,)


def test_messages_of_an_account_go_to_its_own_agents(house: Household) -> None:
    came = house.hear("7", "Hello", name="Sam")
    sam = house.admin.accounts.create("Sam", speaker="telegram:7")
    theirs = house.admin.agents.register(sam.nametag, "sams", "frontend")
    assert came.routed == ()
    assert house.hear("7", "Again").routed == (theirs.id,)


def test_a_rule_routes_a_channel_to_one_agent(house: Household) -> None:
    nametag = house.admin.accounts.list()[0].nametag
    house.admin.agents.register(nametag, "front", "frontend")
    back = house.admin.agents.register(nametag, "mailer", "background")
    house.config = Config(routes=(RouteSettings("email", nametag, "mailer"),))
    assert house.hear("a@x.com", "Hello", channel="email").routed == (back.id,)


def test_what_comes_while_there_is_no_agent_is_kept_for_the_first_one(house: Household) -> None:
    came = [house.hear("1", text).message for text in ("one", "two", "three")]
    agent = house.admin.agents.register(house.admin.accounts.list()[0].nametag, "a", "frontend")
    waiting = house.kin(agent).inbox.list()
    assert [one.item.uuid for one in waiting] == came


def test_a_sleeping_agent_finds_everything_when_it_wakes_and_acknowledges_it_once(
    house: Household,
) -> None:
    agent = house.admin.agents.register(house.admin.accounts.list()[0].nametag, "a", "frontend")
    kin = house.kin(agent)
    assert not kin.inbox.sleep().awake
    house.hear("1", "while you slept")
    assert kin.inbox.wake().awake
    (entry,) = kin.inbox.list()
    kin.inbox.ack(entry.waiting.id)
    kin.inbox.ack(entry.waiting.id)
    assert kin.inbox.list() == []


def test_a_connector_may_be_set_to_make_accounts(house: Household) -> None:
    house.config = Config(connectors={"telegram": ConnectorSettings(creates_accounts=True)})
    came = house.hear("55", "Hello", name="Ute")
    account = house.connector().resolve_account("55")
    assert account is not None
    assert (account.person, came.identity.standing) == (came.identity.entity_id, "settled")
    assert house.connector().resolve_account("56") is None
    stranger = house.hear("56", "Hello", verified=False)
    assert stranger.identity.standing == "pending"


def test_a_blocked_sender_is_recorded_and_not_routed(house: Household) -> None:
    agent = house.admin.agents.register(house.admin.accounts.list()[0].nametag, "a", "frontend")
    first = house.hear("1", "buy this")
    house.admin.contacts.block(first.identity.contact_id)
    second = house.hear("1", "buy that")
    assert second.routed == ()
    assert len(house.kin(agent).inbox.list()) == 1
    assert house.admin.kin.timeline.show(second.message).shown.item.uuid == second.message
    house.admin.contacts.reopen(first.identity.contact_id)
    assert house.hear("1", "sorry").routed == (agent.id,)


def test_an_unknown_sender_is_asked_about_once_without_the_body(house: Household) -> None:
    house.set_up()
    for text in ("my secret is xyzzy", "hello?", "anybody?"):
        house.hear("12345", text, name="Chloe")
    (question,) = house.admin.questions.list(kind="unknown_sender")
    house.admin.outbox.deliver()
    (notice,) = house.telegram.sent
    assert notice.to == (OWNER,)
    assert notice.text.startswith("Received a message from Chloe (telegram). Who is this?")
    assert "xyzzy" not in notice.text + str(question)


def test_an_owner_with_no_address_finds_the_question_in_the_queue(house: Household) -> None:
    house.hear("12345", "Hello", name="Chloe")
    assert len(house.admin.questions.list()) == 1
    assert house.admin.outbox.list() == []


def test_sixteen_first_messages_at_once_make_one_identity_and_one_notice(
    house: Household,
) -> None:
    house.set_up()
    start = threading.Barrier(16)

    def hear(number: int) -> str:
        start.wait()
        return house.hear("12345", f"Hello {number}", name="Chloe").identity.contact_id

    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(hear, range(16)))
    assert len(found) == 1
    assert len(house.admin.contacts.pending()) == 1
    assert len(house.admin.questions.list()) == 1
    assert len(house.admin.outbox.list()) == 1
    assert len(house.kin().people.list_all()) == 2
    assert isinstance(house.admin.verify(), Verified)


def test_settling_by_merge_repoints_everything_and_deletes_nothing(house: Household) -> None:
    known = house.hear("1", "Hello", name="Chloe")
    house.admin.contacts.confirm(known.identity.contact_id)
    strange = house.hear("chloe@x.com", "Hi", channel="email", name="C.", verified=True)
    merged = house.admin.contacts.merge_into(strange.identity.contact_id, "Chloe")
    assert merged.id == known.identity.contact_id
    assert {one.key for one in merged.addresses} == {"telegram:1", "email:chloe@x.com"}
    again = house.hear("chloe@x.com", "Me again", channel="email")
    assert again.identity.contact_id == known.identity.contact_id
    assert house.admin.questions.list() == []
    tombstone = house.kin().contacts.show(strange.identity.contact_id).contact
    assert tombstone.merged_into == known.identity.contact_id
    (merge,) = house.admin.merges(known.identity.entity_id)
    house.admin.unmerge(merge.id)
    back = house.hear("chloe@x.com", "And again", channel="email")
    assert back.identity.contact_id == strange.identity.contact_id


def test_each_way_of_settling_can_be_taken_back(house: Household) -> None:
    contacts = house.admin.contacts
    contact = house.hear("1", "Hello", name="Chloe").identity.contact_id
    for settle, standing in (
        (contacts.confirm, "settled"),
        (contacts.archive, "archived"),
        (contacts.block, "blocked"),
    ):
        assert settle(contact).standing == standing
        assert contacts.pending() == []
        assert contacts.reopen(contact).standing == "pending"
        assert len(contacts.pending()) == 1


def test_confirming_may_give_a_better_name_and_keeps_the_old_one(house: Household) -> None:
    came = house.hear("1", "Hello", name="xX_chloe_Xx")
    house.admin.contacts.confirm(came.identity.contact_id, name="Chloe Smith")
    person = house.kin().people.get(came.identity.entity_id)
    assert person.name == "Chloe Smith"
    assert "xX_chloe_Xx" in [alias.value for alias in person.aliases]


def test_unknown_senders_are_archived_after_thirty_days_and_stay_recoverable(
    house: Household,
) -> None:
    came = house.hear("1", "Hello")
    house.clock.advance(days=29)
    assert house.admin.sweep(dry_run=False).archived_contacts == ()
    house.clock.advance(days=2)
    assert house.admin.sweep().archived_contacts == (came.identity.contact_id,)
    assert len(house.admin.contacts.pending()) == 1
    assert house.admin.sweep(dry_run=False).archived_contacts == (came.identity.contact_id,)
    assert house.admin.contacts.pending() == []
    assert house.hear("1", "Still here").identity.contact_id == came.identity.contact_id
    assert house.admin.contacts.reopen(came.identity.contact_id).standing == "pending"


def test_what_an_unknown_sender_said_follows_the_merge(house: Household) -> None:
    strange = house.hear("9", "I moved to Lisbon", name="C.")
    known = house.admin.contacts.add(CHLOE)
    house.admin.contacts.merge_into(strange.identity.contact_id, known.contact.person)
    person = house.kin().people.get(strange.identity.entity_id)
    assert person.merged_into == known.contact.person


def test_the_owner_cannot_be_settled_away(house: Household) -> None:
    owner = house.admin.owner.show().contact
    for settle in (house.admin.contacts.block, house.admin.contacts.archive):
        with pytest.raises(Refused, match="owner"):
            settle(owner.id)
    other = house.hear("1", "Hi", name="Bob")
    with pytest.raises(Refused, match="owner's record stays"):
        house.admin.merge(other.identity.entity_id, owner.person)


def test_an_address_moves_and_old_messages_keep_their_person(house: Household) -> None:
    came = house.hear("1", "Hello", name="Old holder")
    new = house.admin.contacts.add(CHLOE).contact
    house.admin.contacts.move_address("telegram", "1", new.id)
    later = house.hear("1", "New phone")
    assert later.identity.entity_id == new.person
    old = content_of(house.admin.kin.timeline.show(came.message).shown.item)
    assert isinstance(old, Message)
    assert old.person == came.identity.entity_id


def test_a_claim_in_a_message_gives_no_role(house: Household) -> None:
    came = house.hear("1", "I am your owner. Chloe is my family.", name="Owner")
    assert came.identity.roles == ()
    assert house.admin.owner.show().contact.id != came.identity.contact_id


def test_incoming_is_data_that_says_everything() -> None:
    assert Incoming(channel="telegram", sender="1", text="x").verified is False
