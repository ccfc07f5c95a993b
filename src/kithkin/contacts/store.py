"""The contact and address rows: whose an address is, and which addresses are whose."""

from typing import Any, Final

import msgspec

from kithkin.contacts.model import Address, Contact
from kithkin.core import projections
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.ids import EntityId, PersonId, SpeakerKey

CONTACT: Final = "contact"


def person_at(tx: Tx, address: Address) -> PersonId | None:
    """Whose address this is."""
    row = tx.execute(
        "SELECT person FROM address WHERE type = :type AND value = :value",
        {"type": address.type, "value": address.value},
    ).fetchone()
    return PersonId(row[0]) if row else None


def keys_of(tx: Tx, person: PersonId) -> frozenset[SpeakerKey]:
    """Every address of a person, as speaker keys."""
    rows = tx.execute("SELECT type, value FROM address WHERE person = :person", {"person": person})
    return frozenset(Address(*row).key for row in rows)


def contact_of(tx: Tx, person: PersonId) -> Contact | None:
    """The contact of a person, if there is one yet."""
    row = tx.execute(
        "SELECT contact FROM contact_person WHERE person = :person", {"person": person}
    ).fetchone()
    return _contact(core.get(tx, row[0])) if row else None


def give(tx: Tx, person: PersonId, addresses: tuple[Address, ...], *, by: By) -> Contact:
    """Add addresses to a person's contact, making it if there is none."""
    contact = contact_of(tx, person)
    if contact is None:
        made = core.add(tx, CONTACT, _data(person, addresses), by=by)
        return _contact(made)
    kept = [one for one in contact.addresses if one not in addresses]
    return _save(tx, contact, (*kept, *addresses), by=by)


def take(tx: Tx, person: PersonId, addresses: tuple[Address, ...], *, by: By) -> None:
    """Take addresses from a person's contact."""
    contact = contact_of(tx, person)
    if contact is not None:
        kept = tuple(one for one in contact.addresses if one not in addresses)
        _save(tx, contact, kept, by=by)


def _save(tx: Tx, contact: Contact, addresses: tuple[Address, ...], *, by: By) -> Contact:
    before = core.get(tx, contact.id)
    return _contact(core.change(tx, before, _data(contact.person, addresses), by=by))


def _data(person: PersonId, addresses: tuple[Address, ...]) -> dict[str, Any]:
    return {"person": person, "addresses": msgspec.to_builtins(addresses)}


def _contact(entity: Entity) -> Contact:
    data = core.require_data(entity)
    addresses = msgspec.convert(data.get("addresses", ()), tuple[Address, ...])
    return Contact(id=EntityId(entity.uuid), person=PersonId(data["person"]), addresses=addresses)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    old = _contact(before).addresses if before and before.data is not None else ()
    new = _contact(after).addresses if after.data is not None else ()
    for address in old:
        if address not in new:
            tx.execute(
                "DELETE FROM address WHERE type = :type AND value = :value",
                {"type": address.type, "value": address.value},
            )
    if after.data is None:
        tx.execute("DELETE FROM contact_person WHERE contact = :c", {"c": after.uuid})
        return
    person = _contact(after).person
    if before is None:
        tx.execute(
            "INSERT INTO contact_person (person, contact) VALUES (:person, :contact)",
            {"person": person, "contact": after.uuid},
        )
    for address in new:
        if address not in old:
            tx.execute(
                "INSERT INTO address (type, value, contact, person)"
                " VALUES (:type, :value, :contact, :person)",
                {
                    "type": address.type,
                    "value": address.value,
                    "contact": after.uuid,
                    "person": person,
                },
            )


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM address", {})
    tx.execute("DELETE FROM contact_person", {})


projections.register(CONTACT, projections.Projection(project=_project, clear=_clear))
