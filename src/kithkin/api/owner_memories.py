"""The owner's facade of memories: everything, each look recorded."""

from collections.abc import Sequence

from kithkin.api.acting import Acting
from kithkin.core.model import Version
from kithkin.disclosure import explore, owner_looks
from kithkin.memories import expiry, memory_edit, recall
from kithkin.memories.expiry import Faded
from kithkin.memories.learn import Learned, Noted
from kithkin.memories.memory_edit import Changes
from kithkin.memories.model import Memory
from kithkin.memories.recall import Recalled
from kithkin.upkeep import forget
from kithkin.upkeep.forget import Forgetting, Manner


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
        owner_looks.record(
            self._acting.db, "search", [one.id for one in found], by=self._acting.by()
        )
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
        owner_looks.record(self._acting.db, "list", [one.id for one in found], by=self._acting.by())
        return found

    def show(self, memory: str) -> Recalled:
        """One memory."""
        found = recall.show(self._acting.db, memory, audience=None, now=self._acting.now())
        owner_looks.record(self._acting.db, "show", [found.id], by=self._acting.by())
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
        made = memory_edit.add(self._acting.db, content, about=about, noted=noted, by=by)
        assert isinstance(made, Learned)  # noqa: S101 - without a speaker nothing else comes back
        return made

    def edit(self, memory: str, changes: Changes, *, based_on: str | None = None) -> Memory:
        """Change any memory; lowering a sensitivity is the owner's alone."""
        return memory_edit.edit(
            self._acting.db, memory, changes, based_on=based_on, by=self._acting.by()
        )

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
        return expiry.fade(self._acting.db, by=self._acting.by("sweep"), dry_run=dry_run)

    def stats(self) -> dict[str, int]:
        """How many memories stand, were superseded, and were archived, by reason."""
        return recall.stats(self._acting.db)

    def undo(self, memory: str) -> Memory:
        """Take back what was learned; what it replaced stands again."""
        return memory_edit.undo(self._acting.db, memory, by=self._acting.by("undone"))
