"""The contact and address rows: whose an address is, and which addresses are whose."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kithkin.contacts.authority import needs_owner
from kithkin.contacts.model import OWNER, Address, Contact
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import InvalidInput, NotAllowed, NotFound
from kithkin.ids import ContactId, PersonId, SpeakerKey, new_entity_id

CONTACT: Final = "contact"
_stored: Final = msgspec.json.Decoder(Contact)


def at(tx: Tx, address: Address) -> Contact | None:
    """The contact that has an address."""
    row = tx.execute(
        "SELECT e.uuid, e.data FROM address a JOIN entity e ON e.uuid = a.contact"
        " WHERE a.type = :type AND a.value = :value",
        {"type": address.type, "value": address.value},
    ).fetchone()
    return _read(*row) if row else None


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
        "SELECT e.uuid, e.data FROM contact_lookup c JOIN entity e ON e.uuid = c.contact"
        " WHERE c.person = :person",
        {"person": person},
    ).fetchone()
    return _read(*row) if row else None


def of_person(tx: Tx, person: PersonId) -> Contact:
    """The contact of a person, who has one."""
    found = contact_of(tx, person)
    if found is None:
        raise NotFound(f"{person} has no contact.")
    return found


def get(tx: Tx, contact: str) -> Contact:
    """The contact of that id."""
    row = tx.execute(
        "SELECT uuid, data FROM entity WHERE uuid = :uuid AND type = 'contact'", {"uuid": contact}
    ).fetchone()
    if row is None or row[1] is None:
        raise NotFound(f"There is no contact {contact}. `kithkin contacts list` lists them.")
    return _read(*row)


def owner(tx: Tx) -> Contact | None:
    """Whose installation this is."""
    row = tx.execute(
        "SELECT e.uuid, e.data FROM contact_role r JOIN entity e ON e.uuid = r.contact"
        " WHERE r.role = :role",
        {"role": OWNER},
    ).fetchone()
    return _read(*row) if row else None


def listed(tx: Tx, *, standing: str | None, unlisted: bool) -> list[Contact]:
    """Contacts in the order they came; of one standing only when it is named."""
    rows = tx.execute(
        "SELECT e.uuid, e.data FROM contact_lookup c JOIN entity e ON e.uuid = c.contact"
        " WHERE (CAST(:standing AS TEXT) IS NULL OR c.standing = :standing)"
        " AND (c.listed = 1 OR :unlisted = 1) AND c.merged = 0 ORDER BY c.since, c.contact",
        {"standing": standing, "unlisted": int(unlisted)},
    )
    return [_read(*row) for row in rows.fetchall()]


def pending_since(tx: Tx, before: str) -> list[Contact]:
    """Unknown senders whom nobody has settled since a moment."""
    rows = tx.execute(
        "SELECT e.uuid, e.data FROM contact_lookup c JOIN entity e ON e.uuid = c.contact"
        " WHERE c.standing = 'pending' AND c.merged = 0 AND c.since < :before ORDER BY c.since",
        {"before": before},
    )
    return [_read(*row) for row in rows.fetchall()]


def save(tx: Tx, contact: Contact, *, by: By) -> Contact:
    """The contact as it is now. What only the owner may change is refused for anybody else."""
    before = get(tx, contact.id) if core.exists(tx, contact.id) else None
    protected = needs_owner(before, contact)
    if protected and by.actor != OWNER:
        raise NotAllowed(f"Only the owner changes {protected}; ask with a question instead.")
    _require_free(tx, contact)
    core.save(tx, CONTACT, contact.id, _data(contact), by=by)
    return contact


def give(tx: Tx, person: PersonId, addresses: tuple[Address, ...], *, by: By) -> Contact:
    """Add addresses to a person's contact, making it if there is none."""
    contact = contact_of(tx, person) or Contact(id=new_id(), person=person)
    new = {one.key for one in addresses}
    kept = tuple(one for one in contact.addresses if one.key not in new)
    return save(tx, replace(contact, addresses=(*kept, *addresses)), by=by)


