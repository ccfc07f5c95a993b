"""How well extraction by rules reads chat sentences: precision and recall of what is learned.

    python benchmarks/quality/extraction.py [--show]

A sentence of `sentences.txt` expects facts (about whom, and words that must be in them) and
relationships. Every third sentence is kept apart: its figures are printed, never looked into.
"""

import calendar
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from kithkin.memories.extract.model import Fact, Proposal, Related, SelfNamed, Who
from kithkin.memories.sentence_reader import read_message

SENTENCES = Path(__file__).with_name("sentences.txt")
SAID = datetime(2026, 1, 15, 10, tzinfo=UTC)
# A day is made absolute, so its name is expected as a date.
DAYS = {*calendar.day_name, *calendar.month_name}
RELATION = re.compile(r"(.+) is ([a-z-]+) of (.+)")


class Expected(Struct, frozen=True):
    """About whom, and words that must be learned; or a relationship, as "term of whom"."""

    who: str
    words: frozenset[str]
    relation: str = ""


class Score(Struct):
    """Counts of a part of the set."""

    right: int = 0
    learned: int = 0
    expected: int = 0

    def add(self, learned: Sequence[Expected], expected: Sequence[Expected]) -> list[Expected]:
        """Count one sentence; what was not matched on either side comes back."""
        open_, wrong = list(expected), []
        for one in learned:
            match = next((e for e in open_ if fits(one, e)), None)
            if match:
                open_.remove(match)
                self.right += 1
            else:
                wrong.append(one)
        self.learned += len(learned)
        self.expected += len(expected)
        return [*wrong, *open_]

    @property
    def precision(self) -> float:
        """The share of what was learned that is right."""
        return self.right / self.learned if self.learned else 1.0

    @property
    def recall(self) -> float:
        """The share of what could be learned that was."""
        return self.right / self.expected if self.expected else 1.0


def fits(learned: Expected, expected: Expected) -> bool:
    """Whether this is what was expected: the same person, every word there, in any form."""
    if learned.who.lower() != expected.who.lower() or learned.relation != expected.relation:
        return False
    dated = any(re.fullmatch(r"20\d\d", word) for word in learned.words)
    return all(
        any(stem(word) == stem(have) for have in learned.words) or (dated and word in DAYS)
        for word in expected.words
    )


def stem(word: str) -> str:
    """A word without its usual endings."""
    return re.sub(
        r"(?:ing|ed|es|s|e|n't|(?<=\d)(?:st|nd|rd|th))$",
        "",
        word.lower().replace("don't", "doesn't"),
    )[:6]


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[\w'\"-]+", text))


def sentences() -> Iterator[tuple[str, list[Expected]]]:
    for line in SENTENCES.read_text().splitlines():
        if line.startswith("#"):
            continue
        text, _, expectation = line.rpartition(" => ")
        yield text, [] if expectation == "-" else list(map(read, expectation.split("; ")))


def read(part: str) -> Expected:
    if match := RELATION.fullmatch(part):
        return Expected(match[1], frozenset(), f"{match[2]} of {match[3]}")
    who, _, words = part.partition(": ")
    return Expected(who, words_of(words))


def learned_from(text: str) -> list[Expected]:
    return [one for proposal in read_message(text, said=SAID) for one in told(proposal)]


def told(proposal: Proposal) -> list[Expected]:
    match proposal:
        case Fact(who=who, content=content):
            return [Expected(name(one), words_of(content)) for one in who]
        case Related(who=who, term=term, of=of):
            return [Expected(name(who), frozenset(), f"{term} of {name(of)}")]
        case SelfNamed(name=called):
            return [Expected("me", words_of(called))]
        case _:
            return []


def name(who: Who) -> str:
    return who.name or who.said


def measured(*, show: bool) -> tuple[Score, Score]:
    tuned, apart = Score(), Score()
    for number, (text, expected) in enumerate(sentences()):
        if number % 3 == 2:
            apart.add(learned_from(text), expected)
            continue
        left = tuned.add(learned_from(text), expected)
        if show and left:
            print(f"{text}\n    learned {learned_from(text)}\n    expected {expected}")
    return tuned, apart


def main() -> int:
    tuned, apart = measured(show="--show" in sys.argv)
    for label, score in (("two thirds", tuned), ("kept apart", apart)):
        print(
            f"{label}: precision {score.precision:.3f}, recall {score.recall:.3f}"
            f" ({score.right} right of {score.learned} learned, {score.expected} expected)"
        )
    return 0 if min(tuned.precision, apart.precision) >= 0.9 <= tuned.recall + 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
