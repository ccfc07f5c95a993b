"""`people.jsonl` beside an embedded realm: what people read and edit, kept in step with Core.

A change is committed, then appended to the file, then acknowledged; a crash in between is made good
by the next write. What somebody else wrote into the file is taken in before anything is read, as a
change by `file`, and wins. On PostgreSQL there is no file.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from weakref import WeakKeyDictionary, WeakSet

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of
from kithkin.contacts.model import Address
from kithkin.core import notices
from kithkin.core import store as core
from kithkin.core.delta import apply
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.db.lines_file import Content, Line, LinesFile
from kithkin.db.sqlite import SqliteEngine
from kithkin.errors import InvalidInput, StorageBusy
from kithkin.people import store as people
from kithkin.people.jsonl import line_of, read_line
from kithkin.people.model import Person, RelationshipClaim

NAME = "people.jsonl"
_SUBSCRIBER = "people.jsonl"
_TRIES = 5
_log = logging.getLogger(__name__)
_files: "WeakKeyDictionary[Database, LinesFile]" = WeakKeyDictionary()
_started: "WeakSet[Database]" = WeakSet()
"""Realms whose file this process has compared once: a crash may have left it behind."""


class InvalidLine(Struct, frozen=True):
    """A line of the file that says nothing Kithkin understands. It is kept."""

    number: int
    problem: str


class _Named(Struct, frozen=True):
    id: str


class TakenIn(Struct, frozen=True):
    """What the file changed, and which of its lines could not be read."""

    added: int = 0
    changed: int = 0
    invalid: tuple[InvalidLine, ...] = ()


def read(db: Database, *, by: Callable[[], By]) -> None:
    """Take in what somebody else wrote into the file since we last looked."""
    file = _file(db)
    if file is not None and not (db in _started and file.untouched()):
        with file.locked():
            _bring_in_step(db, file, by=by())
        _started.add(db)


@contextmanager
def kept(db: Database, *, by: By) -> Iterator[None]:
    """Around a change of people: the file is read before it and written after it."""
    read(db, by=lambda: by)
    yield
    file = _file(db)
    if file is not None:
        with file.locked():
            if not (file.untouched() and _write_out(db, file)):
                _bring_in_step(db, file, by=by)


def check(db: Database, *, by: By) -> TakenIn:
    """Compare the whole file with Core and say what was found in it."""
    file = _file(db)
    if file is None:
        return TakenIn()
    with file.locked():
        return _bring_in_step(db, file, by=by, whole=True)


def drop(db: Database, erased: Collection[str]) -> None:
    """Take the lines of erased people out of the file: nothing else ever does."""
    file = _file(db)
    if file is None or not file.path.exists():
        return
    with file.locked():
        for _ in range(_TRIES):
            lines = file.read().lines
            kept = [line.raw for line in lines if _id_in(line) not in erased]
            # An edit in the same instant makes the rewrite fail: then the file is read again.
            if len(kept) == len(lines) or file.rewrite(kept):
                return
    raise StorageBusy("people.jsonl is being changed by somebody else; erase again.")


def rewrite(db: Database) -> None:
    """Make the file say what Core says and nothing else: after a realm was replaced."""
    file = _file(db)
    if file is None:
        return
    with file.locked():
        for _ in range(_TRIES):
            file.read()
            if file.rewrite(list(export_lines(db))):
                return
    raise StorageBusy("people.jsonl is being changed by somebody else; restore again.")


def import_lines(db: Database, file: Path, *, by: By) -> TakenIn:
    """Take in a file of person lines, wherever it is; its lines win."""
    lines = [
        Line(number, raw) for number, raw in enumerate(file.read_bytes().splitlines(), start=1)
    ]
    with kept(db, by=by):
        valid, invalid = _parsed(lines, by)
        with db.transaction() as tx:
            return _take_in(tx, valid, invalid, sure=True, by=by)[0]


def export_lines(db: Database) -> Iterator[str]:
    """Every person as a line, merged records too."""
    with db.snapshot() as tx:
        for person in people.everyone(tx, merged=True):
            yield line_of(person)


def _file(db: Database) -> LinesFile | None:
    file = _files.get(db)
    if file is None and isinstance(db.engine, SqliteEngine):
        file = _files[db] = LinesFile(db.engine.file.parent / NAME)
    return file


def _bring_in_step(db: Database, file: LinesFile, *, by: By, whole: bool = False) -> TakenIn:
    """The file's news into Core, then Core's news into the file; again if it was edited then."""
    found = TakenIn()
    for _ in range(_TRIES):
        news, written = _step(db, file, by=by, whole=whole)
        added, changed = found.added + news.added, found.changed + news.changed
        found = TakenIn(added=added, changed=changed, invalid=news.invalid)
        if written:
            return found
    _log.warning("people.jsonl is being changed by somebody else; the next write goes on with it.")
    return found


def _step(db: Database, file: LinesFile, *, by: By, whole: bool) -> tuple[TakenIn, bool]:
    content = file.read()
    with db.transaction() as tx:
        # A realm that never wrote this file, or one whose lines of ours are not all there, is
        # compared with every line.
        whole = whole or not content.intact or not notices.cursor_of(tx, _SUBSCRIBER)
        lines = content.lines if whole else content.added
        valid, invalid = _parsed(lines, by)
        found, added = _take_in(tx, valid, invalid, sure=not whole, by=by)
    stale = _count_stale(content) if whole else file.stale + len(content.added)
    since = added if whole else None
    return found, file.accept(stale=stale) and _write_out(db, file, shown=valid, since=since)


def _parsed(
    lines: tuple[Line, ...] | list[Line], by: By
) -> tuple[dict[str, Person], tuple[InvalidLine, ...]]:
    """The last valid line of each id, and the lines that are none."""
    valid: dict[str, Person] = {}
    invalid = []
    now = moment(by.now)
    for line in lines:
        if not line.raw.strip():
            continue
        try:
            person = read_line(_text(line), now=now)
        except InvalidInput as error:
            invalid.append(InvalidLine(line.number, str(error)))
            continue
        valid[person.id] = person
    return valid, tuple(invalid)


def _text(line: Line) -> str:
    if not line.readable:
        raise InvalidInput("it is not UTF-8.")
    return line.text


def _take_in(
    tx: Tx,
    valid: dict[str, Person],
    invalid: tuple[InvalidLine, ...],
    *,
    sure: bool,
    by: By,
) -> tuple[TakenIn, dict[str, str]]:
    """Make Core say what the lines say; unless `sure`, what somebody once was is not news.

    Returns also the hash of each record that was added.
    """
    for line in invalid:
        _log.warning("people.jsonl, line %d is kept and left alone: %s", line.number, line.problem)
    changed = 0
    new = []
    as_file = By(actor="file", now=by.now, reason="people.jsonl")
    for person in valid.values():
        if not core.exists(tx, person.id):
            new.append(person)
        # Somebody forgotten has a stub: an old line does not bring them back.
        elif before := people.get(tx, person.id):
            changed += _changed(tx, before, person, sure=sure, by=as_file)
    added = people.add_many(tx, new, by=as_file)
    for person in new:
        _settle_addresses(tx, person, by=as_file)
    return TakenIn(added=len(new), changed=changed, invalid=invalid), added


def _changed(tx: Tx, before: Person, person: Person, *, sure: bool, by: By) -> bool:
    now = moment(by.now)
    edited = replace(_dated(person, before, now=now), updated_at=now)
    if replace(edited, updated_at=before.updated_at) == before:
        return False
    if not sure and _once_was(tx, person, now=now):
        return False
    people.save(tx, _with_own_claims(tx, edited), by=by)
    _settle_addresses(tx, edited, by=by)
    return True


def _settle_addresses(tx: Tx, person: Person, *, by: By) -> None:
    """A `self` claim of the file gives its speaker's address to the person, if nobody has it."""
    for claim in person.relationships:
        if claim.relationship == "self" and claim.stated_by and ":" in claim.stated_by:
            address = address_of(claim.stated_by)
            if contacts.person_at(tx, address) is None:
                _give(tx, person, address, by=by)


