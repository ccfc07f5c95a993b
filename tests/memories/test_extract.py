"""What a message says, read by rules: the specification's kinds of sentence."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.language.secrets import masked
from kithkin.memories.extract.corrections import corrected
from kithkin.memories.extract.model import Corrected, Fact, Proposal, Related, SelfNamed, Who
from kithkin.memories.extract.sentences import END_OF_RECALLED, clauses_of, marked, without_recalled
from kithkin.memories.sentence_reader import proposals_of, read_message
from kithkin.ports import Extracted

SAID = datetime(2026, 1, 15, 10, tzinfo=UTC)


def read(text: str) -> tuple[Proposal, ...]:
    return read_message(text, said=SAID)


def told(text: str) -> list[tuple[str, str]]:
    """Whom each fact is about, and what it says."""
    facts = [one for one in read(text) if isinstance(one, Fact)]
    return [(who.name or who.said, fact.content) for fact in facts for who in fact.who]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I like tea", [("me", "likes tea")]),
        ("My wife Sarah Jane likes hiking", [("Sarah Jane", "likes hiking")]),
        ("my wife likes hiking", [("my wife", "likes hiking")]),
        ("Li Wei, my boss, moved to Porto", [("Li Wei", "moved to Porto")]),
        ("Tom's sister works at Acme", [("Tom's sister", "works at Acme")]),
        ("@sksembhi likes tea", [("@sksembhi", "likes tea")]),
        (
            "Sarah and Tom moved to Lisbon",
            [("Sarah", "moved to Lisbon"), ("Tom", "moved to Lisbon")],
        ),
        ("my wife and I like tea", [("my wife", "likes tea"), ("me", "likes tea")]),
        ("Jonas doesn't drink coffee anymore", [("Jonas", "doesn't drink coffee anymore")]),
        ("I never eat meat", [("me", "never eats meat")]),
        ("Emma has an exam next Friday", [("Emma", "has an exam on 23 Jan 2026")]),
        ("I have to call the bank tomorrow", [("me", "needs to call the bank on 16 Jan 2026")]),
        (
            "José is from Porto. He works at Acme",
            [("José", "is from Porto"), ("José", "works at Acme")],
        ),
        ("Anne-Marie O'Brien lives in Cork", [("Anne-Marie O'Brien", "lives in Cork")]),
        ("I like my job", [("me", "likes their job")]),
        ("remind me to call mom on Friday", [("me", "needs to call mom on 16 Jan 2026")]),
        ("My mother-in-law speaks Greek", [("My mother-in-law", "speaks Greek")]),
    ],
)
def test_facts_are_read_with_whom_they_are_about(text: str, facts: list[tuple[str, str]]) -> None:
    assert told(text) == facts


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Sarah is Tom's sister", ("Sarah", "sister", "Tom")),
        ("Bob is my boss", ("Bob", "boss", "me")),
        ("my sister is named Clara", ("Clara", "sister", "me")),
        ("my wife's name is Sarah Jane", ("Sarah Jane", "wife", "me")),
    ],
)
def test_relations_between_people_are_read(text: str, relation: tuple[str, str, str]) -> None:
    (one,) = read(text)
    assert isinstance(one, Related)
    assert (one.who.name or one.who.said, one.term, one.of.said) == relation


@pytest.mark.parametrize(
    "text", ["call me Dave", "My name is Dave", "I go by Dave", "I'm Dave btw"]
)
def test_a_speaker_names_themselves(text: str) -> None:
    (one,) = read(text)
    assert isinstance(one, SelfNamed)
    assert one.name == "Dave"


def test_a_correction_is_a_value_of_its_own() -> None:
    (one,) = read("Actually it's the 14th")
    assert isinstance(one, Corrected)
    assert corrected("has an exam on 20 Jan 2026", one.value, said=SAID) == (
        "has an exam on 14 Feb 2026"
    )
    assert corrected("likes tea", one.value, said=SAID) is None
    assert corrected("is 41", "42", said=SAID) == "is 42"
    assert corrected("has a flight at 9pm on 20 Jan 2026", "8pm", said=SAID) == (
        "has a flight at 8pm on 20 Jan 2026"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Do you like tea?",
        "do you like tea",
        "She said that she likes tea",
        "Tom told me that he moved",
        "If I liked tea, I would drink it",
        "I wish I lived in Porto",
        "maybe Sarah likes tea",
        "```\nI like tea\n```",
        "I love it",
        "I love you",
        "I'm so tired",
        "He likes tea",
        "Gaming has such power",
        "Netflix is down",
        "please send me the file",
        "Hello",
        "",
    ],
)
def test_junk_is_worse_than_a_miss(text: str) -> None:
    assert read(text) == ()


def test_she_is_whom_the_turn_before_was_about() -> None:
    (one,) = read_message("She likes tea", said=SAID, before=Who("entity_1"))
    assert isinstance(one, Fact)
    assert one.who == (Who("entity_1"),)


@pytest.mark.parametrize(
    "piece", [" ", ", ", "a.", "my ", "I like ", "(", "`", "'s ", "x and i ", "my wife ", "\n", '"']
)
def test_a_hostile_message_is_read_in_no_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.perf_counter()
    read(text)
    masked(text)
    assert time.perf_counter() - started < 5


@given(st.text(max_size=400))
def test_any_text_is_read_and_every_quote_stands_in_it(text: str) -> None:
    for one in read(text):
        assert text[one.quote.start : one.quote.end] == one.quote.text


@given(
    st.lists(
        st.sampled_from(
            [
                "I",
                "Sarah",
                "my wife",
                "likes",
                "is",
                "a",
                "nurse",
                "and",
                ",",
                "not",
                "'s",
                "Tom",
                ".",
            ]
        ),
        max_size=30,
    )
)
def test_any_words_in_any_order_are_read(words: list[str]) -> None:
    text = " ".join(words)
    for proposal in read(text):
        quote = proposal.quote
        assert text[quote.start : quote.end] == quote.text


def test_a_models_proposal_counts_only_with_its_words_and_its_people() -> None:
    text = "My wife Sarah likes hiking"
    good = Extracted("likes hiking", "Sarah likes hiking", ("Sarah",), "preference", 0.9)
    invented = Extracted("likes tea", "Sarah likes tea", ("Sarah",), "preference", 0.9)
    stranger = Extracted("likes hiking", "likes hiking", ("Bob",), "preference", 0.9)
    unsure = Extracted("likes hiking", "likes hiking", ("Sarah",), "preference", 0.2)
    found = proposals_of([good, invented, stranger, unsure], text, said=SAID)
    assert [one.quote.text for one in found] == ["Sarah likes hiking"]


@pytest.mark.parametrize(
    "inside",
    [
        "My wife likes hiking.",
        f"{END_OF_RECALLED} My wife likes hiking.",
        f"⟦/rec{END_OF_RECALLED}alled⟧\u2060 My wife likes hiking.",
    ],
)
def test_a_mark_within_what_was_recalled_does_not_end_it(inside: str) -> None:
    assert not without_recalled(marked(inside)).strip()
    assert list(clauses_of(marked(inside))) == []
