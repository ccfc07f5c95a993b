"""Every branch of asking and leaving, as the specification tells it."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from kithkin.clock import moment, stamp
from kithkin.errors import InvalidInput, NotAllowed, Refused, TryLater
from kithkin.friends import handshake
from kithkin.friends.model import (
    Bond,
    Cancelled,
    Confirmed,
    Pair,
    Rejected,
    Requested,
    Side,
    Unfriended,
)
from kithkin.ids import AccountId, PairId

ALICE, BOB = AccountId("alice"), AccountId("bob")
NOW = "2026-01-15T10:00:00.000000+00:00"
SECOND = timedelta(seconds=1)
WEEK = timedelta(days=7)


def ago(stretch: timedelta) -> str:
    return stamp(moment(NOW) - stretch)


def pair(mine: Side | None = None, theirs: Side | None = None, **more: Any) -> Pair:
    return Pair(PairId("p"), ALICE, BOB, mine or Side(), theirs or Side(), **more)


def asked(stretch: timedelta = SECOND) -> Side:
    return Side(requested=True, requested_at=ago(stretch))


def was(stretch: timedelta, **more: Any) -> Side:
    return Side(requested_at=ago(stretch), **more)


def ask(found: Pair | None, me: AccountId = ALICE) -> object:
    return handshake.request(found, me, them="swift-fox-42", now=NOW)


def leave(found: Pair | None, me: AccountId = ALICE) -> object:
    return handshake.removal(found, me, them="swift-fox-42")


def test_ids_are_sorted_whoever_acts() -> None:
    assert handshake.sort_pair(ALICE, BOB) == handshake.sort_pair(BOB, ALICE) == (ALICE, BOB)


def test_nobody_is_their_own_friend() -> None:
    with pytest.raises(InvalidInput, match="your own nametag"):
        handshake.sort_pair(ALICE, ALICE)


def test_both_sides_1_is_already_friends() -> None:
    with pytest.raises(Refused, match="already friends with swift-fox-42"):
        ask(pair(asked(), asked()))


def test_my_side_1_other_0_is_already_pending() -> None:
    with pytest.raises(Refused, match="already pending"):
        ask(pair(asked()))


def test_my_side_0_other_1_confirms() -> None:
    assert ask(pair(None, asked())) == Confirmed()


def test_a_row_that_does_not_exist_is_a_request() -> None:
    assert ask(None) == Requested()


@pytest.mark.parametrize(
    "mine",
    [was(WEEK - SECOND), was(SECOND), was(timedelta(days=-1)), was(WEEK - timedelta(0, 0, 1))],
    ids=["a second before", "just now", "a clock that went back", "a microsecond before"],
)
def test_both_0_within_a_week_is_try_again_later(mine: Side) -> None:
    with pytest.raises(TryLater, match="try again later") as refused:
        ask(pair(mine))
    assert refused.value.at == stamp(moment(mine.requested_at or "") + WEEK)
    assert refused.value.details == {"try_again_at": refused.value.at}


@pytest.mark.parametrize("mine", [was(WEEK), was(WEEK + SECOND), Side()])
def test_both_0_after_exactly_a_week_is_a_request(mine: Side) -> None:
    assert ask(pair(mine)) == Requested()


def test_a_rejected_asker_waits_a_week_from_the_rejection() -> None:
    asked_long_ago = pair(Side(), asked(timedelta(days=6)))
    rejected = handshake.cleared(
        asked_long_ago, BOB, cooldown_until=handshake.week_after(ago(SECOND))
    )
    with pytest.raises(TryLater) as refused:
        handshake.request(rejected, BOB, them="x", now=NOW)
    assert refused.value.at == stamp(moment(NOW) - SECOND + WEEK)
    late = stamp(moment(NOW) - SECOND + WEEK)
    assert handshake.request(rejected, BOB, them="x", now=late) == Requested()


def test_the_rejecter_may_ask_at_once() -> None:
    rejected = handshake.cleared(pair(None, asked()), BOB, cooldown_until=handshake.week_after(NOW))
    assert ask(rejected) == Requested()


def test_a_rejected_asker_may_accept_at_once_when_the_rejecter_asks() -> None:
    rejected = pair(Side(), was(SECOND, cooldown_until=handshake.week_after(NOW)))
    now_asked = handshake.asked(rejected, ALICE, now=NOW)
    assert handshake.request(now_asked, BOB, them="x", now=NOW) == Confirmed()


@pytest.mark.parametrize(
    ("found", "step"),
    [
        (pair(asked(), asked()), Unfriended()),
        (pair(None, asked()), Rejected()),
        (pair(asked()), Cancelled()),
    ],
    ids=["both sides 1: unfriend", "other side 1: reject", "my side 1: cancel"],
)
def test_removing_is_unfriending_rejecting_or_cancelling(found: Pair, step: object) -> None:
    assert leave(found) == step


@pytest.mark.parametrize(
    "found",
    [None, pair(), pair(was(SECOND), was(SECOND)), pair(Side(), asked(), ended_by=ALICE)],
    ids=["no row", "both 0", "both 0 with times", "ended"],
)
def test_removing_without_a_relationship_is_an_error(found: Pair | None) -> None:
    with pytest.raises(Refused, match="no relationship"):
        leave(found)


def test_unfriending_keeps_flag_and_times_and_says_who_ended_it() -> None:
    friends = pair(asked(WEEK), asked(WEEK))
    parted = handshake.parted(friends, ALICE, now=NOW)
    assert parted == pair(
        was(WEEK, cooldown_until=stamp(moment(NOW) + WEEK)), asked(WEEK), ended_by=ALICE
    )
    assert handshake.bond(parted, ALICE) == handshake.bond(parted, BOB) == "none"


def test_after_an_unfriending_the_other_may_ask_at_once_and_nobody_is_refriended() -> None:
    parted = handshake.parted(pair(asked(), asked()), ALICE, now=NOW)
    assert handshake.request(parted, BOB, them="x", now=NOW) == Requested()
    again = handshake.asked(parted, BOB, now=NOW)
    assert handshake.bond(again, BOB) == "outgoing"
    assert again.ended_by is None


@pytest.mark.parametrize(
    ("later", "may"), [(SECOND, False), (WEEK - SECOND, False), (WEEK, True)], ids=str
)
def test_whoever_ended_it_may_ask_after_the_usual_week(later: timedelta, *, may: bool) -> None:
    parted = handshake.parted(pair(asked(timedelta(days=90)), asked()), ALICE, now=NOW)
    then = stamp(moment(NOW) + later)
    if may:
        assert handshake.request(parted, ALICE, them="x", now=then) == Requested()
        asked_again = handshake.asked(parted, ALICE, now=then)
        assert handshake.bond(asked_again, ALICE) == "outgoing"
    else:
        with pytest.raises(TryLater):
            handshake.request(parted, ALICE, them="x", now=then)


def test_a_block_stops_requests_of_either_and_says_who_can_change_it() -> None:
    blocked = handshake.blocking(pair(), ALICE, blocks=True)
    with pytest.raises(Refused, match="friend_unblock"):
        ask(blocked)
    with pytest.raises(NotAllowed, match="takes no requests from you"):
        ask(blocked, BOB)
    assert ask(handshake.blocking(blocked, ALICE, blocks=False), BOB) == Requested()


def test_blocking_twice_and_unblocking_nobody_are_refused() -> None:
    blocked = handshake.blocking(pair(), ALICE, blocks=True)
    with pytest.raises(Refused, match="already"):
        handshake.require_blockable(blocked, ALICE, them="x")
    for found in (None, pair(), replace(blocked, a=Side())):
        with pytest.raises(Refused, match="not blocked"):
            handshake.require_blocked(found, ALICE, them="x")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, "none"),
        (pair(), "none"),
        (pair(asked()), "outgoing"),
        (pair(None, asked()), "incoming"),
        (pair(asked(), asked()), "friends"),
        (pair(asked(), asked(), ended_by=BOB), "none"),
    ],
)
def test_only_friends_may_write(found: Pair | None, expected: Bond) -> None:
    assert handshake.bond(found, ALICE) == expected
    if expected == "friends":
        handshake.require_friends(found, ALICE, them="x")
    else:
        with pytest.raises(NotAllowed, match="not friends with x"):
            handshake.require_friends(found, ALICE, them="x")
