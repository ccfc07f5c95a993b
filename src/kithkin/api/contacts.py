"""The facade of contacts: whose an address is, and what is written of them."""

from typing import Any, TypeVar

from msgspec.structs import replace

from kithkin.api.acting import Acting
from kithkin.contacts.model import Contact, Known
from kithkin.errors import NotAllowed
from kithkin.identity import address_book
from kithkin.identity.address_book import Card
from kithkin.ids import QuestionId
from kithkin.personas.voices import require_real, require_steward

Shown = TypeVar("Shown", Card, Known)


class Contacts:
    """Whose an address is. Roles, addresses and the owner's record are the owner's to change."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def resolve_contact_by_channel(self, channel: str, value: str) -> Known | None:
        """Whose a channel's identifier is: contact, roles, person, name, and whether it is sure."""
        require_real(self._acting.voice)
        found = address_book.resolve_contact_by_channel(self._acting.db, channel, value)
        return self._shown(found) if found else None

    def show(self, contact: str) -> Card:
        """A contact by its id, or by its person's."""
        require_real(self._acting.voice)
        return self._shown(address_book.card(self._acting.db, contact))

    def list(self, *, standing: str | None = None, unlisted: bool = False) -> list[Card]:
        """Every contact, oldest first."""
        require_real(self._acting.voice)
        cards = address_book.cards(self._acting.db, standing=standing, unlisted=unlisted)
        return [self._shown(card) for card in cards]

    def edit(self, contact: str, **changes: Any) -> Card:
        """Change what is written of a contact: name, first_name, last_name, listed, metadata."""
        if not self._acting.for_owner:
            raise NotAllowed("The address book is the owner's: only their agents edit it.")
        require_steward(self._acting.voice, to="edit the address book")
        return address_book.edit(self._acting.db, contact, changes, by=self._acting.by())

    def propose_address(self, contact: str, channel: str, value: str) -> QuestionId:
        """Ask the owner whether an address is somebody's. Nothing is sent to it before."""
        return address_book.propose_address(
            self._acting.db,
            contact,
            channel,
            value,
            config=self._acting.config,
            by=self._acting.by(),
        )

    def _shown(self, found: Shown) -> Shown:
        """Others' agents see who somebody is, not what the owner wrote of them."""
        acting = self._acting
        if acting.for_owner or found.contact.person == acting.account.person:
            return found
        plain = Contact(id=found.contact.id, person=found.contact.person)
        return replace(found, contact=plain, name=address_book.own_name(acting.db, plain))
