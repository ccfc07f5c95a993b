"""The handshake: what asking, leaving and blocking mean for a pair, branch by branch."""

from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from kithkin.clock import moment, stamp
from kithkin.errors import InvalidInput, NotAllowed, Refused, TryLater
from kithkin.friends.model import (
    Asking,
    Bond,
    Cancelled,
    Confirmed,
    Leaving,
    Pair,
    Rejected,
    Requested,
    Side,
    Unfriended,
)
from kithkin.ids import AccountId

COOLDOWN: Final = timedelta(weeks=1)


def sort_pair(one: AccountId, other: AccountId) -> tuple[AccountId, AccountId]:
    """The two in the order they are kept in. Nobody is a pair alone."""
    if one == other:
        raise InvalidInput("That is your own nametag: a friend is somebody else.")
    return (one, other) if one < other else (other, one)


def bond(pair: Pair | None, me: AccountId) -> Bond:
    """How I stand to the other. A friendship that was ended leaves nobody asking."""
    if pair is None or pair.ended_by is not None:
        return "none"
    match pair.side(me).requested, pair.side(pair.other(me)).requested:
        case True, True:
            return "friends"
        case True, False:
            return "outgoing"
        case False, True:
            return "incoming"
        case _:
            return "none"


def request(pair: Pair | None, me: AccountId, *, them: str, now: str) -> Asking:
    """What asking `them` comes to: a request, or friendship if they asked first."""
    _require_no_block(pair, me, them)
    match bond(pair, me):
        case "friends":
            raise Refused(f"You are already friends with {them}.")
        case "outgoing":
            raise Refused(f"Your request to {them} is already pending: they decide.")
        case "incoming":
            return Confirmed()
        case "none":
            _require_rested(pair, me, them, now)
            return Requested()


def removal(pair: Pair | None, me: AccountId, *, them: str) -> Leaving:
    """What leaving `them` comes to: friends part, a request is rejected or taken back."""
    match bond(pair, me):
        case "friends":
            return Unfriended()
        case "incoming":
            return Rejected()
        case "outgoing":
            return Cancelled()
        case "none":
            raise Refused(f"There is no relationship with {them}: nothing to remove.")


def require_friends(pair: Pair | None, me: AccountId, *, them: str) -> Pair:
    """The pair of two friends; a message to anybody else is refused."""
    if pair is None or bond(pair, me) != "friends":
        raise NotAllowed(
            f"You are not friends with {them}: ask with friend_add, and write once they accept."
        )
    return pair


def require_blockable(pair: Pair | None, me: AccountId, *, them: str) -> None:
    """Refuse to block twice."""
    if pair is not None and pair.side(me).blocks:
        raise Refused(f"You have blocked {them} already.")


def require_blocked(pair: Pair | None, me: AccountId, *, them: str) -> None:
    """Refuse to take back a block that is not there."""
    if pair is None or not pair.side(me).blocks:
        raise Refused(f"You have not blocked {them}.")


def free_at(pair: Pair | None, me: AccountId) -> str | None:
    """From when I may ask: a week after my last request, or when a rejection has worn off.

    Whoever was left may ask at once.
    """
    if pair is None or pair.ended_by == pair.other(me):
        return None
    mine = pair.side(me)
    asked = stamp(moment(mine.requested_at) + COOLDOWN) if mine.requested_at else None
    return max((one for one in (asked, mine.cooldown_until) if one), default=None)


def asked(pair: Pair, who: AccountId, *, now: str) -> Pair:
    """The pair once `who` has asked. What an ended friendship left of the other's flag goes."""
    fresh = pair if pair.ended_by is None else _withdrawn(pair)
    mine = replace(fresh.side(who), requested=True, requested_at=now, cooldown_until=None)
    return replace(_with_side(fresh, who, mine), ended_by=None)


def parted(pair: Pair, me: AccountId, *, now: str) -> Pair:
    """The pair once a friend has left: their flag alone goes, and they wait the usual week."""
    return replace(cleared(pair, me, cooldown_until=week_after(now)), ended_by=me)


def cleared(pair: Pair, who: AccountId, *, cooldown_until: str | None = None) -> Pair:
    """The pair once the request of `who` is gone. Its time stays."""
    side = pair.side(who)
    until = cooldown_until or side.cooldown_until
    return _with_side(pair, who, replace(side, requested=False, cooldown_until=until))


def blocking(pair: Pair, me: AccountId, *, blocks: bool) -> Pair:
    """The pair once I take nothing from the other, or something again."""
    return _with_side(pair, me, replace(pair.side(me), blocks=blocks))


def week_after(now: str) -> str:
    """When a rejection of this moment has worn off."""
    return stamp(moment(now) + COOLDOWN)


def _with_side(pair: Pair, who: AccountId, side: Side) -> Pair:
    return replace(pair, a=side) if who == pair.user_a_id else replace(pair, b=side)


def _withdrawn(pair: Pair) -> Pair:
    return cleared(cleared(pair, pair.user_a_id), pair.user_b_id)


def _require_no_block(pair: Pair | None, me: AccountId, them: str) -> None:
    if pair is None:
        return
    if pair.side(me).blocks:
        raise Refused(f"You have blocked {them}: friend_unblock takes it back.")
    if pair.side(pair.other(me)).blocks:
        raise NotAllowed(f"{them} takes no requests from you.")


def _require_rested(pair: Pair | None, me: AccountId, them: str, now: str) -> None:
    until = free_at(pair, me)
    if until is not None and now < until:
        raise TryLater(f"You asked {them} not long ago", at=until)
