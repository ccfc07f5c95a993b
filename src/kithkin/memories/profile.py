"""The profile of a human: facts, traits, topics and persons, each with a name of its own."""

from msgspec import Struct
from msgspec.structs import replace

from kithkin.canonical import require_text
from kithkin.clock import moment
from kithkin.contacts.model import OWNER
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure.rule import Audience
from kithkin.disclosure.view import View
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.identity import self_person
from kithkin.identity.records import records_of
from kithkin.ids import REAL, PersonId
from kithkin.language.secrets import secrets_in
from kithkin.language.sensitivity import sensitivity_of
from kithkin.memories import doubts
from kithkin.memories import store as memories
from kithkin.memories.doubts import Held
from kithkin.memories.model import AboutSpeaker, Doubt, Memory, Profile, Validated
from kithkin.memories.recall import visible
from kithkin.people import store as people
from kithkin.personas import store as personas
from kithkin.personas.groups import (
    groups_when_new,
    groups_when_updated,
    is_global,
    needs_word,
)
from kithkin.personas.model import Persona
from kithkin.personas.voices import Voice
from kithkin.questions.model import Question


class Entry(Struct, frozen=True):
    """An item to be set: another value of the one of that name, or a new one."""

    name: str
    description: str
    profile: Profile | None = None
    """What it is; None leaves it as it is, a fact if it is new."""
    item: str | None = None
    """The id of the item that is meant, when the name is not enough."""


class Set(Struct, frozen=True):
    """What became of an item that was set, and the question if it waits for a human's word."""

    memory: Memory
    changed: bool
    question: Question | None = None


class Shown(Struct, frozen=True):
    """An item as it is looked at."""

    id: str
    name: str
    type: Profile
    description: str
    groups: tuple[str, ...]
    learned_by: str | None
    last_changed_by: str | None
    validated: Validated | None
    in_doubt: bool


def listed(db: Database, *, audience: Audience, speaker: str, by: By) -> list[Shown]:
    """Everything known of a human that may be told here, the newest first."""
    with db.snapshot() as tx:
        view = View(tx, audience, now=moment(by.now))
        mine = _records(tx, speaker)
        found = [one for one, _ in visible(view, memories.about_any(tx, mine))]
        return [shown(tx, one) for one in found if _is_own(one)]


def show(db: Database, item: str, *, audience: Audience | None, by: By) -> Shown:
    """One item; the owner sees any."""
    with db.snapshot() as tx:
        found = memories.get(tx, item)
        if audience is not None:
            view = View(tx, audience, now=moment(by.now))
            if not visible(view, [found]):
                raise NotFound(f"There is no item {item} for you to see.")
        return shown(tx, found)


def put(
    db: Database, entry: Entry, *, speaker: str, audience: Audience, voice: Voice, by: By
) -> Set:
    """Set an item in a persona's voice.

    What concerns the real world waits, unless the steward says it; what a human confirmed waits
    whoever says it, but the owner.
    """
    name, description = _checked(entry)
    with db.transaction() as tx:
        me = _self(tx, speaker)
        view = View(tx, audience, now=moment(by.now))
        known = _known(view, entry, name, records_of(tx, me), real=voice.is_steward)
        persona = voice.persona or personas.steward(tx)
        if known is None:
            return _new(tx, _item(entry, name, description, me, by), persona, by=by)
        if known.content == description:
            return Set(known, changed=False)
        return _changed(tx, known, replace(known, content=description), persona, by=by)


def validate(db: Database, item: str, validated: Validated | None, *, by: By) -> Shown:
    """Lock an item at a human's word, or unlock it."""
    with db.transaction() as tx:
        found = memories.get(tx, item)
        if found.doubt is not None or found.archived_at is not None:
            raise Refused(f"{item} is in doubt or gone: `kithkin profile real` says it is real.")
        return shown(tx, memories.save(tx, replace(found, validated=validated), by=by))


def shown(tx: Tx, memory: Memory) -> Shown:
    """An item as it is looked at, with the names of the personas."""
    return Shown(
        id=memory.id,
        name=memory.name or memory.content,
        type=doubts.data_type_of(memory),
        description=memory.content,
        groups=memory.groups,
        learned_by=_name(tx, memory.learned_by),
        last_changed_by=_name(tx, memory.last_changed_by),
        validated=memory.validated,
        in_doubt=memory.doubt is not None,
    )


def edited(tx: Tx, before: Memory, after: Memory, voice: Voice, *, by: By) -> Memory | None:
    """What a change in a persona's voice makes of a memory; None when it may be made at once."""
    persona = voice.persona
    if persona is None or not _waits(persona, before, by):
        return None
    return _held(tx, before, after, persona, by=by).memory


def _checked(entry: Entry) -> tuple[str, str]:
    name = " ".join(require_text(entry.name, what="The name").split())
    description = require_text(entry.description, what="The description").strip()
    if not name or not description:
        raise InvalidInput("An item has a name and a description: give both.")
    if secret := next(iter(secrets_in(description)), None):
        raise Refused(f"This holds a secret ({secret.what}), which is never stored. Leave it out.")
    return name, description


def _records(tx: Tx, speaker: str) -> frozenset[PersonId]:
    who = self_person.speaker_in(tx, speaker)
    return records_of(tx, who.person) if who and who.person else frozenset()


