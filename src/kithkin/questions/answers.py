"""How a human's words answer a question, and who may answer."""

import re
from typing import Final

from kithkin.errors import InvalidInput, Lapsed, NotAllowed
from kithkin.ids import PersonId
from kithkin.questions.model import Answer, Question

BATCH: Final = 5
"""How many questions a person is asked at once."""
NAME: Final = "name"
"""The option of an unknown sender that is taken when none of the others is said."""
_CODE_LENGTH: Final = 6
_SAID: Final = {
    "approve": ("approve", "approved", "yes", "y", "ok", "okay", "allow", "send"),
    "reject": ("reject", "rejected", "no", "n", "deny", "don't", "dont", "refuse", "stop"),
    "merge": ("merge", "same"),
    "confirm": ("confirm", "new"),
    "archive": ("archive", "ignore"),
    "block": ("block",),
}


_BARE: Final = ("approve", "reject")
_POLITE: Final = frozenset(("please", "thanks", "thank", "you", "it", "that", "send", "sure"))
"""What may stand beside a yes or a no. Anything else may turn it round."""


def _polite(words: str) -> bool:
    return {word.strip(".,!").casefold() for word in words.split()} <= _POLITE


def code_of(question: Question) -> str:
    """What a reply names the question by."""
    return question.id.rpartition("_")[2].replace("-", "")[:_CODE_LENGTH]


def how_to_answer(question: Question) -> str:
    """What a notice says of replying: the code keeps one answer from being taken for another."""
    code = code_of(question)
    example = "Sarah" if NAME in question.options else question.options[0]
    return f"Answer with the code {code}, such as: {example} {code}"


def read_answer(question: Question, text: str) -> Answer:
    """The option that is meant. What is none of them is refused: nothing is guessed."""
    words = text.strip().split(maxsplit=1)
    first = words[0].strip(".,!:;").casefold() if words else ""
    about = words[1].strip() if len(words) > 1 else ""
    for option in question.options:
        if first in _SAID.get(option, (option,)) and (option not in _BARE or _polite(about)):
            return Answer(option, "" if option in _BARE else about)
    if NAME in question.options and words:
        return Answer(NAME, text.strip())
    raise InvalidInput(
        f"{text[:40]!r} answers nothing here: say one of {', '.join(question.options)}."
    )


def named_in(question: Question, text: str) -> str | None:
    """The reply without the question's code; None when it does not name the question."""
    code = code_of(question)
    found = re.search(rf"(?<![0-9a-z])[#(]?{code}\)?(?![0-9a-z])", text.casefold())
    return f"{text[: found.start()]} {text[found.end() :]}".strip() if found else None


def require_open(question: Question, *, now: str) -> None:
    """Refuse a question that was answered, has expired or has lapsed."""
    if question.state == "open" and question.expires_at and question.expires_at <= now:
        raise Lapsed(f"This question expired at {question.expires_at[:16]}: it counts as a no.")
    if question.state != "open":
        told = f"{question.state} ({question.answer})" if question.answer else question.state
        raise Lapsed(f"This question is not open: {told}.")


def require_answer_by(
    question: Question, *, person: PersonId | None, is_owner: bool, verified: bool, seq: int
) -> None:
    """Refuse words that cannot answer: not vouched for, of somebody else, or said before it."""
    if not verified:
        raise NotAllowed("The message's sender is not verified: it answers nothing.")
    if not is_owner and (person is None or person != question.audience):
        raise NotAllowed("Whoever wrote the message is not asked: the owner decides this.")
    if seq <= question.asked_after:
        raise NotAllowed("The message is older than the question: it cannot answer it.")
