"""A pair of accounts, what each side has asked, and what a step changed."""

from typing import Literal

from msgspec import Struct

from kithkin.ids import AccountId, ItemId, PairId

Bond = Literal["friends", "outgoing", "incoming", "none"]
"""How two accounts stand to each other, as one of them sees it."""


class Side(Struct, frozen=True, omit_defaults=True):
    """What one of the two has asked."""

    requested: bool = False
    requested_at: str | None = None
    """It outlives the flag: it is what makes a second request wait a week."""
    cooldown_until: str | None = None
    """Set by a rejection, and for whoever ended a friendship."""
    blocks: bool = False
    """Whether it takes nothing from the other."""


class Pair(Struct, frozen=True, omit_defaults=True):
    """Two accounts, one record: `user_a_id < user_b_id`. Friends are those who both asked."""

    id: PairId
    user_a_id: AccountId
    user_b_id: AccountId
    a: Side = Side()
    b: Side = Side()
    ended_by: AccountId | None = None
    """Who ended the friendship: while it is set, neither side counts as asking."""

    def side(self, account: AccountId) -> Side:
        """The side of one of the two."""
        return self.a if account == self.user_a_id else self.b

    def other(self, account: AccountId) -> AccountId:
        """The other one of the two."""
        return self.user_b_id if account == self.user_a_id else self.user_a_id


class Requested(Struct, frozen=True, tag=True):
    """Asked: the other is told and may accept."""


class Confirmed(Struct, frozen=True, tag=True):
    """Both asked: friends from now on, and the one who asked first is told."""


class Unfriended(Struct, frozen=True, tag=True):
    """No longer friends: the other is told."""


class Rejected(Struct, frozen=True, tag=True):
    """The other's request is gone. They are not told."""


class Cancelled(Struct, frozen=True, tag=True):
    """The own request is gone. The other is not told."""


class Blocked(Struct, frozen=True, tag=True):
    """Nothing is taken from the other any more."""


class Unblocked(Struct, frozen=True, tag=True):
    """The other may ask again."""


Asking = Requested | Confirmed
Leaving = Unfriended | Rejected | Cancelled
Step = Asking | Leaving | Blocked | Unblocked
Told = Requested | Confirmed | Unfriended
"""The steps the other is told of."""


class Done(Struct, frozen=True):
    """A step that was taken towards somebody."""

    step: Step
    nametag: str
    kept: bool = False
    """Whether the notice waits because no frontend agent of theirs is here yet."""


class Sent(Struct, frozen=True):
    """A message that is in the friend's inbox, or kept until somebody is there to read it."""

    message: ItemId
    nametag: str
    kept: bool = False


class Friend(Struct, frozen=True):
    """A friend, and since when."""

    nametag: str
    name: str
    since: str


class Request(Struct, frozen=True):
    """A request that nobody has answered, and when it was made."""

    nametag: str
    at: str


class Friends(Struct, frozen=True):
    """Everybody an account has to do with."""

    friends: tuple[Friend, ...] = ()
    incoming: tuple[Request, ...] = ()
    outgoing: tuple[Request, ...] = ()
    blocked: tuple[str, ...] = ()
    """Nametags of those from whom nothing is taken."""
