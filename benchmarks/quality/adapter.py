"""Kithkin under the contract of the evaluation scripts: calls the public API, decides nothing.

In the folder of the scripts, with `src` and `benchmarks` of this repository on PYTHONPATH:
`python charid.py --split dev --kb rel --system quality.adapter:Kithkin`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from kithkin.ids import PersonId, SpeakerKey
from kithkin.people import names
from kithkin.people.cluster import Record, cluster
from kithkin.people.directory import Roster
from kithkin.people.introduce import introductions
from kithkin.people.model import (
    AliasEntry,
    Context,
    Found,
    Person,
    RelationshipClaim,
    Speaker,
    Turn,
)
from kithkin.people.resolve import resolve

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def _key(name: str) -> SpeakerKey:
    return SpeakerKey(f"eval:{name}")


def _speaker(name: str) -> Speaker:
    return Speaker(frozenset([_key(name)]), PersonId(name))


class Kithkin:
    """People known beforehand, and who is meant by what is said among them."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everybody."""
        self._known: dict[str, tuple[Sequence[str], list[RelationshipClaim]]] = {}
        self._claims: list[tuple[str, str, str]] = []
        self._roster: Roster | None = None
        self._presence: Counter[PersonId] = Counter()
        self._scene: Sequence[str] = ()
        self._heard: set[tuple[str, str]] = set()

    def add_person(
        self, name: str, aliases: Sequence[str] = (), relations: Sequence[tuple[str, str]] = ()
    ) -> None:
        """A person; each relation is their own claim about the other."""
        self._known[name] = (aliases, [])
        self._claims.extend((name, relation, other) for relation, other in relations)
        self._roster = None

    def _people(self) -> Roster:
        if self._roster is None:
            for name, relation, other in self._claims:
                claims = self._known[other][1]
                claims.extend(RelationshipClaim(r.strip(), _key(name)) for r in relation.split("/"))
            people = [
                Person(
                    id=PersonId(name),
                    name=name,
                    created_by=None,
                    created_at=_LONG_AGO,
                    updated_at=_LONG_AGO,
                    aliases=tuple(AliasEntry(alias) for alias in aliases),
                    relationships=tuple(claims),
                )
                for name, (aliases, claims) in self._known.items()
            ]
            self._roster = Roster(people, {person.id: {_key(person.name)} for person in people})
        return self._roster

    def resolve(self, ref: str, speaker: str, context: Mapping[str, Any]) -> str | None:
        """The name of the person meant, or None."""
        if context["participants"] != self._scene:
            self._scene = context["participants"]
            self._presence.update(PersonId(name) for name in self._scene)
        for who, text in [*context["history"], (speaker, context["text"])]:
            self._hear(who, text, context["participants"])
        answer = resolve(
            ref, speaker=_speaker(speaker), people=self._people(), context=self._context(context)
        )
        return answer.person.name if isinstance(answer, Found) else None

    def _hear(self, who: str, text: str, participants: Sequence[str]) -> None:
        """Note what a speaker calls somebody, as an agent does with each message."""
        if (who, text) in self._heard:
            return
        self._heard.add((who, text))
        for term, name in introductions(text):
            here = Context(
                text=text, participants=tuple(map(PersonId, participants)), presence=self._presence
            )
            met = resolve(name, speaker=_speaker(who), people=self._people(), context=here)
            if isinstance(met, Found):
                claim = RelationshipClaim(term.label, _key(who))
                known = (*met.person.relationships, claim)
                self._people().put(replace(met.person, relationships=known))

    def _context(self, context: Mapping[str, Any]) -> Context:
        tokens, first = context["tokens"], context["span"][0]
        before = " ".join(tokens[:first])
        return Context(
            text=" ".join(tokens),
            at=len(before) + 1 if before else 0,
            participants=tuple(map(PersonId, context["participants"])),
            turns=tuple(Turn(PersonId(who), text) for who, text in context["history"]),
            presence=self._presence,
        )

    def cluster(self, records: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """Records that are one person, by name and handle."""
        return cluster([Record(r["id"], r["name"], r.get("handle") or "") for r in records])

    def same_name(self, a: str, b: str) -> float:
        """How surely two names are forms of one."""
        return names.same_name(a, b)
