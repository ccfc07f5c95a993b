"""In whose voice something is answered or told: what it sees, and where what it hears belongs."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from kithkin.db import Database, Tx
from kithkin.errors import NotAllowed, NotFound, Refused
from kithkin.ids import REAL, PersonaId
from kithkin.people.model import Person
from kithkin.personas import store as personas
from kithkin.personas.groups import all_groups, home_of, visible_to
from kithkin.personas.model import Persona


class Voice(Struct, frozen=True):
    """A persona with what it sees. Without a persona it is the steward, who sees all groups."""

    persona: Persona | None = None
    visible: frozenset[str] | None = None
    """None: every group that has a name."""

    @property
    def is_steward(self) -> bool:
        """Whether it is the one that sees all groups and speaks of the real world."""
        return self.persona is None or self.persona.steward

    @property
    def id(self) -> PersonaId | None:
        """The persona's id."""
        return self.persona.id if self.persona else None

    @property
    def home(self) -> str:
        """The group that people and words told to it belong to."""
        return home_of(self.persona) if self.persona else REAL

    @property
    def groups(self) -> tuple[str, ...]:
        """The same as a person or a message holds it: nothing for the real world."""
        return () if self.home == REAL else (self.home,)


STEWARD: Final = Voice()
REAL_WORLD: Final = Voice(visible=frozenset([REAL]))
"""What concerns the real world alone, such as what the owner writes down."""


def voice_of(db: Database, persona: str | None) -> Voice:
    """The voice of a persona, by name or id; without one, the steward's."""
    if persona is None:
        # Nothing is read: whoever has no personas pays nothing for them.
        return STEWARD
    with db.snapshot() as tx:
        return voice_in(tx, persona)


def voice_in(tx: Tx, persona: str) -> Voice:
    """The same, in a transaction. One that was archived speaks no more."""
    found = personas.named(tx, persona)
    if found.archived:
        raise Refused(
            f"{found.name} was archived: `kithkin persona edit --restore` brings it back."
        )
    return Voice(found, None if found.steward else visible_to(found, ()))


def seen_by(tx: Tx, voice: Voice) -> frozenset[str]:
    """Every group a voice sees."""
    return all_groups(personas.everyone(tx)) if voice.visible is None else voice.visible


def worlds(tx: Tx, voice: Voice) -> Iterator[frozenset[str]]:
    """Where to look for somebody: at home first, then in everything the voice sees."""
    home = frozenset([voice.home])
    yield home
    wider = seen_by(tx, voice)
    if wider - home:
        yield wider


def speaking(tx: Tx, voice: Voice) -> tuple[PersonaId | None, frozenset[str]]:
    """Which persona an answer is given by, and every group it sees."""
    everyone = personas.everyone(tx)
    steward = next((one for one in everyone if one.steward), None)
    speaks = voice.persona or steward
    groups = all_groups(everyone) if voice.visible is None else voice.visible
    return speaks.id if speaks else None, groups


def sees(groups: frozenset[str], person: Person) -> bool:
    """Whether somebody belongs to one of these groups; who has none is real."""
    return REAL in groups if not person.groups else not groups.isdisjoint(person.groups)


def is_at_home(voice: Voice, person: Person) -> bool:
    """Whether somebody belongs to the very world that a voice is told about."""
    return sees(frozenset([voice.home]), person)


def require_at_home(tx: Tx, voice: Voice, person: Person) -> None:
    """Refuse to change somebody of another world, or somebody a voice does not even see."""
    if is_at_home(voice, person):
        return
    if not sees(seen_by(tx, voice), person):
        raise NotFound(f"There is no person {person.id} for you to see.")
    if not voice.is_steward:
        raise NotAllowed(
            f"{person.name} is not of this persona's group: what it says of them waits for a "
            "human. Say it in the steward's voice."
        )


def require_steward(voice: Voice, *, to: str) -> None:
    """Refuse what only the steward's voice may do."""
    if not voice.is_steward:
        raise NotAllowed(f"Only the steward may {to}: open the realm without a persona.")


def require_real(voice: Voice) -> None:
    """Refuse what is of the real world to a voice that does not see it."""
    if voice.visible is not None and REAL not in voice.visible:
        raise NotAllowed("This persona does not see the real world, where people have addresses.")
