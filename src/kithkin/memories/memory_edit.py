"""Write memories down by hand, change them, take them back."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotAllowed, NotFound, Refused
from kithkin.identity import self_person
from kithkin.identity.records import records_of
from kithkin.ids import REAL
from kithkin.language.secrets import secrets_in
from kithkin.language.sensitivity import Sensitivity, higher, sensitivity_of
from kithkin.memories import doubts, profile
from kithkin.memories import store as memories
from kithkin.memories.doubts import may_be_changed
from kithkin.memories.extract.model import Fact, Who
from kithkin.memories.learn import Learned, Learning, Noted, Remembered
from kithkin.memories.lifetimes import expires_at
from kithkin.memories.merged_records import claim_of, trust_in
from kithkin.memories.model import AboutPersons, AboutWorld, ArchiveReason, Kind, Memory, Quote
from kithkin.memories.supersession import (
    confirms_hearsay,
    keys_of,
)
from kithkin.messages import message_append
from kithkin.messages.message_append import Place
from kithkin.people import store as people
from kithkin.people.model import Found, Person
from kithkin.personas.voices import REAL_WORLD, STEWARD, Voice


class Changes(Struct, frozen=True, omit_defaults=True):
    """What an edit changes of a memory; None leaves it as it is."""

    content: str | None = None
    kind: Kind | None = None
    sensitivity: Sensitivity | None = None
    portable: bool | None = None
    private: bool | None = None
    expires_at: datetime | None = None


def add(
    db: Database,
    content: str,
    *,
    about: Sequence[str] = (),
    speaker: str | None = None,
    place: Place | None = None,
    noted: Noted | None = None,
    voice: Voice = STEWARD,
    by: By,
) -> Remembered | Learned:
    """Write a memory down as it is. With a speaker it is their word; without, the owner's."""
    plain = _without_secrets(" ".join(content.split()))
    noted = noted or Noted()
    with db.transaction() as tx:
        if speaker is None:
            return _written(db, tx, plain, about, noted, by=by)
        heard = message_append.hear(
            db,
            plain,
            speaker=speaker,
            place=place or Place(),
            at=moment(by.now),
            voice=voice,
            by=by,
        )
        learning = Learning(db, tx, heard, by=by, noted=noted)
        who = tuple(Who(one) for one in about) or (Who("me"),)
        quote = Quote(plain, 0, len(plain))
        learning.take(Fact(who, plain, noted.kind, quote, confidence=1.0))
        return learning.remembered()


def _without_secrets(content: str) -> str:
    if not content:
        raise InvalidInput("There is nothing to remember: the text is empty.")
    if secret := next(iter(secrets_in(content)), None):
        raise Refused(f"This holds a secret ({secret.what}), which is never stored. Leave it out.")
    return content


def edit(
    db: Database, memory: str, changes: Changes, *, based_on: str | None = None, by: By
) -> Memory:
    """Change a memory's own fields; with `based_on`, only if nobody changed it since."""
    with db.transaction() as tx:
        return _edited(tx, memories.get(tx, memory), changes, based_on=based_on, by=by)


def edit_own(
    db: Database,
    memory: str,
    changes: Changes,
    *,
    speaker: str,
    based_on: str | None = None,
    voice: Voice = STEWARD,
    by: By,
) -> Memory:
    """The same for whoever said it; a speaker may raise a sensitivity, and not lower it.

    In a persona's voice a change of the real world waits for a human's word.
    """
    with db.transaction() as tx:
        before = _own(tx, memory, speaker, voice)
        if changes.sensitivity:
            level = higher(before.sensitivity, changes.sensitivity)
            changes = replace(changes, sensitivity=level)
        after = _changed(before, changes)
        waits = profile.edited(tx, before, after, voice, by=by)
        return waits or memories.save(tx, after, by=by, based_on=based_on)


def _edited(tx: Tx, before: Memory, changes: Changes, *, based_on: str | None, by: By) -> Memory:
    return memories.save(tx, _changed(before, changes), by=by, based_on=based_on)


