"""The disclosure rule as its full table, against the sentences of the design."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from msgspec.structs import replace

from kithkin.disclosure.rule import (
    Audience,
    Decision,
    Hearer,
    Hidden,
    Record,
    Shown,
    Source,
    decide,
)
from kithkin.ids import ChatId, PersonaId, PersonId
from kithkin.language.sensitivity import Sensitivity

NOW = datetime(2026, 1, 15, 10, tzinfo=UTC)
SAYER, SUBJECT, MEMBER, STRANGER = map(PersonId, ("sayer", "subject", "member", "stranger"))
FRODO, GANDALF = map(PersonaId, ("frodo", "gandalf"))
HERE, THERE = ChatId("here"), ChatId("there")
SOURCES: tuple[Source, ...] = ("private", "shared", "owner", "unknown")
LEVELS: tuple[Sensitivity, ...] = ("public", "personal", "sensitive")


def hearers(*persons: PersonId, verified: bool = True) -> tuple[Hearer, ...]:
    return tuple(Hearer(frozenset([person]), verified=verified) for person in persons)


def table() -> Iterator[tuple[Record, Audience]]:
    people = [
        (SAYER,),
        (SUBJECT,),
        (MEMBER,),
        (STRANGER,),
        (SAYER, MEMBER),
        (SAYER, STRANGER),
        (SUBJECT, MEMBER),
    ]
    flags = (False, True)
    for who, verified, source, level, portable, private, chat, doubt, group in product(
        people, flags, SOURCES, LEVELS, flags, flags, (HERE, THERE, None), flags, flags
    ):
        record = Record(
            source=source,
            chat=HERE if source in ("private", "shared") else None,
            said_by=SAYER,
            subjects=(SUBJECT,),
            heard_by=(SAYER, SUBJECT, MEMBER) if source == "shared" else (),
            sensitivity=level,
            portable=portable,
            private=private,
            groups=("*",) if group else ("fiction",),
            doubted_by=FRODO if doubt else None,
        )
        yield record, Audience(hearers(*who, verified=verified), chat=chat)


def expected(record: Record, audience: Audience) -> bool:  # noqa: PLR0911 - one line a sentence
    """The design's sentences, written a second time."""
    who = {next(iter(hearer.ids)) for hearer in audience.hearers}
    if record.doubted_by:
        return False
    if record.groups != ("*",):
        return False
    if audience.chat == HERE and record.chat == HERE:
        return True
    if record.private or not all(hearer.verified for hearer in audience.hearers):
        return False
    if record.sensitivity == "sensitive":
        return who == {SAYER} or (who == {SUBJECT} and record.portable)
    if record.sensitivity == "personal" or record.source == "private":
        return who == {SAYER} or (record.sensitivity == "public" and record.portable)
    if record.source == "shared":
        return who <= {SAYER, SUBJECT, MEMBER} or record.portable
    return record.source != "unknown"


def test_the_whole_table_is_as_the_design_says() -> None:
    rows = shown = 0
    for record, audience in table():
        found = decide(record, audience, now=NOW)
        assert isinstance(found, Shown) is expected(record, audience), (record, audience, found)
        assert found.because
        rows += 1
        shown += isinstance(found, Shown)
    assert rows == 7 * 2 * 4 * 3 * 2 * 2 * 3 * 2 * 2
    assert 0 < shown < rows


ALONE = Audience(hearers(SAYER))
SAID = Record(source="private", chat=HERE, said_by=SAYER)


@pytest.mark.parametrize(
    ("record", "because"),
    [
        (replace(SAID, state="archived"), "archived"),
        (replace(SAID, state="erased"), "erased"),
        (replace(SAID, expires_at=NOW), "time is over"),
        (replace(SAID, expires_at=NOW - timedelta(days=1)), "time is over"),
    ],
)
def test_what_is_gone_is_shown_to_nobody_not_even_in_its_own_chat(
    record: Record, because: str
) -> None:
    found = decide(record, replace(ALONE, chat=HERE), now=NOW)
    assert isinstance(found, Hidden)
    assert because in found.because


@pytest.mark.parametrize(
    ("successor", "shown"),
    [(Shown("it stands"), False), (Hidden("it is sensitive"), True), (None, True)],
)
def test_what_was_superseded_is_hidden_only_from_those_who_may_see_what_replaced_it(
    successor: Decision | None, *, shown: bool
) -> None:
    assert isinstance(decide(SAID, ALONE, now=NOW, successor=successor), Shown) is shown


def test_what_is_in_doubt_is_shown_to_its_persona_alone() -> None:
    doubted = replace(SAID, doubted_by=FRODO)
    assert isinstance(decide(doubted, ALONE, now=NOW), Hidden)
    assert isinstance(decide(doubted, replace(ALONE, persona=GANDALF), now=NOW), Hidden)
    assert isinstance(decide(doubted, replace(ALONE, persona=FRODO), now=NOW), Shown)


def test_its_persona_sees_what_is_in_doubt_even_where_it_does_not_see_the_real_world() -> None:
    isolated = replace(ALONE, persona=FRODO, groups=frozenset(["Cave"]))
    assert isinstance(decide(replace(SAID, doubted_by=FRODO), isolated, now=NOW), Shown)
    assert isinstance(decide(SAID, isolated, now=NOW), Hidden)


def test_what_is_in_doubt_is_still_told_only_to_those_who_may_hear_it() -> None:
    strangers = replace(Audience(hearers(STRANGER)), persona=FRODO)
    assert isinstance(decide(replace(SAID, doubted_by=FRODO), strangers, now=NOW), Hidden)


def test_an_audience_of_nobody_hears_nothing_but_what_was_said_where_it_asks() -> None:
    for source in SOURCES:
        record = Record(source=source, chat=HERE, said_by=SAYER, portable=True)
        assert isinstance(decide(record, Audience(()), now=NOW), Hidden)


def test_every_record_of_a_merged_person_is_that_person() -> None:
    merged = Audience((Hearer(frozenset([SAYER, PersonId("sayer-2")]), verified=True),))
    record = replace(SAID, said_by=PersonId("sayer-2"), chat=THERE)
    assert isinstance(decide(record, merged, now=NOW), Shown)


def test_one_of_two_hearers_who_was_not_there_closes_the_chat() -> None:
    record = Record(source="shared", chat=HERE, said_by=SAYER, heard_by=(SAYER, MEMBER))
    assert isinstance(decide(record, Audience(hearers(SAYER, MEMBER)), now=NOW), Shown)
    assert isinstance(decide(record, Audience(hearers(SAYER, STRANGER)), now=NOW), Hidden)
