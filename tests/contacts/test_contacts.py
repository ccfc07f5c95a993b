"""Contacts, roles, the owner, accounts: D1 to D4, D11 and who may change what."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from kithkin.api.owner import Admin
from kithkin.contacts import store as contacts
from kithkin.contacts.model import Contact
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.errors import InvalidInput, NotAllowed, NotFound, Refused, StorageRefused
from kithkin.identity.address_book import Details
from kithkin.ids import PersonId
from tests.conftest import Place
from tests.household import Household, house

__all__ = ["house"]

AGENT = By(actor="agent:x", now="2026-01-15T10:00:00.000000+00:00")
BY_OWNER = replace(AGENT, actor="owner")


def chloe(house: Household) -> Contact:
    return house.admin.contacts.add(Details(name="Chloe", first_name="Chloe")).contact


def test_the_first_start_seeds_exactly_one_owner_named_owner(house: Household) -> None:
    card = house.admin.owner.show()
    assert (card.name, card.contact.roles) == ("Owner", ("owner",))
    assert [one.key for one in card.contact.addresses] == ["account:owner"]
    assert not house.admin.owner.is_set_up()
    house.admin.owner.add_address("email", "Ann <ANN@x.com>")
    assert house.admin.owner.is_set_up()
    assert [account.name for account in house.admin.accounts.list()] == ["Owner"]


def test_eight_processes_starting_at_once_make_one_owner(place: Place) -> None:
    script = (
        "import sys\nfrom kithkin import Admin\n"
        "with Admin.open(sys.argv[1], realm=sys.argv[2]) as admin:\n"
        "    print(admin.owner.show().contact.id)\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, *place], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(8)
    ]
    ended = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0] * 8, ended
    assert len({out for out, _ in ended}) == 1
    with Admin.open(place[0], realm=place[1]) as admin:
        assert len(admin.accounts.list()) == 1


def test_a_second_owner_is_refused_by_the_database(house: Household) -> None:
    contact = chloe(house)
    with pytest.raises(StorageRefused), house.db.transaction() as tx:
        contacts.save(tx, replace(contact, roles=("owner",)), by=BY_OWNER)
    assert house.kin().contacts.show(contact.id).contact.roles == ()


def test_roles_are_refused_in_storage_for_anybody_but_the_owner(house: Household) -> None:
    contact = chloe(house)
    with pytest.raises(NotAllowed, match="roles"), house.db.transaction() as tx:
        contacts.save(tx, replace(contact, roles=("family",)), by=AGENT)
    with pytest.raises(NotAllowed):
        house.kin().contacts.edit(contact.id, roles=["family"])
    assert house.admin.contacts.set_roles(contact.id, "Family").contact.roles == ("family",)
    with pytest.raises(Refused, match="exactly one owner"):
        house.admin.contacts.set_roles(contact.id, "owner")
    with pytest.raises(Refused, match="exactly one owner"):
        house.admin.contacts.set_roles(house.admin.owner.show().contact.id)


def test_the_owners_addresses_are_refused_in_storage_for_anybody_else(house: Household) -> None:
    owner = house.admin.owner.add_address("telegram", "100").contact
    for addresses in ((), (*owner.addresses, replace(owner.addresses[0], value="666"))):
        with pytest.raises(NotAllowed, match="addresses"), house.db.transaction() as tx:
            contacts.save(tx, replace(owner, addresses=addresses), by=AGENT)
    with pytest.raises(NotAllowed):
        house.kin().contacts.edit(owner.id, name="Me")


def test_a_merge_brings_no_role_along(house: Household) -> None:
    family = chloe(house)
    house.admin.contacts.set_roles(family.id, "family")
    other = house.admin.contacts.add(Details(name="Other")).contact
    house.admin.merge(other.person, family.person)
    assert house.kin().contacts.show(other.id).contact.roles == ()


def test_an_agents_address_becomes_a_question_and_routes_nothing_before(house: Household) -> None:
    contact = chloe(house)
    question = house.kin().contacts.propose_address(contact.id, "telegram", "5")
    assert house.kin().contacts.propose_address(contact.id, "telegram", "5") == question
    assert house.kin().contacts.resolve_contact_by_channel("telegram", "5") is None
    house.admin.questions.answer(question, "yes")
    found = house.kin().contacts.resolve_contact_by_channel("telegram", "5")
    assert found is not None
    assert (found.contact.id, found.name, found.verified) == (contact.id, "Chloe", True)


def test_an_agents_merge_becomes_a_question(house: Household) -> None:
    one, two = chloe(house), house.admin.contacts.add(Details(name="Chloé")).contact
    question = house.kin().people.propose_merge(one.person, two.person, reason="same handle")
    assert house.kin().people.get(two.person).merged_into is None
    house.admin.questions.answer(question, "approve")
    assert house.kin().people.get(two.person).merged_into == one.person


def test_a_channel_identifier_maps_to_exactly_one_contact(house: Household) -> None:
    one, two = chloe(house), house.admin.contacts.add(Details(name="Bob")).contact
    house.admin.contacts.add_address(one.id, "telegram", "1")
    house.admin.contacts.add_address(one.id, "telegram", "2")
    with pytest.raises(InvalidInput, match="address move"):
        house.admin.contacts.add_address(two.id, "telegram", "1")
    for value in ("1", "2"):
        found = house.kin().contacts.resolve_contact_by_channel("telegram", value)
        assert found is not None
        assert found.contact.id == one.id
    assert house.kin().contacts.resolve_contact_by_channel("telegram", "3") is None


def test_the_database_itself_refuses_an_address_twice(house: Household) -> None:
    one, two = chloe(house), house.admin.contacts.add(Details(name="Bob")).contact
    house.admin.contacts.add_address(one.id, "telegram", "1")
    with pytest.raises(StorageRefused), house.db.transaction() as tx:
        tx.execute(
            "INSERT INTO address (type, value, contact, person)"
            " VALUES ('telegram', '1', :contact, :person)",
            {"contact": two.id, "person": two.person},
        )


def test_an_address_of_nobody_is_refused_by_the_database(house: Household) -> None:
    with pytest.raises(StorageRefused), house.db.transaction() as tx:
        tx.execute(
            "INSERT INTO address (type, value, contact, person)"
            " VALUES ('telegram', '1', 'entity_none', 'entity_none')",
            {},
        )


def test_two_threads_giving_one_address_to_two_contacts_leave_it_with_one(
    house: Household,
) -> None:
    owners = [house.admin.contacts.add(Details(name=f"P{n}")).contact.id for n in range(6)]

    def give(contact: str) -> bool:
        try:
            house.admin.contacts.add_address(contact, "telegram", "77")
        except InvalidInput:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(give, owners)) == 1


def test_a_contact_is_edited_by_the_owners_agent_but_not_by_anothers(house: Household) -> None:
    contact = chloe(house)
    assert house.kin().contacts.edit(contact.id, last_name="Smith").contact.last_name == "Smith"
    with pytest.raises(NotAllowed, match="addresses"):
        house.kin().contacts.edit(contact.id, addresses=[])
    jo = house.admin.accounts.create("Jo")
    jos = house.admin.agents.register(jo.nametag, "jos", "frontend")
    with pytest.raises(NotAllowed, match="address book"):
        house.kin(jos).contacts.edit(contact.id, name="Evil")


def test_others_agents_see_who_somebody_is_and_not_where_to_reach_them(house: Household) -> None:
    contact = chloe(house)
    house.admin.contacts.add_address(contact.id, "telegram", "1")
    jo = house.admin.accounts.create("Jo")
    jos = house.kin(house.admin.agents.register(jo.nametag, "jos", "frontend"))
    assert jos.contacts.show(contact.id).name == "Chloe"
    others = [card for card in jos.contacts.list() if card.name != "Jo"]
    assert others
    assert all(card.contact.addresses == () for card in others)
    assert len(house.kin().contacts.show(contact.id).contact.addresses) == 1


def test_an_address_is_removed_and_made_primary(house: Household) -> None:
    contact = chloe(house)
    book = house.admin.contacts
    book.add_address(contact.id, "email", "a@x.com", primary=True)
    book.add_address(contact.id, "email", "b@x.com")
    card = book.make_primary(contact.id, "email", "b@x.com")
    assert [(one.value, one.is_primary) for one in card.contact.addresses] == [
        ("a@x.com", False),
        ("b@x.com", True),
    ]
    assert len(book.remove_address(contact.id, "email", "A@x.com").contact.addresses) == 1
    with pytest.raises(NotFound, match=r"no email address c@x\.com"):
        book.remove_address(contact.id, "email", "c@x.com")
    with pytest.raises(NotFound, match="Nobody has"):
        book.move_address("email", "a@x.com", contact.id)


def test_an_account_has_a_unique_nametag_that_redirects_when_it_changes(house: Household) -> None:
    jo = house.admin.accounts.create("Jo")
    old = jo.nametag
    changed = house.admin.accounts.change_nametag(old.upper(), "Clever-Jo-11")
    assert changed.nametag == "clever-jo-11"
    assert house.admin.accounts.show(old).id == jo.id
    with pytest.raises(InvalidInput, match="somebody's"):
        house.admin.accounts.change_nametag(nametag_of(house, "Owner"), old)
    assert house.admin.accounts.change_nametag("clever-jo-11", old).nametag == old
    with pytest.raises(NotFound):
        house.admin.accounts.show("brave-nobody-99")


def test_a_person_has_one_account(house: Household) -> None:
    contact = chloe(house)
    house.admin.accounts.create("Chloe", person=contact.person)
    with pytest.raises(Refused, match="already"):
        house.admin.accounts.create("Chloe again", person=contact.person)
    with pytest.raises(NotFound):
        house.admin.accounts.create("X", speaker="telegram:nobody")


def test_an_agent_speaks_only_for_its_account_or_who_wrote_to_it(house: Household) -> None:
    came = house.hear("7", "My wife Eva likes tea", name="Sam")
    house.admin.accounts.create("Sam", person=came.identity.entity_id)
    sam = house.kin(house.admin.agents.register(nametag_of(house, "Sam"), "sams", "frontend"))
    sam.people.resolve_or_create("my wife", speaker="telegram:7", content_hint="my wife Eva")
    with pytest.raises(NotAllowed, match="not written"):
        sam.people.find_for_speaker("my wife", "telegram:8")
    owners = house.admin.agents.register(nametag_of(house, "Owner"), "main", "frontend")
    house.hear("8", "hello", name="Eve")
    house.kin(owners).people.find_for_speaker("my wife", "telegram:8")


def nametag_of(house: Household, name: str) -> str:
    return next(one.nametag for one in house.admin.accounts.list() if one.name == name)


def test_an_agent_that_is_not_registered_cannot_open_the_realm(house: Household) -> None:
    from kithkin.api.kithkin import Kithkin  # noqa: PLC0415 - only here

    with pytest.raises(NotFound):
        Kithkin.open(house.place[0], realm=house.place[1], agent="entity_nobody")


def test_the_subject_of_everything_is_the_persons_id(house: Household) -> None:
    came = house.hear("7", "Hello", name="Sam")
    person = house.kin().people.get(came.identity.entity_id)
    assert PersonId(came.identity.entity_id) == person.id
    assert house.kin().contacts.show(person.id).contact.id == came.identity.contact_id


def test_what_was_known_of_contacts_survives_the_migration(place: Place) -> None:
    from kithkin.db import schema  # noqa: PLC0415 - only here

    with Admin.open(place[0], realm=place[1]) as admin:
        contact = admin.contacts.add(Details(name="Chloe")).contact
        admin.contacts.add_address(contact.id, "telegram", "1")
        database = admin._acting.db  # noqa: SLF001 - to go back in time
        schema.migrate(database.engine, "0003")
        schema.migrate(database.engine, schema.HEAD)
    with Database.open(place[0], realm=place[1]) as db, db.snapshot() as tx:
        found = contacts.contact_of(tx, contact.person)
        assert found is not None
        assert found.id == contact.id
