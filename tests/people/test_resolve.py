"""Who is meant: the checklist of the specification, and the laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.ids import PersonId
from kithkin.people.directory import MOST_CANDIDATES
from kithkin.people.model import (
    Ambiguous,
    ByAlias,
    ByClaim,
    ByInverse,
    ByLikeness,
    BySurroundings,
    Context,
    Found,
    Person,
    Resolution,
    Turn,
    Unknown,
)
from kithkin.people.resolve import resolve
from kithkin.people.resolve_name import goes_by

from .builders import key, person, roster, speaker

ALICE = speaker("1", person="Alice")
BOB = speaker("2", person="Bob")
SARAH = person(
    "Sarah", claims=[("wife", "1")], aliases=[("my wife", "1"), ("sksembhi", "987654321")]
)


def found(resolution: Resolution) -> str:
    assert isinstance(resolution, Found), resolution
    return resolution.person.name


def candidates(resolution: Resolution) -> set[str]:
    assert isinstance(resolution, Ambiguous), resolution
    return {each.name for each in resolution.candidates}


@pytest.mark.parametrize(
    "said", ["my wife", "My Wife", "MY WIFE", "Sarah", "SARAH", "@sksembhi", "@SKSEMBHI"]
)
def test_every_way_alice_refers_to_her_wife_reaches_the_same_person(said: str) -> None:
    assert found(resolve(said, speaker=ALICE, people=roster(SARAH))) == "Sarah"


def test_the_boss_is_the_speakers_boss() -> None:
    people = roster(person("Maria", claims=[("boss", "1")]))
    assert found(resolve("The boss", speaker=ALICE, people=people)) == "Maria"
    assert isinstance(resolve("The boss", speaker=BOB, people=people), Unknown)


def test_my_wife_said_by_another_speaker_is_unknown_never_the_firsts() -> None:
    assert isinstance(resolve("my wife", speaker=BOB, people=roster(SARAH)), Unknown)


def test_my_wife_without_a_speaker_is_unknown() -> None:
    assert isinstance(resolve("my wife", speaker=None, people=roster(SARAH)), Unknown)


def test_a_claim_nobody_stated_is_nobodys() -> None:
    old = person("Bobby")
    legacy = Person(
        id=old.id,
        name=old.name,
        created_by=None,
        created_at=old.created_at,
        updated_at=old.updated_at,
        relationships=(SARAH.relationships[0].__class__("friend"),),
    )
    assert isinstance(resolve("my friend", speaker=ALICE, people=roster(legacy)), Unknown)


def test_two_speakers_each_reach_their_own_wife() -> None:
    people = roster(SARAH, person("Anna", claims=[("wife", "2")]))
    assert found(resolve("my wife", speaker=ALICE, people=people)) == "Sarah"
    assert found(resolve("my wife", speaker=BOB, people=people)) == "Anna"


def test_two_brothers_are_a_question_not_a_guess() -> None:
    people = roster(person("Tom", claims=[("brother", "1")]), person("Tim", claims=[("bro", "1")]))
    answer = resolve("my brother", speaker=ALICE, people=people)
    assert candidates(answer) == {"Tom", "Tim"}


def test_a_relational_alias_matches_only_for_whoever_added_it() -> None:
    people = roster(person("Sarah", aliases=[("my wife", "1")]))
    assert found(resolve("my wife", speaker=ALICE, people=people)) == "Sarah"
    assert isinstance(resolve("my wife", speaker=BOB, people=people), Unknown)
    assert isinstance(resolve("wife", speaker=BOB, people=people), Unknown)


def test_a_speakers_own_claims_are_those_of_all_their_keys() -> None:
    both = speaker("1", "email:alice@x.org", person="Alice")
    people = roster(person("Sarah", claims=[("wife", "email:alice@x.org")]))
    assert found(resolve("my wife", speaker=both, people=people)) == "Sarah"


def test_the_other_side_of_a_claim_is_offered_and_never_found() -> None:
    him, her = person("Hal", claims=[("husband", "7")]), person("Wilma")
    people = roster(him, her, speakers={"Hal": ["1"], "Wilma": ["7"]})
    answer = resolve("my wife", speaker=speaker("1", person="Hal"), people=people)
    assert candidates(answer) == {"Wilma"}
    assert isinstance(answer, Ambiguous)
    assert answer.evidence == (ByInverse(PersonId("Wilma"), him.relationships[0], him.id),)


def test_the_owner_is_my_husband_makes_nobody_the_owners_wife() -> None:
    owner, stranger = person("Owner", claims=[("husband", "9")]), person("Stranger")
    people = roster(owner, stranger, speakers={"Owner": ["1"], "Stranger": ["9"]})
    answer = resolve("my wife", speaker=speaker("1", person="Owner"), people=people)
    assert not isinstance(answer, Found)


@pytest.mark.parametrize(
    ("said", "claimed"),
    [("my mum", "mother"), ("my mother", "mom"), ("my spouse", "wife"), ("my husband", "spouse")],
)
def test_synonyms_and_wider_terms_reach_the_claim(said: str, claimed: str) -> None:
    people = roster(person("Kim", claims=[(claimed, "1")]))
    assert found(resolve(said, speaker=ALICE, people=people)) == "Kim"


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        ("my friend", "girlfriend"),
        ("my sister", "sister-in-law"),
        ("my wife", "ex-wife"),
        ("my mother", "grandmother"),
        ("my dad", "stepdad"),
        ("my wife", "husband"),
    ],
)
def test_a_term_never_reaches_a_longer_one(said: str, claimed: str) -> None:
    people = roster(person("Kim", claims=[(claimed, "1")]))
    assert isinstance(resolve(said, speaker=ALICE, people=people), Unknown)


def test_both_may_call_one_person_friend() -> None:
    people = roster(person("Carol", claims=[("friend", "1"), ("friend", "2")]))
    assert found(resolve("my friend", speaker=ALICE, people=people)) == "Carol"
    assert found(resolve("my friend", speaker=BOB, people=people)) == "Carol"


def test_alice_says_sarah_and_means_her_own_sarah() -> None:
    people = roster(
        person("Sarah", id="hers", claims=[("coworker", "1")]),
        person("Sarah", id="his", claims=[("wife", "2")]),
    )
    hers = resolve("Sarah", speaker=ALICE, people=people)
    his = resolve("Sarah", speaker=BOB, people=people)
    assert isinstance(hers, Found)
    assert hers.person.id == "hers"
    assert isinstance(his, Found)
    assert his.person.id == "his"


def test_two_sarahs_are_a_question_not_a_guess() -> None:
    people = roster(person("Sarah Miller"), person("Sarah Cole"))
    assert candidates(resolve("Sarah", speaker=None, people=people)) == {
        "Sarah Miller",
        "Sarah Cole",
    }


def test_all_speakers_see_all_people_by_name() -> None:
    people = roster(person("Sarah Miller", claims=[("wife", "1")]))
    assert found(resolve("Sarah Miller", speaker=BOB, people=people)) == "Sarah Miller"


@pytest.mark.parametrize("said", ["David", "Cramer", "david cramer", "Mr. Cramer", "Cramer, David"])
def test_a_part_of_the_name_matches_the_full_name(said: str) -> None:
    people = roster(person("David Cramer"), person("Ann Lee"))
    assert found(resolve(said, speaker=None, people=people)) == "David Cramer"


def test_a_first_name_comes_before_a_surname() -> None:
    people = roster(person("Jordan Lee"), person("Ann Jordan"))
    assert found(resolve("Jordan", speaker=None, people=people)) == "Jordan Lee"


def test_a_middle_name_may_be_left_out() -> None:
    people = roster(person("Sarah Jane Miller"))
    assert found(resolve("Sarah Miller", speaker=None, people=people)) == "Sarah Jane Miller"


def test_a_surname_that_does_not_fit_is_somebody_else() -> None:
    people = roster(person("Sarah Miller"))
    assert isinstance(resolve("Sarah Cole", speaker=None, people=people), Unknown)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Bob", "Robert Miller"),
        ("Bob Miller", "Robert Miller"),
        ("Katherine", "Catherine Lee"),
        ("Micheal", "Michael Cole"),
        ("Michael Coel", "Michael Cole"),
        ("@jmiller", "Jane Miller"),
    ],
)
def test_nicknames_slips_and_handles_find_the_only_plausible_person(said: str, name: str) -> None:
    answer = resolve(said, speaker=None, people=roster(person(name), person("Zoe Quist")))
    assert found(answer) == name
    assert isinstance(answer, Found)
    assert isinstance(answer.evidence[0], ByLikeness)


def test_two_roberts_are_a_question_when_bob_is_said() -> None:
    people = roster(person("Robert Miller"), person("Robert Cole"))
    assert candidates(resolve("Bob", speaker=None, people=people)) == {
        "Robert Miller",
        "Robert Cole",
    }


def test_miso_is_not_sksembhi() -> None:
    assert isinstance(resolve("Miso", speaker=None, people=roster(SARAH)), Unknown)


def test_an_exact_name_comes_before_a_nickname() -> None:
    people = roster(person("Bob Cole"), person("Robert Miller"))
    assert found(resolve("Bob", speaker=None, people=people)) == "Bob Cole"


def test_toms_sister_resolves_through_toms_own_claims() -> None:
    people = roster(
        person("Tom Cole"),
        person("Ann", claims=[("sister", "5")]),
        person("Eve", claims=[("sister", "1")]),
        speakers={"Tom Cole": ["5"]},
    )
    assert found(resolve("Tom's sister", speaker=ALICE, people=people)) == "Ann"


def test_my_wifes_boss_is_the_one_my_wife_calls_so() -> None:
    people = roster(
        SARAH,
        person("Maria", claims=[("boss", "7")]),
        person("Max", claims=[("boss", "1")]),
        speakers={"Sarah": ["7"]},
    )
    assert found(resolve("my wife's boss", speaker=ALICE, people=people)) == "Maria"
    assert isinstance(resolve("my wife's boss", speaker=BOB, people=people), Unknown)


def test_toms_sister_added_as_alias_holds_for_whoever_added_it() -> None:
    people = roster(person("Tom"), person("Ann", aliases=[("Tom's sister", "1")]))
    assert found(resolve("Tom's sister", speaker=ALICE, people=people)) == "Ann"
    assert isinstance(resolve("Tom's sister", speaker=BOB, people=people), Unknown)


def test_of_two_toms_the_sister_stays_a_question() -> None:
    people = roster(
        person("Tom Cole"),
        person("Tom Lee"),
        person("Ann", claims=[("sister", "5")]),
        speakers={"Tom Cole": ["5"], "Tom Lee": ["6"]},
    )
    assert candidates(resolve("Tom's sister", speaker=None, people=people)) == {"Ann"}


def test_me_is_the_speaker() -> None:
    assert found(resolve("me", speaker=ALICE, people=roster(person("Alice")))) == "Alice"


def test_my_cat_is_nobody() -> None:
    people = roster(person("Cat Miller", claims=[("friend", "1")]))
    assert isinstance(resolve("my cat", speaker=ALICE, people=people), Unknown)


def test_a_placeholder_name_is_nobodys_name() -> None:
    people = roster(person("Wife", claims=[("wife", "1")]))
    assert found(resolve("my wife", speaker=ALICE, people=people)) == "Wife"
    assert isinstance(resolve("Wife", speaker=BOB, people=people), Unknown)
    assert isinstance(resolve("my wife", speaker=BOB, people=people), Unknown)


def test_a_merged_person_leads_to_the_primary() -> None:
    people = roster(
        person("Dave", id="b", merged_into="a"),
        person("David Cramer", id="a"),
        person("Davy", id="c", merged_into="b"),
    )
    assert found(resolve("Dave", speaker=None, people=people)) == "David Cramer"
    assert found(resolve("Davy", speaker=None, people=people)) == "David Cramer"


def test_a_circle_of_merges_ends() -> None:
    people = roster(
        person("Dave", id="a", merged_into="b"), person("David", id="b", merged_into="a")
    )
    assert isinstance(resolve("Dave", speaker=None, people=people), Unknown)


def test_the_evidence_names_the_claim_and_who_stated_it() -> None:
    answer = resolve("my wife", speaker=ALICE, people=roster(SARAH))
    assert isinstance(answer, Found)
    assert answer.evidence == (ByClaim(SARAH.id, SARAH.relationships[0]),)
    assert SARAH.relationships[0].stated_by == key("1")


def test_the_evidence_names_the_alias_and_who_added_it() -> None:
    answer = resolve("@sksembhi", speaker=None, people=roster(SARAH))
    assert isinstance(answer, Found)
    assert answer.evidence == (ByAlias(SARAH.id, SARAH.aliases[1]),)


TIE = (person("Sarah Miller"), person("Sarah Cole"))


def test_a_participant_of_that_name_breaks_the_tie_and_the_reason_says_so() -> None:
    context = Context(participants=(PersonId("Sarah Cole"), PersonId("Alice")))
    answer = resolve("Sarah", speaker=ALICE, people=roster(*TIE), context=context)
    assert found(answer) == "Sarah Cole"
    assert isinstance(answer, Found)
    assert "in this chat" in answer.reason
    assert BySurroundings(PersonId("Sarah Cole"), "the only one of that name in this chat") in (
        answer.evidence
    )


def test_two_participants_of_that_name_leave_it_a_question() -> None:
    context = Context(participants=tuple(each.id for each in TIE))
    answer = resolve("Sarah", speaker=ALICE, people=roster(*TIE), context=context)
    assert candidates(answer) == {"Sarah Miller", "Sarah Cole"}


def test_a_full_name_said_a_moment_ago_breaks_the_tie() -> None:
    context = Context(turns=(Turn(PersonId("Bob"), "I met Sarah Miller yesterday"),))
    answer = resolve("Sarah", speaker=ALICE, people=roster(*TIE), context=context)
    assert found(answer) == "Sarah Miller"


def test_context_that_decides_nothing_leaves_it_a_question() -> None:
    context = Context(turns=(Turn(PersonId("Bob"), "hello"),))
    answer = resolve("Sarah", speaker=ALICE, people=roster(*TIE), context=context)
    assert isinstance(answer, Ambiguous)


def test_your_sister_is_the_sister_of_whoever_is_spoken_to() -> None:
    people = roster(
        person("Bob"),
        person("Ann", claims=[("sister", "2")]),
        person("Eve", claims=[("sister", "1")]),
        speakers={"Bob": ["2"], "Alice": ["1"]},
    )
    context = Context(participants=(PersonId("Alice"), PersonId("Bob")))
    assert found(resolve("your sister", speaker=ALICE, people=people, context=context)) == "Ann"
    assert isinstance(resolve("your sister", speaker=ALICE, people=people), Unknown)


def test_bare_dad_is_the_speakers_own_dad() -> None:
    people = roster(person("Otto", claims=[("father", "1")]), person("Leo", claims=[("dad", "2")]))
    assert found(resolve("Dad", speaker=ALICE, people=people)) == "Otto"
    assert found(resolve("Dad", speaker=BOB, people=people)) == "Leo"


def test_bare_mom_said_to_a_child_is_the_childs_mother() -> None:
    people = roster(
        person("Pia"),
        person("Vera", claims=[("mom", "4")]),
        speakers={"Pia": ["4"], "Alice": ["1"]},
    )
    context = Context(participants=(PersonId("Alice"), PersonId("Pia")))
    answer = resolve("Mom", speaker=ALICE, people=people, context=context)
    assert found(answer) == "Vera"


def test_mom_is_not_short_for_a_name() -> None:
    people = roster(person("Momoko Ito"), person("Dadi Rao"))
    assert isinstance(resolve("Mom", speaker=ALICE, people=people), Unknown)
    assert isinstance(resolve("Dad", speaker=None, people=people), Unknown)


def test_bare_wife_is_never_the_wife_of_whoever_is_spoken_to() -> None:
    people = roster(person("Bob"), person("Ann", claims=[("wife", "2")]), speakers={"Bob": ["2"]})
    context = Context(participants=(PersonId("Bob"),))
    assert isinstance(resolve("wife", speaker=ALICE, people=people, context=context), Unknown)


def test_nobody_is_the_only_one_among_more_than_were_looked_at() -> None:
    crowd = [person(f"Ann Jordan {i}", id=str(i)) for i in range(MOST_CANDIDATES)]
    people = roster(person("Jordan Lee"), *crowd)
    assert isinstance(resolve("Jordan", speaker=None, people=people), Ambiguous)


@pytest.mark.parametrize("username", ["notzeeg", "@NotZeeg", "David Cramer"])
def test_a_username_is_matched_whole_and_in_any_case(username: str) -> None:
    david = person("David Cramer", aliases=["notzeeg", ("my friend", "1")])
    assert goes_by(david, username)
    assert not goes_by(david, "zeeg")
    assert not goes_by(david, "my friend")


def test_a_dad_in_general_is_nobody() -> None:
    people = roster(person("Otto", claims=[("father", "1")]))
    context = Context(text="you are not a dad", at=14)
    assert isinstance(resolve("dad", speaker=ALICE, people=people, context=context), Unknown)


TERMS = ["wife", "husband", "mom", "brother", "friend", "boss", "spouse"]
SPEAKERS = ["1", "2", "3"]
NAMES = ["Ann Lee", "Bob Cole", "Cy", "Sarah", "Wife"]


@st.composite
def _people(draw: st.DrawFn) -> list[Person]:
    count = draw(st.integers(1, 5))
    ids = [f"p{i}" for i in range(count)]
    claim = st.tuples(st.sampled_from(TERMS), st.sampled_from(SPEAKERS))
    alias = st.tuples(
        st.sampled_from(["my wife", "Bobby", "Tom's boss"]), st.sampled_from(SPEAKERS)
    )
    return [
        person(
            draw(st.sampled_from(NAMES)),
            id=each,
            claims=draw(st.lists(claim, max_size=3)),
            aliases=draw(st.lists(alias, max_size=2)),
            merged_into=draw(st.none() | st.sampled_from(ids)),
        )
        for each in ids
    ]


@given(
    _people(),
    st.sampled_from(SPEAKERS),
    st.sampled_from(["my wife", "my friend", "Dad", "Bob", "Ann", "p0", "Sarah", "Bobby's wife"]),
)
def test_resolution_never_returns_a_merged_person(
    people: list[Person], who: str, said: str
) -> None:
    known = roster(*people, speakers={f"p{i}": [k] for i, k in enumerate(SPEAKERS)})
    answer = resolve(said, speaker=speaker(who, person="p0"), people=known)
    shown = (
        [answer.person]
        if isinstance(answer, Found)
        else list(answer.candidates)
        if isinstance(answer, Ambiguous)
        else []
    )
    assert all(each.merged_into is None for each in shown)


@given(_people(), st.sampled_from(SPEAKERS), st.sampled_from(TERMS))
def test_my_x_is_never_found_through_what_others_claim(
    people: list[Person], who: str, term: str
) -> None:
    known = roster(*people, speakers={f"p{i}": [k] for i, k in enumerate(SPEAKERS)})
    answer = resolve(f"my {term}", speaker=speaker(who), people=known)
    if isinstance(answer, Found):
        evidence = answer.evidence[0]
        assert isinstance(evidence, ByClaim | ByAlias)
        said_by = (
            evidence.claim.stated_by if isinstance(evidence, ByClaim) else evidence.alias.added_by
        )
        assert said_by == key(who)