def _changed(before: Memory, changes: Changes) -> Memory:
    if before.archived_at is not None:
        raise Refused(f"{before.id} was archived ({before.archive_reason}): it is not changed.")
    said = {name: getattr(changes, name) for name in changes.__struct_fields__}
    fields = {name: value for name, value in said.items() if value is not None}
    if not fields:
        raise InvalidInput("Say what to change: the text, kind, sensitivity, or who may hear it.")
    if changes.content is not None:
        fields["content"] = content = _without_secrets(" ".join(changes.content.split()))
        level = changes.sensitivity or before.sensitivity
        fields["sensitivity"] = higher(sensitivity_of(content), level)
    return replace(before, **fields)


def _own(tx: Tx, memory: str, speaker: str, voice: Voice) -> Memory:
    """A memory its speaker may change. Somebody else's is not even said to be there."""
    who = self_person.speaker_in(tx, speaker)
    mine = records_of(tx, who.person) if who and who.person else frozenset()
    found = memories.get(tx, memory)
    if found.said_by not in mine or not may_be_changed(tx, voice, found):
        raise NotFound(f"There is no memory {memory} that {speaker} said.")
    return found


def undo(
    db: Database,
    memory: str,
    *,
    speaker: str | None = None,
    voice: Voice = STEWARD,
    by: By,
) -> Memory:
    """Take back what was just learned: it is archived, and what it had replaced stands again."""
    with db.transaction() as tx:
        before = _own(tx, memory, speaker, voice) if speaker else memories.get(tx, memory)
        if not voice.is_steward and before.learned_by != voice.id:
            raise NotAllowed("A persona takes back what it was told itself, and nothing else.")
        doubts.withdraw(tx, before, by=by)
        for old in memories.replaced_by(tx, memory):
            core.unsupersede(tx, core.get(tx, old.id), by=by)
        return archive(tx, before, "undone", by=by)


def say_who(tx: Tx, memory: str, said: str, *, by: By) -> Memory:
    """Settle whom a memory is about: a person by id, or by the name that only one has."""
    before = memories.get(tx, memory)
    person = people.get(tx, said)
    groups = frozenset((REAL, *before.groups, *((before.doubt.persona,) if before.doubt else ())))
    named = [person] if person else self_person.exactly_named(tx, said, groups)
    if len(named) != 1:
        raise InvalidInput(
            f"{said!r} names {len(named)} people: answer with one, by id if need be."
        )
    return memories.save(tx, replace(before, about=AboutPersons((named[0].id,))), by=by)


def supersede_confirmed_hearsay(db: Database, memory: str, *, by: By) -> tuple[Memory, ...]:
    """Let somebody's own word replace what others said of them, wherever they said it."""
    with db.transaction() as tx:
        new = memories.get(tx, memory)
        if not doubts.may_build_on(STEWARD, new):
            raise Refused(f"{memory} is in doubt, or not of the real world: it replaces nothing.")
        mine = claim_of(tx, new)
        known = memories.comparable(tx, mine.about, keys_of(new.content))
        return tuple(
            memories.supersede(tx, old, by_memory=new, by=by)
            for old in known
            if old.id != new.id
            and doubts.may_build_on(STEWARD, old)
            and confirms_hearsay(mine, claim_of(tx, old))
        )


def archive(tx: Tx, memory: Memory, reason: ArchiveReason, *, by: By) -> Memory:
    """Stop believing it; it stays in its history."""
    gone = replace(memory, archived_at=moment(by.now), archive_reason=reason)
    return memories.save(tx, gone, by=by)


def _written(
    db: Database, tx: Tx, content: str, about: Sequence[str], noted: Noted, *, by: By
) -> Learned:
    found = [_known(db, one) for one in about]
    now = moment(by.now)
    memory = Memory(
        id=memories.new_id(),
        content=content,
        about=AboutPersons(tuple(person.id for person in found)) if found else AboutWorld(),
        kind=noted.kind,
        observed_at=now,
        source="owner",
        sensitivity=higher(sensitivity_of(content), noted.sensitivity or "public"),
        portable=noted.portable,
        private=noted.private,
        validated="human",
        expires_at=expires_at(noted.kind, observed_at=now, until=None),
    )
    return Learned(memories.add(tx, memory, by=by), trust_in(tx, memory))


def _known(db: Database, said: str) -> Person:
    found = self_person.resolve(db, said, voice=REAL_WORLD)
    if isinstance(found, Found):
        return found.person
    raise Refused(f"Whom {said!r} means is not certain: {found.reason}. Give the id.")
