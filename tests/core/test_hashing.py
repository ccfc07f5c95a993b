import hashlib

import pytest

from kithkin.canonical import canonical, require_text
from kithkin.core.hashing import compute_entity_hash, state_hash
from kithkin.errors import InvalidInput


@pytest.mark.parametrize(
    ("fields", "previous", "text"),
    [
        (
            {"amount": 10.5, "description": "Coffee"},
            None,
            '{"amount":10.5,"description":"Coffee"}|',
        ),
        (
            {"b": [1, {"z": None, "a": True}], "a": "é"},
            "ab12",
            '{"a":"\\u00e9","b":[1,{"a":true,"z":null}]}|ab12',
        ),
        ({}, "", "{}|"),
    ],
)
def test_the_hash_is_of_the_text_the_specification_says(
    fields: dict[str, object], previous: str | None, text: str
) -> None:
    assert compute_entity_hash(fields, previous) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("uuid", "kind", "fields", "previous", "expected"),
    [
        (
            "entity_1",
            "place",
            {"name": "Home"},
            None,
            "6dbd8ddd534fb72f496641299cdf3cfd6d21fff7ab2b982fc62fef407441eece",
        ),
        (
            "entity_1",
            "place",
            {"name": "Zürich", "tags": ["a", "b"]},
            "6dbd8ddd534fb72f496641299cdf3cfd6d21fff7ab2b982fc62fef407441eece",
            "d7958b7fa488423032ac0bcdf9685773cf3fa5cb76c636a6a6d3bf186075e6a9",
        ),
    ],
)
def test_committed_vectors_hold(
    uuid: str, kind: str, fields: dict[str, object], previous: str | None, expected: str
) -> None:
    assert state_hash(uuid, kind, fields, previous) == expected


def test_two_entities_of_equal_content_have_different_hashes() -> None:
    assert state_hash("entity_1", "t", {"a": 1}, None) != state_hash(
        "entity_2", "t", {"a": 1}, None
    )


def test_the_order_of_fields_does_not_matter() -> None:
    assert compute_entity_hash({"a": 1, "b": 2}, None) == compute_entity_hash(
        {"b": 2, "a": 1}, None
    )


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1, 2}, object(), {"a": {2: 1, "b": 1}}]
)
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        canonical({"value": value})


def test_text_no_database_can_hold_is_refused() -> None:
    for bad in ("half \ud83d", "nul \x00"):
        with pytest.raises(InvalidInput):
            require_text(bad, what="The text")
