"""Nametags: `adjective-noun-NN`, how an account is called by others."""

import re
import secrets
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from kithkin.errors import InvalidInput, Refused

TRIES: Final = 100
_FORM: Final = re.compile(r"[a-z]+-[a-z]+-[1-9][0-9]")
_CHOSEN: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{1,38}[a-z0-9])")


def new_nametag(*, taken: Callable[[str], bool]) -> str:
    """A nametag nobody has or had. After a hundred that are taken it is refused cleanly."""
    for _ in range(TRIES):
        tag = _drawn()
        if not taken(tag):
            return tag
    raise Refused(f"{TRIES} nametags in a row were taken; try again.")


def checked_nametag(text: str) -> str:
    """A nametag as it is stored, whatever its case; with or without `@`."""
    tag = text.strip().lstrip("@").lower()
    if not _CHOSEN.fullmatch(tag):
        raise InvalidInput(
            f"{text!r} is no nametag: write it like brave-otter-42 (letters, digits and hyphens)."
        )
    return tag


def is_drawn(tag: str) -> bool:
    """Whether a nametag has the form that Kithkin draws."""
    return bool(_FORM.fullmatch(tag))


@cache
def words(kind: str) -> tuple[str, ...]:
    """The words nametags are made of, "adjectives" or "nouns": friendly and easy to spell."""
    return tuple(Path(__file__).with_name(f"{kind}.txt").read_text().split())


def _drawn() -> str:
    adjective, noun = secrets.choice(words("adjectives")), secrets.choice(words("nouns"))
    return f"{adjective}-{noun}-{10 + secrets.randbelow(90)}"
