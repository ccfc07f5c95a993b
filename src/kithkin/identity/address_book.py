"""Contacts and their addresses, as people keep them."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.config import Config
from kithkin.contacts import store as contacts
from kithkin.contacts import vault
from kithkin.contacts.addresses import normalised
from kithkin.contacts.model import OWNER, Address, Contact, Known, Usage
from kithkin.contacts.preamble import spoken
from kithkin.contacts.vault_keys import Keyring
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotAllowed, NotFound, Refused
from kithkin.ids import PersonId, QuestionId, SecretId, new_entity_id
from kithkin.people import store as people
from kithkin.people.model import Person
from kithkin.people.rename import checked_name
from kithkin.questions import owner_notice
from kithkin.questions import store as questions
from kithkin.questions.model import Question

SECURED: Final = frozenset(
    (
        "email_password",
        "google_oauth_refresh",
        "telegram_api_hash",
        "telegram_api_id",
        "telegram_user_session",
        "telegram_bot_token",
    )
)
"""Types of address that are secrets."""
_NAMES = ("name", "first_name", "last_name")
_EDITABLE = ("name", "first_name", "last_name", "listed", "preferred_channel", "metadata")


class Details(Struct, frozen=True, omit_defaults=True):
    """What is written of a new contact."""

    name: str
    first_name: str | None = None
    last_name: str | None = None
    person: str | None = None
    """An existing person who has no contact yet; without it, somebody new."""


class Card(Struct, frozen=True):
    """A contact with the name it is known by."""

    contact: Contact
    name: str


def resolve_contact_by_channel(db: Database, channel: str, value: str) -> Known | None:
    """Whose a channel's identifier is: contact, roles, person, name; None when nobody's."""
    address = normalised(channel, value)
    with db.snapshot() as tx:
        contact = contacts.at(tx, address)
        if contact is None:
            return None
        verified = any(one.verified for one in contact.addresses if one.key == address.key)
        return Known(contact, name_of(tx, contact), verified)


def name_of(tx: Tx, contact: Contact) -> str:
    """What a contact is called: the owner's name for it, else the person's own."""
    return contact.name or people.require(tx, contact.person).name


def own_name(db: Database, contact: Contact) -> str:
    """What a contact's person is called by everybody."""
    with db.snapshot() as tx:
        return people.require(tx, contact.person).name


def card(db: Database, contact: str) -> Card:
    """A contact by its id, or by its person's."""
    with db.snapshot() as tx:
        found = contacts.contact_of(tx, PersonId(contact)) or contacts.get(tx, contact)
        return Card(found, name_of(tx, found))


def cards(db: Database, *, standing: str | None, unlisted: bool) -> list[Card]:
    """Every contact, oldest first."""
    with db.snapshot() as tx:
        found = contacts.listed(tx, standing=standing, unlisted=unlisted)
        return [Card(one, name_of(tx, one)) for one in found]


def owner(db: Database) -> Card:
    """Whose installation this is."""
    with db.snapshot() as tx:
        found = contacts.owner(tx)
        if found is None:
            raise NotFound("There is no owner yet: `kithkin init` makes one.")
        return Card(found, name_of(tx, found))


def add(db: Database, details: Details, *, by: By) -> Card:
    """A new contact, with a person of its own or one who had none."""
    with db.transaction() as tx:
        person = _person(tx, details, by=by)
        if contacts.contact_of(tx, person) is not None:
            raise Refused(f"{details.name} has a contact already: edit that one.")
        contact = Contact(
            id=contacts.new_id(),
            person=person,
            name=checked_name(details.name),
            first_name=details.first_name,
            last_name=details.last_name,
        )
        return Card(contacts.save(tx, contact, by=by), details.name)


def edit(db: Database, contact: str, changes: Mapping[str, Any], *, by: By) -> Card:
    """Change what is written of a contact. Roles and addresses have their own commands."""
    refused = sorted(set(changes) - set(_EDITABLE))
    if refused:
        raise NotAllowed(f"{', '.join(refused)} cannot be edited here: {', '.join(_EDITABLE)} can.")
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        if known.is_owner and by.actor != OWNER:
            raise NotAllowed("Only the owner edits their own contact.")
        named = {n: checked_name(v) for n, v in changes.items() if n in _NAMES and v is not None}
        saved = contacts.save(tx, replace(known, **{**changes, **named}), by=by)
        return Card(saved, name_of(tx, saved))


def set_roles(db: Database, contact: str, roles: tuple[str, ...], *, by: By) -> Card:
    """Give a contact its roles: the owner's alone to do. There is always exactly one owner."""
    plain = tuple(dict.fromkeys(role.strip().lower() for role in roles if role.strip()))
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        if (OWNER in plain) != known.is_owner:
            raise Refused("There is exactly one owner, who is made at the first start.")
        saved = contacts.save(tx, replace(known, roles=plain), by=by)
        return Card(saved, name_of(tx, saved))


