"""A message is split into ideas; nothing is torn apart and nothing is lost."""

import time

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kithkin.language.fragments import fragments, split
from kithkin.language.reference_scanner import Known, scan
from kithkin.soil.fragment_ids import fragment_id

SEARCH_BAR = (
    "I want the search bar at the top because mobile users need quick \n"
    "access, but it should collapse when scrolling to save space."
)


def ideas(text: str) -> list[str]:
    return [piece.content for piece in split(text)]


def test_the_specifications_example_has_two_ideas() -> None:
    assert ideas(SEARCH_BAR) == [
        "I want the search bar at the top because mobile users need quick access,",
        "but it should collapse when scrolling to save space.",
    ]


def test_each_fragment_gets_a_hash_based_id() -> None:
    first, second = fragments(SEARCH_BAR)
    assert first.id == fragment_id(first.content)
    assert second.id == fragment_id(second.content)
    assert first.id != second.id
    assert fragments(SEARCH_BAR) == fragments(SEARCH_BAR)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("Really? Yes! Good…", ["Really?", "Yes!", "Good…"]),
        ("is it ok? i think so", ["is it ok?", "i think so"]),
        ("It is late; we should go home now.", ["It is late;", "we should go home now."]),
        ("I like it, and we should buy it.", ["I like it,", "and we should buy it."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("First.\n\nSecond", ["First.", "Second"]),
        ("- milk\n- eggs and\n  flour", ["- milk", "- eggs and flour"]),
        ("1. First step.\n2. Second step.", ["1. First step.", "2. Second step."]),
        ("# Title\nText below", ["# Title", "Text below"]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("これはペンです。あれは本です。", ["これはペンです。", "あれは本です。"]),
        ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
        ("Look:\n```\na. B\n\nc; d\n```\nDone.", ["Look:", "```\na. B\n\nc; d\n```", "Done."]),
        ("Bye, etc. Then we went.", ["Bye, etc.", "Then we went."]),
        ("No. I will not.", ["No.", "I will not."]),
        ("So do I. Then go.", ["So do I.", "Then go."]),
        ("ok. i'll do it. thanks!", ["ok.", "i'll do it.", "thanks!"]),
        (
            "Mail bob@x.com. Then edit main.py. Done.",
            ["Mail bob@x.com.", "Then edit main.py.", "Done."],
        ),
    ],
)
def test_clauses_and_sentences_are_ideas(text: str, expected: list[str]) -> None:
    assert ideas(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It costs 3.50 or 1,000.25 in total",
        "Version 2.0.1 is out",
        "Dr. Smith met Mr. Jones and Prof. Li",
        "e.g. This one, i.e. That one",
        "The U.S. Army and J. R. R. Tolkien",
        "See Fig. 3 and No. 5 on p. 12",
        "Siehe z.B. Seite 4",
        "Read https://example.com/a.b?c=d. E;f now",
        "Run `a. B; c, but d e f` please",
        "Use ``x. Y`` here",
        "apples, pears, and bananas",
        "the red, the green, and the blue",
        "small, but nice",
        "Wait... what happened",
        '"Stop!" he cried out loud',
        "do it, so that we can all go",
        "a (first; second, but third one) thing here",
        "On Jan. 5 and Sept. 9",
        "Acme Inc. Holdings et al. Group",
        "She has a Ph.D. Thesis to write",
        "it costs approx. five, e.g. here",
        "Das kostet 5 Mio. Euro",
    ],
)
def test_never_inside_code_urls_numbers_or_abbreviations(text: str) -> None:
    assert ideas(text) == [text]


WRITING = st.lists(
    st.sampled_from(
        ["word", " ", ". ", ", but ", "; ", "\n", "\n\n", "`", "```", "```\n", "- ", "1. ", "# ",
         "http://x.y/z. ", "Dr. ", "3.5", "。", "“", "”", "(", ")", "\t", "\r\n", "é", "\u2028"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(st.one_of(WRITING, st.text()))
def test_together_the_ideas_hold_every_word_in_order(text: str) -> None:
    pieces = split(text)
    assert "".join("".join(p.content.split()) for p in pieces) == "".join(text.split())
    places = [place for piece in pieces for place in (piece.start, piece.end)]
    assert places == sorted(places)
    assert all(piece.content.strip() for piece in pieces)


def test_boundaries_are_invisible_to_people() -> None:
    covered = "".join(SEARCH_BAR[piece.start : piece.end] for piece in split(SEARCH_BAR))
    assert covered == SEARCH_BAR


@pytest.mark.parametrize(
    "part",
    ["`a`. ", "a.a.", "https://x/) ", ")", "word, but word ", "(word, but word ", " ", "\n",
     "```\n", "~", "x. Y ", "[", "^a7f ", "goals:1 ", "@item_1 ", "a-", "- a\n", "`",
     "http://", "a" * 50 + "#"],
)  # fmt: skip
def test_no_text_takes_long(part: str) -> None:
    text = f"https://x/{part * (200_000 // len(part))}"
    started = time.perf_counter()
    split(text)
    scan(text, Known(label=lambda _: True, thing=lambda _: True))
    split(part * (200_000 // len(part)))
    assert time.perf_counter() - started < 4
