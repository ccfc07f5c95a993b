"""Merging loses nothing, and can be undone."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kithkin.errors import Refused
from kithkin.ids import PersonId
from kithkin.people.merge import alias_key, claim_key, plan_merge, plan_unmerge
from kithkin.people.model import AliasEntry, Person, RelationshipClaim
from kithkin.people.protection import may_overwrite_claim, may_remove_alias

from .builders import NOW, key, person


def among(*people: Person) -> Callable[[PersonId], Person | None]:
    return {each.id: each for each in people}.get


DAVID = person("David Cramer", id="a", aliases=["notzeeg"], claims=[("friend", "1")])
DAVE = person(
    "Dave",
    id="b",
    aliases=["NotZeeg", ("my mate", "2")],
    claims=[("friend", "1"), ("friend", "2"), ("boss", "1")],
)


def test_aliases_are_merged_without_regard_to_case_and_the_name_becomes_one() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    assert [alias.value for alias in plan.primary.aliases] == ["notzeeg", "my mate", "Dave"]


def test_claims_that_the_primary_lacks_are_copied_by_term_and_speaker() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    assert plan.primary.relationships == (
        RelationshipClaim("friend", key("1")),
        RelationshipClaim("friend", key("2")),
        RelationshipClaim("boss", key("1")),
    )


def test_the_secondary_stays_as_a_redirect() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    assert plan.secondary == replace(DAVE, merged_into=DAVID.id, updated_at=NOW)


def test_my_wife_of_two_speakers_survives_a_merge_twice() -> None:
    one = person("Sarah", id="a", aliases=[("my wife", "1")])
    other = person("Sarah", id="b", aliases=[("my wife", "2")])
    plan = plan_merge(one, other, now=NOW, get=among(one, other))
    assert {alias.added_by for alias in plan.primary.aliases} == {key("1"), key("2")}


def test_the_preview_says_what_moves_and_what_does_not_agree() -> None:
    one = person("Sarah Cole", id="a", claims=[("wife", "1")])
    other = person("Maria Lee", id="b", claims=[("mother", "1")])
    plan = plan_merge(one, other, now=NOW, get=among(one, other))
    assert [claim.relationship for claim in plan.claims_moved] == ["mother"]
    assert len(plan.conflicts) == 2


def test_nobody_is_merged_into_themselves() -> None:
    with pytest.raises(Refused):
        plan_merge(DAVID, DAVID, now=NOW, get=among(DAVID))


def test_an_already_merged_secondary_is_refused() -> None:
    gone = replace(DAVE, merged_into=PersonId("x"))
    with pytest.raises(Refused, match="already merged"):
        plan_merge(DAVID, gone, now=NOW, get=among(DAVID, gone))


def test_a_cycle_is_refused_however_long() -> None:
    middle = person("Davy", id="c", merged_into="b")
    last = person("Dee", id="d", merged_into="c")
    with pytest.raises(Refused, match="other way round"):
        plan_merge(last, DAVE, now=NOW, get=among(last, middle, DAVE))


def test_a_merged_primary_is_refused_by_the_name_of_where_it_went() -> None:
    gone = replace(DAVID, merged_into=PersonId("x"))
    with pytest.raises(Refused, match="merged into x"):
        plan_merge(gone, DAVE, now=NOW, get=among(gone, DAVE))


def test_unmerging_restores_both() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    undone = plan_unmerge(
        plan, before=DAVE, primary=plan.primary, secondary=plan.secondary, now=NOW
    )
    assert undone.primary == replace(DAVID, updated_at=NOW)
    assert undone.secondary == replace(DAVE, updated_at=NOW)


def test_what_was_added_to_the_primary_since_stays_there() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    later = AliasEntry("zeeg", key("3"), NOW)
    changed = replace(plan.primary, name="David C.", aliases=(*plan.primary.aliases, later))
    undone = plan_unmerge(plan, before=DAVE, primary=changed, secondary=plan.secondary, now=NOW)
    assert undone.primary.name == "David C."
    assert undone.primary.aliases == (*DAVID.aliases, later)
    assert undone.secondary.aliases == DAVE.aliases


def test_what_was_removed_since_does_not_come_back() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    kept = tuple(claim for claim in plan.primary.relationships if claim.relationship != "boss")
    changed = replace(plan.primary, relationships=kept)
    undone = plan_unmerge(plan, before=DAVE, primary=changed, secondary=plan.secondary, now=NOW)
    assert [claim.relationship for claim in undone.secondary.relationships] == ["friend", "friend"]


def test_what_another_merged_record_also_has_stays_on_the_primary() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    third = person("Dave", id="c", claims=[("boss", "1")])
    again = plan_merge(plan.primary, third, now=NOW, get=among(plan.primary, third))
    undone = plan_unmerge(
        plan,
        before=DAVE,
        primary=again.primary,
        secondary=plan.secondary,
        others=[third],
        now=NOW,
    )
    assert "Dave" in [alias.value for alias in undone.primary.aliases]
    assert ("boss", key("1")) in map(claim_key, undone.primary.relationships)


def test_unmerging_what_is_not_merged_is_refused() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    with pytest.raises(Refused, match="not merged"):
        plan_unmerge(plan, before=DAVE, primary=plan.primary, secondary=DAVE, now=NOW)


def test_unmerging_from_a_primary_merged_since_names_what_to_undo_first() -> None:
    plan = plan_merge(DAVID, DAVE, now=NOW, get=among(DAVID, DAVE))
    gone = replace(plan.primary, merged_into=PersonId("x"))
    with pytest.raises(Refused, match="merged into x"):
        plan_unmerge(plan, before=DAVE, primary=gone, secondary=plan.secondary, now=NOW)


CLAIM = st.tuples(st.sampled_from(["wife", "mom", "mother", "friend"]), st.sampled_from("123"))
ALIAS = st.tuples(
    st.sampled_from(["Bob", "bob", "my wife", "bobby", "David"]), st.sampled_from("12")
)
PEOPLE = st.builds(
    lambda name, claims, aliases: (name, claims, aliases),
    st.sampled_from(["Bob", "David", "Ann Lee"]),
    st.lists(CLAIM, max_size=4, unique=True),
    st.lists(ALIAS, max_size=4, unique=True),
)


@given(PEOPLE, PEOPLE)
def test_a_merge_and_its_undoing_lose_no_alias_claim_or_id(
    first: tuple[str, list[tuple[str, str]], list[tuple[str, str]]],
    second: tuple[str, list[tuple[str, str]], list[tuple[str, str]]],
) -> None:
    one = person(first[0], id="a", claims=first[1], aliases=first[2])
    other = person(second[0], id="b", claims=second[1], aliases=second[2])
    plan = plan_merge(one, other, now=NOW, get=among(one, other))
    names = {plan.primary.name.casefold(), *(a.value.casefold() for a in plan.primary.aliases)}
    for each in (one, other):
        assert {a.value.casefold() for a in each.aliases} | {each.name.casefold()} <= names
        assert set(map(claim_key, each.relationships)) <= set(
            map(claim_key, plan.primary.relationships)
        )
    undone = plan_unmerge(
        plan, before=other, primary=plan.primary, secondary=plan.secondary, now=NOW
    )
    assert undone.primary == replace(one, updated_at=NOW)
    assert undone.secondary == replace(other, updated_at=NOW)
    assert set(map(alias_key, undone.primary.aliases)) == set(map(alias_key, one.aliases))


OWN = AliasEntry("notzeeg", key("1"))
SAID = RelationshipClaim("husband", key("1"))


def test_a_self_added_alias_is_removed_by_nobody_else() -> None:
    assert not may_remove_alias(OWN, own_keys={key("1")}, actor_keys={key("2")})
    assert may_remove_alias(OWN, own_keys={key("1"), key("email:d")}, actor_keys={key("email:d")})


def test_an_alias_added_by_others_may_be_removed() -> None:
    assert may_remove_alias(OWN, own_keys={key("9")}, actor_keys={key("2")})
    assert may_remove_alias(AliasEntry("old"), own_keys={key("9")}, actor_keys={key("2")})


def test_a_self_stated_claim_is_overwritten_only_by_oneself_or_the_other_in_it() -> None:
    own = {key("1")}
    assert not may_overwrite_claim(SAID, own_keys=own, actor_keys={key("2")})
    assert may_overwrite_claim(SAID, own_keys=own, actor_keys={key("1")})
    assert may_overwrite_claim(SAID, own_keys=own, actor_keys={key("2")}, other_keys={key("2")})
    assert may_overwrite_claim(SAID, own_keys={key("9")}, actor_keys={key("2")})
