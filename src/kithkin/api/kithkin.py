"""Kithkin: the facade an agent is given. Nothing here can do what is the owner's alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kithkin.api.acting import Acting
from kithkin.api.artifacts import Artifacts, Reader, References
from kithkin.api.chat import Chat
from kithkin.api.contacts import Contacts
from kithkin.api.friends import Friends
from kithkin.api.inbox import Inbox
from kithkin.api.ledger import Changes, Entities, Relations, Timeline
from kithkin.api.memories import Memories
from kithkin.api.outbound import Outbound
from kithkin.api.people import People
from kithkin.api.personas import Doubts, Personas, Profile
from kithkin.api.projects import Branches, Projects
from kithkin.api.questions import Questions
from kithkin.disclosure import explore
from kithkin.ports import Channel, Clock, Models
from kithkin.upkeep import why
from kithkin.upkeep.why import Why

if TYPE_CHECKING:
    from kithkin.adapters.remote import Remote


class Kithkin:
    """One realm, as somebody who acts in it may use it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting
        self.people = People(acting)
        self.contacts = Contacts(acting)
        self.outbound = Outbound(acting)
        self.questions = Questions(acting)
        self.inbox = Inbox(acting)
        self.friends = Friends(acting)
        self.memories = Memories(acting)
        self.chat = Chat(acting)
        self.timeline = Timeline(acting)
        self.entities = Entities(acting)
        self.relations = Relations(acting)
        self.changes = Changes(acting)
        self.projects = Projects(acting)
        self.branches = Branches(acting)
        self.artifacts = Artifacts(acting)
        self.references = References(acting)
        self.reader = Reader(acting)
        self.personas = Personas(acting)
        self.profile = Profile(acting)
        self.doubts = Doubts(acting)

    @classmethod
    def open(  # noqa: PLR0913 - all that a realm is opened with
        cls,
        where: str | Path,
        *,
        realm: str = "kithkin",
        agent: str | None = None,
        actor: str = "agent",
        clock: Clock | None = None,
        create: bool = True,
        channels: Mapping[str, Channel] | None = None,
        models: Models | None = None,
        persona: str | None = None,
    ) -> Self:
        """Open a folder, made if it is not there, or a `postgresql://` address.

        `agent` is the id of a registered agent; without it the program acts for the owner, and
        signs its changes as `actor`. `persona` is the voice it speaks in; without one, the
        steward's.
        """
        return cls(
            Acting.open(
                where,
                realm=realm,
                actor=actor,
                clock=clock,
                create=create,
                agent=agent,
                channels=channels,
                models=models,
                persona=persona,
            )
        )

    @classmethod
    def connect(cls, url: str, *, token: str, seconds: float = 30.0) -> Self:
        """The same realm served elsewhere: every method is carried out by the server.

        `seconds` is how long one answer may take.
        """
        # Only whoever connects needs the client and the whole table.
        from kithkin.adapters.remote import Remote  # noqa: PLC0415

        remote = Remote(url, seconds=seconds)
        remote.headers["Authorization"] = f"Bearer {token}"
        return cls.afar(remote)

    @classmethod
    def afar(cls, remote: "Remote") -> Self:
        """The same over a connection to a server that is there already."""
        from kithkin.adapters.remote import become  # noqa: PLC0415 - see above
        from kithkin.api.remote_methods import LOCAL  # noqa: PLC0415
        from kithkin.verbs.agent_verbs import VERBS  # noqa: PLC0415

        kin = cls.__new__(cls)
        become(kin, VERBS, remote, LOCAL)
        return kin

    def why(self, uuid: str, *, speaker: str | None = None, chat: str | None = None) -> Why:
        """Why something is believed or happened, back to the words and who said them."""
        audience = self._acting.audience(speaker, chat)
        return why.why(self._acting.db, uuid, audience=audience, now=self._acting.now())

    def full_id(self, start: str) -> str:
        """The one id that begins so: people copy the start of an id."""
        return explore.full_id(self._acting.realm, start)

    def close(self) -> None:
        """Write what is waiting and close the realm."""
        self._acting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
