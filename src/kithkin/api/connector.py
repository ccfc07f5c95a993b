"""Connector: the facade of a program that brings messages in. It can do nothing else."""

from pathlib import Path
from typing import Final, Self

from kithkin.accounts import agents
from kithkin.accounts.model import Account
from kithkin.api.acting import Acting
from kithkin.intake import receive
from kithkin.intake.receive import Incoming, Received
from kithkin.ports import Clock, Models
from kithkin.verb import Verb


class Connector:
    """One realm, as a connector may use it: only it states who speaks, where, and if it is sure."""

    def __init__(self, acting: Acting, *, name: str) -> None:
        self._acting = acting
        self._name = name

    @classmethod
    def open(
        cls,
        where: str | Path,
        name: str,
        *,
        realm: str = "kithkin",
        clock: Clock | None = None,
        create: bool = True,
        models: Models | None = None,
    ) -> Self:
        """Open a realm as a connector: `[connectors.NAME]` says which channels it brings."""
        acting = Acting.open(
            where,
            realm=realm,
            actor=f"connector:{name}",
            clock=clock,
            create=create,
            models=models,
        )
        return cls(acting, name=name)

    @classmethod
    def connect(cls, url: str, *, token: str, seconds: float = 30.0) -> Self:
        """The same realm served elsewhere."""
        from kithkin.adapters.remote import Remote, become  # noqa: PLC0415 - only who connects

        connector, remote = cls.__new__(cls), Remote(url, seconds=seconds)
        remote.headers["Authorization"] = f"Bearer {token}"
        become(connector, VERBS, remote, {})
        return connector

    def receive(self, message: Incoming) -> Received:
        """Take a message in: who it is from, what the agent is told of them, and who gets it."""
        return receive.receive(
            self._acting.db,
            message,
            connector=self._name,
            config=self._acting.config,
            extractor=self._acting.models.extractor,
            by=self._acting.by(),
        )

    def resolve_account(self, key: str) -> Account | None:
        """The account this connector knows by a key."""
        return agents.resolve_account_by_connector(self._acting.db, self._name, key)

    def close(self) -> None:
        """Close the realm."""
        self._acting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


VERBS: Final[tuple[Verb, ...]] = (
    Verb(
        does=Connector.receive,
        route="POST /v1/messages",
        authority="connector",
        example={
            "message": {
                "channel": "telegram",
                "sender": "42",
                "text": "My wife Sarah likes hiking",
                "verified": True,
            }
        },
    ),
    Verb(
        does=Connector.resolve_account,
        route="GET /v1/messages/account",
        authority="connector",
        example={"key": "42"},
    ),
)
"""The two things a connector may do."""
