"""The first start: exactly one owner and one steward, however many processes start at once."""

from msgspec.structs import replace

from kithkin.accounts import store as accounts
from kithkin.accounts.model import Account
from kithkin.accounts.nametags import new_nametag
from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.model import ACCOUNT, OWNER, Address, Contact
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.identity import people_file
from kithkin.ids import PersonId, new_entity_id
from kithkin.people import store as people
from kithkin.people.model import Person
from kithkin.personas import persona_edit
from kithkin.personas import store as personas

NAME = "Owner"
_MARK = "owner"
"""In the metadata of the owner's person. It makes nobody the owner of a realm that has one."""


def ensure_owner(db: Database, *, by: By) -> None:
    """Seed the owner's person, contact and account and the steward, unless they are there."""
    with db.snapshot() as tx:
        if contacts.owner(tx) is not None and personas.has_steward(tx):
            return
    as_owner = By(actor=OWNER, now=by.now, reason="first start")
    with people_file.kept(db, by=as_owner), db.transaction() as tx:
        # Asked again inside the transaction, where writers wait for each other.
        if contacts.owner(tx) is None:
            _seed(tx, by=as_owner)
        persona_edit.ensure_steward(tx, by=as_owner)


def _seed(tx: Tx, *, by: By) -> None:
    person = _owner_of_before(tx) or _new_person(tx, by=by)
    contact = contacts.contact_of(tx, person.id) or Contact(contacts.new_id(), person.id)
    # The same in every realm of theirs: what `people.jsonl` says they stated stays theirs.
    here = Address(ACCOUNT, OWNER, verified=True)
    addresses = (*contact.addresses, here)
    contacts.save(tx, replace(contact, roles=(OWNER,), addresses=addresses), by=by)
    account = Account(
        id=accounts.new_account_id(),
        name=person.name,
        person=person.id,
        nametag=new_nametag(taken=lambda tag: accounts.is_taken(tx, tag)),
    )
    accounts.save(tx, account, by=by)


def _owner_of_before(tx: Tx) -> Person | None:
    """Whom `people.jsonl` remembers as the owner of a realm whose database was lost."""
    marked = people.marked(tx, _MARK)
    return marked[0] if len(marked) == 1 else None


def _new_person(tx: Tx, *, by: By) -> Person:
    now = moment(by.now)
    person = Person(
        id=PersonId(new_entity_id()),
        name=NAME,
        created_by=None,
        created_at=now,
        updated_at=now,
        metadata={_MARK: True},
    )
    return people.add(tx, person, by=by)
