"""A realm with its owner, as each of the three principals opens it."""

import pytest
from msgspec import Struct

from kithkin.accounts import owner_bootstrap
from kithkin.accounts.model import Agent
from kithkin.api.acting import Acting
from kithkin.api.connector import Connector
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.clock import stamp
from kithkin.config import Config
from kithkin.core.model import By
from kithkin.db import Database
from kithkin.intake.receive import Incoming, Received
from kithkin.testing import FakeChannel, FixedClock
from tests.conftest import Place

OWNER = "100"
"""The owner's telegram id, once they have one."""


class Household(Struct):
    """One realm, its channels, and whoever opens it."""

    db: Database
    clock: FixedClock
    telegram: FakeChannel
    email: FakeChannel
    config: Config
    place: Place

    def acting(self, actor: str, agent: Agent | None = None) -> Acting:
        return Acting(
            self.db,
            actor=f"agent:{agent.id}" if agent else actor,
            clock=self.clock,
            config=self.config,
            agent=agent,
            channels={"telegram": self.telegram, "email": self.email},
        )

    @property
    def admin(self) -> Admin:
        acting = self.acting("owner")
        acting.sees_all = True
        return Admin(acting, where="here")

    def kin(self, agent: Agent | None = None) -> Kithkin:
        return Kithkin(self.acting("agent", agent))

    def connector(self, name: str = "telegram") -> Connector:
        return Connector(self.acting(f"connector:{name}"), name=name)

    def hear(self, sender: str, text: str, *, verified: bool = True, **more: object) -> Received:
        """A message on telegram, or whatever channel is named."""
        fields: dict[str, object] = {"channel": "telegram", "verified": verified, **more}
        message = Incoming(sender=sender, text=text, **fields)  # type: ignore[arg-type] # a builder
        return self.connector(message.channel).receive(message)

    def set_up(self) -> None:
        """Let the owner be reached."""
        self.admin.owner.add_address("telegram", OWNER)


@pytest.fixture
def house(db: Database, clock: FixedClock, place: Place) -> Household:
    owner_bootstrap.ensure_owner(db, by=By(actor="test", now=stamp(clock.now())))
    return Household(db, clock, FakeChannel(), FakeChannel(), Config(), place)
