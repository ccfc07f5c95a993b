"""Who calls a tool: the facade that is theirs, and who is meant when they name nobody."""

from msgspec import Struct

from kithkin.accounts.model import Kind
from kithkin.api.kithkin import Kithkin
from kithkin.contacts.addresses import speaks_at


class Caller(Struct, frozen=True):
    """An agent, or without one the program that works for the owner."""

    kin: Kithkin
    speaker: str | None = None
    """Whose word it is, and who asks, when a call names nobody; None: the account, unheard yet."""
    kind: Kind | None = None
    """What kind of agent it is; None when it is none."""

    def speaking(self, on_behalf_of: str | None) -> str | None:
        """Who asks or speaks in a call."""
        return self.speaker if on_behalf_of is None else on_behalf_of


def caller(kin: Kithkin, *, speaker: str | None = None) -> Caller:
    """Whoever a facade was opened for; without a speaker, the person of its account."""
    account, agent = kin.inbox.whoami()
    address = None if speaker else speaks_at(kin.contacts.show(account.person).contact)
    # "My wife" is answered by a speaker's own word: whoever is known to speak somewhere is one.
    voice = speaker or (address.key if address else None)
    return Caller(kin, voice, agent.kind if agent else None)
