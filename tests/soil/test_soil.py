from datetime import timedelta
from typing import Any

import msgspec
import pytest

from kithkin.clock import moment, stamp
from kithkin.errors import Erased, InvalidInput, UndoRefused
from kithkin.ids import ItemId
from kithkin.soil.content import (
    KNOWN,
    MAX_PAYLOAD,
    RESERVED_ITEM_ATTRIBUTES,
    content_of,
    parts_of,
    read_content,
    wire_of,
)
from kithkin.soil.ledger import Broken, check, item_hash, payload_hash
from kithkin.soil.model import EntityDelta, Extension, Fragment, Head, Item, Message, Note, ToolCall
from kithkin.soil.undo import require_undoable

NOW = "2026-01-15T10:00:00.000000+00:00"


def item(content: Any = None, **changed: Any) -> Item:
    parts = parts_of(content or Note(description="hello"))
    salt = "0" * 32
    made = Item(
        seq=1,
        uuid=ItemId("item_1"),
        type=parts.type,
        realized_at=NOW,
        canonical_at=NOW,
        header=parts.header,
        data=parts.data,
        salt=salt,
        payload_hash=payload_hash(salt, parts.data),
        hash="",
    )
    linked = msgspec.structs.replace(made, hash=item_hash(made, ""))
    return msgspec.structs.replace(linked, **changed)


START = Head(seq=0, hash="")


def test_an_unaltered_item_holds() -> None:
    assert check(item(), START) is None


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("uuid", "item_2"),
        ("type", "Message"),
        ("realized_at", "2026-01-15T10:00:00.000001+00:00"),
        ("canonical_at", "2026-01-15T10:00:00.000001+00:00"),
        ("header", '{"x":1}'),
        ("data", '{"description":"hellp"}'),
        ("salt", "1" * 32),
        ("payload_hash", "0" * 64),
        ("hash", "0" * 64),
    ],
)
def test_a_change_of_any_part_breaks_the_link(part: str, value: str) -> None:
    assert isinstance(check(item(**{part: value}), START), Broken)


def test_a_missing_item_is_named() -> None:
    broken = check(item(seq=3), START)
    assert broken is not None
    assert broken.where == "item 1"


def test_an_erased_item_still_holds() -> None:
    assert check(item(data=None, salt=None, erased_at=NOW), START) is None


def test_the_content_of_an_erased_item_is_gone() -> None:
    with pytest.raises(Erased):
        content_of(item(data=None, salt=None, erased_at=NOW))


@pytest.mark.parametrize(
    "content",
    [
        Note(description="x", title="t"),
        Message(description="x", sender="telegram:1", fragments=(Fragment("^a7f", "x"),)),
        ToolCall(tool="t", operation="o", params={"a": [1]}, caller="agent"),
        EntityDelta("entity_1", "t", "c", 2, {"fields": {"a": [1, 2]}}, "owner", "p", "why"),
        Extension("BudgetEntry", '{ "amount" : 1.50 }'),
    ],
)
def test_content_comes_back_as_it_was(content: Any) -> None:
    assert content_of(item(content)) == content


def test_an_extension_is_kept_byte_for_byte() -> None:
    text = '{ "amount":1.50,\n"b":"\\u00e9" }'
    assert parts_of(Extension("BudgetEntry", text)).data == text


@pytest.mark.parametrize("name", [*RESERVED_ITEM_ATTRIBUTES, "uuid", "_type", "realized_at"])
def test_reserved_attributes_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        parts_of(Extension("BudgetEntry", f'{{"{name}": 1}}'))


@pytest.mark.parametrize("name", ["budget", "Budget Entry", "", "Note", "B" * 80, "Bud-get"])
def test_an_extension_needs_a_camel_case_name_of_its_own(name: str) -> None:
    with pytest.raises(InvalidInput):
        parts_of(Extension(name, "{}"))


@pytest.mark.parametrize("text", ["", "[]", "3", "{", '{"a": NaN}'])
def test_an_item_must_be_a_json_object(text: str) -> None:
    with pytest.raises(InvalidInput):
        parts_of(Extension("BudgetEntry", text))


def test_a_known_type_is_validated() -> None:
    with pytest.raises(InvalidInput, match="status"):
        read_content(
            "ToolCall",
            '{"tool":"t","operation":"o","params":{},"caller":"user","result":{"status":"maybe",'
            '"output":1,"timestamp":"2026-01-01T00:00:00Z"}}',
        )


def test_a_payload_beyond_the_limit_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Split it"):
        parts_of(Note(description="x" * (MAX_PAYLOAD + 1)))


def test_every_known_type_is_named_in_camel_case() -> None:
    assert all(name[0].isupper() and name.isalnum() for name in KNOWN)


def test_on_the_wire_an_item_carries_its_type_with_an_underscore() -> None:
    assert wire_of(item())["_type"] == "Note"
    assert wire_of(item())["description"] == "hello"


def seconds_later(age: int) -> str:
    return stamp(moment(NOW) + timedelta(seconds=age))


def test_undo_works_for_five_minutes() -> None:
    for age in (0, 299, 300):
        require_undoable(item(), now=seconds_later(age), undone=False)
    with pytest.raises(UndoRefused, match="301 seconds ago"):
        require_undoable(item(), now=seconds_later(301), undone=False)


def test_an_item_is_undone_once() -> None:
    with pytest.raises(UndoRefused, match="already"):
        require_undoable(item(), now=NOW, undone=True)


def test_a_change_of_an_entity_is_reverted_not_undone() -> None:
    delta = item(EntityDelta("entity_1", "t", "c", 1, {"fields": {}}, "owner"))
    with pytest.raises(UndoRefused, match="Revert"):
        require_undoable(delta, now=NOW, undone=False)
