"""The facade of an agent's inbox."""

from kithkin.accounts import agents
from kithkin.accounts.agents import Delivered
from kithkin.accounts.model import Account, Agent
from kithkin.api.acting import Acting
from kithkin.errors import NotAllowed


class Inbox:
    """What came for this agent, in order, until it says that it has dealt with it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def whoami(self) -> tuple[Account, Agent | None]:
        """For whom this acts, and as which agent."""
        return self._acting.account, self._acting.agent

    def list(self, *, after: int = 0, limit: int = 100) -> list[Delivered]:
        """What has not been acknowledged, in the order it came."""
        return agents.read_inbox(self._acting.db, self._agent(), after=after, limit=limit)

    def ack(self, entry: str) -> None:
        """Say that something has been dealt with. Saying so twice changes nothing."""
        agents.acknowledge(self._acting.db, self._agent(), entry, by=self._acting.by())

    def sleep(self) -> Agent:
        """Go to sleep: what comes meanwhile waits."""
        return agents.set_awake(
            self._acting.db, self._agent().id, awake=False, by=self._acting.by()
        )

    def wake(self) -> Agent:
        """Wake up."""
        return agents.set_awake(self._acting.db, self._agent().id, awake=True, by=self._acting.by())

    def _agent(self) -> Agent:
        if self._acting.agent is None:
            raise NotAllowed("Only a registered agent has an inbox: open the realm with agent=ID.")
        return self._acting.agent
