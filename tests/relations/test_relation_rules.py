from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.errors import InvalidInput
from kithkin.relations.model import KINDS, End, kind_named, require_sound
from kithkin.relations.strength import (
    HALF_LIFE,
    NOMINATE_BELOW,
    NOTICE,
    RECALL_ABOVE,
    STRONGEST,
    accessed,
    born,
    may_fossilise,
    reconsidered,
    strength_at,
)

NOW = datetime(2026, 1, 15, tzinfo=UTC)
A, B = End("item_a", "item"), End("item_b", "item")


@pytest.mark.parametrize(
    ("kind", "side"),
    [
        ("triggers", "target"),
        ("supercedes", "target"),
        ("replies_to", "source"),
        ("continues", "source"),
        ("mentions", None),
        ("derived_from", None),
        ("contains", None),
        ("groups_with", None),
    ],
)
def test_each_kind_is_unique_on_its_own_side(kind: str, side: str | None) -> None:
    assert KINDS[kind].unique_on == side


def test_structural_kinds_are_born_in_soil_and_the_others_in_core() -> None:
    assert {name for name, kind in KINDS.items() if kind.born_in == "core"} == {
        "mentions",
        "derived_from",
        "groups_with",
    }


def test_both_spellings_of_supersede_name_one_kind() -> None:
    assert kind_named("supersedes") is kind_named("supercedes")


def test_an_unknown_kind_is_answered_with_those_there_are() -> None:
    with pytest.raises(InvalidInput, match="triggers, supercedes"):
        kind_named("causes")


@pytest.mark.parametrize(
    ("kind", "source", "target", "confidence"),
    [
        ("mentions", A, A, None),
        ("mentions", A, B, 1.5),
        ("mentions", A, B, float("nan")),
        ("triggers", A, B, 0.5),
        ("triggers", A, End("item_a#^a7f", "fragment"), None),
    ],
)
def test_an_edge_that_means_nothing_is_refused(
    kind: str, source: End, target: End, confidence: float | None
) -> None:
    with pytest.raises(InvalidInput):
        require_sound(KINDS[kind], source, target, confidence)


def test_strength_halves_with_every_half_life() -> None:
    assert strength_at(born(NOW), NOW + HALF_LIFE) == pytest.approx(0.5)
    assert strength_at(born(NOW), NOW + 3 * HALF_LIFE) == pytest.approx(0.125)


def test_access_strengthens_up_to_a_bound() -> None:
    once = accessed(born(NOW), times=1, now=NOW)
    assert strength_at(once, NOW) > strength_at(born(NOW), NOW)
    assert strength_at(accessed(once, times=1000, now=NOW), NOW) == STRONGEST


def test_a_clock_that_went_back_weakens_nothing() -> None:
    assert strength_at(born(NOW), NOW - timedelta(days=400)) == 1.0


def test_between_the_thresholds_nothing_flickers() -> None:
    weak = reconsidered(born(NOW), NOW + 4 * HALF_LIFE)
    assert weak.nominated_at is not None
    middling = accessed(weak, times=0, now=NOW + 4 * HALF_LIFE)
    between = (NOMINATE_BELOW + RECALL_ABOVE) / 2
    still = type(weak)(between, NOW + 4 * HALF_LIFE, weak.nominated_at)
    assert reconsidered(still, NOW + 4 * HALF_LIFE).nominated_at == weak.nominated_at
    fresh = type(weak)(between, NOW + 4 * HALF_LIFE)
    assert reconsidered(fresh, NOW + 4 * HALF_LIFE).nominated_at is None
    assert middling.nominated_at == weak.nominated_at


def test_enough_accesses_recall_a_nominated_relation() -> None:
    weak = reconsidered(born(NOW), NOW + 4 * HALF_LIFE)
    assert accessed(weak, times=1, now=NOW + 4 * HALF_LIFE).nominated_at is None


def test_it_fossilises_only_after_a_week_of_nomination() -> None:
    at = NOW + 4 * HALF_LIFE
    weak = reconsidered(born(NOW), at)
    assert not may_fossilise(weak, at + NOTICE - timedelta(seconds=1))
    assert may_fossilise(weak, at + NOTICE)


@given(days=st.lists(st.integers(0, 200), max_size=20), looked=st.lists(st.booleans(), max_size=20))
def test_strength_stays_within_its_bounds_whatever_happens(
    days: list[int], looked: list[bool]
) -> None:
    strength, now = born(NOW), NOW
    for wait, look in zip(days, looked, strict=False):
        now += timedelta(days=wait)
        strength = accessed(strength, times=1, now=now) if look else reconsidered(strength, now)
        assert 0.0 <= strength_at(strength, now) <= STRONGEST
