"""Kithkin under the contract of the evaluation scripts: calls the public API, decides nothing.

In the folder of the scripts, with `src` and `benchmarks` of this repository on PYTHONPATH:
`python charid.py --split dev --kb rel --system quality.adapter:Kithkin`.

KITHKIN_EMBEDDER names a folder of weights, to measure with vectors; with KITHKIN_MODEL_URL, a
model at that server. KITHKIN_DB names a PostgreSQL server to measure on; "postgres" starts one for
the run.
"""

import atexit
import json
import os
import tempfile
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import kithkin
from kithkin import Admin, Context, Found, Record, Turn
from kithkin.adapters.model_settings import models_for
from kithkin.ids import PersonId
from kithkin.ports import Models
from kithkin.testing import FixedClock
from postgres import served


def _key(name: str) -> str:
    return f"eval:{name}"


def _models() -> Models | None:
    embedder, url = os.environ.get("KITHKIN_EMBEDDER"), os.environ.get("KITHKIN_MODEL_URL")
    return models_for(model=None, url=url, embedder=embedder) if embedder else None


def _moment(said: str) -> datetime:
    """The time of a turn, as the data sets write it."""
    for form in ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S"):
        with suppress(ValueError):
            return datetime.strptime(said, form).replace(tzinfo=UTC)
    return datetime(2023, 1, 1, tzinfo=UTC)


class Kithkin:
    """People known beforehand, and who is meant by what is said among them."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        running = ExitStack()
        self._server = running.enter_context(served(os.environ.get("KITHKIN_DB") or ""))
        atexit.register(running.close)
        self.reset()

    def reset(self) -> None:
        """Forget everybody."""
        self._known: dict[str, tuple[Sequence[str], list[dict[str, str]]]] = {}
        self._claims: list[tuple[str, str, str]] = []
        self._opened: kithkin.Kithkin | None = None
        self._where, self._name = "", ""
        self._presence: Counter[PersonId] = Counter()
        self._scene: Sequence[str] = ()
        self._turns: dict[str, str] = {}
        self._owner: Admin | None = None
        self._clock = FixedClock(datetime(2020, 1, 1, tzinfo=UTC))

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

    def ingest(self, turns: Sequence[Any], chat: str = "") -> None:
        """What was said in one chat, in order. A turn's id is the caller's own."""
        realm = self._realm()
        members = tuple(map(_key, turns[0].participant_ids))
        for name, user in zip(turns[0].participants, turns[0].participant_ids, strict=True):
            realm.people.ensure_self(_key(user), name=name)
        for turn in turns:
            said = realm.memories.remember(
                turn.text or "(nothing)",
                speaker=_key(turn.user_id),
                chat=chat,
                shared=True,
                members=members,
                at=_moment(turn.time),
            )
            self._turns[said.heard.item.uuid] = turn.id
            # Whoever asks, asks when the chats are over.
            self._clock.set(max(self._clock.now(), _moment(turn.time)))
        realm.memories.embed()

    def search(
        self, query: str, k: int = 10, viewer: str | None = None, chat: str = ""
    ) -> list[str]:
        """The turns found, best first. Without a viewer the owner of the whole store asks."""
        realm = self._realm()
        if viewer is None:
            found = self._admin().memories.search(query, limit=k)
        else:
            found = realm.memories.search(query, speaker=_key(viewer), chat=chat, limit=k)
        return [self._turns[one.item] for one in found if one.item in self._turns]

    def cluster(self, records: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """Records that are one person, by name and handle."""
        known = [Record(r["id"], r["name"], r.get("handle") or "") for r in records]
        return kithkin.group_records(known)

    def same_name(self, a: str, b: str) -> float:
        """How surely two names are forms of one."""
        return kithkin.same_name(a, b)

    def _admin(self) -> Admin:
        if self._owner is None:
            self._owner = Admin.open(
                self._where, realm=self._name, models=_models(), clock=self._clock
            )
        return self._owner

    def _realm(self) -> "kithkin.Kithkin":
        if self._opened is None:
            self._name = f"q_{uuid.uuid4().hex}"
            self._where = self._server or str(Path(self._folder.name) / self._name)
            lines = Path(self._folder.name) / "people.jsonl"
            lines.write_text("".join(f"{json.dumps(line)}\n" for line in self._lines()))
            with Admin.open(self._where, realm=self._name) as admin:
                admin.import_people(lines)
            self._opened = kithkin.Kithkin.open(
                self._where, realm=self._name, models=_models(), clock=self._clock
            )
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
