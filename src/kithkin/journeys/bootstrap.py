"""The first start: exactly one owner, however many processes start at once."""

from kithkin.accounts import store as accounts
from kithkin.accounts.model import Account
from kithkin.accounts.nametags import new_nametag
from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.model import OWNER, Contact
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.ids import PersonId, new_entity_id
from kithkin.journeys import people_file
from kithkin.people import store as people
from kithkin.people.model import Person

NAME = "Owner"


def ensure_owner(db: Database, *, by: By) -> None:
    """Seed the owner's person, contact and account, unless there is an owner."""
    with db.snapshot() as tx:
        if contacts.owner(tx) is not None:
            return
    as_owner = By(actor=OWNER, now=by.now, reason="first start")
    with people_file.kept(db, by=as_owner), db.transaction() as tx:
        # Asked again inside the transaction, where writers wait for each other.
        if contacts.owner(tx) is None:
            _seed(tx, by=as_owner)


def _seed(tx: Tx, *, by: By) -> None:
    now = moment(by.now)
    person = Person(
        id=PersonId(new_entity_id()), name=NAME, created_by=None, created_at=now, updated_at=now
    )
    people.add(tx, person, by=by)
    contact = Contact(id=contacts.new_id(), person=person.id, roles=(OWNER,))
    contacts.save(tx, contact, by=by)
    account = Account(
        id=accounts.new_account_id(),
        name=NAME,
        person=person.id,
        nametag=new_nametag(taken=lambda tag: accounts.is_taken(tx, tag)),
    )
    accounts.save(tx, account, by=by)
