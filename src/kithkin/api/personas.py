"""The facades of personas: the voices there are, a human's profile, and what was real."""

from collections.abc import Sequence

from kithkin.api.acting import Acting
from kithkin.identity import people_file
from kithkin.intake import question_answers
from kithkin.memories import doubt_answers, profile
from kithkin.memories.doubt_answers import Batch, Settled
from kithkin.memories.profile import Entry, Set, Shown
from kithkin.personas import persona_edit
from kithkin.personas.model import Persona
from kithkin.personas.voices import require_steward
from kithkin.questions.model import Question


class Personas:
    """The voices an agent speaks in."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self) -> list[Persona]:
        """Every persona that may speak, oldest first."""
        return persona_edit.listed(self._acting.db)

    def show(self, name: str) -> Persona:
        """A persona, by name, alias or id."""
        return persona_edit.show(self._acting.db, name)


class Profile:
    """What is known of a human: facts, traits, topics and persons, each with a name."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self, *, speaker: str) -> list[Shown]:
        """Everything known of a human that may be told to them here, the newest first."""
        acting = self._acting
        audience = acting.audience(speaker)
        return profile.listed(acting.db, audience=audience, speaker=speaker, by=acting.by())

    def show(self, item: str, *, speaker: str) -> Shown:
        """One item, if it may be told here."""
        acting = self._acting
        return profile.show(acting.db, item, audience=acting.audience(speaker), by=acting.by())

    def set(self, entry: Entry, *, speaker: str) -> Set:
        """Set an item. In a persona's voice, what concerns the real world waits for a human."""
        acting = self._acting
        return profile.put(
            acting.db,
            entry,
            speaker=acting.own_words(speaker),
            audience=acting.audience(speaker),
            voice=acting.voice,
            by=acting.by(),
        )


class Doubts:
    """What personas were told of the real world, until a human says whether it was."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self) -> list[Question]:
        """Everything in doubt, in the order it is asked about. Only the steward sees it."""
        require_steward(self._acting.voice, to="ask what was real")
        return doubt_answers.pending(self._acting.db, audience=self._audience())

    def ask(self) -> Batch:
        """The steward's question about at most five things; nothing pending says nothing."""
        acting = self._acting
        require_steward(acting.voice, to="ask what was real")
        return doubt_answers.ask_batch(
            acting.db, audience=self._audience(), config=acting.config, by=acting.by()
        )

    def answer_with(self, message: str) -> Sequence[Settled]:
        """Let a message answer what was last asked: its verified sender must be whom it asks."""
        acting = self._acting
        require_steward(acting.voice, to="take an answer")
        with people_file.kept(acting.db, by=acting.by()):
            return question_answers.answer_doubts_with(
                acting.db,
                message,
                audience=self._audience(),
                reader=acting.models.reader,
                config=acting.config,
                by=acting.by(),
            )

    def _audience(self) -> str | None:
        return None if self._acting.for_owner else self._acting.account.person
