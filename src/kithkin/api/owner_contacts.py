"""The owner's facade of contacts: addresses, roles, unknown senders, the owner's own record."""

from pathlib import Path
from typing import Any

from kithkin.accounts import agents
from kithkin.api.acting import Acting
from kithkin.auth import login
from kithkin.contacts.model import Contact, Usage
from kithkin.identity import (
    address_book,
    contacts_import,
    credentials,
    people_file,
    person_edit,
    unknown_senders,
)
from kithkin.identity.address_book import Card, Details
from kithkin.identity.contacts_import import Brought


class Contacts:
    """The address book, as its owner keeps it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def add(self, details: Details) -> Card:
        """A new contact, with a person of its own or one who had none."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return address_book.add(self._acting.db, details, by=self._acting.by())

    def edit(self, contact: str, **changes: Any) -> Card:
        """Change what is written of a contact."""
        return address_book.edit(self._acting.db, contact, changes, by=self._acting.by())

    def set_roles(self, contact: str, *roles: str) -> Card:
        """Give a contact its roles."""
        return address_book.set_roles(self._acting.db, contact, roles, by=self._acting.by())

    def add_address(
        self,
        contact: str,
        channel: str,
        value: str,
        *,
        primary: bool = False,
        context: Usage | None = None,
    ) -> Card:
        """Another address of a contact."""
        return address_book.add_address(
            self._acting.db,
            contact,
            channel,
            value,
            primary=primary,
            context=context,
            by=self._acting.by(),
        )

    def add_secret(self, contact: str, kind: str, value: str) -> Card:
        """A secured value of a contact: sealed in the vault, masked everywhere."""
        acting = self._acting
        return address_book.add_secret(
            acting.db, contact, kind, value, ring=acting.keyring, by=acting.by()
        )

    def remove_address(self, contact: str, channel: str, value: str) -> Card:
        """Take an address from a contact."""
        return address_book.remove_address(
            self._acting.db, contact, channel, value, by=self._acting.by()
        )

    def make_primary(self, contact: str, channel: str, value: str) -> Card:
        """The address of its type that is used first."""
        return address_book.make_primary(
            self._acting.db, contact, channel, value, by=self._acting.by()
        )

    def move_address(self, channel: str, value: str, contact: str) -> Card:
        """Give an address to another contact; old messages keep the person who wrote them."""
        return address_book.move_address(
            self._acting.db, channel, value, contact, by=self._acting.by()
        )

    def reveal(self, contact: str, kind: str) -> str:
        """What a secured value is. Each look is recorded."""
        acting = self._acting
        secret = address_book.secret_of(acting.db, contact, kind)
        return credentials.reveal(acting.db, secret, ring=acting.keyring, by=acting.by())

    def import_file(self, file: Path) -> Brought:
        """Take in the contacts of an older installation, roles left behind."""
        acting = self._acting
        with people_file.kept(acting.db, by=acting.by()):
            return contacts_import.import_file(acting.db, file, ring=acting.keyring, by=acting.by())

    def pending(self) -> list[Contact]:
        """Senders whom nobody has settled yet."""
        return unknown_senders.pending(self._acting.db)

    def merge_into(self, contact: str, into: str) -> Contact:
        """An unknown sender is somebody known: a person or contact by id, or by a unique name."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return unknown_senders.merge_into(self._acting.db, contact, into, by=self._acting.by())

    def confirm(self, contact: str, *, name: str | None = None) -> Contact:
        """An unknown sender is somebody new."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return unknown_senders.confirm(
                self._acting.db, contact, name=name, by=self._acting.by()
            )

    def archive(self, contact: str) -> Contact:
        """Leave an unknown sender be: not listed, still received, recoverable."""
        return unknown_senders.archive(self._acting.db, contact, by=self._acting.by())

    def block(self, contact: str) -> Contact:
        """Record what a sender sends and give it to nobody."""
        return unknown_senders.block(self._acting.db, contact, by=self._acting.by())

    def reopen(self, contact: str) -> Contact:
        """Take a settling back: who it is, is open again."""
        return unknown_senders.reopen(self._acting.db, contact, by=self._acting.by())


class Owner:
    """The owner's own record."""

    def __init__(self, acting: Acting, contacts: Contacts) -> None:
        self._acting = acting
        self._contacts = contacts

    def show(self) -> Card:
        """Whose installation this is."""
        return address_book.owner(self._acting.db)

    def is_set_up(self) -> bool:
        """Whether the owner can be reached: by telegram or e-mail."""
        types = {one.type for one in self.show().contact.addresses}
        return bool(types & {"telegram", "email"})

    def rename(self, name: str) -> Card:
        """What the owner is called."""
        owner = self.show().contact
        with people_file.kept(self._acting.db, by=self._acting.by()):
            person_edit.rename(self._acting.db, owner.person, name, by=self._acting.by())
            agents.rename_account(self._acting.db, owner.person, name, by=self._acting.by())
        return self.show()

    def add_address(self, channel: str, value: str, *, primary: bool = True) -> Card:
        """Where the owner is reached."""
        return self._contacts.add_address(self.show().contact.id, channel, value, primary=primary)

    def set_password(self, password: str) -> None:
        """The password the owner logs in with. Whoever is logged in no longer is."""
        login.set_password(self._acting.db, password, by=self._acting.by())

    def password_link(self) -> str:
        """The code of a link by which the password is set, once and within the hour."""
        return login.new_link(self._acting.db, by=self._acting.by())

    def has_password(self) -> bool:
        """Whether the owner can log in."""
        return login.has_password(self._acting.db)

    def prefer(self, channel: str) -> Card:
        """The channel the owner is told things by."""
        return self._contacts.edit(self.show().contact.id, preferred_channel=channel)
