"""A realm with a cast: who is told what in which voice, and what each voice sees."""

import pytest
from msgspec import Struct

from kithkin.acting import Acting
from kithkin.admin import Admin
from kithkin.app import Kithkin
from kithkin.db import Database
from kithkin.journeys import bootstrap
from kithkin.journeys.cast import Draft
from kithkin.journeys.learning import Remembered
from kithkin.journeys.profile import Entry, Set
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
        return Admin(Acting(self.db, actor="owner", clock=self.clock), where="here")

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


@pytest.fixture
def stage(db: Database, clock: FixedClock, place: Place) -> Stage:
    made = Stage(db, clock, place)
    bootstrap.ensure_owner(db, by=made.admin._acting.by())  # noqa: SLF001 - as the first start does
    cast = made.admin.personas
    cast.add(Draft("Frodo", group="Fellowship"))
    cast.add(Draft("Gandalf"))
    cast.add(Draft("Gollum", group="Cave", sees=()))
    cast.add(Draft("Smeagol", sees=()))
    made.kin().people.ensure_self(ME, name="Tom")
    return made
