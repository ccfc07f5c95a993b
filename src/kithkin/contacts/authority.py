"""What only the owner may change about a contact."""

from kithkin.contacts.model import Address, Contact


def needs_owner(before: Contact | None, after: Contact) -> str | None:
    """What in this change only the owner may decide; None when anybody may make it."""
    if after.roles != (before.roles if before else ()):
        return "roles"
    if before and (before.is_owner or after.is_owner) and _moved(before, after):
        return "the owner's addresses"
    if before and before.is_owner and after.merged_into:
        return "the owner's record"
    return None


def _moved(before: Contact, after: Contact) -> bool:
    return _routes(before.addresses) != _routes(after.addresses)


def _routes(addresses: tuple[Address, ...]) -> set[tuple[str, str, bool]]:
    return {(one.type, one.value, one.is_primary) for one in addresses}
