"""Secrets: kept with the owner's contact or beside it, found by the keys programs know."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from kithkin.contacts import store as contacts
from kithkin.contacts import vault
from kithkin.contacts.vault import Secret
from kithkin.contacts.vault_keys import Keyring
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.errors import InvalidInput, NotFound
from kithkin.identity import address_book
from kithkin.soil import store as soil
from kithkin.soil.model import SystemEvent

OF_OWNER: Final[Mapping[str, tuple[str, bool]]] = {
    "TELEGRAM_CHAT_ID": ("telegram", False),
    "BUTLER_TELEGRAM_CHAT_ID": ("telegram", False),
    "USER_EMAIL_ADDRESS": ("email", False),
    "USER_EMAIL_PASSWORD": ("email_password", True),
    "GOOGLE_REFRESH_TOKEN": ("google_oauth_refresh", True),
    "TELEGRAM_API_HASH": ("telegram_api_hash", True),
    "TELEGRAM_API_ID": ("telegram_api_id", True),
    "TELEGRAM_USER_SESSION": ("telegram_user_session", True),
    "USER_TELEGRAM_TOKEN": ("telegram_bot_token", True),
}
"""The keys of the owner's own identifiers: the address type, and whether it is a secret."""


class Credential(Struct, frozen=True):
    """Where a key leads, with its value masked when it is a secret."""

    key: str
    kept: str
    """On the owner's contact, or beside it."""
    value: str
    secret: str | None = None


def put(db: Database, key: str, value: str, *, ring: Keyring, by: By) -> Credential:
    """Keep a credential where `resolve` looks for it."""
    key = _checked(key)
    if not value.strip():
        raise InvalidInput(f"{key} is empty: there is nothing to keep.")
    kind, secured = OF_OWNER.get(key, (None, True))
    owner = address_book.owner(db).contact
    if kind is None:
        with db.transaction() as tx:
            vault.put(tx, ring, key, value, now=by.now)
    elif secured:
        address_book.add_secret(db, owner.id, kind, value, ring=ring, by=by)
    else:
        address_book.add_address(db, owner.id, kind, value, primary=True, by=by)
    return find(db, key)


def find(db: Database, key: str) -> Credential:
    """Where a key leads, masked."""
    key = _checked(key)
    with db.snapshot() as tx:
        owner = contacts.owner(tx)
        kind, _ = OF_OWNER.get(key, (None, True))
        here = [one for one in owner.addresses if one.type == kind] if owner and kind else []
        for one in sorted(here, key=lambda address: not address.is_primary):
            value, secret = (vault.MASK, one.value) if one.secured else (one.value, None)
            return Credential(key, "the owner's contact", value, secret)
        secret_kept = vault.find(tx, key)
        if secret_kept is None:
            raise NotFound(
                f"There is no credential {key}. `kithkin credentials set {key}` adds it."
            )
        return Credential(key, "the vault", vault.MASK, secret_kept.id)


def resolve(db: Database, key: str, *, ring: Keyring) -> str | None:
    """A credential's value, for the adapter that needs it; None when there is none."""
    try:
        found = find(db, key)
    except NotFound:
        return None
    if found.secret is None:
        return found.value
    with db.snapshot() as tx:
        return vault.reveal(tx, ring, found.secret)


def reveal(db: Database, secret: str, *, ring: Keyring, by: By) -> str:
    """What a secret is, for the owner's eyes. Each look is recorded, before it is had."""
    with db.transaction() as tx:
        value = vault.reveal(tx, ring, secret)
        payload = {"secret": secret, "actor": by.actor}
        soil.append(tx, SystemEvent(event_type="secret_revealed", payload=payload), now=by.now)
    return value


def listed(db: Database) -> list[Secret]:
    """Every secret, masked."""
    with db.snapshot() as tx:
        return vault.listed(tx)


def import_file(db: Database, file: Path, *, ring: Keyring, by: By) -> list[Credential]:
    """Take in a file of KEY=VALUE lines, as older installations have them."""
    if not file.is_file():
        raise InvalidInput(f"There is no file {file}.")
    lines = file.read_text(encoding="utf-8").splitlines()
    pairs = [pair for n, line in enumerate(lines, start=1) if (pair := _pair(line, n))]
    with db.transaction():
        return [put(db, key, value, ring=ring, by=by) for key, value in pairs]


def rotate(db: Database, *, ring: Keyring, by: By) -> int:
    """Seal every secret with a new key; how many there were."""
    with db.transaction() as tx:
        # Inside the transaction, where writers wait: no other rotation makes a key meanwhile.
        ring.turn()
        count = vault.seal_again(tx, ring)
        soil.append(
            tx, SystemEvent(event_type="key_rotated", payload={"secrets": count}), now=by.now
        )
    with db.transaction() as tx:
        ring.forget_former(in_use=vault.keys_in_use(tx))
    return count


def _checked(key: str) -> str:
    name = key.strip().upper()
    if not name or not name.replace("_", "").isalnum() or not name.isascii() or name[0].isdigit():
        # What was given is not told: it may be the secret itself.
        raise InvalidInput("This is no credential's key: write it like USER_EMAIL_PASSWORD.")
    return name


def _pair(line: str, number: int) -> tuple[str, str] | None:
    text = line.strip().removeprefix("export ").strip()
    if not text or text.startswith("#"):
        return None
    key, mark, value = text.partition("=")
    if not mark:
        # The line itself is not told: it may be a secret.
        raise InvalidInput(f"Line {number} is not KEY=VALUE.")
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    return key.strip(), value
