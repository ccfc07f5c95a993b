"""Who is meant, who they are to whom, and one record for each."""

from collections.abc import Collection, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from kithkin.canonical import require_text
from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of
from kithkin.contacts.model import OWNER, Address, Contact
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound
from kithkin.ids import FRIEND, REAL, PersonId, SpeakerKey, new_entity_id
from kithkin.language.words import fold
from kithkin.people import store as people
from kithkin.people.claims import primary
from kithkin.people.lookup_keys import exact_keys
from kithkin.people.model import (
    AliasEntry,
    Context,
    Person,
    RelationshipClaim,
    Resolution,
    Speaker,
    Unknown,
)
from kithkin.people.rename import checked_name, renamed, with_alias
from kithkin.people.resolve import resolve as resolved
from kithkin.people.resolve_name import goes_by
from kithkin.personas import voices
from kithkin.personas.voices import STEWARD, Voice

SELF = "self"
"""The term of the claim that follows from having an address."""


_REAL_ONLY = frozenset([REAL])


class Directory:
    """The look-ups resolution needs, answered by the realm, among the people of some groups."""

    def __init__(self, tx: Tx, groups: frozenset[str] = _REAL_ONLY) -> None:
        self._tx, self._groups = tx, groups

    def get(self, person_id: PersonId) -> Person | None:
        """The record with this id, merged or not."""
        return people.get(self._tx, person_id)

    def named(
        self, keys: Sequence[str], *, known_to: Collection[SpeakerKey] | None = None
    ) -> Sequence[Person]:
        """People with a row under one of the keys."""
        return self._seen(people.named(self._tx, keys, known_to=known_to))

    def called(self, terms: Collection[str], *, by: Collection[SpeakerKey]) -> Sequence[Person]:
        """People whom these speakers call by one of the terms."""
        return self._seen(people.called(self._tx, terms, by=by))

    def person_of(self, speaker: SpeakerKey) -> PersonId | None:
        """Whose key this is. Whoever has one is real."""
        return contacts.person_at(self._tx, address_of(speaker)) if self._sees_real else None

    def speakers_of(self, person_id: PersonId) -> Collection[SpeakerKey]:
        """Every key of this person."""
        return contacts.keys_of(self._tx, person_id)

    @property
    def _sees_real(self) -> bool:
        return REAL in self._groups

    def _seen(self, found: Sequence[Person]) -> Sequence[Person]:
        if self._groups is _REAL_ONLY:
            return [person for person in found if not person.groups]
        return [person for person in found if voices.sees(self._groups, person)]


class Met(Struct, frozen=True):
    """Somebody, and whether they were unknown until now."""

    person: Person
    created: bool


def speaker_in(tx: Tx, speaker: str | None) -> Speaker | None:
    """Who speaks: every key of the same human, and their person."""
    if speaker is None:
        return None
    address = address_of(speaker)
    person = contacts.person_at(tx, address)
    keys = contacts.keys_of(tx, person) if person else frozenset()
    return Speaker(keys=keys | {address.key}, person=person)


def resolve(
    db: Database,
    said: str,
    *,
    speaker: str | None = None,
    context: Context | None = None,
    voice: Voice = STEWARD,
) -> Resolution:
    """Find who is meant. "My X" is answered by the speaker's own claims alone."""
    with db.snapshot() as tx:
        return resolve_in(tx, said, speaker=speaker, context=context, voice=voice)


def resolve_in(
    tx: Tx,
    said: str,
    *,
    speaker: str | None = None,
    context: Context | None = None,
    voice: Voice = STEWARD,
) -> Resolution:
    """The same, within a transaction. A fiction's own people come before everybody else."""
    return resolve_for(tx, said, speaker_in(tx, speaker), context, voice)


def exactly_named(tx: Tx, said: str, groups: frozenset[str] = _REAL_ONLY) -> list[Person]:
    """Everybody whose name or alias is just this: no nickname, no part, no slip."""
    within = Directory(tx, groups)
    wanted = fold(said)
    found = [
        person
        for person in within.named(exact_keys(said))
        if wanted in {fold(person.name), *(fold(alias.value) for alias in person.aliases)}
    ]
    living = [primary(person, within) for person in found]
    return list({person.id: person for person in living if person}.values())


def ensure_self(
    db: Database, speaker: str, *, username: str | None, name: str | None, by: By
) -> Met:
    """The speaker's own person, anchored on the channel's stable id.

    A new name or username of a known speaker is taken over; the old ones stay as aliases.
    """
    address = replace(address_of(speaker), verified=by.actor == OWNER)
    with db.transaction() as tx:
        owner = contacts.owner(tx)
        if owner and by.actor != OWNER and contacts.person_at(tx, address) == owner.person:
            # What the owner is called is theirs to say, or their channel's.
            username = name = None
        return met(tx, address, username=username, name=name, by=by)


