"""How far a memory is to be believed, by who said it about whom."""

from collections.abc import Collection

from kithkin.ids import PersonId
from kithkin.memories.model import (
    About,
    AboutPersons,
    AboutSpeaker,
    AboutUnresolved,
    AboutWorld,
    Trust,
)


def trust_of(about: About, *, said_by: Collection[PersonId]) -> Trust:
    """A fact when somebody speaks of themselves, hearsay of others; unknown without a speaker.

    `said_by` is every record of the one who said it; empty when that is not known.
    """
    if not said_by:
        return "unknown"
    match about:
        case AboutSpeaker() | AboutWorld():
            return "fact"
        case AboutPersons(persons):
            return "fact" if any(person in said_by for person in persons) else "hearsay"
        case AboutUnresolved():
            return "hearsay"