def _give(tx: Tx, person: Person, address: Address, *, by: By) -> None:
    owner = contacts.owner(tx)
    if owner is not None and owner.person == person.id:
        # Where the owner is reached, only the owner's own surface says.
        _log.warning(
            "people.jsonl gives the owner %s: left alone; use `kithkin owner`.", address.key
        )
        return
    contacts.give(tx, person.id, (address,), by=by)


def _with_own_claims(tx: Tx, person: Person) -> Person:
    stated = {c.stated_by for c in person.relationships if c.relationship == "self"}
    lost = sorted(contacts.keys_of(tx, person.id) - stated)
    claims = tuple(RelationshipClaim("self", key, person.updated_at) for key in lost)
    return replace(person, relationships=(*claims, *person.relationships)) if claims else person


def _dated(person: Person, known: Person, *, now: datetime) -> Person:
    """A line without times was read as of now: it says nothing against the times known."""
    return replace(
        person,
        created_at=known.created_at if person.created_at == now else person.created_at,
        updated_at=known.updated_at if person.updated_at == now else person.updated_at,
    )


def _once_was(tx: Tx, person: Person, *, now: datetime) -> bool:
    """Whether a line is of an earlier state: a lost tail leaves such lines at the end."""
    state: dict[str, object] = {}
    for step in core.history(tx, person.id):
        state = apply(state, step.changes or {})
        then = people.person_from(person.id, state)
        if _dated(person, then, now=now) == then:
            return True
    return False


def _id_in(line: Line) -> str | None:
    """The id a line is about, in whatever format; None when it has none."""
    try:
        return msgspec.json.decode(line.raw, type=_Named).id
    except msgspec.MsgspecError:
        return None


def _count_stale(content: Content) -> int:
    ids = [uuid for line in content.lines if (uuid := _id_in(line))]
    return len(ids) - len(set(ids))


def _write_out(
    db: Database,
    file: LinesFile,
    *,
    shown: Mapping[str, Person] = {},
    since: Mapping[str, str] | None = None,
) -> bool:
    """Append everybody who changed since the file was last written and is not shown as they are.

    Given the hashes `since` which people have not changed, everybody else is compared. False if
    somebody else has changed the file meanwhile.
    """
    with db.snapshot() as tx:
        changed, last = notices.changed_since(tx, people.PERSON, notices.cursor_of(tx, _SUBSCRIBER))
        news = _people(tx, changed) if since is None else people.changed_from(tx, since)
        behind = [person for person in news if shown.get(person.id) != person]
        again = sum(core.get(tx, person.id).version > 1 for person in behind)
    lines = [line_of(person) for person in behind]
    if lines and not file.append(lines, stale=file.stale + again):
        return False
    if changed:
        with db.transaction() as tx:
            notices.move_cursor(tx, _SUBSCRIBER, last)
    if lines and file.wants_compaction():
        _compact(file)
    return True


def _people(tx: Tx, uuids: list[str]) -> Iterator[Person]:
    return (person for uuid in uuids if (person := people.get(tx, uuid)))


def _compact(file: LinesFile) -> None:
    """Keep the last line of each id, and every line that has none."""
    last: dict[object, bytes] = {}
    for line in file.read().lines:
        last[_id_in(line) or line.number] = line.raw
    file.rewrite(last.values())
