"""Make somebody's acquaintance: find who is meant, or who a sentence makes known."""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.identity.self_person import key_of, resolve_for, speaker_in
from kithkin.ids import PersonId, SpeakerKey, new_entity_id
from kithkin.language.kinship import is_another
from kithkin.people import store as people
from kithkin.people.introductions import Introduction, introduce, new_person
from kithkin.people.lookup_keys import is_placeholder
from kithkin.people.merge import claim_key
from kithkin.people.model import (
    Context,
    Found,
    Person,
    RelationshipClaim,
    Resolution,
    Unknown,
)
from kithkin.people.rename import checked_name, renamed, with_alias
from kithkin.people.same_world import gives_name, is_misnamed, names_another
from kithkin.personas import voices
from kithkin.personas.voices import REAL_WORLD, STEWARD, Voice


class Introduced(Struct, frozen=True):
    """How a reference was taken: somebody known, somebody new, or a question."""

    resolution: Resolution
    created: bool = False


def resolve_or_create(
    db: Database,
    said: str,
    *,
    speaker: str | None,
    hint: str = "",
    context: Context | None = None,
    voice: Voice = STEWARD,
    by: By,
) -> Introduced:
    """Find who is meant, or make their acquaintance from the sentence. A tie makes nobody.

    What is told to the steward is about real people; what is told in a fiction makes its own.
    """
    with db.transaction() as tx:
        who = speaker_in(tx, speaker)
        found = resolve_for(tx, said, who, context, REAL_WORLD if voice.is_steward else voice)
        told = introduce(said, hint=hint)
        if isinstance(found, Found) and told:
            keys = who.keys if who else frozenset()
            found = _as_told(tx, said, found, told, keys, voice=voice, by=by)
        if not isinstance(found, Unknown):
            return Introduced(found)
        made = _introduced(tx, said, hint, key_of(speaker), voice=voice, by=by)
        return made or Introduced(found)


def _as_told(
    tx: Tx,
    said: str,
    found: Found,
    told: Introduction,
    keys: Collection[SpeakerKey],
    *,
    voice: Voice,
    by: By,
) -> Found | Unknown:
    """Whom a sentence means that says a name: another one, or one whose name nobody had said."""
    person = found.person
    if not voices.is_at_home(voice, person):
        another = names_another(told, person, keys)
        return Unknown(f"{said!r} is somebody else here") if another else found
    if is_misnamed(told, person):
        return Unknown(f"{said!r} was somebody else")
    if gives_name(told) and is_placeholder(person):
        named = renamed(person, checked_name(told.name), by=None, now=moment(by.now))
        return replace(found, person=people.save(tx, named, by=by))
    return found


def _introduced(
    tx: Tx, said: str, hint: str, speaker: SpeakerKey | None, *, voice: Voice, by: By
) -> Introduced | None:
    introduction = introduce(said, hint=hint)
    if introduction is None:
        return None
    by_given_name = _known_by_given_name(tx, said, introduction, speaker, voice)
    if by_given_name is not None:
        return _acquainted(tx, by_given_name, introduction.relationship, said, speaker, by=by)
    made = new_person(
        introduction,
        person_id=PersonId(new_entity_id()),
        speaker=speaker,
        now=moment(by.now),
    )
    person = people.add(tx, replace(made, groups=voice.groups), by=by)
    return Introduced(Found(person, f"{said!r} is new"), created=True)


def _known_by_given_name(
    tx: Tx, said: str, told: Introduction, speaker: SpeakerKey | None, voice: Voice
) -> Person | None:
    """Whom the sentence names, if the speaker knows somebody of that name already."""
    if told.name.casefold() == said.casefold():
        return None
    at_home = replace(voice, visible=frozenset([voice.home]))
    found = resolve_for(tx, told.name, speaker_in(tx, speaker), None, at_home)
    if not isinstance(found, Found) or speaker is None:
        return None
    person = found.person
    called = [c.relationship for c in person.relationships if c.stated_by == speaker]
    if told.relationship and is_another(told.relationship, called):
        return None
    own = called or speaker in (person.created_by, *(alias.added_by for alias in person.aliases))
    return person if own else None


def _acquainted(
    tx: Tx,
    person: Person,
    relationship: str | None,
    said: str,
    speaker: SpeakerKey | None,
    *,
    by: By,
) -> Introduced:
    now = moment(by.now)
    changed = with_alias(person, " ".join(said.split()).lstrip("@"), by=speaker, now=now)
    if relationship and speaker:
        claim = RelationshipClaim(relationship, speaker, now)
        if claim_key(claim) not in map(claim_key, person.relationships):
            changed = replace(changed, relationships=(*changed.relationships, claim))
    saved = people.save(tx, replace(changed, updated_at=now), by=by)
    return Introduced(Found(saved, f"{said!r} is {saved.name}, whom the speaker knows"))
