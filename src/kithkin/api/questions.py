"""The facade of questions: what waits for a human, and the messages that answer it."""

from collections.abc import Sequence

from kithkin.api.acting import Acting
from kithkin.disclosure import questions
from kithkin.errors import NotFound
from kithkin.identity import people_file
from kithkin.intake import question_answers
from kithkin.questions import ask
from kithkin.questions.model import Question


class Questions:
    """What waits for a human. An agent passes the message that answers, never the answer."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self, *, state: str | None = "open", kind: str | None = None) -> Sequence[Question]:
        """Questions, oldest first. An agent of another account sees what its person is asked."""
        found = ask.listed(self._acting.db, state=state, kind=kind, audience=self._audience())
        return [one for one in found if self._may_see(one)]

    def batch(self) -> Sequence[Question]:
        """The questions to ask next: at most five."""
        return [
            one
            for one in ask.batch(self._acting.db, audience=self._audience())
            if self._may_see(one)
        ]

    def show(self, question: str) -> Question:
        """One question, with its dossier."""
        found = ask.get(self._acting.db, question)
        if self._audience() not in (None, found.audience) or not self._may_see(found):
            raise NotFound(f"There is no question {question}.")
        return found

    def answer_with(self, question: str, message: str) -> Question:
        """Let a message answer: its verified sender must be whom the question asks."""
        acting = self._acting
        with people_file.kept(acting.db, by=acting.by()):
            return question_answers.answer_with(
                acting.db, question, message, config=acting.config, by=acting.by()
            )

    def _may_see(self, question: Question) -> bool:
        return questions.may_see(self._acting.db, question, self._acting.voice)

    def _audience(self) -> str | None:
        return None if self._acting.for_owner else self._acting.account.person
