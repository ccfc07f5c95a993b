"""The ledger's hashes: each item's covers the one before, so that no past can be rewritten."""

from hashlib import sha256

from msgspec import Struct

from kithkin.soil.model import Head, Item


class Broken(Struct, frozen=True, tag=True):
    """The first link that does not hold: which, what was expected, what was found."""

    where: str
    expected: str
    found: str


def payload_hash(salt: str, data: str) -> str:
    """The payload's hash. Salted, so that a short erased text cannot be guessed from it."""
    return sha256(f"{salt}{data}".encode()).hexdigest()


def item_hash(item: Item, previous: str) -> str:
    """The link to the item before. No part can hold a newline, so the join is unambiguous."""
    return sha256(
        f"{previous}\n{item.uuid}\n{item.type}\n{item.realized_at}\n{item.canonical_at}\n"
        f"{item.header}\n{item.payload_hash}".encode()
    ).hexdigest()


def check(item: Item, after: Head) -> Broken | None:
    """Whether an item is the next one of the ledger, unaltered."""
    if item.seq != after.seq + 1:
        return Broken(
            where=f"item {after.seq + 1}", expected="to be there", found=f"item {item.seq} next"
        )
    where = f"item {item.seq} ({item.uuid})"
    if item.data is not None and item.salt is not None:
        found = payload_hash(item.salt, item.data)
        if found != item.payload_hash:
            return Broken(where=f"{where}, payload", expected=item.payload_hash, found=found)
    found = item_hash(item, after.hash)
    if found != item.hash:
        return Broken(where=f"{where}, link", expected=item.hash, found=found)
    return None
