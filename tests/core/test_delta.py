import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.core.delta import apply, changes_between, diff, fold, present, require_free_names
from kithkin.core.model import FieldDiff
from kithkin.errors import InvalidInput

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
states = st.dictionaries(st.text(min_size=1, max_size=3), values, max_size=4).map(present)


def test_a_changed_field_records_its_old_and_new_value() -> None:
    assert changes_between({"amount": 10.0}, {"amount": 15.0}) == {"amount": [10.0, 15.0]}


def test_a_list_records_only_what_was_added_and_removed() -> None:
    old = {"aliases": ["a", "b", "c"]}
    new = {"aliases": ["a", "x", "c"]}
    assert changes_between(old, new) == {"aliases": {"at": 1, "removed": ["b"], "added": ["x"]}}


def test_adding_to_a_long_list_costs_what_was_added() -> None:
    long = [f"alias {n}" for n in range(10_000)]
    changes = changes_between({"aliases": long}, {"aliases": [*long, "one more"]})
    assert len(json.dumps(changes)) < 100


def test_a_field_that_is_null_is_absent() -> None:
    assert present({"a": None, "b": 0}) == {"b": 0}
    assert apply({"a": 1}, {"a": [1, None]}) == {}


@pytest.mark.parametrize(("old", "new"), [(1, True), (0, False), (1, 1.0), ([1], [True])])
def test_values_that_python_calls_equal_but_json_writes_differently_are_a_change(
    old: Any, new: Any
) -> None:
    assert changes_between({"n": old}, {"n": new})


def test_equal_states_have_no_changes() -> None:
    assert changes_between({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}) == {}


@given(old=states, new=states)
def test_applying_the_changes_between_two_states_gives_the_second(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    changes = json.loads(json.dumps(changes_between(old, new)))
    assert json.dumps(apply(old, changes), sort_keys=True) == json.dumps(new, sort_keys=True)


@given(history=st.lists(states, min_size=1, max_size=6))
def test_folding_every_step_gives_the_last_state(history: list[dict[str, Any]]) -> None:
    steps = [
        changes_between(before, after)
        for before, after in zip([{}, *history], history, strict=False)
    ]
    assert json.dumps(fold(steps), sort_keys=True) == json.dumps(history[-1], sort_keys=True)


def test_a_diff_shows_both_values_whole() -> None:
    assert diff({"t": ["a"]}, {"t": ["a", "b"]}) == [FieldDiff("t", ["a"], ["a", "b"])]


def test_data_may_not_use_the_names_of_the_envelope() -> None:
    with pytest.raises(InvalidInput, match="hash, version"):
        require_free_names({"version": 2, "hash": "x", "name": "ok"})
