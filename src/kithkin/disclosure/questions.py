"""Which questions a persona may read."""

from kithkin.db import Database
from kithkin.ids import REAL
from kithkin.personas.voices import Voice, seen_by
from kithkin.questions.model import Question


def may_see(db: Database, question: Question, voice: Voice) -> bool:
    """Whether a voice may read a question: what is in doubt, and other worlds', it may not."""
    if question.kind == "doubt":
        return voice.is_steward
    group = question.details.get("group", REAL)
    if group == REAL and voice.visible is None:
        return True
    with db.snapshot() as tx:
        return group in seen_by(tx, voice)
