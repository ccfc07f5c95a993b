"""Names: which two may be one person's, and how few rows find them."""

import pytest

from kithkin.language.names import likeness, plausible, same_name
from kithkin.people.lookup_keys import Connection, connections, exact_keys, lookup_keys, rough_keys

from .builders import key, person


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Bob", "Robert"),
        ("Robert", "Bob"),
        ("Bob Miller", "Robert Miller"),
        ("Isa", "Isabel Quist"),
        ("Jose", "Jos\u00e9"),
        ("Catherine", "Katherine"),
        ("J. Smith", "John Smith"),
        ("jsmith", "John Smith"),
        ("Anne Marie", "Anne-Marie"),
        ("Annemarie", "Anne-Marie"),
        ("Micheal", "Michael"),
    ],
)
def test_a_form_of_the_name_is_plausible(said: str, name: str) -> None:
    assert plausible(said, name)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Miso", "sksembhi"),
        ("Albert", "Alexander"),
        ("Mr Smith", "Mrs Smith"),
        ("Sarah Cole", "Sarah Miller"),
        ("Sarah Cole", "Sarah"),
        ("Mary", "Mark"),
        ("Bob", ""),
        ("", ""),
    ],
)
def test_another_name_is_refused_whoever_proposes_it(said: str, name: str) -> None:
    assert not plausible(said, name)


def test_likeness_lies_between_nothing_and_the_same() -> None:
    assert likeness("Ann Lee", "ann lee") == 1
    assert likeness("Ann Lee", "Zoe Quist") == 0


def test_nicknames_of_one_name_are_one_name_but_names_of_one_nickname_are_not() -> None:
    assert same_name("Bob", "Rob") >= 0.5
    assert same_name("Albert", "Alexander") < 0.5


def test_a_name_word_costs_at_most_four_rows() -> None:
    for name in ("Sarah", "Sarah Miller", "Sarah Jane Miller", "Ana Bea Cia Dora Quist"):
        assert len(lookup_keys(person(name))) <= 4 * len(name.split())


def test_an_exact_look_up_asks_for_few_keys() -> None:
    assert exact_keys("Sarah") == ("sarah",)
    assert len(exact_keys("Sarah Jane Miller")) <= 3


def test_a_rough_look_up_asks_for_hundreds_of_keys_not_thousands() -> None:
    assert len(rough_keys("Christopher Featherstonehaugh")) < 2000


def test_the_keys_asked_for_are_keys_that_are_kept() -> None:
    kept = {key for key, _ in lookup_keys(person("Robert Miller"))}
    for said in ("Robert", "Miller", "robert miller"):
        assert kept & set(exact_keys(said))
    for said in ("Bob", "Bob Miller", "Robert Miler", "Robret", "@rmiller", "Millar"):
        assert kept & set(rough_keys(said))


def test_relational_aliases_and_placeholders_have_no_name_rows() -> None:
    wife = person("Wife", claims=[("wife", "1")], aliases=[("my wife", "1")])
    assert lookup_keys(wife) == ()


def test_a_word_for_kin_is_a_name_when_no_claim_repeats_it() -> None:
    assert {key for key, _ in lookup_keys(person("Nan"))} >= {"nan"}


def test_a_merged_person_keeps_only_its_name_as_a_redirect() -> None:
    merged = person("Dave Cole", aliases=["davy"], claims=[("friend", "1")], merged_into="x")
    assert [key for key, _ in lookup_keys(merged)] == ["dave cole"]
    assert connections(merged) == ()


def test_connections_say_who_calls_them_what() -> None:
    sarah = person("Sarah", claims=[("mom", "1")], aliases=[("my boss", "2"), ("sally", "3")])
    assert connections(sarah) == (
        Connection(key("1"), "mother"),
        Connection(key("2"), "boss"),
        Connection(key("3"), ""),
    )
