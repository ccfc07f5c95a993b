"""A contact, its addresses and its standing."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from kithkin.ids import ContactId, PersonId, SpeakerKey

Standing = Literal["settled", "pending", "archived", "blocked"]
"""A sender nobody knows is pending until a human settles it; each of the four can be taken back."""
Usage = Literal["work", "personal"]

OWNER = "owner"
"""The role that exactly one contact has."""
ACCOUNT = "account"
"""The channel between an account's person and their own agents: they speak there, at a terminal or
in an MCP client, and are not reached by it."""


class Address(Struct, frozen=True, omit_defaults=True):
    """One identifier of a contact on a channel: the stable id, never a display name."""

    type: str
    value: str
    """Of a secured address: the id of a secret in the vault."""
    is_primary: bool = False
    secured: bool = False
    verified: bool = False
    """Whether the owner gave it, or a connector vouched for a message from it."""
    context: Usage | None = None

    @property
    def key(self) -> SpeakerKey:
        """The address as a speaker is written: `channel:id`."""
        return SpeakerKey(f"{self.type}:{self.value}")


class Contact(Struct, frozen=True, omit_defaults=True):
    """The address-book side of a person, one each."""

    id: ContactId
    person: PersonId
    name: str | None = None
    """What the owner calls them; without it, the person's own name."""
    first_name: str | None = None
    last_name: str | None = None
    roles: tuple[str, ...] = ()
    listed: bool = True
    standing: Standing = "settled"
    addresses: tuple[Address, ...] = ()
    preferred_channel: str | None = None
    merged_into: ContactId | None = None
    metadata: Mapping[str, Any] | None = None

    @property
    def is_owner(self) -> bool:
        """Whether this is whose installation it is."""
        return OWNER in self.roles

    @property
    def unknown(self) -> bool:
        """Whether nobody has said yet who this is."""
        return self.standing in ("pending", "archived")


class Known(Struct, frozen=True):
    """Whose a channel's identifier is."""

    contact: Contact
    name: str
    verified: bool


def address_at(contact: Contact, channel: str) -> Address | None:
    """Where to reach a contact on a channel: the primary address, else any of that type."""
    there = [one for one in contact.addresses if one.type == channel and not one.secured]
    return next((one for one in there if one.is_primary), there[0] if there else None)
