"""How a contact looks: to a program, and to a reader."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.contacts.model import Address
    from kithkin.identity.address_book import Card


def wire(card: "Card") -> dict[str, Any]:
    """A contact under the specification's field names; secrets are masked."""
    contact = card.contact
    return {
        "id": contact.id,
        "name": card.name,
        "first_name": contact.first_name,
        "last_name": contact.last_name,
        "roles": contact.roles,
        "entity_id": contact.person,
        "listed": contact.listed,
        "standing": contact.standing,
        "preferred_channel": contact.preferred_channel,
        "merged_into": contact.merged_into,
        "metadata": {
            **(contact.metadata or {}),
            "needs_disambiguation": contact.standing == "pending",
        },
        "contact_info": [_address(one) for one in contact.addresses],
    }


def _address(address: "Address") -> dict[str, Any]:
    return {
        "type": address.type,
        "value": _shown(address),
        "is_primary": address.is_primary,
        "secured": address.secured,
        "context": address.context,
        "verified": address.verified,
    }


def _shown(address: "Address") -> str:
    from kithkin.contacts.vault import MASK

    return MASK if address.secured else address.value


def tell(card: "Card") -> None:
    """A contact with its addresses."""
    from kithkin.cli import tables as look

    contact = card.contact
    look.fields_table(
        {
            "id": contact.id,
            "name": card.name,
            "person": contact.person,
            **({"roles": ", ".join(contact.roles)} if contact.roles else {}),
            "standing": contact.standing if contact.listed else f"{contact.standing}, not listed",
            **({"preferred": contact.preferred_channel} if contact.preferred_channel else {}),
            **({"merged into": contact.merged_into} if contact.merged_into else {}),
            "addresses": "\n".join(_line(one) for one in contact.addresses) or "none",
        }
    )


def _line(address: "Address") -> str:
    marks = [
        *(["primary"] if address.is_primary else []),
        *([address.context] if address.context else []),
        *([] if address.verified or address.secured else ["unverified"]),
    ]
    return f"{address.type} {_shown(address)}" + (f" ({', '.join(marks)})" if marks else "")


def tell_all(cards: "list[Card]") -> None:
    """Contacts, a line each."""
    from kithkin.cli import tables as look

    if not cards:
        look.say("Nobody.")
        return
    look.table(
        "id",
        "name",
        "roles",
        "standing",
        "addresses",
        rows=(
            (
                look.short(card.contact.id),
                card.name,
                ", ".join(card.contact.roles),
                card.contact.standing,
                look.shorten(", ".join(_line(one) for one in card.contact.addresses)),
            )
            for card in cards
        ),
    )


def one_contact(kin: "Kithkin", who: str) -> "Card":
    """A contact named by its id or its person's, by the start of one, or by a unique name."""
    from kithkin.cli.person_tables import one

    return kin.contacts.show(one(kin, who))
