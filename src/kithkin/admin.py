"""Admin: the owner's facade. What serves agents cannot import it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from kithkin.acting import Acting
from kithkin.core.model import Version
from kithkin.db import Database
from kithkin.journeys import (
    amend,
    audit,
    explore,
    fading,
    forget,
    keep,
    looked,
    merge,
    people_file,
    recall,
    sweep,
    why,
)
from kithkin.journeys.amend import Changes
from kithkin.journeys.audit import Broken, Progress, Rebuilt, Verified
from kithkin.journeys.fading import Faded
from kithkin.journeys.forget import Erasure, Forgetting, Manner
from kithkin.journeys.keep import Health
from kithkin.journeys.learning import Learned, Noted
from kithkin.journeys.merge import Preview
from kithkin.journeys.people_file import TakenIn
from kithkin.journeys.recall import Recalled
from kithkin.journeys.sweep import Swept
from kithkin.journeys.why import Why
from kithkin.memories.model import Memory
from kithkin.people.model import Person
from kithkin.people.store import Merge
from kithkin.ports import Clock, Models
from kithkin.soil.model import Head


class OwnedMemories:
    """Everything that is remembered, as the owner may see and keep it. Each look is recorded."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def search(self, question: str, *, limit: int = 10) -> list[Recalled]:
        """The best of everything for a question, whoever said it and wherever."""
        found = recall.recall(
            self._acting.db,
            question,
            audience=None,
            limit=limit,
            now=self._acting.now(),
            embedder=self._acting.models.embedder,
        )
        looked.record(self._acting.db, "search", found, by=self._acting.by())
        return found

    def list(self, *, everything: bool = False, limit: int = 50) -> Sequence[Recalled]:
        """Memories newest first; those that are gone only when asked for."""
        found = recall.listed(
            self._acting.db,
            audience=None,
            everything=everything,
            limit=limit,
            now=self._acting.now(),
        )
        looked.record(self._acting.db, "list", found, by=self._acting.by())
        return found

    def show(self, memory: str) -> Recalled:
        """One memory."""
        found = recall.show(self._acting.db, memory, audience=None, now=self._acting.now())
        looked.record(self._acting.db, "show", [found], by=self._acting.by())
        return found

    def history(self, memory: str) -> Sequence[Version]:
        """Every version of a memory."""
        self.show(memory)
        return explore.history(self._acting.db, memory)

    def add(
        self, content: str, *, about: Sequence[str] = (), noted: Noted | None = None
    ) -> Learned:
        """Write something down for everyone, unless it is delicate or kept private."""
        by = self._acting.by()
        made = amend.add(self._acting.db, content, about=about, noted=noted, by=by)
        assert isinstance(made, Learned)  # noqa: S101 - without a speaker nothing else comes back
        return made

    def edit(self, memory: str, changes: Changes, *, based_on: str | None = None) -> Memory:
        """Change any memory; lowering a sensitivity is the owner's alone."""
        return amend.edit(self._acting.db, memory, changes, based_on=based_on, by=self._acting.by())

    def forget(self, memory: str, *, manner: Manner | None = None) -> Forgetting:
        """Forget one thing for good, with the message it was taken from; a preview as usual."""
        return forget.forget_memory(
            self._acting.db, memory, manner or Manner(), by=self._acting.by("forgotten")
        )

    def forget_person(self, person: str, *, manner: Manner | None = None) -> Forgetting:
        """Forget somebody: what they said, what is known of them, and who they are."""
        return forget.forget_person(
            self._acting.db, person, manner or Manner(), by=self._acting.by("forgotten")
        )

    def forget_chat(self, chat: str, *, manner: Manner | None = None) -> Forgetting:
        """Forget everything that was said in a chat, and what was learned there."""
        return forget.forget_chat(
            self._acting.db, chat, manner or Manner(), by=self._acting.by("forgotten")
        )

    def sweep(self, *, dry_run: bool = True) -> Faded:
        """Archive what has had its time. A dry run only says what would happen."""
        return fading.fade(self._acting.db, by=self._acting.by("sweep"), dry_run=dry_run)

    def stats(self) -> dict[str, int]:
        """How many memories stand, were superseded, and were archived, by reason."""
        return recall.stats(self._acting.db)

    def undo(self, memory: str) -> Memory:
        """Take back what was learned; what it replaced stands again."""
        return amend.undo(self._acting.db, memory, by=self._acting.by("undone"))