def add_address(
    db: Database,
    contact: str,
    channel: str,
    value: str,
    *,
    primary: bool = False,
    context: Usage | None = None,
    by: By,
) -> Card:
    """Another address of a contact."""
    if channel.strip().lower() in SECURED:
        raise InvalidInput(f"{channel} is a secret: add it with --secured, and it is sealed.")
    address = replace(
        normalised(channel, value),
        is_primary=primary,
        context=context,
        verified=by.actor == OWNER,
    )
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        kept = _without_primary(known, address) if primary else known.addresses
        rest = tuple(one for one in kept if one.key != address.key)
        return _saved(tx, known, (*rest, address), by=by)


def add_secret(db: Database, contact: str, kind: str, value: str, *, ring: Keyring, by: By) -> Card:
    """A secured value of a contact: sealed in the vault, masked everywhere."""
    if not value.strip():
        raise InvalidInput("The secret is empty.")
    kind = kind.strip().lower()
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        secret = vault.put(tx, ring, f"{known.id}/{kind}", value, now=by.now)
        address = Address(kind, secret, secured=True)
        rest = tuple(one for one in known.addresses if one.key != address.key)
        return _saved(tx, known, (*rest, address), by=by)


def secret_of(db: Database, contact: str, kind: str) -> SecretId:
    """The id of a contact's secured value."""
    with db.snapshot() as tx:
        for one in contacts.get(tx, contact).addresses:
            if one.secured and one.type == kind.strip().lower():
                return SecretId(one.value)
    raise NotFound(f"This contact has no secured {kind}.")


def remove_address(db: Database, contact: str, channel: str, value: str, *, by: By) -> Card:
    """Take an address from a contact; of a secured one, the secret is destroyed with it."""
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        gone = _named(known, channel, value)
        if gone.secured:
            vault.drop(tx, gone.value)
        rest = tuple(one for one in known.addresses if one is not gone)
        return _saved(tx, known, rest, by=by)


def make_primary(db: Database, contact: str, channel: str, value: str, *, by: By) -> Card:
    """The address of its type that is used first."""
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        chosen = _named(known, channel, value)
        addresses = tuple(
            replace(one, is_primary=one is chosen) if one.type == chosen.type else one
            for one in known.addresses
        )
        return _saved(tx, known, addresses, by=by)


def move_address(db: Database, channel: str, value: str, contact: str, *, by: By) -> Card:
    """Give an address to another contact. Old messages keep the person who wrote them."""
    address = normalised(channel, value)
    with db.transaction() as tx:
        holder = contacts.at(tx, address)
        if holder is None:
            raise NotFound(f"Nobody has {address.key}.")
        known = contacts.get(tx, contact)
        moved = replace(_named(holder, channel, value), is_primary=False)
        rest = tuple(one for one in holder.addresses if one.key != address.key)
        contacts.save(tx, replace(holder, addresses=rest), by=by)
        return _saved(tx, known, (*known.addresses, moved), by=by)


def propose_address(
    db: Database, contact: str, channel: str, value: str, *, config: Config, by: By
) -> QuestionId:
    """Ask the owner whether an address is somebody's: hearsay is never routed to by itself."""
    address = normalised(channel, value)
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        question = Question(
            id=questions.new_id(),
            kind="protected",
            text=f"{by.actor} says that {address.key} is {spoken(name_of(tx, known))}. Is it?",
            options=("approve", "reject"),
            dedup=f"address:{known.id}:{address.key}",
            asked_at=by.now,
            asked_after=0,
            subject=known.id,
            details={
                "change": "address",
                "contact": known.id,
                "type": address.type,
                "value": address.value,
            },
        )
        return owner_notice.ask_owner(tx, question, config=config, by=by)


def _person(tx: Tx, details: Details, *, by: By) -> PersonId:
    if details.person is not None:
        return people.require(tx, details.person).id
    now = moment(by.now)
    made = Person(
        id=PersonId(new_entity_id()),
        name=checked_name(details.name),
        created_by=None,
        created_at=now,
        updated_at=now,
    )
    return people.add(tx, made, by=by).id


def _saved(tx: Tx, contact: Contact, addresses: tuple[Address, ...], *, by: By) -> Card:
    if contact.merged_into is not None:
        raise Refused(f"This contact was merged into {contact.merged_into}: change that one.")
    saved = contacts.save(tx, replace(contact, addresses=addresses), by=by)
    return Card(saved, name_of(tx, saved))


def _without_primary(contact: Contact, address: Address) -> tuple[Address, ...]:
    return tuple(
        replace(one, is_primary=False) if one.type == address.type else one
        for one in contact.addresses
    )


def _named(contact: Contact, channel: str, value: str) -> Address:
    channel = channel.strip().lower()
    # A secret is named by its kind alone: nobody writes its value down.
    secured = [one for one in contact.addresses if one.secured and one.type == channel]
    if secured:
        return secured[0]
    wanted = normalised(channel, value)
    for one in contact.addresses:
        if not one.secured and one.key == wanted.key:
            return one
    raise NotFound(f"This contact has no {channel} address {value}.")
