"""What people answer, and what is made of it: nothing is removed that nobody said to remove."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kithkin.ids import PersonaId
from kithkin.personas.model import Asked, Change, Verdict
from kithkin.personas.validation_answers import disposed, read_answers

LETTERS: dict[str, Verdict] = {"k": "keep", "m": "move", "r": "remove", "u": "unclear"}


def asked(name: str, persona: str, data_type: str = "fact") -> Asked:
    change = Change(PersonaId(persona), persona, is_new=True, new=name)
    return Asked(name, data_type, (change,))


WORDS = "keep remove real role-play the first second rest all not but , . 1 2 3 and except Alice"
ELF, JOB = asked("is an elf", "Frodo"), asked("has a new job", "Gandalf")
BATCHES = {
    1: [ELF],
    2: [ELF, JOB],
    3: [ELF, JOB, asked("Alice", "Frodo", "person")],
    5: [
        ELF,
        JOB,
        asked("Alice", "Frodo", "person"),
        asked("stubborn", "Sam", "trait"),
        asked("second breakfast", "Pippin", "topic"),
    ],
}


def written() -> list[tuple[str, tuple[Verdict, ...]]]:
    lines = Path(__file__).with_name("answers.txt").read_text().splitlines()
    rows = [line.split("|", 1) for line in lines if "|" in line and not line.startswith("#")]
    return [
        (text.strip(), tuple(LETTERS[letter] for letter in verdicts.strip()))
        for verdicts, text in rows
    ]


def test_at_least_95_of_100_written_answers_are_read_right_and_the_rest_is_unclear() -> None:
    rows = written()
    assert len(rows) >= 100
    missed = []
    for text, meant in rows:
        read = read_answers(text, BATCHES[len(meant)])
        if read != meant:
            missed.append((text, meant, read))
        for want, got in zip(meant, read, strict=True):
            assert got in (want, "unclear"), (text, meant, read)
    assert len(missed) <= len(rows) * 0.05, missed


def test_a_mixed_answer_decides_each_thing_by_itself() -> None:
    text = "1 and 3 are real, drop 2"
    assert read_answers(text, BATCHES[3]) == ("keep", "remove", "keep")


def test_a_thing_whose_name_holds_deciding_words_is_still_a_name() -> None:
    things = [asked("real estate agent", "Frodo"), asked("removes snow", "Sam")]
    text = "real estate agent is role-play, removes snow is real"
    assert read_answers(text, things) == ("move", "keep")


@given(st.text(max_size=60))
def test_without_a_word_for_it_nothing_is_removed(text: str) -> None:
    low = text.casefold()
    words = ("remov", "delet", "drop", "eras", "discard", "scrap", "trash", "forget", "lose")
    more = ("toss", "wipe", "rid", "throw", "take", "clear")
    if not any(word in low for word in words + more):
        assert "remove" not in read_answers(text, BATCHES[3])


@given(st.lists(st.sampled_from(WORDS.split()), max_size=12))
def test_any_words_in_any_order_are_read_without_fail(words: list[str]) -> None:
    read = read_answers(" ".join(words), BATCHES[3])
    assert len(read) == 3


@pytest.mark.parametrize(
    ("text", "proposed", "meant"),
    [
        ("ah, that was my cousin's doing", ["keep"], ("keep",)),
        ("ah, that was my cousin's doing", ["move"], ("move",)),
        ("ah, that was my cousin's doing", ["remove"], ("unclear",)),
        ("that's real", ["remove"], ("keep",)),
        ("remove that", ["keep"], ("remove",)),
        ("that's real", ["keep", "keep"], ("keep",)),
    ],
)
def test_a_model_proposes_and_the_rule_disposes(
    text: str, proposed: list[Verdict], meant: tuple[Verdict, ...]
) -> None:
    assert disposed(text, proposed, BATCHES[1]) == meant
