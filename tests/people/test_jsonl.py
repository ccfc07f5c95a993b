"""People as lines of a file that humans read and edit."""

import json
import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kithkin.errors import InvalidInput
from kithkin.ids import PersonId, SpeakerKey
from kithkin.people.jsonl import LONGEST_LINE, line_of, read_line
from kithkin.people.model import AliasEntry, Person, RelationshipClaim

from .builders import NOW, THEN, key, person

LATER = datetime(2026, 1, 20, 10, tzinfo=UTC)
EXAMPLE = """
{
  "id": "person-456",
  "version": 1,
  "created_by": "123456789",
  "name": "Sarah",
  "relationships": [
    {"relationship": "wife", "stated_by": "123456789", "created_at": "2026-01-15T10:00:00+00:00"}
  ],
  "aliases": [
    {"value": "my wife", "added_by": "123456789", "created_at": "2026-01-15T10:00:00+00:00"},
    {"value": "sksembhi", "added_by": "987654321", "created_at": "2026-01-20T10:00:00+00:00"}
  ],
  "merged_into": null,
  "created_at": "2026-01-15T10:00:00+00:00",
  "updated_at": "2026-01-20T10:00:00+00:00",
  "metadata": null
}
"""
SARAH = Person(
    id=PersonId("person-456"),
    name="Sarah",
    created_by=key("123456789"),
    created_at=THEN,
    updated_at=LATER,
    relationships=(RelationshipClaim("wife", key("123456789"), THEN),),
    aliases=(
        AliasEntry("my wife", key("123456789"), THEN),
        AliasEntry("sksembhi", key("987654321"), LATER),
    ),
)


def read(**fields: Any) -> Person:
    """A line with these fields and otherwise the least that a line needs."""
    return read_line(json.dumps({"id": "p", "name": "Bob"} | fields), now=NOW)


def test_the_specifications_example_reads_and_writes_back_the_same() -> None:
    assert read_line(EXAMPLE, now=NOW) == SARAH
    assert json.loads(line_of(SARAH)) == json.loads(EXAMPLE)


def test_keys_stand_in_the_order_of_the_specification() -> None:
    assert list(json.loads(line_of(SARAH))) == list(json.loads(EXAMPLE))


def test_a_line_is_one_line_that_a_human_can_read() -> None:
    line = line_of(replace(SARAH, name="José\nLi 🦊"))
    assert "\n" not in line
    assert '"name": "José\\nLi 🦊"' in line


def test_groups_are_written_only_for_whoever_has_some() -> None:
    assert "groups" not in json.loads(line_of(SARAH))
    grouped = replace(SARAH, groups=("family", "climbing"))
    assert list(json.loads(line_of(grouped)).items())[-1] == ("groups", ["family", "climbing"])
    assert read_line(line_of(grouped), now=NOW) == grouped


def test_microseconds_are_written_when_there_are_some() -> None:
    precise = replace(SARAH, updated_at=LATER.replace(microsecond=42))
    assert json.loads(line_of(precise))["updated_at"] == "2026-01-20T10:00:00.000042+00:00"


def test_times_are_written_in_utc() -> None:
    there = replace(SARAH, created_at=THEN.astimezone(timezone(timedelta(hours=9))))
    assert line_of(there) == line_of(SARAH)


@pytest.mark.parametrize(
    ("speaker", "written"),
    [
        ("telegram:123456789", "123456789"),
        ("telegram:007", "007"),
        ("telegram:-100123", "telegram:-100123"),
        ("telegram:", "telegram:"),
        ("telegram:٣", "telegram:٣"),
        ("email:j@x.com", "email:j@x.com"),
        ("user-1", "user-1"),
    ],
)
def test_a_telegram_key_is_a_bare_number_and_others_are_verbatim(
    speaker: str, written: str
) -> None:
    by = SpeakerKey(speaker)
    known = Person(
        id=PersonId("p"),
        name="Bob",
        created_by=by,
        created_at=NOW,
        updated_at=NOW,
        relationships=(RelationshipClaim("friend", by),),
        aliases=(AliasEntry("bobby", by),),
    )
    fields = json.loads(line_of(known))
    assert fields["created_by"] == written
    assert fields["relationships"][0]["stated_by"] == written
    assert fields["aliases"][0]["added_by"] == written
    assert read_line(line_of(known), now=NOW) == known


