"""The owner's facade of accounts and agents."""

from kithkin.accounts import agents
from kithkin.accounts.model import Account, Agent, Kind
from kithkin.api.acting import Acting
from kithkin.identity import people_file


class Accounts:
    """Who uses this installation."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def create(
        self, name: str, *, person: str | None = None, speaker: str | None = None
    ) -> Account:
        """A new account: for an existing person, for a known speaker, or for somebody new."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return agents.create_account(
                self._acting.db, name, person=person, speaker=speaker, by=self._acting.by()
            )

    def list(self) -> list[Account]:
        """Every account, oldest first."""
        return agents.all_accounts(self._acting.db)

    def show(self, nametag: str) -> Account:
        """The account that has a nametag, or had it."""
        return agents.account_named(self._acting.db, nametag)

    def change_nametag(self, nametag: str, new: str) -> Account:
        """Give an account another nametag; the old one redirects."""
        return agents.change_nametag(self._acting.db, nametag, new, by=self._acting.by())


class Agents:
    """Which programs act for whom."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def register(self, nametag: str, name: str, kind: Kind) -> Agent:
        """A program that acts for an account from now on."""
        return agents.register_agent(
            self._acting.db, nametag, name=name, kind=kind, by=self._acting.by()
        )

    def list(self, nametag: str | None = None) -> list[Agent]:
        """The agents of one account, or of all."""
        account = None if nametag is None else agents.account_named(self._acting.db, nametag).id
        return agents.agents(self._acting.db, account)

    def set_awake(self, agent: str, *, awake: bool) -> Agent:
        """Put an agent to sleep, or wake it."""
        return agents.set_awake(self._acting.db, agent, awake=awake, by=self._acting.by())

    def set_persona(self, agent: str, persona: str | None) -> Agent:
        """Say in whose voice an agent speaks; None for the steward's."""
        return agents.set_persona(self._acting.db, agent, persona, by=self._acting.by())
