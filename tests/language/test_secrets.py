"""What is never stored, what is delicate, and which day was meant."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.language.dates import made_absolute, spans_in
from kithkin.language.secrets import masked, secrets_in
from kithkin.language.sensitivity import higher, sensitivity_of, topic_of

A35 = "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("my key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWx-1234", "Anthropic key"),
        ("sk-proj-AbCdEfGhIjKlMnOpQrStUvWx1234567890", "OpenAI key"),
        ("use sk-AbCdEfGhIjKlMnOpQrStUvWx123456", "OpenAI key"),
        ("ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "GitHub token"),
        ("github_pat_11ABCDEFG0AbCdEfGhIjKl_MnOpQrStUvWxYz", "GitHub token"),
        ("AKIAIOSFODNN7EXAMPLE is the id", "AWS key"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
            "JSON web token",
        ),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "private key"),
        ("-----BEGIN PRIVATE KEY-----", "private key"),
        (f"bot 110201543:{A35}", "Telegram bot token"),
        ("pay to DE89 3704 0044 0532 0130 00 please", "IBAN"),
        ("GB82WEST12345698765432", "IBAN"),
        ("card 4111 1111 1111 1111", "card number"),
        ("378282246310005", "card number"),
        ("amex 3782-822463-10005", "card number"),
        ("the password is hunter2", "password"),
        ("password: Tr0ub4dor&3", "password"),
        ('the wifi password for home is "correct horse"', "password"),
        ("my pin is 4711", "password"),
        ("The alarm code is 4711", "password"),
        ("postgres://me:s3cret@db.example.com/x", "connection password"),
    ],
)
def test_real_formats_of_secrets_are_found_and_masked(text: str, what: str) -> None:
    (found,) = secrets_in(text)
    assert found.what == what
    assert text[found.start : found.end] not in masked(text)
    assert f"[{what} removed]" in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "the password is case sensitive",
        "the password is wrong",
        "Password is required",
        "I forgot my password again",
        "my password is too long to remember",
        "sk-8 is a road",
        "order 4111 1111 1111 1112",
        "call me on +49 170 1234567",
        "ISBN 9780306406157",
        "the pin is in the drawer",
        "DE89 3704 0044 0532 0130 01",
        "ghp_short",
        "it was 1234567890123 in total",
        "the secret is to add butter slowly",
        "secret santa is on Friday",
    ],
)
def test_talk_about_secrets_is_no_secret(text: str) -> None:
    assert secrets_in(text) == ()
    assert masked(text) == text


@given(st.text(max_size=300))
def test_masking_any_text_leaves_no_secret_and_is_stable(text: str) -> None:
    once = masked(text)
    assert masked(once) == once


@pytest.mark.parametrize(
    ("text", "level", "topic"),
    [
        ("was diagnosed with diabetes", "sensitive", "health"),
        ("is allergic to peanuts", "sensitive", "health"),
        ("is training for a marathon", "public", None),
        ("likes hiking", "public", None),
        ("earns $90k a year", "sensitive", "money"),
        ("is in debt", "sensitive", "money"),
        ("is gay", "sensitive", "sexuality"),
        ("was arrested for DUI", "sensitive", "legal"),
        ("is getting divorced", "sensitive", "legal"),
        ("had a fight with Tom", "personal", "conflict"),
        ("lives at 12 Baker Street", "personal", "location"),
        ("lives in Lisbon", "public", None),
        ("the password is on the fridge", "sensitive", "credentials"),
        ("plays tennis on the court every Sunday", "public", None),
        ("works at Acme", "public", None),
    ],
)
def test_delicate_topics_are_raised_by_rule(text: str, level: str, topic: str | None) -> None:
    assert (sensitivity_of(text), topic_of(text)) == (level, topic)


def test_a_later_copy_never_lowers_what_an_earlier_one_was() -> None:
    assert higher("public", "sensitive") == higher("sensitive", "public") == "sensitive"
    assert higher("personal", "public") == "personal"


SAID = datetime(2026, 1, 15, 10, tzinfo=UTC)  # a Thursday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2026-01-14", "2026-01-14"),
        ("today", "2026-01-15", "2026-01-15"),
        ("tomorrow", "2026-01-16", "2026-01-16"),
        ("the day after tomorrow", "2026-01-17", "2026-01-17"),
        ("last night", "2026-01-14", "2026-01-14"),
        ("on Friday", "2026-01-16", "2026-01-16"),
        ("next Friday", "2026-01-23", "2026-01-23"),
        ("next Monday", "2026-01-19", "2026-01-19"),
        ("last Friday", "2026-01-09", "2026-01-09"),
        ("last Thursday", "2026-01-08", "2026-01-08"),
        ("last week", "2026-01-05", "2026-01-11"),
        ("next month", "2026-02-01", "2026-02-28"),
        ("last month", "2025-12-01", "2025-12-31"),
        ("this weekend", "2026-01-17", "2026-01-18"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("two weeks ago", "2025-12-29", "2026-01-04"),
        ("3 days ago", "2026-01-12", "2026-01-12"),
        ("in two days", "2026-01-17", "2026-01-17"),
        ("in 3 months", "2026-04-01", "2026-04-30"),
        ("the 14th", "2026-02-14", "2026-02-14"),
        ("the 20th", "2026-01-20", "2026-01-20"),
        ("March 3", "2026-03-03", "2026-03-03"),
        ("3 March 2024", "2024-03-03", "2024-03-03"),
        ("Dec 30", "2025-12-30", "2025-12-30"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("in 2019", "2019-01-01", "2019-12-31"),
        ("2026-03-09", "2026-03-09", "2026-03-09"),
    ],
)
def test_days_are_read_by_the_day_they_were_said_on(text: str, first: str, last: str) -> None:
    (span,) = spans_in(f"we met {text}, twice", said=SAID)
    assert (span.first, span.last) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("went to Porto yesterday", "went to Porto on 14 Jan 2026"),
        ("has an exam on Friday", "has an exam on 16 Jan 2026"),
        ("has an exam next Friday", "has an exam on 23 Jan 2026"),
        ("is moving next month", "is moving in Feb 2026"),
        ("is moving to Lisbon in May", "is moving to Lisbon in May 2026"),
        ("the exam is next month", "the exam is Feb 2026"),
        ("was ill last week", "was ill the week of 5 Jan 2026"),
        ("was born on 3 March 1990", "was born on 3 March 1990"),
        ("likes hiking", "likes hiking"),
        ("may come", "may come"),
        ("got married on the 20th", "got married on 20 Jan 2026"),
    ],
)
def test_relative_days_are_made_absolute(text: str, absolute: str) -> None:
    assert made_absolute(text, said=SAID) == absolute


@given(st.text(max_size=200))
def test_any_text_can_be_read_for_days(text: str) -> None:
    assert isinstance(made_absolute(text, said=SAID), str)
