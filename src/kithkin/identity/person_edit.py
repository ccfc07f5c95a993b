"""What people are called and who they are to whom, said and taken back."""

from collections.abc import Collection

from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.model import OWNER
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotAllowed, NotFound, Refused
from kithkin.identity.self_person import SELF, key_of, keys_in
from kithkin.ids import SpeakerKey
from kithkin.language.kinship import term_of
from kithkin.people import store as people
from kithkin.people.merge import claim_key
from kithkin.people.model import Person, RelationshipClaim
from kithkin.people.protection import may_overwrite_claim, may_remove_alias
from kithkin.people.rename import checked_name, renamed, with_alias
from kithkin.personas import voices
from kithkin.personas.voices import Voice


def require_at_home(db: Database, person: str, voice: Voice) -> None:
    """Refuse to change somebody who is not of the world a voice is told about."""
    if voice.is_steward:
        return
    with db.snapshot() as tx:
        voices.require_at_home(tx, voice, people.require(tx, person))


def rename(db: Database, person: str, name: str, *, by: By) -> Person:
    """Give a person another name; the old one stays as an alias."""
    with db.transaction() as tx:
        known = _living(tx, person)
        owner = contacts.owner(tx)
        if owner and owner.person == known.id and by.actor != OWNER:
            raise NotAllowed("What the owner is called is theirs to say: `kithkin owner setup`.")
        return people.save(
            tx, renamed(known, checked_name(name), by=None, now=moment(by.now)), by=by
        )


def add_alias(db: Database, person: str, alias: str, *, speaker: str | None, by: By) -> Person:
    """Another name, handle or phrase for a person, with who added it."""
    with db.transaction() as tx:
        known = _living(tx, person)
        name = checked_name(alias.strip().lstrip("@"))
        return people.save(
            tx, with_alias(known, name, by=key_of(speaker), now=moment(by.now)), by=by
        )


def remove_alias(db: Database, person: str, alias: str, *, speaker: str | None, by: By) -> Person:
    """Take an alias away. What somebody added for themselves only they can take away."""
    with db.transaction() as tx:
        known = _living(tx, person)
        wanted = alias.strip().lstrip("@").casefold()
        gone = [one for one in known.aliases if one.value.casefold() == wanted]
        if not gone:
            raise NotFound(f"{known.name} has no alias {alias!r}.")
        own, actor = contacts.keys_of(tx, known.id), keys_in(tx, speaker)
        if speaker and not all(may_remove_alias(a, own_keys=own, actor_keys=actor) for a in gone):
            raise Refused(f"{known.name} added {alias!r} for themselves: only they can remove it.")
        kept = tuple(one for one in known.aliases if one not in gone)
        return people.save(tx, replace(known, aliases=kept, updated_at=moment(by.now)), by=by)


def claim_relationship(
    db: Database, person: str, relationship: str, *, speaker: str, by: By
) -> Person:
    """State what a person is to the speaker. Each speaker's claim stands beside the others'."""
    with db.transaction() as tx:
        known = _living(tx, person)
        claim = RelationshipClaim(_claimable(relationship), key_of(speaker), moment(by.now))
        if claim_key(claim) in map(claim_key, known.relationships):
            return known
        claims = (*known.relationships, claim)
        changed = replace(known, relationships=claims, updated_at=moment(by.now))
        return people.save(tx, changed, by=by)


def unclaim_relationship(
    db: Database, person: str, relationship: str, *, speaker: str | None, by: By
) -> Person:
    """Take a claim back: one's own, or another's where the rules allow it."""
    with db.transaction() as tx:
        known = _living(tx, person)
        actor = keys_in(tx, speaker)
        wanted = [c for c in known.relationships if _same_term(c, relationship)]
        mine = [c for c in wanted if not speaker or c.stated_by in actor] or wanted
        if not mine:
            raise NotFound(f"Nobody has said that {known.name} is their {relationship}.")
        for claim in mine:
            _require_overwritable(tx, known, claim, speaker, actor)
        kept = tuple(c for c in known.relationships if c not in mine)
        changed = replace(known, relationships=kept, updated_at=moment(by.now))
        return people.save(tx, changed, by=by)


def _living(tx: Tx, person: str) -> Person:
    known = people.require(tx, person)
    if known.merged_into is not None:
        raise Refused(
            f"{known.name} ({known.id}) was merged into {known.merged_into}: change that one."
        )
    return known


def _require_overwritable(
    tx: Tx,
    known: Person,
    claim: RelationshipClaim,
    speaker: str | None,
    actor: Collection[SpeakerKey],
) -> None:
    if claim.relationship == SELF:
        raise Refused(f"That {known.name} speaks for themselves follows from their address.")
    own = contacts.keys_of(tx, known.id)
    if speaker and not may_overwrite_claim(
        claim,
        own_keys=own,
        actor_keys=actor,
        other_keys=[claim.stated_by] if claim.stated_by else (),
    ):
        raise Refused(f"{known.name} stated this themselves: only they can take it back.")
    if speaker and claim.stated_by not in (None, *actor, *own):
        raise Refused(f"It is {claim.stated_by} who called {known.name} so, not {speaker}.")


def _same_term(claim: RelationshipClaim, relationship: str) -> bool:
    wanted = RelationshipClaim(_claimable(relationship), claim.stated_by)
    return claim_key(claim) == claim_key(wanted)


def _claimable(relationship: str) -> str:
    term = term_of(relationship)
    if term is None:
        raise InvalidInput(
            f"{relationship!r} is no relationship Kithkin knows. Say it like 'wife', 'boss', "
            "'sister-in-law' or 'best friend'."
        )
    return term.label
