"""Labels: what people call an artifact, now and before."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from kithkin.errors import InvalidInput

_SHAPE: Final = re.compile(r"[^\W\d_][\w-]*")
_LONGEST: Final = 64


class Called(Struct, frozen=True):
    """An artifact that goes by a label, or once did."""

    artifact: str
    current: bool


def require_label(label: str) -> str:
    """A label as it is kept: a letter first, then letters, digits, `-` and `_`."""
    kept = unicodedata.normalize("NFC", label.strip())
    if len(kept) > _LONGEST or not _SHAPE.fullmatch(kept):
        raise InvalidInput(
            f"{label[:80]!r} cannot be a label: begin with a letter and go on with letters, "
            f"digits, `-` and `_`, {_LONGEST} at the most, such as goals_doc."
        )
    return kept


def meant(called: Sequence[Called]) -> str | None:
    """The artifact that a label means: the current one wins, an old one only if it is unique."""
    current = [one.artifact for one in called if one.current]
    before = {one.artifact for one in called if not one.current}
    if current:
        return current[0]
    return before.pop() if len(before) == 1 else None
