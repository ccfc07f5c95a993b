"""Nametags."""

import re

import pytest

from kithkin.accounts.nametags import TRIES, checked_nametag, is_drawn, new_nametag, words
from kithkin.errors import InvalidInput, Refused


def test_a_nametag_is_adjective_noun_and_two_digits() -> None:
    for _ in range(200):
        tag = new_nametag(taken=lambda _: False)
        adjective, noun, number = tag.split("-")
        assert adjective in words("adjectives")
        assert noun in words("nouns")
        assert 10 <= int(number) <= 99
        assert is_drawn(tag)


@pytest.mark.parametrize("kind", ["adjectives", "nouns"])
def test_there_are_at_least_two_hundred_distinct_plain_words(kind: str) -> None:
    assert len(set(words(kind))) == len(words(kind)) >= 200
    assert all(re.fullmatch(r"[a-z]{2,11}", word) for word in words(kind))


def test_a_collision_is_tried_again() -> None:
    refused: list[str] = []

    def taken(tag: str) -> bool:
        refused.append(tag)
        return len(refused) < 3

    assert new_nametag(taken=taken) == refused[2]


def test_after_a_hundred_collisions_it_fails_cleanly() -> None:
    tried: list[str] = []

    def taken(tag: str) -> bool:
        tried.append(tag)
        return True

    with pytest.raises(Refused, match="try again"):
        new_nametag(taken=taken)
    assert len(tried) == TRIES


@pytest.mark.parametrize("text", ["Brave-Otter-42", "@brave-otter-42", " brave-otter-42 "])
def test_a_nametag_is_the_same_in_any_case(text: str) -> None:
    assert checked_nametag(text) == "brave-otter-42"


@pytest.mark.parametrize("text", ["", "-", "a b", "<x>", "x" * 60, "ünï-x-10"])
def test_what_is_no_nametag_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        checked_nametag(text)
