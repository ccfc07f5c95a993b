"""Where resolution looks people up: what a store must answer, and the answer from memory."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.lookup_keys import connections, lookup_keys
from kithkin.people.model import Person

MOST_CANDIDATES = 200
"""A store may stop here: more people of one name than this are a tie anyway."""


class Directory(Protocol):
    """The few look-ups that resolution needs, each served by an index."""

    def get(self, person_id: PersonId) -> Person | None:
        """The record with this id, merged or not."""

    def named(
        self, keys: Sequence[str], *, known_to: Collection[SpeakerKey] | None = None
    ) -> Sequence[Person]:
        """People with a row under one of the keys; only those connected to `known_to`, if given."""

    def called(self, terms: Collection[str], *, by: Collection[SpeakerKey]) -> Sequence[Person]:
        """People whom these speakers call by one of the terms (meanings, or alias phrases)."""

    def person_of(self, speaker: SpeakerKey) -> PersonId | None:
        """Whose key this is."""

    def speakers_of(self, person_id: PersonId) -> Collection[SpeakerKey]:
        """Every key of this person."""


class Roster:
    """A directory in memory, for tests and for small sets."""

    def __init__(
        self,
        people: Iterable[Person],
        speakers: Mapping[PersonId, Collection[SpeakerKey]] | None = None,
    ) -> None:
        self._people: dict[PersonId, Person] = {}
        self._keys: dict[str, dict[PersonId, None]] = defaultdict(dict)
        self._calls: dict[tuple[SpeakerKey, str], dict[PersonId, None]] = defaultdict(dict)
        self._known: dict[SpeakerKey, set[PersonId]] = defaultdict(set)
        self._speakers = {person: frozenset(keys) for person, keys in (speakers or {}).items()}
        self._owners = {key: person for person, keys in self._speakers.items() for key in keys}
        for person in people:
            self.put(person)

    def put(self, person: Person) -> None:
        """Add a person, or replace the record with the same id."""
        if old := self._people.get(person.id):
            self._take_out(old)
        self._people[person.id] = person
        for key, _ in lookup_keys(person):
            self._keys[key][person.id] = None
        for link in connections(person):
            self._calls[link.speaker, link.term][person.id] = None
            self._known[link.speaker].add(person.id)

    def _take_out(self, person: Person) -> None:
        for key, _ in lookup_keys(person):
            self._keys[key].pop(person.id, None)
        for link in connections(person):
            self._calls[link.speaker, link.term].pop(person.id, None)
            self._known[link.speaker].discard(person.id)

    def everyone(self) -> Sequence[Person]:
        """Every record, in the order it came."""
        return tuple(self._people.values())

    def get(self, person_id: PersonId) -> Person | None:
        """The record with this id, merged or not."""
        return self._people.get(person_id)

    def named(
        self, keys: Sequence[str], *, known_to: Collection[SpeakerKey] | None = None
    ) -> Sequence[Person]:
        """People with a row under one of the keys; only those connected to `known_to`, if given."""
        ids = dict.fromkeys(id_ for key in keys for id_ in self._keys.get(key, ()))
        if known_to is not None:
            known = set().union(*(self._known.get(speaker, set()) for speaker in known_to))
            ids = dict.fromkeys(id_ for id_ in ids if id_ in known)
        return [self._people[id_] for id_ in ids]

    def called(self, terms: Collection[str], *, by: Collection[SpeakerKey]) -> Sequence[Person]:
        """People whom these speakers call by one of the terms (meanings, or alias phrases)."""
        pairs = ((speaker, term) for speaker in by for term in terms)
        ids = dict.fromkeys(id_ for pair in pairs for id_ in self._calls.get(pair, ()))
        return [self._people[id_] for id_ in ids]

    def person_of(self, speaker: SpeakerKey) -> PersonId | None:
        """Whose key this is."""
        return self._owners.get(speaker)

    def speakers_of(self, person_id: PersonId) -> Collection[SpeakerKey]:
        """Every key of this person."""
        return self._speakers.get(person_id, frozenset())
