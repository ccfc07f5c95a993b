"""Contacts of an older installation, brought along: a list of contacts with their addresses."""

import json
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from kithkin.contacts.model import OWNER, Usage
from kithkin.contacts.vault_keys import Keyring
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.errors import InvalidInput
from kithkin.identity import address_book
from kithkin.identity.address_book import Card, Details


class _Info(Struct, frozen=True):
    """A row of `contact_info`."""

    type: str
    value: str
    is_primary: bool = False
    secured: bool = False
    context: Usage | None = None


class _Old(Struct, frozen=True):
    """A row of `contacts`, with its addresses."""

    name: str
    first_name: str | None = None
    last_name: str | None = None
    roles: tuple[str, ...] = ()
    listed: bool = True
    metadata: dict[str, Any] | None = None
    contact_info: tuple[_Info, ...] = ()


class Brought(Struct, frozen=True):
    """Who came along, and what was left behind, with the reason."""

    contacts: tuple[Card, ...] = ()
    left_out: tuple[str, ...] = ()


def import_file(db: Database, file: Path, *, ring: Keyring, by: By) -> Brought:
    """Take in a JSON list of contacts: all of it or nothing.

    The owner's entry gives the owner its addresses. Other roles stay behind: they are given by
    hand. An address that somebody has already stays theirs.
    """
    olds = _read(file)
    left_out: list[str] = []
    with db.transaction():
        cards = [_bring(db, old, left_out, ring=ring, by=by) for old in olds]
    return Brought(tuple(cards), tuple(left_out))


def _read(file: Path) -> list[_Old]:
    try:
        return msgspec.convert(json.loads(file.read_text(encoding="utf-8")), list[_Old])
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} is no list of contacts: {error}.") from error


def _bring(db: Database, old: _Old, left_out: list[str], *, ring: Keyring, by: By) -> Card:
    if OWNER in old.roles:
        card = address_book.owner(db)
    else:
        card = address_book.add(db, Details(old.name, old.first_name, old.last_name), by=by)
        left_out += [f"{old.name}: the role {role}" for role in old.roles]
        changes = {"listed": old.listed, "metadata": old.metadata}
        card = address_book.edit(db, card.contact.id, changes, by=by)
    for info in old.contact_info:
        card = _with(db, card, info, left_out, ring=ring, by=by)
    return card


def _with(
    db: Database, card: Card, info: _Info, left_out: list[str], *, ring: Keyring, by: By
) -> Card:
    contact = card.contact.id
    if info.secured:
        return address_book.add_secret(db, contact, info.type, info.value, ring=ring, by=by)
    try:
        return address_book.add_address(
            db,
            contact,
            info.type,
            info.value,
            primary=info.is_primary,
            context=info.context,
            by=by,
        )
    except InvalidInput as error:
        left_out.append(f"{card.name}: {error}")
        return card