def _self(tx: Tx, speaker: str) -> PersonId:
    who = self_person.speaker_in(tx, speaker)
    if who is None or who.person is None:
        raise NotFound(f"Nobody is known as {speaker}: `kithkin people self` makes them known.")
    return people.require(tx, who.person).id


def _is_own(memory: Memory) -> bool:
    return memory.profile is not None or isinstance(memory.about, AboutSpeaker)


def _known(
    view: View, entry: Entry, name: str, mine: frozenset[PersonId], *, real: bool
) -> Memory | None:
    """The item that is meant: by id, or of that name, a fiction's own before a real one.

    The steward sees every fiction, and by a name means what is real.
    """
    if entry.item:
        found = [one for one, _ in visible(view, [memories.get(view.tx, entry.item)])]
        if not found:
            raise NotFound(f"There is no item {entry.item} for you to see.")
        return found[0]
    named = [
        one
        for one, _ in visible(view, memories.about_any(view.tx, mine))
        if one.profile and (one.name or "").casefold() == name.casefold()
        if is_global(one.groups) or not real
    ]
    named.sort(key=lambda one: (one.doubt is None, REAL in one.groups))
    return named[0] if named else None


def _item(entry: Entry, name: str, description: str, me: PersonId, by: By) -> Memory:
    return Memory(
        id=memories.new_id(),
        content=description,
        about=AboutSpeaker(),
        kind="knowledge",
        observed_at=moment(by.now),
        said_by=me,
        source="private",
        sensitivity=sensitivity_of(description),
        name=name,
        profile=entry.profile or "fact",
    )


def _new(tx: Tx, memory: Memory, persona: Persona | None, *, by: By) -> Set:
    if persona is None:
        return Set(
            memories.add(tx, replace(memory, validated=_word(None, by)), by=by), changed=True
        )
    made = replace(
        memory,
        groups=groups_when_new(persona),
        learned_by=persona.id,
        last_changed_by=persona.id,
        validated=_word(persona, by),
    )
    if by.actor == OWNER and persona.steward:
        return Set(memories.add(tx, made, by=by), changed=True)
    held = doubts.hold(Voice(persona), made, ())
    kept = memories.add(tx, held.memory, by=by)
    asked = doubts.ask_about(tx, held, Voice(persona), by=by) if kept.doubt else None
    return Set(kept, changed=True, question=asked)


def _changed(tx: Tx, before: Memory, after: Memory, persona: Persona | None, *, by: By) -> Set:
    if persona is not None and _waits(persona, before, by):
        return _held(tx, before, after, persona, by=by)
    if persona is not None:
        groups = groups_when_updated(persona, before.groups)
        after = replace(after, groups=groups, last_changed_by=persona.id)
    saved = memories.save(tx, replace(after, validated=_word(persona, by)), by=by)
    return Set(saved, changed=True)


def _waits(persona: Persona, before: Memory, by: By) -> bool:
    if by.actor == OWNER and persona.steward:
        # The owner's own hand, in nobody else's voice, is the human's word.
        return False
    locked = before.validated == "human"
    return before.doubt is not None or needs_word(persona, before.groups, locked=locked)


def _held(tx: Tx, before: Memory, after: Memory, persona: Persona, *, by: By) -> Set:
    """Keep a value of its own, apart from the confirmed one.

    A newer one of the same persona's replaces the one before, and the question lists both.
    """
    own = before if before.doubt else _in_doubt(tx, before, persona)
    if own is not None and own.content == after.content:
        return Set(own, changed=False)
    if own is not None and (confirmed := _back_to(tx, own, after)):
        gone = replace(own, archived_at=moment(by.now), archive_reason="undone")
        memories.save(tx, gone, by=by)
        doubts.withdraw(tx, own, by=by)
        return Set(confirmed, changed=True)
    made = own.doubt if own else None
    memory = replace(
        after,
        id=memories.new_id(),
        item=None,
        quote=None,
        superseded_by=None,
        validated=None,
        last_changed_by=persona.id,
        doubt=made or Doubt(persona.id, item=before.id, of=before.id),
    )
    memories.add(tx, memory, by=by)
    if own is not None:
        memories.supersede(tx, own, by_memory=memory, by=by)
    held = Held(memory, (), None if before.doubt else before)
    asked = doubts.ask_about(tx, held, Voice(persona), by=by)
    return Set(memory, changed=True, question=asked)


def _back_to(tx: Tx, own: Memory, after: Memory) -> Memory | None:
    """The confirmed value, when a persona comes back to it: then nothing is in doubt."""
    of = own.doubt.of if own.doubt else None
    known = memories.get(tx, of) if of else None
    return known if known and known.content == after.content else None


def _in_doubt(tx: Tx, before: Memory, persona: Persona) -> Memory | None:
    held = memories.held_by(tx, persona.id).get(before.id)
    return memories.get(tx, held) if held else None


def _word(persona: Persona | None, by: By) -> Validated | None:
    if by.actor == OWNER and (persona is None or persona.steward):
        return "human"
    return "steward" if persona and persona.steward else None


def _name(tx: Tx, persona: str | None) -> str | None:
    return personas.get(tx, persona).name if persona else None
