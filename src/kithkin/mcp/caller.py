"""Who calls a tool: the facade that is theirs, and who is meant when they name nobody."""

from msgspec import Struct

from kithkin.accounts.model import Kind
from kithkin.app import Kithkin
from kithkin.contacts.addresses import speaks_at
from kithkin.errors import NotAllowed


class Caller(Struct, frozen=True):
    """An agent, or without one the program that works for the owner."""

    kin: Kithkin
    speaker: str
    """Whose word it is, and who asks, when a call names nobody."""
    kind: Kind | None = None
    """What kind of agent it is; None when it is none."""

    def speaking(self, on_behalf_of: str | None) -> str:
        """Who asks or speaks in a call."""
        return on_behalf_of or self.speaker


def caller(kin: Kithkin, *, speaker: str | None = None) -> Caller:
    """Whoever a facade was opened for; without a speaker, the person of its account."""
    account, agent = kin.inbox.whoami()
    address = None if speaker else speaks_at(kin.contacts.show(account.person).contact)
    voice = speaker or (address.key if address else None)
    if voice is None:
        raise NotAllowed(f"Nobody knows where {account.name} speaks: the owner gives an address.")
    return Caller(kin, voice, agent.kind if agent else None)
