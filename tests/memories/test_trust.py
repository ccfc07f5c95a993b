"""Trust and supersession, as tables: who said it, about whom, over what."""

from datetime import UTC, datetime, timedelta

import pytest

from kithkin.disclosure.rule import has_expired
from kithkin.ids import ChatId, PersonId
from kithkin.memories.lifetimes import expires_at
from kithkin.memories.model import (
    About,
    AboutPersons,
    AboutSpeaker,
    AboutUnresolved,
    AboutWorld,
    Kind,
    Scope,
    Trust,
)
from kithkin.memories.supersession import (
    Claimed,
    about_the_same,
    confirms_hearsay,
    may_supersede,
    slot_of,
)
from kithkin.memories.trust import trust_of

EVAN, ANN, TOM = PersonId("evan"), PersonId("ann"), PersonId("tom")
NOW = datetime(2026, 1, 15, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("about", "said_by", "trust"),
    [
        (AboutSpeaker(), (EVAN,), "fact"),
        (AboutSpeaker(), (), "unknown"),
        (AboutPersons((EVAN,)), (EVAN,), "fact"),
        (AboutPersons((ANN, EVAN)), (EVAN,), "fact"),
        (AboutPersons((EVAN,)), (ANN,), "hearsay"),
        (AboutPersons((EVAN,)), (), "unknown"),
        (AboutUnresolved("Sarah"), (ANN,), "hearsay"),
        (AboutUnresolved("Sarah"), (), "unknown"),
        (AboutWorld(), (ANN,), "fact"),
        (AboutWorld(), (), "unknown"),
        (AboutPersons((PersonId("evan-2"),)), (EVAN, PersonId("evan-2")), "fact"),
    ],
)
def test_a_fact_is_what_somebody_says_of_themselves_and_hearsay_what_they_say_of_others(
    about: About, said_by: tuple[PersonId, ...], trust: Trust
) -> None:
    assert trust_of(about, said_by=said_by) == trust


def said(
    content: str, by: PersonId | None, about: PersonId, scope: Scope = "account", chat: str = "one"
) -> Claimed:
    return Claimed(
        content,
        frozenset([by] if by else []),
        frozenset([about]),
        scope,
        ChatId(chat),
    )


@pytest.mark.parametrize(
    ("old", "new", "replaced"),
    [
        # speaker x subject x existing x new
        (said("is 6'2\"", EVAN, EVAN), said("is 5'2\"", ANN, EVAN), False),
        (said("is 6'2\"", EVAN, EVAN), said("is 6'3\"", EVAN, EVAN), True),
        (said("is 5'2\"", ANN, EVAN), said("is 6'2\"", EVAN, EVAN), True),
        (said("is 5'2\"", ANN, EVAN, "chat"), said("is 6'2\"", EVAN, EVAN), True),
        (said("is 5'2\"", ANN, EVAN, "chat"), said("is 6'2\"", EVAN, EVAN, "chat", "two"), True),
        (said("is 5'2\"", ANN, EVAN), said("is 5'4\"", ANN, EVAN), True),
        (said("is 5'2\"", ANN, EVAN), said("is 5'4\"", TOM, EVAN), False),
        (said("is 5'2\"", ANN, EVAN, "chat"), said("is 5'4\"", TOM, EVAN, "chat"), True),
        (said("is 5'2\"", ANN, EVAN, "chat"), said("is 5'4\"", TOM, EVAN, "chat", "two"), False),
        (said("is 5'2\"", ANN, EVAN, "chat"), said("is 5'4\"", ANN, EVAN), False),
        (said("is 6'2\"", EVAN, EVAN, "chat"), said("is 5'4\"", TOM, EVAN, "chat"), False),
        (said("is 6'2\"", EVAN, EVAN), said("is 6'3\"", TOM, TOM), False),
        (said("is 6'2\"", EVAN, EVAN), said("is 6'3\"", None, EVAN), False),
        (said("is 5'2\"", None, EVAN), said("is 6'3\"", EVAN, EVAN), True),
        (said("likes tea", EVAN, EVAN), said("is 6'3\"", EVAN, EVAN), False),
    ],
)
def test_a_third_party_never_replaces_what_a_subject_said_of_themselves(
    old: Claimed, new: Claimed, *, replaced: bool
) -> None:
    assert may_supersede(new, old) is replaced


def test_only_a_subjects_own_word_confirms_hearsay() -> None:
    hearsay = said("is 5'2\"", ANN, EVAN)
    assert confirms_hearsay(said("is 6'2\"", EVAN, EVAN), hearsay)
    assert not confirms_hearsay(said("is 5'4\"", ANN, EVAN), hearsay)
    assert not confirms_hearsay(said("is 6'3\"", EVAN, EVAN), said("is 6'2\"", EVAN, EVAN))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("works at Acme", "works at Globex", True),
        ("works at Acme", "works for Globex now", True),
        ("works as a nurse", "works in the garden", False),
        ("lives in Lisbon", "moved to Porto", True),
        ("is 41", "turned 42", True),
        ("is 6'2\"", "is 41", False),
        ("is from Lisbon", "lives in Porto", False),
        ("likes tea", "likes coffee", False),
        ("likes tea", "also likes coffee", False),
        ("likes tea", "doesn't like tea", True),
        ("likes tea", "no longer likes tea", True),
        ("likes tea", "likes tea a lot", False),
        ("likes green tea", "likes green tea", True),
        ("favourite colour is blue", "favourite colour is green", True),
        ("favourite colour is blue", "favourite food is pizza", False),
        ("has a dentist appointment on 14 Jan", "has a dentist appointment on 15 Jan", True),
        ("has a dentist appointment on 14 Jan", "has a job interview on 15 Jan", False),
        ("has two cats", "has a sister", False),
        ("is allergic to peanuts", "is allergic to cats", False),
        ("is allergic to peanuts", "isn't allergic to peanuts", True),
        ("is married to Ann", "is divorced", True),
        ("drives a Volvo", "drives a Skoda", True),
        ("", "", False),
    ],
)
def test_changing_a_slot_is_about_the_same_thing_and_an_addition_is_not(
    old: str, new: str, *, same: bool
) -> None:
    assert about_the_same(old, new) is same


def test_a_slot_is_what_somebody_has_one_of() -> None:
    assert slot_of("works at Acme") == "work"
    assert slot_of("likes hiking") is None


@pytest.mark.parametrize(
    ("kind", "days"),
    [
        ("preference", None),
        ("identity", None),
        ("relationship", None),
        ("knowledge", None),
        ("context", 7),
        ("event", 30),
        ("task", 14),
        ("observation", 3),
    ],
)
def test_each_kind_lives_as_long_as_the_design_says(kind: Kind, days: int | None) -> None:
    expires = expires_at(kind, observed_at=NOW, until=None)
    assert expires == (NOW + timedelta(days=days) if days else None)
    assert has_expired(expires, now=NOW + timedelta(days=days or 10_000)) is (days is not None)
    assert not has_expired(expires, now=NOW)


def test_a_plan_for_a_later_day_lives_from_that_day_on() -> None:
    wedding = NOW + timedelta(days=200)
    assert expires_at("event", observed_at=NOW, until=wedding) == wedding + timedelta(days=30)
