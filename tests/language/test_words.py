"""Words: normalisation, relationship terms, kinds of reference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.language.kinship import (
    RELATIONSHIP_TERMS,
    Term,
    answers_to,
    looked_up_by,
    meaning_of,
    term_of,
)
from kithkin.language.person_references import (
    BareTerm,
    Handle,
    My,
    Myself,
    Named,
    Possessive,
    Thing,
    Your,
    parse_reference,
)
from kithkin.language.words import fold, key_of, name_of, normalise


@pytest.mark.parametrize(
    ("said", "normalised"),
    [
        ("My wife", "wife"),
        ("Sarah", "sarah"),
        ("@sksembhi", "sksembhi"),
        ("The boss", "boss"),
        ("SARAH", "sarah"),
        ("  my   wife ", "wife"),
        ("Sarah\u2019s", "sarah"),
        ("Jos\u00e9", "jose"),
        ("\uff33\uff41\uff52\uff41\uff48", "sarah"),
    ],
)
def test_references_are_normalised_as_the_specification_lists(said: str, normalised: str) -> None:
    assert normalise(said) == normalised


@given(st.text())
def test_normalising_twice_changes_nothing_more(said: str) -> None:
    assert normalise(normalise(said)) == normalise(said)
    assert fold(fold(said)) == fold(said)


@given(st.text(alphabet=st.characters()))
def test_any_text_is_some_kind_of_reference(said: str) -> None:
    assert parse_reference(said) is not None
    assert isinstance(key_of(said), str)


@given(st.lists(st.sampled_from(["my wife", "'s", "s'", " ", "of", "boss", "@", "the", "Tom"])))
def test_any_heap_of_possessives_is_some_kind_of_reference(parts: list[str]) -> None:
    assert parse_reference("".join(parts)) is not None


@pytest.mark.parametrize("term", sorted(RELATIONSHIP_TERMS))
def test_every_term_of_the_specification_is_stored_as_it_stands_there(term: str) -> None:
    found = term_of(term)
    assert found is not None
    assert found.label == term


@pytest.mark.parametrize(
    ("term", "never"),
    [
        ("girlfriend", "friend"),
        ("boyfriend", "friend"),
        ("sister-in-law", "sister"),
        ("ex-wife", "wife"),
        ("ex wife", "wife"),
        ("grandmother", "mother"),
        ("stepdad", "father"),
        ("best friend", "friend"),
        ("half-brother", "brother"),
        ("godmother", "mother"),
        ("great-aunt", "aunt"),
    ],
)
def test_a_longer_term_is_a_term_of_its_own(term: str, never: str) -> None:
    assert term_of(term) is not None
    assert meaning_of(term) != never
    assert never not in looked_up_by(meaning_of(term))


@pytest.mark.parametrize(
    ("said", "also"),
    [
        ("mom", "mum"),
        ("mum", "mama"),
        ("mom", "mother"),
        ("dad", "father"),
        ("neighbor", "neighbour"),
        ("kid", "child"),
        ("coworker", "colleague"),
        ("fianc\u00e9", "fianc\u00e9e"),
        ("grandma", "grandmother"),
        ("step mom", "stepmother"),
        ("former boss", "ex-boss"),
        ("older sister", "sister"),
    ],
)
def test_synonyms_are_one_term(said: str, also: str) -> None:
    assert meaning_of(said) == meaning_of(also)


@pytest.mark.parametrize("said", ["cat", "car", "wifes", "friendly", "", "bossy", "in-law"])
def test_other_words_are_no_terms(said: str) -> None:
    assert term_of(said) is None


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [("spouse", "wife"), ("spouse", "husband"), ("parent", "mother"), ("sibling", "brother")],
)
def test_a_wide_term_covers_the_narrow_ones_in_both_directions(wide: str, narrow: str) -> None:
    assert narrow in looked_up_by(wide)
    assert wide in looked_up_by(narrow)


def test_my_friend_may_be_the_best_friend_but_not_the_other_way_round() -> None:
    assert "best friend" in looked_up_by("friend")
    assert "friend" not in looked_up_by("best friend")


@pytest.mark.parametrize(
    ("term", "answer"),
    [
        ("wife", "husband"),
        ("wife", "spouse"),
        ("friend", "friend"),
        ("boss", "employee"),
        ("mother", "son"),
        ("grandmother", "grandson"),
        ("mother-in-law", "daughter-in-law"),
        ("ex-wife", "ex-husband"),
        ("aunt", "nephew"),
        ("teacher", "student"),
    ],
)
def test_terms_answer_each_other(term: str, answer: str) -> None:
    assert answer in answers_to(term)
    assert term in answers_to(answer)


def test_an_ex_wife_does_not_answer_to_husband() -> None:
    assert "husband" not in answers_to("ex-wife")


WIFE, BOSS = Term("wife", "wife"), Term("boss", "boss")
SISTER = Term("sister", "sister")


@pytest.mark.parametrize(
    ("said", "reference"),
    [
        ("my wife", My(WIFE)),
        ("My Wife", My(WIFE)),
        ("my wife Sarah Jane", My(WIFE, name="Sarah Jane")),
        ("Sarah Jane, my wife", My(WIFE, name="Sarah Jane")),
        ("@sksembhi", Handle("sksembhi")),
        ("the boss", BareTerm(BOSS, said="the boss")),
        ("Dad", BareTerm(Term("dad", "father"), said="dad")),
        ("Tom's sister", Possessive(Named("tom"), SISTER)),
        ("Tom\u2019s sister", Possessive(Named("tom"), SISTER)),
        ("James' sister", Possessive(Named("james"), SISTER)),
        ("my wife's boss", Possessive(My(WIFE), BOSS)),
        ("my wife's boss's sister", Possessive(Possessive(My(WIFE), BOSS), SISTER)),
        ("your sister", Your(SISTER)),
        ("my cat", Thing("cat")),
        ("me", Myself()),
        ("Sarah", Named("Sarah")),
    ],
)
def test_a_reference_is_told_by_its_form(said: str, reference: object) -> None:
    assert parse_reference(said) == reference


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anne-Marie O'Brien", "anne marie obrien"),
        ("Jos\u00e9", "Jose"),
        ("Smith, John", "John Smith"),
        ("Dr. John Smith Jr.", "John Smith"),
        ("\u0141ukasz", "Lukasz"),
    ],
)
def test_two_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_vowel_signs_of_other_scripts_are_kept() -> None:
    assert key_of("\u0930\u093e\u092e") != key_of("\u0930\u092e")
    assert key_of("\u674e\u4f1f") == "\u674e\u4f1f"


def test_titles_and_particles_are_no_names() -> None:
    assert name_of("Mrs. van der Berg").words == ("berg",)
    assert name_of("Mrs. van der Berg").titles == ("mrs",)
