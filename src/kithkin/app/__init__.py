"""Kithkin: the facade an agent is given. Nothing here can do what is the owner's alone."""

from pathlib import Path
from typing import Self

from kithkin.acting import Acting, Models
from kithkin.app.ground import Changes, Entities, Relations, Timeline
from kithkin.app.memories import Memories
from kithkin.app.people import People
from kithkin.db import Database
from kithkin.journeys import explore
from kithkin.ports import Clock


class Kithkin:
    """One realm, as somebody who acts in it may use it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting
        self.people = People(acting)
        self.memories = Memories(acting)
        self.timeline = Timeline(acting)
        self.entities = Entities(acting)
        self.relations = Relations(acting)
        self.changes = Changes(acting)

    @classmethod
    def open(
        cls,
        where: str | Path,
        *,
        realm: str = "kithkin",
        actor: str = "owner",
        clock: Clock | None = None,
        create: bool = True,
        models: Models | None = None,
    ) -> Self:
        """Open a folder, made if it is not there, or a `postgresql://` address."""
        db = Database.open(where, realm=realm, create=create)
        return cls(Acting(db, actor=actor, clock=clock, models=models))

    def full_id(self, start: str) -> str:
        """The one id that begins so: people copy the start of an id."""
        return explore.full_id(self._acting.db, start)

    def close(self) -> None:
        """Write what is waiting and close the realm."""
        self._acting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
