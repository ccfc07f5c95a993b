"""Say who an unknown sender is: merge, confirm, archive, block; each can be taken back."""

from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.model import Contact, Standing
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.ids import PersonId
from kithkin.journeys import ask, identify, merge
from kithkin.people import store as people
from kithkin.people.model import Ambiguous, Found, Unknown
from kithkin.people.renaming import checked_name, renamed


def pending(db: Database) -> list[Contact]:
    """Senders whom nobody has settled yet."""
    with db.snapshot() as tx:
        return contacts.listed(tx, standing="pending", unlisted=True)


def merge_into(db: Database, contact: str, into: str, *, by: By) -> Contact:
    """It is somebody known: everything of theirs goes to that record; nothing is deleted."""
    with db.transaction() as tx:
        known = contacts.get(tx, contact)
        target = _person(tx, into)
        merge.merge(db, target, known.person, by=by)
        return contacts.of_person(tx, target)


def confirm(db: Database, contact: str, *, name: str | None = None, by: By) -> Contact:
    """It is somebody new, perhaps with a better name."""
    with db.transaction() as tx:
        known = _set(tx, contact, "settled", by=by)
        if name:
            person = people.require(tx, known.person)
            now = moment(by.now)
            people.save(tx, renamed(person, checked_name(name), by=None, now=now), by=by)
        return known


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
    """A human's answer to "who is this?": somebody known of that name, else somebody new."""
    with db.transaction() as tx:
        found = identify.resolve_in(tx, said)
        match found:
            case Found(person=person) if person.id != contacts.get(tx, contact).person:
                return merge_into(db, contact, person.id, by=by)
            case Found() | Unknown():
                return confirm(db, contact, name=said, by=by)
            case Ambiguous(candidates=candidates):
                names = ", ".join(f"{one.name} ({one.id})" for one in candidates[:5])
                raise Refused(f"{said!r} may be any of {names}: answer with merge and the id.")


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
    found = identify.resolve_in(tx, into)
    if isinstance(found, Found):
        return found.person.id
    raise InvalidInput(f"Nobody known is {into!r}: name one person, by id if the name is shared.")
