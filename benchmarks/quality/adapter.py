"""Kithkin under the contract of the evaluation scripts: calls the public API, decides nothing.

In the folder of the scripts, with `src` and `benchmarks` of this repository on PYTHONPATH:
`python charid.py --split dev --kb rel --system quality.adapter:Kithkin`.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import kithkin
from kithkin import Admin, Context, Found, Record, Turn
from kithkin.ids import PersonId


def _key(name: str) -> str:
    return f"eval:{name}"


class Kithkin:
    """People known beforehand, and who is meant by what is said among them."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._realms = 0
        self.reset()

    def reset(self) -> None:
        """Forget everybody."""
        self._known: dict[str, tuple[Sequence[str], list[dict[str, str]]]] = {}
        self._claims: list[tuple[str, str, str]] = []
        self._opened: kithkin.Kithkin | None = None
        self._presence: Counter[PersonId] = Counter()
        self._scene: Sequence[str] = ()

    def add_person(
        self, name: str, aliases: Sequence[str] = (), relations: Sequence[tuple[str, str]] = ()
    ) -> None:
        """A person; each relation is their own claim about the other."""
        self._known[name] = (aliases, [])
        self._claims.extend((name, relation, other) for relation, other in relations)
        self._opened = None

    def resolve(self, ref: str, speaker: str, context: Mapping[str, Any]) -> str | None:
        """The name of the person meant, or None."""
        if context["participants"] != self._scene:
            self._scene = context["participants"]
            self._presence.update(map(PersonId, self._scene))
        people = self._realm().people
        found = people.find_for_speaker(ref, _key(speaker), context=self._context(context))
        return found.person.name if isinstance(found, Found) else None

    def cluster(self, records: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """Records that are one person, by name and handle."""
        known = [Record(r["id"], r["name"], r.get("handle") or "") for r in records]
        return kithkin.group_records(known)

    def same_name(self, a: str, b: str) -> float:
        """How surely two names are forms of one."""
        return kithkin.same_name(a, b)

    def _realm(self) -> "kithkin.Kithkin":
        if self._opened is None:
            self._realms += 1
            home = Path(self._folder.name) / str(self._realms)
            lines = Path(self._folder.name) / "people.jsonl"
            lines.write_text("".join(f"{json.dumps(line)}\n" for line in self._lines()))
            with Admin.open(home) as admin:
                admin.import_people(lines)
            self._opened = kithkin.Kithkin.open(home)
        return self._opened

    def _lines(self) -> list[dict[str, Any]]:
        for name, relation, other in self._claims:
            claims = self._known[other][1]
            for term in relation.split("/"):
                claims.append({"relationship": term.strip(), "stated_by": _key(name)})
        self._claims = []
        return [
            {
                "id": name,
                "name": name,
                "relationships": [{"relationship": "self", "stated_by": _key(name)}, *claims],
                "aliases": list(aliases),
            }
            for name, (aliases, claims) in self._known.items()
        ]

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
