"""Every record of one human counts as that human: in trust, and in what replaces what."""

from kithkin.db import Tx
from kithkin.ids import PersonId
from kithkin.people import store as people


def records_of(tx: Tx, person: PersonId) -> frozenset[PersonId]:
    """Every record of the same human: the one given, those merged into it, what it went into."""
    found = people.get(tx, person)
    top = person
    seen = {person}
    while found is not None and found.merged_into is not None and found.merged_into not in seen:
        top = found.merged_into
        seen.add(top)
        found = people.get(tx, top)
    waiting = [top]
    while waiting:
        for merge in people.merges_of(tx, waiting.pop()):
            below = merge.before.id
            if not merge.undone and below not in seen and merge.plan.primary.id in seen:
                seen.add(below)
                waiting.append(below)
    return frozenset(seen | {top})
