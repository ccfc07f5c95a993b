"""How what was found is put in order."""

from datetime import UTC, datetime, timedelta

from kithkin.ids import PersonId
from kithkin.memories.ranking import Asked, Candidate, Neighbour, ranked, scaled

NOW = datetime(2026, 1, 15, 10, tzinfo=UTC)
ANN, BEN = PersonId("ann"), PersonId("ben")


def turn(seq: int, words: float = 0.0, **more: object) -> Candidate:
    return Candidate(seq, words, **{"said_at": NOW, **more})  # type: ignore[arg-type]


def order(
    *found: Candidate, beside: tuple[Neighbour, ...] = (), asked: Asked | None = None
) -> list[int]:
    return [seq for seq, _ in ranked(found, beside, asked or Asked())]


def test_the_best_words_come_first_and_the_older_of_equals() -> None:
    assert order(turn(3, 0.5), turn(1, 0.5), turn(2, 1.0)) == [2, 1, 3]


def test_what_the_person_meant_said_or_what_is_about_them_stands_out() -> None:
    asked = Asked(frozenset([ANN]))
    found = (turn(1, 1.0, said_by=BEN), turn(2, 0.3, said_by=ANN), turn(3, 0.4, subjects=(ANN,)))
    assert order(*found, asked=asked) == [3, 2, 1]


def test_the_turn_after_a_question_is_nearer_than_the_one_before() -> None:
    question = turn(5, 1.0, asks=True)
    beside = (Neighbour(5, 1, turn(6)), Neighbour(5, -1, turn(4)), Neighbour(5, 2, turn(7)))
    assert order(question, beside=beside) == [5, 6, 4, 7]


def test_turns_of_another_conversation_get_nothing() -> None:
    later = turn(6, said_at=NOW + timedelta(hours=2))
    assert order(turn(5, 1.0), beside=(Neighbour(5, 1, later),)) == [5]


def test_a_question_for_a_time_prefers_what_speaks_of_one() -> None:
    found = (turn(1, 0.6), turn(2, 0.5, timed=True))
    assert order(*found, asked=Asked(when=True)) == [2, 1]
    assert order(*found) == [1, 2]


def test_what_was_said_in_the_time_asked_about_stands_out() -> None:
    asked = Asked(since=NOW - timedelta(days=7), until=NOW - timedelta(days=5))
    found = (turn(1, 0.9), turn(2, 0.5, said_at=NOW - timedelta(days=6)))
    assert order(*found, asked=asked) == [2, 1]


def test_scores_are_scaled_between_the_lowest_and_the_highest() -> None:
    assert scaled({1: 2.0, 2: 4.0, 3: 3.0}, [1, 2, 3, 9]) == {1: 0.0, 2: 1.0, 3: 0.5}
    assert scaled({}, [1]) == {}