def met(tx: Tx, address: Address, *, username: str | None, name: str | None, by: By) -> Met:
    """Whose address this is, made known if nobody's. Whom the owner did not name is pending."""
    if address.type == FRIEND:
        raise InvalidInput(
            f"{FRIEND} is the channel between accounts here, and nobody has an address on it: "
            "friend_send writes there."
        )
    person_id = contacts.person_at(tx, address)
    if person_id is None:
        return Met(_new_self(tx, address, username, name, by=by), created=True)
    known = people.require(tx, person_id)
    return Met(_renewed(tx, known, address.key, username, name, by=by), created=False)


def get(db: Database, person: str, *, voice: Voice = STEWARD) -> Person:
    """The record with this id, merged or not, if the voice sees it."""
    with db.snapshot() as tx:
        found = people.require(tx, person)
        # Only who belongs to a group, or is looked at from one, is asked about.
        if (found.groups or voice.visible) and not voices.sees(voices.seen_by(tx, voice), found):
            raise NotFound(f"There is no person {person} for you to see.")
        return found


def everyone(
    db: Database,
    *,
    merged: bool,
    voice: Voice = STEWARD,
    after: str | None = None,
    limit: int | None = None,
) -> list[Person]:
    """Every person a voice sees, in the order of their ids, or a page; merged ones when asked."""
    with db.snapshot() as tx:
        groups = voices.seen_by(tx, voice)
        everyone = people.everyone(tx, merged=merged, after=after or "", batch=limit or 2000)
        return list(islice((one for one in everyone if voices.sees(groups, one)), limit))


def find_person_ids_for_username(
    db: Database, username: str, *, voice: Voice = STEWARD
) -> list[PersonId]:
    """Everyone who goes by this name or handle, whoever added it; merged records redirect."""
    with db.snapshot() as tx:
        within = Directory(tx, voices.seen_by(tx, voice))
        known = [p for p in within.named(exact_keys(username)) if goes_by(p, username)]
        owner = _owner_of_key(within, username)
        found = [primary(person, within) for person in (*known, *owner)]
        return list(dict.fromkeys(person.id for person in found if person))


def resolve_for(
    tx: Tx, said: str, speaker: Speaker | None, context: Context | None, voice: Voice
) -> Resolution:
    """The same for a speaker who is known already."""
    if not require_text(said, what="The reference").strip():
        raise InvalidInput("Say who is meant: a name, a handle, or a phrase like 'my wife'.")
    found: Resolution = Unknown(f"nobody known is called {said!r}")
    for groups in voices.worlds(tx, voice):
        within = Directory(tx, _REAL_ONLY if groups == _REAL_ONLY else groups)
        found = resolved(said, speaker=speaker, people=within, context=context)
        if not isinstance(found, Unknown):
            break
    return found


def _new_self(
    tx: Tx, address: Address, username: str | None, name: str | None, *, by: By
) -> Person:
    handle = _handle(username)
    now = moment(by.now)
    made = Person(
        id=PersonId(new_entity_id()),
        name=_display(name) or handle or f"Unknown ({address.type} {address.value})",
        created_by=address.key,
        created_at=now,
        updated_at=now,
        relationships=(RelationshipClaim(SELF, address.key, now),),
        # Without a username the stable id is what others may be told it by.
        aliases=(AliasEntry(handle or address.value, address.key, now),),
    )
    people.add(tx, made, by=by)
    contact = Contact(
        id=contacts.new_id(),
        person=made.id,
        addresses=(address,),
        standing="settled" if by.actor == OWNER else "pending",
    )
    contacts.save(tx, contact, by=by)
    return made


def _renewed(
    tx: Tx,
    known: Person,
    key: SpeakerKey,
    username: str | None,
    name: str | None,
    *,
    by: By,
) -> Person:
    display = _display(name)
    changed = renamed(known, display, by=key, now=moment(by.now)) if display else known
    handle = _handle(username)
    changed = with_alias(changed, handle, by=key, now=moment(by.now)) if handle else changed
    if not any(claim.stated_by == key for claim in known.relationships):
        # An address that was given to them: from its first word on it speaks of them.
        itself = RelationshipClaim(SELF, key, moment(by.now))
        changed = replace(changed, relationships=(*changed.relationships, itself))
    return people.save(tx, changed, by=by)


def _display(name: str | None) -> str | None:
    return checked_name(name) if name and name.strip() else None


def _handle(username: str | None) -> str | None:
    plain = (username or "").strip().lstrip("@")
    return checked_name(plain) if plain else None


def key_of(speaker: str | None) -> SpeakerKey | None:
    """The speaker's key, normalised."""
    return None if speaker is None else address_of(speaker).key


def keys_in(tx: Tx, speaker: str | None) -> frozenset[SpeakerKey]:
    """Every key of the human who speaks."""
    who = speaker_in(tx, speaker)
    return who.keys if who else frozenset()


def _owner_of_key(within: Directory, username: str) -> list[Person]:
    try:
        person_id = within.person_of(SpeakerKey(username))
    except InvalidInput:
        # A name or handle, not a key.
        return []
    person = within.get(person_id) if person_id else None
    return [person] if person else []