def take(tx: Tx, person: PersonId, addresses: tuple[Address, ...], *, by: By) -> None:
    """Take addresses from a person's contact."""
    contact = contact_of(tx, person)
    if contact is not None:
        gone = {one.key for one in addresses}
        kept = tuple(one for one in contact.addresses if one.key not in gone)
        save(tx, replace(contact, addresses=kept), by=by)


def new_id() -> ContactId:
    """A fresh id for a contact."""
    return ContactId(new_entity_id())


def _require_free(tx: Tx, contact: Contact) -> None:
    for address in contact.addresses:
        taken = None if address.secured else at(tx, address)
        if taken is not None and taken.id != contact.id:
            raise InvalidInput(
                f"{address.key} belongs to the contact {taken.id}. "
                "`kithkin contacts address move` gives it to another."
            )


def _data(contact: Contact) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(contact)
    del fields["id"]
    return fields


def _read(uuid: str, data: str) -> Contact:
    # The envelope's id is not part of what the entity holds.
    return _stored.decode(f'{{"id":"{uuid}",{data[1:]}')


def _contact(entity: Entity | None) -> Contact | None:
    if entity is None or entity.data is None:
        return None
    return msgspec.convert({**entity.data, "id": entity.uuid}, Contact)


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    old, new = _contact(before), _contact(after)
    _project_contact(tx, after, old, new)
    _project_roles(tx, after.uuid, set(old.roles if old else ()), set(new.roles if new else ()))
    _project_addresses(tx, old, new)


def _project_contact(tx: Tx, after: Entity, old: Contact | None, new: Contact | None) -> None:
    if old is not None and (new is None or _state(old) != _state(new)):
        tx.execute("DELETE FROM contact_lookup WHERE contact = :contact", {"contact": after.uuid})
    if new is not None and (old is None or _state(old) != _state(new)):
        tx.execute(
            "INSERT INTO contact_lookup (contact, person, standing, listed, merged, since)"
            " VALUES (:contact, :person, :standing, :listed, :merged, :since)",
            {
                "contact": after.uuid,
                "person": new.person,
                "standing": new.standing,
                "listed": int(new.listed),
                "merged": int(new.merged_into is not None),
                "since": after.created_at,
            },
        )


def _state(contact: Contact) -> tuple[object, ...]:
    return contact.person, contact.standing, contact.listed, contact.merged_into


def _project_roles(tx: Tx, contact: str, old: set[str], new: set[str]) -> None:
    for role in old - new:
        tx.execute(
            "DELETE FROM contact_role WHERE role = :role AND contact = :contact",
            {"role": role, "contact": contact},
        )
    for role in sorted(new - old):
        tx.execute(
            "INSERT INTO contact_role (role, contact) VALUES (:role, :contact)",
            {"role": role, "contact": contact},
        )


def _project_addresses(tx: Tx, old: Contact | None, new: Contact | None) -> None:
    before, after = _routes(old), _routes(new)
    for type_name, value in before.keys() - after.keys():
        tx.execute(
            "DELETE FROM address WHERE type = :type AND value = :value",
            {"type": type_name, "value": value},
        )
    for (type_name, value), contact in after.items():
        if (type_name, value) not in before:
            tx.execute(
                "INSERT INTO address (type, value, contact, person)"
                " VALUES (:type, :value, :contact, :person)",
                {
                    "type": type_name,
                    "value": value,
                    "contact": contact.id,
                    "person": contact.person,
                },
            )


def _routes(contact: Contact | None) -> dict[tuple[str, str], Contact]:
    """The addresses that can be looked up: a secret is not one of them."""
    if contact is None:
        return {}
    return {(one.type, one.value): contact for one in contact.addresses if not one.secured}


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM address", {})
    tx.execute("DELETE FROM contact_role", {})
    tx.execute("DELETE FROM contact_lookup", {})


lookup_rows.register(
    CONTACT, lookup_rows.Projection(commands="`kithkin contacts`", project=_project, clear=_clear)
)