class Admin:
    """One realm, as its owner may keep it."""

    def __init__(self, acting: Acting, *, where: str) -> None:
        self._acting = acting
        self._where = where
        self.memories = OwnedMemories(acting)

    @classmethod
    def open(
        cls,
        where: str | Path,
        *,
        realm: str = "kithkin",
        clock: Clock | None = None,
        create: bool = True,
        models: Models | None = None,
    ) -> Self:
        """Open a realm as its owner."""
        db = Database.open(where, realm=realm, create=create)
        return cls(Acting(db, actor="owner", clock=clock, models=models), where=str(where))

    def verify(
        self,
        *,
        against: Head | None = None,
        ledger_only: bool = False,
        progress: Progress | None = None,
    ) -> Verified | Broken:
        """Recompute every hash; the first link that does not hold is named."""
        return audit.verify(
            self._acting.db, against=against, ledger_only=ledger_only, progress=progress
        )

    def rebuild(self, *, progress: Progress | None = None) -> Rebuilt:
        """Compute every entity and look-up row again from Soil."""
        return audit.rebuild(self._acting.db, progress=progress)

    def preview_merge(self, primary: str, secondary: str) -> Preview:
        """What merging two records would move, and what to look at first."""
        return merge.preview(self._acting.db, primary, secondary, by=self._acting.by())

    def merge(self, primary: str, secondary: str) -> Merge:
        """Make one record of two; nothing is lost, and `unmerge` takes it back."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return merge.merge(self._acting.db, primary, secondary, by=self._acting.by())

    def unmerge(self, merge_id: str) -> tuple[Person, Person]:
        """Make two records of one again."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return merge.unmerge(self._acting.db, merge_id, by=self._acting.by())

    def import_people(self, file: Path) -> TakenIn:
        """Take in a file of person lines, old formats too."""
        return people_file.import_lines(self._acting.db, file, by=self._acting.by())

    def export_people(self) -> Iterator[str]:
        """Every person as a line of `people.jsonl`."""
        return people_file.export_lines(self._acting.db)

    def check_people(self) -> TakenIn:
        """Compare `people.jsonl` with the realm; name the lines that say nothing."""
        return people_file.check(self._acting.db, by=self._acting.by())

    def head(self) -> Head:
        """The ledger's last entry: kept elsewhere, it proves later that history was not altered."""
        return audit.head(self._acting.db)

    def sweep(self, *, dry_run: bool = True) -> Swept:
        """Let what nobody comes back to rest. A dry run only says what would happen."""
        self._acting.flush()
        return sweep.sweep(self._acting.db, by=self._acting.by(), dry_run=dry_run)

    def erase(self, uuid: str) -> Erasure:
        """Erase an item's words, or an entity with its whole history. Hashes stay."""
        return forget.erase(self._acting.db, uuid, by=self._acting.by())

    def backup(self, file: Path, *, progress: Progress | None = None) -> Head:
        """Write a consistent copy to a new file, while others go on writing."""
        return keep.backup(self._acting.db, file, by=self._acting.by(), progress=progress)

    def restore(
        self, file: Path, *, replace: bool = False, progress: Progress | None = None
    ) -> Head:
        """Make the realm what a backup says."""
        return keep.restore(self._acting.db, file, replace=replace, progress=progress)

    def export_soil(self, file: Path) -> Head:
        """Write the timeline as its own SQLite database, with the specification's tables."""
        return keep.export_soil(self._acting.db, file)

    def doctor(self) -> Health:
        """Versions, sizes, free space and counts, with advice."""
        return keep.examine(self._acting.db, self._where)

    def why(self, uuid: str) -> Why:
        """Why something is believed or happened, back to the words and who said them."""
        return why.why(self._acting.db, uuid, audience=None, now=self._acting.now())

    def full_id(self, start: str) -> str:
        """The one id that begins so: people copy the start of an id."""
        return explore.full_id(self._acting.db, start)

    def close(self) -> None:
        """Close the realm."""
        self._acting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
