"""The realm that a server serves: one database, and a facade for whoever comes in."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct

from kithkin.accounts.model import Agent
from kithkin.api.acting import Acting
from kithkin.api.connector import Connector
from kithkin.api.kithkin import Kithkin
from kithkin.auth import login
from kithkin.auth.login import Admitted
from kithkin.clock import stamp
from kithkin.config import Config
from kithkin.contacts.model import OWNER
from kithkin.db import Database
from kithkin.ports import Clock, Models
from kithkin.verb import Authority

_MOST_KEPT: Final = 256


class Principal(Struct, frozen=True):
    """Who asks, and what they may use."""

    name: str
    facades: Mapping[Authority, Any]


class Realm:
    """Everything requests share. A facade is made once for each agent and kept while it is used."""

    def __init__(
        self, acting: Acting, *, owner: Callable[[Acting], Mapping[Authority, Any]]
    ) -> None:
        self.acting = acting
        self.owner = Principal("owner", owner(acting))
        self._kept: OrderedDict[Agent | str, Acting] = OrderedDict()
        self._uses: dict[str, str] = {}
        self._guard = threading.Lock()

    @classmethod
    def open(
        cls,
        where: str | Path,
        *,
        owner: Callable[[Acting], Mapping[Authority, Any]],
        realm: str = "kithkin",
        clock: Clock | None = None,
        models: Models | None = None,
    ) -> Self:
        """Open a realm to serve it; `owner` makes the owner's facades."""
        acting = Acting.open(
            where,
            realm=realm,
            actor=OWNER,
            clock=clock,
            create=True,
            models=models,
            sees_all=True,
        )
        return cls(acting, owner=owner)

    @property
    def db(self) -> Database:
        """The one database."""
        return self.acting.db

    @property
    def config(self) -> Config:
        """What the owner has set."""
        return self.acting.config

    def by_token(self, secret: str) -> Principal:
        """Who comes in by a token."""
        found = login.admitted(self.db, secret)
        self._uses[found.token.id] = stamp(self.acting.now())
        return self._principal(found)

    def write_down(self) -> None:
        """Write what is not worth a commit of its own: uses of tokens, looks at things."""
        uses, self._uses = self._uses, {}
        login.note_uses(self.db, uses)
        with self._guard:
            kept = list(self._kept.values())
        for acting in (self.acting, *kept):
            acting.flush()

    def close(self) -> None:
        """Write what is waiting and close the database."""
        try:
            self.write_down()
        finally:
            self.acting.close()

    def _principal(self, found: Admitted) -> Principal:
        if found.agent is None:
            name = found.connector or ""
            return Principal(
                found.principal, {"connector": Connector(self._acting(name), name=name)}
            )
        kin = Kithkin(self._acting(found.agent))
        facades: dict[Authority, Any] = {"agent": kin}
        if found.agent.kind == "frontend":
            facades["frontend"] = kin
        return Principal(found.principal, facades)

    def _acting(self, who: Agent | str) -> Acting:
        with self._guard:
            acting = self._kept.pop(who, None) or self._made(who)
            self._kept[who] = acting
            dropped = self._kept.popitem(last=False)[1] if len(self._kept) > _MOST_KEPT else None
        if dropped is not None:
            dropped.flush()
        return acting

    def _made(self, who: Agent | str) -> Acting:
        shared = self.acting
        return Acting(
            shared.db,
            actor=f"connector:{who}" if isinstance(who, str) else f"agent:{who.id}",
            clock=shared.clock,
            home=shared.home,
            config=shared.config,
            agent=None if isinstance(who, str) else who,
            channels=shared.given_channels,
            models=shared.models,
        )
