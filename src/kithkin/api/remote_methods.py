"""What a client does itself when the realm is served elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from kithkin.adapters import git
from kithkin.adapters.remote import Local, Part
from kithkin.artifacts.artifact_edit import Written
from kithkin.chat.reply import Answer
from kithkin.conversations.reader import Purpose
from kithkin.soil.model import Content, Extension, Item


def _record(timeline: Part, content: Content, **more: Any) -> Item:
    if isinstance(content, Extension):
        kind, text = content.type, content.json
    else:
        kind, text = type(content).__name__, msgspec.json.encode(content).decode()
    made: Item = timeline.record_json(kind, text, **more)
    return made


def _say(chat: Part, text: str, **more: Any) -> Answer:
    """The answer comes whole: it is one piece."""
    piece = more.pop("piece", None)
    answer: Answer = chat.asking("say")(text, **more)
    if piece is not None:
        piece(answer.reply)
    return answer


def _bring_from_git(
    artifacts: Part, label: str, repository: Path, file: str, *, project: str | None = None
) -> Written:
    """The repository is the client's own: its history is what travels."""
    made: Written = artifacts.bring_in(label, git.file_history(repository, file), project=project)
    return made


def _asked(_reader: Part, **purpose: Any) -> Purpose:
    return Purpose(**purpose)


LOCAL: Final[Mapping[str, Local]] = {
    "timeline.record": _record,
    "chat.say": _say,
    "artifacts.bring_from_git": _bring_from_git,
    "reader.asked": _asked,
}
"""By the verb's name."""
