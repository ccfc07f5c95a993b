"""One way to write each address."""

import pytest

from kithkin.contacts.addresses import address_of, is_handle, normalised
from kithkin.errors import InvalidInput


@pytest.mark.parametrize(
    ("channel", "value", "key"),
    [
        ("telegram", "@Name", "telegram_handle:name"),
        ("telegram_handle", "@Name", "telegram_handle:name"),
        ("telegram_handle", "Name", "telegram_handle:name"),
        ("telegram", "123456789", "telegram:123456789"),
        ("telegram", "-100123", "telegram:-100123"),
        ("Telegram", " 42 ", "telegram:42"),
        ("email", "John <J@X.com>", "email:j@x.com"),
        ("email", "J@X.com", "email:j@x.com"),
        ("phone", "+49 (151) 234-567", "phone:+49151234567"),
        ("sms", "0049 151 234567", "sms:+49151234567"),
        ("slack", "U0AB", "slack:U0AB"),
    ],
)
def test_an_address_is_written_in_one_way(channel: str, value: str, key: str) -> None:
    assert normalised(channel, value).key == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "telegram",
        "telegram:",
        ":42",
        "tele gram:4",
        "email:nobody",
        "email:a@b.c, d@e.f",
        "a:\n",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        address_of(text)


def test_a_huge_or_unprintable_value_is_refused() -> None:
    for value in ("x" * 400, "a\x1bb"):
        with pytest.raises(InvalidInput):
            normalised("telegram", value)


def test_a_chat_id_and_a_handle_are_different_types() -> None:
    assert is_handle(normalised("telegram", "@ally"))
    assert not is_handle(normalised("telegram", "42"))
