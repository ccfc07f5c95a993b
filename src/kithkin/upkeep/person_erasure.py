"""What the queues and the vault hold of a person, for whoever is to be forgotten."""

from kithkin.accounts import inbox
from kithkin.accounts import store as accounts
from kithkin.contacts import store as contacts
from kithkin.contacts import vault
from kithkin.db import Tx
from kithkin.errors import Refused
from kithkin.ids import PersonId
from kithkin.outbound import store as approvals
from kithkin.people import store as people
from kithkin.questions import store as questions
from kithkin.soil import received
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of


def entities_of(tx: Tx, person: PersonId) -> list[str]:
    """Every entity that says who a person is beside their own record.

    The owner's cannot go: the realm would be nobody's.
    """
    contact = contacts.contact_of(tx, person)
    if contact is not None and contact.is_owner:
        raise Refused("This is the owner: their record stays as long as the realm does.")
    account = accounts.of_person(tx, person)
    agents = accounts.agents_of(tx, account.id) if account else []
    found = [
        *([contact.id] if contact else ()),
        *(merge.id for merge in people.merges_of(tx, person)),
        *([account.id] if account else ()),
        *(agent.id for agent in agents),
        *questions.naming(tx, person),
        *(questions.naming(tx, contact.id) if contact else ()),
    ]
    return list(dict.fromkeys(found))


def empty_queues(tx: Tx, person: PersonId, *, now: str) -> None:
    """Destroy a person's secrets, what was to be sent to them, and where messages came from."""
    contact = contacts.contact_of(tx, person)
    if contact is None:
        return
    for address in contact.addresses:
        if address.secured:
            vault.drop(tx, address.value)
        else:
            inbox.forget_sender(tx, address.key)
            received.forget(tx, received.Place(address.type, address.value), sender=address.key)
    approvals.forget_contact(tx, contact.id)
    for item in _calls_that_would_reach(tx, contact.id):
        soil.erase(tx, item, now=now)


def _calls_that_would_reach(tx: Tx, contact: str) -> list[str]:
    """Every call that was to reach somebody, sent or not, what the gate said, and who was told."""
    asked = [questions.get(tx, question) for question in questions.naming(tx, contact)]
    found: list[str] = [question.notice for question in asked if question.notice]
    for item in soil.of_types(tx, ("SystemEvent",)):
        fields = fields_of(item)
        payload = fields.get("payload") or {}
        if fields.get("event_type") == "gate" and contact in payload.get("reaches", ()):
            found += [item.uuid, payload["call"]]
    return found
