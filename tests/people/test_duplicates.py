"""Duplicates are proposed with a score and reasons, and never merged."""

from kithkin.people.clusters import Record, group_records
from kithkin.people.duplicates import duplicates

from .builders import person


def groups(*records: tuple[int, str, str]) -> set[frozenset[int]]:
    found = group_records([Record(*record) for record in records])
    return {frozenset(group) for group in found}


def test_one_handle_on_two_records_is_proposed_with_its_reason() -> None:
    people = [person("Sarah", aliases=["sksembhi"]), person("S. K.", aliases=["@SKSembhi"])]
    (pair,) = duplicates(people)
    assert {pair.first, pair.second} == {"Sarah", "S. K."}
    assert "same handle sksembhi" in pair.reasons


def test_a_nickname_with_the_same_surname_is_proposed() -> None:
    (pair,) = duplicates([person("Bob Miller"), person("Robert Miller"), person("Ann Miller")])
    assert {pair.first, pair.second} == {"Bob Miller", "Robert Miller"}


def test_a_slip_of_spelling_is_proposed() -> None:
    (pair,) = duplicates([person("Michael Quistman"), person("Micheal Quistman")])
    assert pair.score < 1


def test_a_handle_made_of_a_name_is_proposed() -> None:
    (pair,) = duplicates([person("Jane Miller"), person("Somebody", aliases=["jmiller"])])
    assert "handle jmiller is made of a name" in pair.reasons


def test_shared_claims_of_one_speaker_make_a_pair_surer() -> None:
    alone = duplicates([person("Bob Miller"), person("Robert Miller")])[0]
    claimed = duplicates(
        [
            person("Bob Miller", claims=[("friend", "1")]),
            person("Robert Miller", claims=[("friend", "1")]),
        ]
    )[0]
    assert claimed.score > alone.score
    assert "telegram:1 calls both friend" in claimed.reasons


def test_mr_and_mrs_are_two() -> None:
    assert duplicates([person("Mr. Bob Miller"), person("Mrs. Bob Miller")]) == []


def test_a_first_name_alone_proposes_nothing() -> None:
    assert duplicates([person("Sarah", id="a"), person("Sarah", id="b")]) == []


def test_merged_people_and_placeholders_are_left_out() -> None:
    people = [
        person("Wife", id="a", claims=[("wife", "1")]),
        person("Wife", id="b", claims=[("wife", "2")]),
        person("Ann Lee", id="c", merged_into="d"),
        person("Ann Lee", id="d"),
    ]
    assert duplicates(people) == []


def test_a_partial_name_joins_the_one_fuller_name() -> None:
    assert groups((1, "Jane Miller", ""), (2, "Jane", ""), (3, "Miss Miller", "")) == {
        frozenset([1, 2, 3])
    }


def test_a_partial_name_that_fits_two_joins_neither() -> None:
    assert groups((1, "Jane Miller", ""), (2, "Jane Cole", ""), (3, "Jane", "")) == {
        frozenset([1]),
        frozenset([2]),
        frozenset([3]),
    }


def test_mr_and_mrs_of_one_surname_stay_two() -> None:
    assert groups((1, "Mr. Miller", ""), (2, "Mrs. Miller", "")) == {
        frozenset([1]),
        frozenset([2]),
    }


def test_two_full_names_on_one_handle_stay_two() -> None:
    assert groups((1, "Nia Draper", "nia1"), (2, "Nia Quist", "nia1")) == {
        frozenset([1]),
        frozenset([2]),
    }


def test_a_bare_handle_joins_the_only_name_it_can_be_made_of() -> None:
    assert groups((1, "Jane Miller", ""), (2, "Ann Cole", ""), (3, "", "miller")) == {
        frozenset([1, 3]),
        frozenset([2]),
    }
