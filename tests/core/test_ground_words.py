from datetime import UTC, datetime, timedelta, timezone

import pytest

from kithkin.cli.tables import ago, short, shorten
from kithkin.clock import moment, stamp
from kithkin.config import settings
from kithkin.db.sql import for_psycopg
from kithkin.errors import InvalidInput

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT :a, :b_2", "SELECT %(a)s, %(b_2)s"),
        ("SELECT ':a', :a", "SELECT ':a', %(a)s"),
        ("SELECT 'it''s :a'", "SELECT 'it''s :a'"),
        ("SELECT x::text", "SELECT x::text"),
        ("SELECT 5 % 2", "SELECT 5 %% 2"),
        ("SELECT '100%'", "SELECT '100%%'"),
    ],
)
def test_named_parameters_are_translated_and_nothing_else(ours: str, theirs: str) -> None:
    assert for_psycopg(ours) == theirs


def test_stored_times_sort_as_text() -> None:
    east = NOON.astimezone(timezone(timedelta(hours=9)))
    assert stamp(east) == stamp(NOON) == "2026-01-15T12:00:00.000000+00:00"
    assert stamp(NOON) < stamp(NOON + timedelta(microseconds=1)) < stamp(NOON + timedelta(days=1))


def test_a_time_without_a_zone_is_read_as_utc_and_never_stored_unknown() -> None:
    assert moment("2026-01-15T12:00") == NOON
    with pytest.raises(InvalidInput, match="no time zone"):
        stamp(NOON.replace(tzinfo=None))


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "25:00"])
def test_what_is_not_a_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match="2026-01-15"):
        moment(text)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (1, "1 second ago"),
        (59, "59 seconds ago"),
        (60, "1 minute ago"),
        (7200, "2 hours ago"),
        (86400 * 3, "3 days ago"),
        (86400 * 65, "2 months ago"),
        (86400 * 900, "2 years ago"),
        (-120, "in 2 minutes"),
    ],
)
def test_times_are_told_as_people_say_them(seconds: int, said: str) -> None:
    assert ago(stamp(NOON - timedelta(seconds=seconds)), NOON) == said


def test_ids_are_shown_short_and_foreign_ids_whole() -> None:
    assert short("item_1f0c9a52-aaaa-bbbb") == "item_1f0c9a52"
    assert short("person-456") == "person-456"


def test_shown_text_is_one_line_without_control_characters() -> None:
    assert shorten("a\n\x1b[31mb\tc") == "a [31mb c"
    assert len(shorten("x" * 500)) == 72


def test_a_given_home_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITHKIN_DB", "postgresql://elsewhere")
    monkeypatch.setenv("KITHKIN_HOME", "/from/env")
    assert settings().where == "postgresql://elsewhere"
    assert settings(home="/given").where == "/given"
    monkeypatch.delenv("KITHKIN_DB")
    assert settings().where == "/from/env"
