"""The owner's facade of what leaves: rules, questions, the outbox, credentials."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kithkin.adapters.channels import Careful, channels_from
from kithkin.api.acting import Acting
from kithkin.contacts.vault import Secret
from kithkin.identity import credentials, people_file
from kithkin.identity.credentials import Credential
from kithkin.intake import question_answers
from kithkin.outbound import delivery, send, standing_rules
from kithkin.outbound.delivery import Delivered
from kithkin.outbound.model import Rule, Sending
from kithkin.outbound.standing_rules import Draft
from kithkin.ports import Channel
from kithkin.questions import ask
from kithkin.questions.model import Question


class Rules:
    """The owner's standing word on what may leave."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def add(self, draft: Draft) -> Rule:
        """A standing rule."""
        return standing_rules.add(
            self._acting.db, draft, config=self._acting.config, by=self._acting.by()
        )

    def list(self) -> list[Rule]:
        """Every standing rule, oldest first."""
        return standing_rules.listed(self._acting.db)

    def remove(self, rule: str) -> Rule:
        """Take a rule back."""
        return standing_rules.remove(self._acting.db, rule, by=self._acting.by())

    def import_file(self, file: Path) -> Sequence[Rule]:
        """Take in rules of an older installation, under the tools' present names."""
        return standing_rules.import_file(
            self._acting.db, file, config=self._acting.config, by=self._acting.by()
        )


class Answers:
    """The questions, as the owner answers them."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self, *, state: str | None = "open", kind: str | None = None) -> list[Question]:
        """Questions, oldest first."""
        return ask.listed(self._acting.db, state=state, kind=kind, audience=None)

    def show(self, question: str) -> Question:
        """One question, with its dossier."""
        return ask.get(self._acting.db, question)

    def arguments(self, question: str) -> Mapping[str, Any] | None:
        """What exactly would be sent if an approval were given; None of other questions."""
        found = ask.get(self._acting.db, question)
        call = found.details.get("call")
        return send.arguments(self._acting.db, call) if call else None

    def answer(self, question: str, text: str) -> Question:
        """Answer one: applied at once, in the same transaction."""
        acting = self._acting
        with people_file.kept(acting.db, by=acting.by()):
            return question_answers.answer(
                acting.db, question, text, config=acting.config, by=acting.by()
            )

    def answer_batch(self, answers: Mapping[str, str]) -> Sequence[Question]:
        """Answer up to five at once: all of them, or none."""
        acting = self._acting
        with people_file.kept(acting.db, by=acting.by()):
            return question_answers.answer_batch(
                acting.db, answers, config=acting.config, by=acting.by()
            )


class Outbox:
    """What was approved, and what came of it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def list(self, *, state: str | None = None, limit: int = 100) -> list[Sending]:
        """The newest rows."""
        return delivery.outbox(self._acting.db, state=state, limit=limit)

    def retry(self, sending: str) -> Sending:
        """Make a failed or waiting row due at once."""
        return delivery.retry(self._acting.db, sending, by=self._acting.by())

    def deliver(self) -> Delivered:
        """Send what is due, by the channels that are set up."""
        return delivery.deliver(
            self._acting.db,
            self._channels(),
            config=self._acting.config,
            by=self._acting.by,
        )

    def execute(self, sending: str) -> Sending:
        """Send one row now; one that was sent answers with what came of it."""
        return delivery.execute(
            self._acting.db,
            sending,
            self._channels(),
            config=self._acting.config,
            by=self._acting.by(),
        )

    def _channels(self) -> dict[str, Channel]:
        acting = self._acting
        made = channels_from(
            acting.config.channels,
            home=acting.home or Path(),
            resolve=lambda key: credentials.resolve(acting.db, key, ring=acting.keyring),
        )
        return {name: Careful(one) for name, one in {**made, **acting.given_channels}.items()}


class Credentials:
    """The owner's secrets: masked everywhere, revealed to the owner alone."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def put(self, key: str, value: str) -> Credential:
        """Keep a credential where programs look for it."""
        acting = self._acting
        return credentials.put(acting.db, key, value, ring=acting.keyring, by=acting.by())

    def find(self, key: str) -> Credential:
        """Where a key leads, masked."""
        return credentials.find(self._acting.db, key)

    def reveal(self, key: str) -> str:
        """What a credential is. Each look at a secret is recorded."""
        acting = self._acting
        found = credentials.find(acting.db, key)
        if found.secret is None:
            return found.value
        return credentials.reveal(acting.db, found.secret, ring=acting.keyring, by=acting.by())

    def list(self) -> list[Secret]:
        """Every secret, masked."""
        return credentials.listed(self._acting.db)

    def import_file(self, file: Path) -> Sequence[Credential]:
        """Take in a file of KEY=VALUE lines."""
        acting = self._acting
        return credentials.import_file(acting.db, file, ring=acting.keyring, by=acting.by())

    def rotate(self) -> int:
        """Seal every secret with a new key; how many there were."""
        acting = self._acting
        return credentials.rotate(acting.db, ring=acting.keyring, by=acting.by())
