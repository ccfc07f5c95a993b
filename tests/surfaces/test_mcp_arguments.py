"""What models send is understood, and what cannot be is named."""

from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from kithkin.errors import InvalidInput
from kithkin.mcp.arguments import ALIASES, arguments_of, read
from kithkin.mcp.default_tools import DEFAULT
from kithkin.mcp.tool import Tool


def look(
    caller: object,
    *,
    query: str,
    person: str | None = None,
    limit: Annotated[int, Meta(ge=1, le=100)] = 10,
    exact: bool = False,
    tags: list[str] = [],  # noqa: B006 - never changed
) -> None:
    """A tool to try."""


LOOK = arguments_of(look, leave_out=("caller",))
USUAL: dict[str, object] = {"person": None, "limit": 10, "exact": False, "tags": []}


@pytest.mark.parametrize("name", ["query", "question", "q", "text", "topic", "search"])
def test_an_argument_is_understood_under_the_names_models_use(name: str) -> None:
    assert read({name: "hiking"}, LOOK) == {**USUAL, "query": "hiking"}


def test_the_tools_own_name_goes_before_any_other() -> None:
    with pytest.raises(InvalidInput, match="no argument 'question'"):
        read({"query": "hiking", "question": "cycling"}, LOOK)


def test_a_name_that_is_an_argument_itself_stands_for_nothing_else() -> None:
    assert "query" in ALIASES["text"]

    def both(caller: object, *, text: str, query: str) -> None:
        """A tool that takes both."""

    with pytest.raises(InvalidInput, match="'text' is missing"):
        read({"query": "hiking"}, arguments_of(both, leave_out=("caller",)))


@pytest.mark.parametrize(
    ("sent", "limit"), [({"limit": "5"}, 5), ({"k": 5}, 5), ({"top_k": "7"}, 7), ({}, 10)]
)
def test_a_number_may_come_as_text(sent: dict[str, object], limit: int) -> None:
    assert read({"query": "x", **sent}, LOOK)["limit"] == limit


@pytest.mark.parametrize("nothing", [None, ""])
def test_what_is_there_only_in_name_counts_as_left_out(nothing: str | None) -> None:
    sent = {"query": "x", "person": nothing, "limit": None}
    assert read(sent, LOOK) == {**USUAL, "query": "x"}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({}, "The argument 'query' is missing."),
        ({"query": None}, "The argument 'query' is missing."),
        ({"query": 5}, "query: expected `str`, got `int`."),
        ({"query": ["a"]}, "query: expected `str`, got `array`."),
        ({"query": "x", "limit": 0}, "limit: expected `int` >= 1."),
        ({"query": "x", "limit": "many"}, "limit: expected `int`, got `str`."),
        ({"query": "x", "tags": ["a", 1]}, "tags[1]: expected `str`, got `int`."),
        ({"query": "x", "shape": "round"}, "There is no argument 'shape'."),
    ],
)
def test_a_wrong_argument_is_named_and_the_right_ones_are_told(
    sent: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(sent, LOOK)
    assert str(refused.value) == (
        f"{message} look takes: query, [person], [limit], [exact], [tags]."
    )


@pytest.mark.parametrize("text", ["x\x00", "\ud800"])
def test_text_that_no_database_can_hold_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="query holds"):
        read({"query": text}, LOOK)
    with pytest.raises(InvalidInput, match="tags holds"):
        read({"query": "x", "tags": ["y", text]}, LOOK)


Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(DEFAULT), st.dictionaries(st.sampled_from(sorted(ALIASES)), Json))
def test_anything_at_all_is_read_or_refused(tool: Tool, sent: dict[str, object]) -> None:
    takes = tool.takes
    try:
        found = read(sent, takes)
    except InvalidInput:
        return
    assert set(found) == set(takes.__struct_fields__)
