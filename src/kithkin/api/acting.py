"""Who acts through a facade, on what database, by which clock."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from kithkin.accounts import agents, owner_bootstrap
from kithkin.accounts.model import Account, Agent
from kithkin.clock import SystemClock, stamp
from kithkin.config import Config, config_of, home_of
from kithkin.contacts.vault_keys import FILE, Keyring
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.disclosure.audience import (
    audience_of,
    audience_of_message,
    audience_of_person,
    in_voice,
    sender_of,
)
from kithkin.disclosure.rule import Audience
from kithkin.disclosure.visible import Seen
from kithkin.errors import InvalidInput, NotAllowed
from kithkin.ids import AccountId
from kithkin.personas.voices import Voice, require_steward, voice_of
from kithkin.ports import Channel, Clock, Models
from kithkin.relations import access
from kithkin.upkeep import entity_types  # noqa: F401 - every store registers its types

_BATCH = 256
Speaker = TypeVar("Speaker", str, str | None)


class Acting:
    """What every part of a facade shares.

    Without an agent it is the program that opened the realm, acting for the owner. Only the
    owner's own surface `sees_all`; whatever else looks, sees what its audience may hear.
    """

    def __init__(  # noqa: PLR0913 - all that the parts of a facade share
        self,
        db: Database,
        *,
        actor: str,
        clock: Clock | None,
        home: Path | None = None,
        config: Config | None = None,
        agent: Agent | None = None,
        channels: Mapping[str, Channel] | None = None,
        models: Models | None = None,
        sees_all: bool = False,
        persona: str | None = None,
    ) -> None:
        self.db = db
        self.actor = actor
        self.clock = clock or SystemClock()
        self.home = home
        self.config = config or Config()
        self.agent = agent
        self.given_channels = dict(channels or {})
        self.models = models or Models()
        self.sees_all = sees_all
        self.persona = agent.persona if agent and agent.persona else persona
        self._looked_at: Counter[str] = Counter()

    @classmethod
    def open(  # noqa: PLR0913 - all that a facade is opened with
        cls,
        where: str | Path,
        *,
        realm: str,
        actor: str,
        clock: Clock | None,
        create: bool,
        agent: str | None = None,
        channels: Mapping[str, Channel] | None = None,
        models: Models | None = None,
        seed: bool = True,
        sees_all: bool = False,
        persona: str | None = None,
    ) -> "Acting":
        """Open a realm, with its configuration and, unless it is not to be seeded, its owner."""
        home = home_of(where)
        config = config_of(home)
        db = Database.open(where, realm=realm, create=create)
        try:
            now = stamp((clock or SystemClock()).now())
            if seed:
                owner_bootstrap.ensure_owner(db, by=By(actor=actor, now=now))
            acts = agents.agent(db, agent) if agent else None
            _require_voice(db, acts, persona)
        except BaseException:
            db.close()
            raise
        return cls(
            db,
            actor=f"agent:{acts.id}" if acts else actor,
            clock=clock,
            home=home,
            config=config,
            agent=acts,
            channels=channels,
            models=models,
            sees_all=sees_all,
            persona=persona,
        )

    def now(self) -> datetime:
        """The present moment."""
        return self.clock.now()

    def by(self, reason: str | None = None) -> By:
        """The signature under a change made now."""
        return By(actor=self.actor, now=stamp(self.now()), reason=reason)

    @property
    def account(self) -> Account:
        """For whom it acts."""
        return agents.account_of(self.db, self.agent.account if self.agent else None)

    @property
    def account_id(self) -> AccountId:
        """The id of the account for whom it acts."""
        return self.agent.account if self.agent else self.account.id

    @property
    def for_owner(self) -> bool:
        """Whether it acts for the owner."""
        return self.agent is None or self.agent.account == agents.account_of(self.db, None).id

    @property
    def realm(self) -> Database:
        """The whole realm, for whoever may see all of it: the owner's own agents."""
        require_steward(self.voice, to="see the whole realm")
        return self.owned

    @property
    def owned(self) -> Database:
        """The realm for the owner's own agents, whatever voice they speak in."""
        if not self.for_owner:
            raise NotAllowed("Only the owner's agents see the whole realm.")
        return self.db

    def audience(self, speaker: str | None = None, chat: str | None = None) -> Audience:
        """Who reads an answer given in this voice: whoever asks, and everyone else in the chat.

        A speaker is `channel:id`, or the id of a message that came to this agent. Without one it is
        the account this acts for, alone.
        """
        return in_voice(self.db, self.hearers(speaker, chat), self.voice)

    def hearers(self, speaker: str | None, chat: str | None = None) -> Audience:
        """The same people, whatever the voice: for what no group decides on."""
        if speaker is None:
            return audience_of_person(self.db, self.account.person)
        if ":" in _named(speaker):
            return audience_of(self.db, self.speaking(speaker), chat=chat)
        return audience_of_message(self.db, speaker, account=self._came_to)

    def asking(self, speaker: str | None) -> str | None:
        """The key under which that speaker asks, if there is one."""
        if speaker is None:
            return agents.known_speaker(self.db, self.account)
        if ":" in _named(speaker):
            return self.speaking(speaker)
        return sender_of(self.db, speaker, account=self._came_to)

    @property
    def _came_to(self) -> AccountId | None:
        """To whom a message must have come for this to answer it; the owner's program may all."""
        return self.account_id if self.agent else None

    def seen(self, speaker: str | None = None, chat: str | None = None) -> Seen:
        """Everything that can be looked at, as that audience may see it."""
        whole = self.sees_all and speaker is None and self.voice.is_steward
        return Seen(self.db, None if whole else self.audience(speaker, chat), now=self.now)

    @property
    def voice(self) -> Voice:
        """In whose voice it answers, and whom it is told things as."""
        return voice_of(self.db, self.persona)

    def speaking(self, speaker: Speaker) -> Speaker:
        """The speaker an agent may speak for: of its own account, or who wrote to it."""
        if self.agent is not None and speaker is not None:
            agents.require_speaker(self.db, self.agent, speaker)
        return speaker

    def own_words(self, speaker: str | None) -> str:
        """The speaker whose words an agent takes down: of its own account alone.

        Without one it is the account's own person, at the first of their addresses.
        """
        if speaker is None:
            return agents.own_speaker(self.db, self.account)
        if self.agent is not None:
            agents.require_own_speaker(self.db, self.agent, speaker)
        return speaker

    def stating(self, speaker: Speaker) -> Speaker:
        """The speaker whose word changes what is known of people: an agent must name one."""
        if self.agent is not None and speaker is None:
            raise NotAllowed("Say whose word this is: an agent states nothing by itself.")
        return self.speaking(speaker)

    @property
    def keyring(self) -> Keyring:
        """The keys that secrets are sealed with."""
        return Keyring(self.home / FILE if self.home else None)

    def looked_at(self, uuid: str) -> None:
        """Count an access. Counts are written in batches: looking is not worth a commit."""
        self._looked_at[uuid] += 1
        if len(self._looked_at) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the counts that are waiting."""
        counts, self._looked_at = self._looked_at, Counter()
        if counts:
            with self.db.transaction() as tx:
                # A copy: another thread may be counting in the old one still.
                access.record(tx, Counter(counts), now=self.now())

    def close(self) -> None:
        """Write what is waiting and close the database."""
        try:
            self.flush()
        finally:
            self.db.close()


def _require_voice(db: Database, agent: Agent | None, persona: str | None) -> None:
    """Refuse a voice that is not there, or that is not the agent's own."""
    if agent and persona:
        raise NotAllowed("An agent speaks as its own persona: `kithkin agents persona` says which.")
    voice_of(db, persona)


def _named(speaker: str) -> str:
    """Refuse a speaker that is empty: nobody is not the same as whoever asks."""
    if not speaker.strip():
        raise InvalidInput("An empty speaker is nobody: leave it out, or say who: telegram:42.")
    return speaker