def test_the_specifications_old_line_is_read() -> None:
    line = (
        '{"id":"old-1","version":1,"owner_user_id":"user-1","name":"Bob",'
        '"relationship":"friend","aliases":["bobby"]}'
    )
    assert read_line(line, now=NOW) == Person(
        id=PersonId("old-1"),
        name="Bob",
        created_by=SpeakerKey("user-1"),
        created_at=NOW,
        updated_at=NOW,
        relationships=(RelationshipClaim("friend", None, None),),
        aliases=(AliasEntry("bobby", None, None),),
    )


@pytest.mark.parametrize("old", ["relationship", "relation"])
def test_an_old_relationship_is_a_claim_of_nobody_known(old: str) -> None:
    assert read(**{old: "friend"}).relationships == (RelationshipClaim("friend"),)
    assert read(**{old: ""}).relationships == read(**{old: None}).relationships == ()


def test_an_old_relationship_beside_new_claims_adds_only_what_is_new() -> None:
    claims = [{"relationship": "friend", "stated_by": "1"}]
    friend = RelationshipClaim("friend", key("1"))
    assert read(relationship="friend", relationships=claims).relationships == (friend,)
    assert read(relation="boss", relationships=claims).relationships == (
        friend,
        RelationshipClaim("boss"),
    )


def test_the_new_key_for_who_made_it_counts_before_the_old_one() -> None:
    assert read(created_by="2", owner_user_id="1").created_by == key("2")
    assert read(created_by=None, owner_user_id="1").created_by == key("1")
    assert read(created_by="", owner_user_id=None).created_by is None


def test_old_and_new_aliases_may_stand_in_one_list() -> None:
    mixed = read(aliases=["bobby", {"value": "my mate", "added_by": 42}], relationships=["friend"])
    assert mixed.aliases == (AliasEntry("bobby"), AliasEntry("my mate", key("42")))
    assert mixed.relationships == (RelationshipClaim("friend"),)


def test_a_number_without_quotes_is_a_telegram_key_too() -> None:
    assert read(created_by=123456789).created_by == key("123456789")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-01-15T10:00:00+00:00", THEN),
        ("2026-01-15T10:00:00Z", THEN),
        ("2026-01-15T12:00:00+02:00", THEN),
        ("2026-01-15T10:00:00", THEN),
        ("2026-01-15 10:00", THEN),
        ("2026-01-15", datetime(2026, 1, 15, tzinfo=UTC)),
        (None, NOW),
    ],
)
def test_a_time_without_a_zone_is_utc_and_a_missing_one_is_now(
    written: str | None, meant: datetime
) -> None:
    found = read(created_at=written, updated_at=written)
    assert (found.created_at, found.updated_at) == (meant, meant)
    assert found.created_at.utcoffset() == timedelta(0)


def test_the_time_of_an_alias_or_claim_may_be_written_in_any_way_or_be_unknown() -> None:
    found = read(
        aliases=[
            {"value": "a", "created_at": "2026-01-15 10:00"},
            {"value": "b", "created_at": None},
        ],
        relationships=[{"relationship": "c", "created_at": "2026-01-15T12:00:00+02:00"}],
    )
    assert [alias.created_at for alias in found.aliases] == [THEN, None]
    assert found.relationships[0].created_at == THEN


def test_keys_no_schema_knows_are_kept_in_metadata() -> None:
    assert read(colour="blue", since=None).metadata == {"colour": "blue", "since": None}
    assert read(colour="blue", metadata={"age": 4}).metadata == {"colour": "blue", "age": 4}


def test_metadata_of_the_same_name_stays_as_it_is() -> None:
    assert read(colour="blue", metadata={"colour": "red"}).metadata == {"colour": "red"}


def test_empty_metadata_and_none_are_two_things() -> None:
    assert read_line(line_of(replace(SARAH, metadata={})), now=NOW).metadata == {}
    assert read_line(line_of(replace(SARAH, metadata=None)), now=NOW).metadata is None


