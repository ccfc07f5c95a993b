"""Say who an unknown sender is: merge, confirm, archive, block; each can be taken back."""

import re
from typing import Final

from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.model import Contact, Standing
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.identity import person_merge, self_person
from kithkin.ids import PersonId
from kithkin.people import store as people
from kithkin.people.rename import checked_name, renamed
from kithkin.questions import ask

_CAPITAL: Final = r"[^\W\d_a-z][\w.'\u2019-]*"
_PARTICLE: Final = r"(?:al|bin|da|de|del|den|der|di|dos|du|el|la|le|of|ten|van|von|y)"
_LIKE_A_NAME: Final = re.compile(rf"{_CAPITAL}(?: (?:{_CAPITAL}|{_PARTICLE})){{0,5}}")
_NO_NAMES: Final = frozenset(("no", "yes", "me", "nobody", "unknown", "nope"))


def pending(db: Database) -> list[Contact]:
    """Senders whom nobody has settled yet."""
    with db.snapshot() as tx:
        return contacts.listed(tx, standing="pending", unlisted=True)


def merge_into(db: Database, contact: str, into: str, *, by: By) -> Contact:
    """It is somebody known: everything of theirs goes to that record; nothing is deleted."""
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        target = _person(tx, into)
        person_merge.merge(db, target, known.person, by=by)
        return contacts.of_person(tx, target)


def confirm(db: Database, contact: str, *, name: str | None = None, by: By) -> Contact:
    """It is somebody new, perhaps with a better name."""
    with db.transaction() as tx:
        known = _set(tx, contact, "settled", by=by)
        if not name:
            return known
        called = checked_name(name)
        person = people.require(tx, known.person)
        people.save(tx, renamed(person, called, by=None, now=moment(by.now)), by=by)
        # The owner's name for them, whatever they call themselves tomorrow.
        return contacts.save(tx, replace(known, name=called), by=by)


def archive(db: Database, contact: str, *, by: By) -> Contact:
    """Leave it be: not listed any more, still received, and recoverable."""
    with db.transaction() as tx:
        return _set(tx, contact, "archived", by=by)


def block(db: Database, contact: str, *, by: By) -> Contact:
    """Record what it sends and give it to nobody."""
    with db.transaction() as tx:
        return _set(tx, contact, "blocked", by=by)


def reopen(db: Database, contact: str, *, by: By) -> Contact:
    """Take a settling back: who it is, is open again. A merge is taken back by `unmerge`."""
    with db.transaction() as tx:
        return _set(tx, contact, "pending", by=by)


def name(db: Database, contact: str, said: str, *, by: By) -> Contact:
    """A human's answer to "who is this?": somebody known by just that name, else somebody new.

    A name that is only like somebody's merges nobody: a wrong merge gives one's place away.
    """
    with db.transaction() as tx:
        me = contacts.get(tx, contact).person
        known = [one for one in self_person.exactly_named(tx, said) if one.id != me]
        if len(known) == 1 and _is_settled(tx, known[0].id):
            return merge_into(db, contact, known[0].id, by=by)
        if known:
            names = ", ".join(f"{one.name} ({one.id})" for one in known[:5])
            raise Refused(f"{said!r} may be {names}: answer with merge and the id.")
        if not _LIKE_A_NAME.fullmatch(said.strip()) or said.strip().casefold() in _NO_NAMES:
            raise InvalidInput(f"{said!r} is not clearly a name: answer `confirm {said}` if it is.")
        return confirm(db, contact, name=said, by=by)


def _is_settled(tx: Tx, person: PersonId) -> bool:
    """Whether somebody is known, and not the owner, whose place nobody is given by name."""
    contact = contacts.contact_of(tx, person)
    return contact is not None and contact.standing == "settled" and not contact.is_owner


def archive_old(tx: Tx, before: str, *, by: By) -> list[Contact]:
    """Archive unknown senders that nobody has settled since a moment."""
    return [_set(tx, one.id, "archived", by=by) for one in contacts.pending_since(tx, before)]


def _set(tx: Tx, contact: str, standing: Standing, *, by: By) -> Contact:
    known = contacts.get(tx, contact)
    if known.is_owner:
        raise Refused("This is the owner: there is nothing to settle.")
    if known.merged_into is not None:
        raise Refused(f"This contact was merged into {known.merged_into}: unmerge it first.")
    if standing != "pending":
        ask.withdraw(tx, ask.unknown_sender(known.id), by=by)
    return contacts.save(
        tx, replace(known, standing=standing, listed=standing in ("settled", "pending")), by=by
    )


def _person(tx: Tx, into: str) -> PersonId:
    """Whom a contact is merged into: a person or a contact by id, or a name only one has."""
    person = people.get(tx, into)
    if person is not None:
        return person.id
    try:
        return contacts.get(tx, into).person
    except NotFound:
        pass
    found = self_person.exactly_named(tx, into)
    if len(found) == 1 and _is_settled(tx, found[0].id):
        return found[0].id
    raise InvalidInput(f"Nobody known is {into!r}: name one person, by id if the name is shared.")
