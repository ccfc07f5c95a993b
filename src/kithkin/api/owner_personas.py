"""The owner's facade of personas: the cast, the profile, and a human's word on what was real."""

from collections.abc import Sequence

from kithkin.api.acting import Acting
from kithkin.identity import people_file
from kithkin.memories import doubt_answers, doubt_effects, profile
from kithkin.memories.doubt_answers import Batch, Settled
from kithkin.memories.profile import Shown
from kithkin.personas import persona_edit
from kithkin.personas.model import Persona
from kithkin.personas.persona_edit import Draft
from kithkin.questions.model import Question


class Cast:
    """The personas, and which of them is the steward."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self, *, archived: bool = False) -> list[Persona]:
        """The personas, oldest first; archived ones only when asked for."""
        return persona_edit.listed(self._acting.db, archived=archived)

    def add(self, draft: Draft) -> Persona:
        """A new persona."""
        return persona_edit.add(self._acting.db, draft, by=self._acting.by())

    def edit(self, name: str, draft: Draft) -> Persona:
        """Change a persona. What was told to it stays in the group it was told in."""
        return persona_edit.edit(self._acting.db, name, draft, by=self._acting.by())

    def archive(self, name: str, *, archived: bool = True) -> Persona:
        """Let a persona speak no more, or again."""
        return persona_edit.archive(self._acting.db, name, archived=archived, by=self._acting.by())

    def make_steward(self, name: str) -> Persona:
        """Make a persona the steward in place of the one that was."""
        return persona_edit.make_steward(self._acting.db, name, by=self._acting.by())


class OwnedProfile:
    """A human's word on an item of the profile."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def show(self, item: str) -> Shown:
        """One item, whoever holds it."""
        return profile.show(self._acting.db, item, audience=None, by=self._acting.by())

    def real(self, item: str) -> Shown:
        """Say that something is real: what a persona holds in doubt, or in its group."""
        acting = self._acting
        with people_file.kept(acting.db, by=acting.by()):
            kept = doubt_effects.promote(acting.db, item, config=acting.config, by=acting.by())
        return self.show(kept.id)

    def lock(self, item: str) -> Shown:
        """Confirm an item: a persona's change of it becomes a question."""
        return profile.validate(self._acting.db, item, "human", by=self._acting.by())

    def unlock(self, item: str) -> Shown:
        """Let personas change an item again, as far as they may."""
        return profile.validate(self._acting.db, item, None, by=self._acting.by())


class OwnedDoubts:
    """What waits for a human to say whether it was real."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self) -> list[Question]:
        """Everything in doubt, in the order it is asked about."""
        return doubt_answers.pending(self._acting.db, audience=None)

    def ask(self, *, tell: bool = False) -> Batch:
        """The steward's question about at most five things; `tell` sends it to the owner."""
        acting = self._acting
        return doubt_answers.ask_batch(
            acting.db, audience=None, config=acting.config, tell=tell, by=acting.by()
        )

    def ask_daily(self) -> Batch:
        """Ask, and tell the owner, once a day after the hour that is set."""
        acting = self._acting
        return doubt_answers.ask_daily(acting.db, config=acting.config, by=acting.by())

    def answer(self, text: str, *, question: str | None = None) -> Sequence[Settled]:
        """Answer what was last asked, or one question, in plain words."""
        acting = self._acting
        with people_file.kept(acting.db, by=acting.by()):
            return doubt_answers.answer(
                acting.db,
                text,
                question=question,
                reader=acting.models.reader,
                config=acting.config,
                by=acting.by(),
            )
