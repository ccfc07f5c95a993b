"""A realm with a cast: who is told what in which voice, and what each voice sees."""

import re

import pytest
from msgspec import Struct

from kithkin.accounts import owner_bootstrap
from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.disclosure.explore import Wanted
from kithkin.errors import Refused
from kithkin.memories.learn import Remembered
from kithkin.memories.profile import Entry, Set
from kithkin.people.model import Resolution, Unknown
from kithkin.personas.persona_edit import Draft
from kithkin.testing import FixedClock
from tests.conftest import Place

ME = "telegram:1"
EVERYBODY = ("steward", "Frodo", "Gandalf", "Gollum", "Smeagol")


class Stage(Struct):
    """One realm, as each of its voices opens it."""

    db: Database
    clock: FixedClock
    place: Place

    def kin(self, persona: str | None = None) -> Kithkin:
        name = None if persona == "steward" else persona
        return Kithkin(Acting(self.db, actor="agent", clock=self.clock, persona=name))

    @property
    def admin(self) -> Admin:
        return Admin(Acting(self.db, actor="owner", clock=self.clock, sees_all=True), where="here")

    def say(self, text: str, to: str | None = None) -> Remembered:
        return self.kin(to).memories.remember(text, speaker=ME)

    def put(self, name: str, value: str, voice: str | None = None) -> Set:
        return self.kin(voice).profile.set(Entry(name, value), speaker=ME)

    def sees(self, name: str, voice: str | None = None) -> set[str]:
        """The values of an item, or of everything said so, in the eyes of a voice."""
        known = self.kin(voice).profile.list(speaker=ME)
        return {one.description for one in known if name in (one.name, "")}

    def seen(self, name: str) -> dict[str, set[str]]:
        """The same, in everybody's eyes; those who see nothing are left out."""
        found = {voice: self.sees(name, voice) for voice in EVERYBODY}
        return {voice: values for voice, values in found.items() if values}

    def answer(self, text: str) -> list[str]:
        self.admin.doubts.ask()
        return [one.verdict for one in self.admin.doubts.answer(text)]


def set_up(db: Database, clock: FixedClock, place: Place = ("", "")) -> Stage:
    """The cast: grouped, ungrouped, isolated with a group and without one."""
    made = Stage(db, clock, place)
    owner_bootstrap.ensure_owner(db, by=made.admin._acting.by())  # noqa: SLF001 - as the first start does
    cast = made.admin.personas
    cast.add(Draft("Frodo", group="Fellowship"))
    cast.add(Draft("Gandalf"))
    cast.add(Draft("Gollum", group="Cave", sees=()))
    cast.add(Draft("Smeagol", sees=()))
    made.kin().people.ensure_self(ME, name="Tom")
    return made


@pytest.fixture
def stage(db: Database, clock: FixedClock, place: Place) -> Stage:
    return set_up(db, clock, place)


def looked_at(kin: Kithkin, *ids: str, words: str = "Mordor work elves") -> str:
    """Everything a voice can get to see, as one text: every way of looking there is."""
    parts: list[object] = [
        kin.memories.search(words, speaker=ME, limit=50),
        kin.memories.context(words, speaker=ME),
        kin.memories.find_memories_by_subject(
            [one.id for one in kin.people.list_all()], speaker=ME
        ),
        [_meant(kin, one) for one in (*words.split(), "my sister", "my daughter")],
        kin.memories.list(speaker=ME, everything=True, limit=200),
        kin.profile.list(speaker=ME),
        kin.people.prompt_section(speaker=ME),
        kin.people.list_all(),
        kin.people.get_all(),
        kin.timeline.list(Wanted(everything=True, limit=200), speaker=ME),
        kin.entities.list(limit=500, speaker=ME),
        kin.changes.list(limit=500, speaker=ME),
        kin.questions.list(state=None) if not kin._acting.voice.is_steward else (),  # noqa: SLF001
    ]
    for one in ids:
        for look in (
            lambda one=one: kin.entities.show(one, speaker=ME),
            lambda one=one: kin.entities.history(one, speaker=ME),
            lambda one=one: kin.timeline.show(one, speaker=ME),
            lambda one=one: kin.relations.around(one, speaker=ME),
            lambda one=one: kin.entities.at(one, kin._acting.now(), speaker=ME),  # noqa: SLF001
            lambda one=one: kin.entities.diff(one, 1, 1, speaker=ME),
            lambda one=one: kin.why(one, speaker=ME),
            lambda one=one: kin.memories.show(one, speaker=ME),
            lambda one=one: kin.memories.history(one, speaker=ME),
        ):
            try:
                parts.append(look())
            except Refused:
                continue
    # How rare a word is depends on everything that is indexed; what is told does not.
    return re.sub(r"score=[\d.]+", "", repr(parts))


def _meant(kin: Kithkin, reference: str) -> Resolution | None:
    """Who is meant; what was asked for does not come back as an answer."""
    found = kin.people.find_for_speaker(reference, ME)
    return None if isinstance(found, Unknown) else found
