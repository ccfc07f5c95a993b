"""New people: the name and the relationship that a sentence gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.ids import PersonId
from kithkin.people.introductions import Introduction, introduce, introductions, new_person
from kithkin.people.model import AliasEntry, RelationshipClaim

from .builders import NOW, key


@pytest.mark.parametrize(
    ("said", "hint", "name"),
    [
        ("my wife", "My wife Sarah loves hiking", "Sarah"),
        ("my wife", "My wife Sarah Jane loves hiking", "Sarah Jane"),
        ("my wife", "MY WIFE SARAH", "Sarah"),
        ("my boss", "my boss is named Jos\u00e9", "Jos\u00e9"),
        ("my friend", "my friend's name is Anne-Marie O'Brien", "Anne-Marie O'Brien"),
        (
            "my friend",
            "My friend\u2019s name is Anne-Marie O\u2019Brien",
            "Anne-Marie O\u2019Brien",
        ),
        ("my colleague", "Li Wei, my colleague, is here", "Li Wei"),
        ("my brother", "my brother, Tom, called", "Tom"),
        ("my wife", "I had dinner with Sarah, my wife.", "Sarah"),
        ("my wife", "Sarah is my wife", "Sarah"),
        ("my wife", "my wife (Sarah) is here", "Sarah"),
        ("my friend", "my friend Pieter van der Berg said so", "Pieter van der Berg"),
        ("my aunt", "my aunt Mar\u00eda del Carmen came", "Mar\u00eda del Carmen"),
        ("my friend", "my friend \u674e\u4f1f came", "\u674e\u4f1f"),
        ("my wife", "my wife Sarah's car broke", "Sarah"),
        ("my wife", "my wife Sarah and Tom went", "Sarah"),
        ("my sister-in-law", "my sister-in-law Anna cooks", "Anna"),
        ("my doctor", "my doctor, Dr. Ann Lee, said no", "Dr. Ann Lee"),
        ("my daughter", "my daughter April is three", "April"),
        ("my friend", "my friend J. R. Cole writes", "J. R. Cole"),
    ],
)
def test_the_sentence_gives_the_name(said: str, hint: str, name: str) -> None:
    made = introduce(said, hint=hint)
    assert made is not None
    assert made.name == name
    assert made.alias == said


@pytest.mark.parametrize(
    "hint",
    [
        "",
        "my wife loves hiking",
        "Tom's dog bit my wife",
        "my wife and Tom went",
        "my wife, Tom and I went",
        "my wife, Tom, and I went",
        "my wife I think",
        "my wife In the end agreed",
        "My wife Loves hiking",
        "my wife Monday said so",
        "my wife March 3rd",
        "my wife May be late",
        "my wife London tomorrow",
        "my wife is German.",
        "my wife's sister Anna",
        "I met Tom, my wife was there",
        "In Paris, my wife, fell ill",
        "Yesterday, my wife, fell ill",
        "Yeah, my wife...",
        "my girlfriend Mia",
        "my ex-wife Mia",
        "Tom told my wife",
    ],
)
def test_without_a_name_the_term_stands_for_it(hint: str) -> None:
    assert introduce("my wife", hint=hint) == Introduction("Wife", "wife", "my wife")


def test_a_longer_term_is_not_named_by_a_shorter_one() -> None:
    made = introduce("my friend", hint="my girlfriend Mia is here")
    assert made == Introduction("Friend", "friend", "my friend")


@pytest.mark.parametrize("said", ["my cat", "your sister", "her mom", "me", "", "my dog"])
def test_what_is_nobody_or_not_the_speakers_is_not_made(said: str) -> None:
    assert introduce(said, hint=f"{said} Miso is here") is None


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("Sarah", Introduction("Sarah")),
        ("sarah jane", Introduction("Sarah Jane")),
        ("SARAH", Introduction("Sarah")),
        ("anne-marie o'brien", Introduction("Anne-Marie O'Brien")),
        ("@sksembhi", Introduction("sksembhi")),
        ("Dad", Introduction("Dad", "dad")),
        ("the boss", Introduction("Boss", "boss", "the boss")),
        ("my friend Zed", Introduction("Zed", "friend", "my friend Zed")),
        ("my mum", Introduction("Mom", "mom", "my mum")),
    ],
)
def test_the_reference_is_kept_as_alias_when_it_differs(said: str, made: Introduction) -> None:
    assert introduce(said) == made


def test_a_name_takes_its_relationship_from_the_sentence() -> None:
    assert introduce("Sarah", hint="My wife Sarah is here") == Introduction("Sarah", "wife")


def test_toms_sister_is_toms_claim_to_make() -> None:
    made = introduce("Tom's sister", hint="Tom's sister Anna came")
    assert made == Introduction("Anna", None, "Tom's sister")


def test_a_new_person_carries_who_introduced_them() -> None:
    made = new_person(
        Introduction("Sarah", "wife", "my wife"),
        person_id=PersonId("p1"),
        speaker=key("123456789"),
        now=NOW,
    )
    assert made.created_by == key("123456789")
    assert made.relationships == (RelationshipClaim("wife", key("123456789"), NOW),)
    assert made.aliases == (AliasEntry("my wife", key("123456789"), NOW),)


@given(st.text(), st.text())
def test_no_text_is_too_strange(said: str, hint: str) -> None:
    made = introduce(said, hint=hint)
    assert made is None or made.name.strip()
    assert all(name.strip() for _, name in introductions(hint))


@given(st.lists(st.sampled_from(["my wife", " ", ", ", "Sarah", "is", "'s", "(", "van", "I", "."])))
def test_a_name_found_stands_in_the_sentence(parts: list[str]) -> None:
    text = "".join(parts)
    assert all(name in text for _, name in introductions(text))


@pytest.mark.parametrize(
    "text", ["my " + "great " * 5000, "my wife's " * 2000, "my wife " + "van " * 5000, "A. " * 9000]
)
def test_a_very_long_text_is_read_in_no_time(text: str) -> None:
    assert list(introductions(text)) == []
    introduce(text, hint=text)