def test_doubles_count_once_and_the_first_counts() -> None:
    found = read(
        aliases=["Bobby", "bobby", {"value": "BOBBY", "added_by": "1"}, "Bobby"],
        relationships=[
            {"relationship": "friend", "stated_by": "1", "created_at": "2026-01-15T10:00:00Z"},
            {"relationship": "friend", "stated_by": "1"},
            {"relationship": "friend", "stated_by": "2"},
        ],
        groups=["family", "family"],
    )
    assert found.aliases == (AliasEntry("Bobby"), AliasEntry("BOBBY", key("1")))
    assert found.relationships == (
        RelationshipClaim("friend", key("1"), THEN),
        RelationshipClaim("friend", key("2")),
    )
    assert found.groups == ("family",)


def test_a_line_that_ends_as_on_windows_is_read() -> None:
    assert read_line(line_of(SARAH) + "\r", now=NOW) == SARAH


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not JSON"),
        ("hello", "not JSON"),
        ('{"id": "p", "name": "Bo', "not JSON"),
        ('{"id": "p", "name": "Bob", "metadata": {"a": NaN}}', "not JSON"),
        ('{"id": "p", "name": "Bob", "metadata": {"a": 1e999}}', "not JSON"),
        ('{"id": "p", "name": "Bob", "metadata": ' + "[" * 9_999 + "]" * 9_999 + "}", "not JSON"),
        ('["p", "Bob"]', "not an object"),
        ("null", "not an object"),
        ('{"name": "Bob"}', "no id; add text"),
        ('{"id": null, "name": "Bob"}', "no id"),
        ('{"id": "p"}', "no name; add a name"),
        ('{"id": "p", "name": "\\ud800"}', "whole characters"),
        ('{"id": "p", "name": "\\ud800 and more"}', "whole characters"),
        ('{"id": "p", "name": "\ud800"}', "whole characters"),
        ('{"id": "p", "name": "a\\u0000b"}', "NUL"),
        ('{"id": "p", "name": "Bob", "metadata": {"a": [{"b\\u0000": 1}]}}', "NUL"),
        ('{"id": "p\\n", "name": "Bob"}', "id holds a control character"),
        ('{"id": "p\\u009f", "name": "Bob"}', "id holds a control character"),
        ('{"id": "p", "name": "Bob", "x": "' + "x" * LONGEST_LINE + '"}', "at most 1000000"),
    ],
)
def test_a_line_that_is_no_person_is_refused_with_the_reason(line: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        read_line(line, now=NOW)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": 7}, "^id: expected `str`, got `int`; write text"),
        ({"id": " "}, "^id is blank"),
        ({"id": "p" * 201}, "at most 200"),
        ({"name": ["Bob"]}, "^name: expected `str`, got `array`; write a name"),
        ({"name": ""}, "^name is blank"),
        ({"version": 2}, "version 2; this Kithkin reads 1"),
        ({"version": "1"}, "^version: .*; write 1"),
        ({"created_by": True}, "^created_by: "),
        ({"aliases": "bobby"}, r"^aliases: .*; write a list, such as \["),
        ({"aliases": [7]}, r"^aliases\[0\]: "),
        ({"aliases": [{"value": 7}]}, r"^aliases\[0\].value: expected `str`, got `int`"),
        ({"aliases": [{"valeu": "b"}]}, r"^aliases\[0\]: .*; write a list"),
        ({"aliases": [{"value": "b", "note": "c"}]}, r"^aliases\[0\]: .*unknown field `note`"),
        ({"aliases": ["  "]}, "^aliases is blank or holds a blank"),
        ({"aliases": [{"value": "b", "created_at": "soon"}]}, "^created_at in aliases: 'soon'"),
        ({"relationships": {"a": 1}}, "^relationships: "),
        ({"relationships": [{"relationship": ""}]}, "^relationships is blank"),
        ({"relationship": 7}, "^relationship is not text"),
        ({"merged_into": ""}, "^merged_into is blank"),
        ({"merged_into": 4}, "^merged_into: .*; write the id of another person"),
        ({"created_at": "yesterday"}, "^created_at: 'yesterday' is not a time; write it like"),
        ({"updated_at": 7}, "^updated_at: .*; write a time"),
        ({"created_at": "0001-01-01T00:00:00+14:00"}, "calendar"),
        ({"created_at": "0001-01-01 00:00+14:00", "updated_at": None}, "calendar"),
        ({"metadata": [1]}, "^metadata: .*; write an object"),
        ({"metadata": "x", "colour": "blue"}, "^metadata: "),
        ({"groups": "family"}, "^groups: .*; write a list"),
        ({"groups": [1]}, r"^groups\[0\]: "),
    ],
)
def test_a_wrong_field_is_named_with_what_would_be_right(
    fields: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        read(**fields)


@pytest.mark.parametrize(
    "unreadable",
    [
        person("Bob", id=" "),
        person("Bob", id="a\x00b"),
        person(" ", id="p"),
        person("a\x00b", id="p"),
        person("\ud800", id="p"),
        person("\ud800"),
        person("Bob", aliases=[""]),
        person("Bob", claims=[("", "1")]),
        person("Bob", merged_into="\n"),
        replace(SARAH, created_at=datetime(2026, 1, 15)),  # noqa: DTZ001 - refused for that
        replace(SARAH, metadata={"a": float("nan")}),
        replace(SARAH, metadata={"a": {1, 2}}),
        replace(SARAH, metadata={"a": ["\x00"]}),
        replace(SARAH, metadata={"a": "x" * LONGEST_LINE}),
    ],
)
def test_what_could_not_be_read_is_not_written(unreadable: Person) -> None:
    with pytest.raises(InvalidInput):
        line_of(unreadable)


def test_a_backslash_before_u0000_is_no_nul() -> None:
    odd = replace(SARAH, name="\\u0000")
    assert read_line(line_of(odd), now=NOW) == odd


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
words = text.filter(lambda said: bool(said.strip()))
ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200).filter(
    lambda said: bool(said.strip())
)
moments = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001 - Hypothesis adds the zone
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001 - the same
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-9, minutes=30))]),
)
speakers = st.builds(
    SpeakerKey,
    st.one_of(
        st.integers(min_value=0).map("telegram:{}".format),
        words.map("telegram:{}".format),
        words.filter(lambda said: not (said.isascii() and said.isdigit())),
    ),
)
claims = st.lists(
    st.builds(RelationshipClaim, words, st.none() | speakers, st.none() | moments),
    unique_by=lambda claim: (claim.relationship, claim.stated_by),
    max_size=4,
).map(tuple)
aliases = st.lists(
    st.builds(AliasEntry, words, st.none() | speakers, st.none() | moments),
    unique_by=lambda alias: (alias.value.casefold(), alias.added_by),
    max_size=4,
).map(tuple)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
people = st.builds(
    Person,
    id=ids.map(PersonId),
    name=words,
    created_by=st.none() | speakers,
    created_at=moments,
    updated_at=moments,
    relationships=claims,
    aliases=aliases,
    merged_into=st.none() | ids.map(PersonId),
    metadata=st.none() | st.dictionaries(text, values, max_size=4),
    groups=st.lists(text, unique=True, max_size=3).map(tuple),
)


