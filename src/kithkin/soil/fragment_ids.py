"""A fragment's short id: what people and programs call one idea, or one line, by."""

import re
from hashlib import sha256
from typing import Final

from kithkin.canonical import require_text

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_LARGEST: Final = "1ekf"
_SHORT: Final = 3
SHAPE: Final = re.compile(r"\^[0-9a-z]{3,4}")


def fragment_id(content: str) -> str:
    """The specification's `^a7f`: two bytes of the content's SHA-256, in base 36.

    Two texts may share one: the key of a fragment is its message, its position and its SHA-256.
    """
    number = int.from_bytes(sha256(require_text(content, what="The text").encode()).digest()[:2])
    digits = ""
    while number > 0:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return f"^{digits.zfill(3)}"


def is_fragment_id(text: str) -> bool:
    """Whether a text can be a fragment's id: `^this` cannot, two bytes never reach so far."""
    digits = text[1:]
    return bool(SHAPE.fullmatch(text)) and (
        len(digits) == _SHORT or (digits[0] != "0" and digits <= _LARGEST)
    )
