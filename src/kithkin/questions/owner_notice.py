"""Ask the owner something, and tell them so. How they are told is registered by `outbound`."""

from collections.abc import Callable
from typing import Final

from kithkin.config import Config
from kithkin.core.model import By
from kithkin.db import Tx
from kithkin.ids import QuestionId
from kithkin.questions import ask
from kithkin.questions.model import Question

Tell = Callable[[Tx, Question, Config, By], None]
_tellers: Final[list[Tell]] = []


def register_teller(tell: Tell) -> None:
    """Say how the owner is told of a question; done once, when the context is imported."""
    _tellers.append(tell)


def tell_owner(tx: Tx, question: Question, *, config: Config, by: By) -> None:
    """Tell the owner that there is a question, where they can be reached.

    An owner without an address finds the question in the queue.
    """
    for tell in _tellers:
        tell(tx, question, config, by)


def ask_owner(tx: Tx, question: Question, *, config: Config, by: By) -> QuestionId:
    """Ask the owner something, and tell them so once."""
    asked, is_new = ask.ask(tx, question, by=by)
    if is_new:
        tell_owner(tx, asked, config=config, by=by)
    return asked.id