@given(people)
def test_every_person_reads_back_as_written(anyone: Person) -> None:
    line = line_of(anyone)
    assert "\n" not in line
    assert read_line(line, now=NOW) == anyone
    assert line_of(read_line(line, now=NOW)) == line


@given(st.text() | values.map(json.dumps))
def test_whatever_stands_in_a_line_it_is_a_person_or_refused(line: str) -> None:
    try:
        found = read_line(line, now=NOW)
    except InvalidInput:
        return
    assert read_line(line_of(found), now=NOW) == found


FIELDS = [*json.loads(EXAMPLE), "owner_user_id", "relationship", "relation", "groups", "colour"]
entries = st.dictionaries(
    st.sampled_from(["value", "relationship", "added_by", "stated_by", "created_at"]), values
)
moment_texts = moments.map(datetime.isoformat)


@given(
    st.dictionaries(
        st.sampled_from(FIELDS), values | words | moment_texts | st.lists(entries | words)
    )
)
def test_whatever_the_fields_hold_it_is_a_person_or_refused(fields: dict[str, Any]) -> None:
    try:
        found = read_line(json.dumps({"id": "p", "name": "Bob"} | fields), now=NOW)
    except InvalidInput:
        return
    assert read_line(line_of(found), now=NOW) == found


def seconds_for(line: str, *, times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        read_line(line, now=NOW)
    return time.process_time() - start


def test_a_hundred_thousand_lines_are_read_in_well_under_a_second() -> None:
    line = line_of(SARAH)
    assert min(seconds_for(line, times=5_000) for _ in range(4)) * 20 < 0.9
