"""Groups of records that are one person each, by the proposed pairs; for measuring and review."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from kithkin.language.words import Name
from kithkin.people.duplicates import (
    LIKELY,
    Profile,
    handle_hints_at,
    likely_pairs,
    names_conflict,
    profile,
)

Id = TypeVar("Id", bound=Hashable)


class Record(Struct, Generic[Id], frozen=True):
    """A name as it was met, with a handle when there was one."""

    id: Id
    name: str
    handle: str = ""


def _length(name: Name) -> int:
    return len(name.words)


def group_records(records: Sequence[Record[Id]], *, at_least: float = LIKELY) -> list[list[Id]]:
    """Groups of ids: sure pairs first, then each partial name joins the one fuller name it fits."""
    groups = _Groups([profile(r.id, names=[r.name], handles=[r.handle]) for r in records])
    groups.join_same_names()
    pairs = [pair for pair in likely_pairs(groups.distinct()) if pair.score >= at_least]
    for pair in sorted(pairs, key=lambda pair: -pair.score):
        groups.join(pair.first, pair.second)
    groups.join_partial_names()
    groups.join_nameless()
    return groups.members()


class _Groups(Generic[Id]):
    """Records joined so far; a union that would hold two different people is not made."""

    def __init__(self, profiles: Sequence[Profile[Id]]) -> None:
        self._profiles = profiles
        self._parents = {each.id: each.id for each in profiles}
        self._names: dict[Id, set[Name]] = {each.id: set(each.names) for each in profiles}
        self._by_word: dict[str, list[Id]] = defaultdict(list)
        for each in profiles:
            for word in {word for name in each.names for word in name.words}:
                self._by_word[word].append(each.id)

    def root(self, record: Id) -> Id:
        """The record that stands for the group this one is in."""
        while self._parents[record] != record:
            record = self._parents[record]
        return record

    def join(self, first: Id, second: Id) -> None:
        """Put two groups together, unless their names contradict each other."""
        a, b = self.root(first), self.root(second)
        if a != b and not self._conflict(a, b):
            self._parents[b] = a
            self._names[a] |= self._names[b]

    def _conflict(self, a: Id, b: Id) -> bool:
        return any(
            names_conflict(ours, theirs) for ours in self._names[a] for theirs in self._names[b]
        )

    def join_same_names(self) -> None:
        first: dict[tuple[str, tuple[str, ...]], Id] = {}
        for each in self._profiles:
            for name in each.names:
                self.join(first.setdefault((name.key, name.titles), each.id), each.id)
        for (key, titles), record in first.items():
            if titles and (key, ()) in first:
                self.join(first[key, ()], record)

    def distinct(self) -> list[Profile[Id]]:
        """One profile for each name and handle."""
        seen = {(each.names, each.handles): each for each in reversed(self._profiles)}
        return list(reversed(seen.values()))

    def join_partial_names(self) -> None:
        """Longer partial names first: what they join may be what a shorter one fits."""
        partial = sorted(
            self.distinct(), key=lambda each: -max(map(_length, each.names), default=0)
        )
        for each in partial:
            fuller = self._fuller(each)
            if len(fuller) == 1:
                self.join(fuller.pop(), each.id)

    def _fuller(self, each: Profile[Id]) -> set[Id]:
        """The groups with a name that holds every word of this one, and more."""
        mine = self.root(each.id)
        found = {
            self.root(other)
            for name in each.names
            for other in self._with_word(name.words[0])
            if any(set(name.words) < set(fuller.words) for fuller in self._names[self.root(other)])
        }
        return {root for root in found if root == mine or not self._conflict(root, mine)}

    def _with_word(self, word: str) -> Sequence[Id]:
        return self._by_word.get(word, ())

    def join_nameless(self) -> None:
        """A handle with no name joins the one full name it can be made of, if it is only one."""
        initials: dict[str, set[Name]] = defaultdict(set)
        owners: dict[Name, set[Id]] = defaultdict(set)
        for each in self._profiles:
            for name in each.names:
                owners[name].add(self.root(each.id))
                for word in name.words if len(name.words) > 1 else ():
                    initials[word[0]].add(name)
        for each in self._profiles:
            for handle in each.handles if not self._names[self.root(each.id)] else ():
                names = [name for name in initials[handle[0]] if handle_hints_at(name, handle)]
                roots = {self.root(root) for name in names for root in owners[name]}
                if len(roots) == 1:
                    self.join(roots.pop(), each.id)

    def members(self) -> list[list[Id]]:
        groups: dict[Id, list[Id]] = defaultdict(list)
        for each in self._profiles:
            groups[self.root(each.id)].append(each.id)
        return list(groups.values())
