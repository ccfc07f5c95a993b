"""When a new belief takes the place of an old one.

Similarity is judged without vectors and on the safe side: two statements are about the same thing
when they fill the same slot ("works at A", "works at B"), or say the same words, liking or denying.
An addition ("also likes B") replaces nothing.
"""

import re
from collections.abc import Collection
from typing import Final

from msgspec import Struct

from kithkin.ids import ChatId, PersonId
from kithkin.language.word_lists import WORD, word_set
from kithkin.memories.model import Memory, Scope

_EMPTY: Final = word_set(
    "a an the is are was were be been being am has have had do does did to of in on at for from "
    "with by and or that this it its his her their my our as so very really just now currently "
    "already still also too again about"
)
_ADDS: Final = re.compile(
    r"\b(?:also|too|as well|another|additionally|in addition|besides|second|other)\b", re.IGNORECASE
)
_POLAR: Final = re.compile(
    r"\b(?:not|no longer|never|doesn't|don't|didn't|isn't|aren't|wasn't|hasn't|won't|can't"
    r"|anymore|any more|stopped|quit|gave up|dislikes?|hates?|likes?|loves?|enjoys?|does|do)\b",
    re.IGNORECASE,
)
_MEASURE: Final = r"\d+(?:['\u2019.,]\s?\d+)?"

# What somebody has one of at a time: the words that open the slot, and what fills it.
_SLOTS: Final = tuple(
    (name, re.compile(rf"^(?:now |currently |recently )*(?:{pattern})", re.IGNORECASE))
    for name, pattern in (
        ("work", r"(?:works?|worked|is working|started|started working) (?:at|for|with|as)\b"),
        ("work", r"got a job (?:at|with|as)\b"),
        ("work", r"(?:has|got|started|took) (?:a |his |her |their )?new job\b"),
        ("home", r"(?:lives?|lived|is living|is based) (?:in|at|near)\b"),
        ("home", r"(?:moved|is moving|relocated|moved back) to\b"),
        ("height", rf"is {_MEASURE}(?:['\u2019\"\u201d]|\s*(?:tall|cm|feet|foot|ft|m)\b)"),
        ("age", r"(?:is|turned|turns|is turning) \d{1,3}(?:\s*(?:years? old|y/?o))?$"),
        ("age", r"(?:turned|turns|is turning) \d{1,3}\b"),
        ("birthday", r"(?:was born on|has (?:a |their )?birthday on|birthday is)\b"),
        ("birthday", r"(?:their |his |her )?birthday is\b"),
        ("birthplace", r"was born in\b"),
        ("origin", r"is (?:originally )?from\b"),
        ("name", r"(?:is called|goes by|is named|prefers to be called)\b"),
        ("partner", r"(?:is|got|is getting) (?:married|engaged) to\b"),
        ("partner", r"is (?:dating|seeing|single|divorced|widowed|married|engaged)\b"),
        ("phone", r"(?:their )?(?:phone )?number is\b"),
        ("email", r"(?:their )?e-?mail(?: address)? is\b"),
        ("address", r"(?:their )?address is\b"),
        ("car", r"drives\b"),
    )
)
_FAVOURITE: Final = re.compile(
    r"^(?:their |his |her )?favou?rite ((?:\w+ ){0,2}?\w+) (?:is|are)\b", re.IGNORECASE
)
_PLANNED: Final = re.compile(
    r"^(?:has|have|had|got) (?:a |an |the |their |his |her )?([\w' -]{3,40}?) (?:on|at|in)\b",
    re.IGNORECASE,
)
_IS_ON: Final = re.compile(
    r"^(?:their |his |her |the )?([\w' -]{3,40}?)"
    r" (?:is|will be|was moved to|is now) (?:on|at|in)?\b",
    re.IGNORECASE,
)


def slot_of(content: str) -> str | None:
    """What the statement fills, of which somebody has one at a time; None when it fills nothing."""
    for name, pattern in _SLOTS:
        if pattern.search(content):
            return name
    if match := _FAVOURITE.match(content):
        return f"favourite {match[1].lower()}"
    dated = _PLANNED.match(content) or (_IS_ON.match(content) if _has_number(content) else None)
    if dated and _has_number(content):
        return f"date of {' '.join(sorted(_words(dated[1])))}"
    return None


def _has_number(content: str) -> bool:
    return any(c.isdigit() for c in content)


def _words(content: str) -> frozenset[str]:
    return frozenset(_stem(w.lower()) for w in WORD.findall(content)) - _EMPTY


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word  # noqa: PLR2004 - "is", "bus"


def keys_of(content: str) -> frozenset[str]:
    """What a statement can be looked up by, to find those about the same thing."""
    slot = slot_of(content)
    gist = " ".join(sorted(_words(_POLAR.sub(" ", _ADDS.sub(" ", content)))))
    return frozenset([*([f"slot {slot}"] if slot else ()), *([f"gist {gist}"] if gist else ())])


def about_the_same(old: str, new: str) -> bool:
    """Whether a new statement fills the slot of an old one, says the same again, or denies it."""
    shared = keys_of(old) & keys_of(new)
    if _ADDS.search(new):
        # "Also works at B" adds to what is known, unless it says the very same.
        return any(key.startswith("gist") for key in shared)
    return bool(shared)


class Claimed(Struct, frozen=True):
    """One side of a supersession: what was said, by whom, about whom, in which scope."""

    content: str
    said_by: frozenset[PersonId]
    """Every record of the one who said it; empty when that is not known."""
    about: frozenset[PersonId]
    """Every record of everybody it is about, the speaker's own for a self-fact."""
    scope: Scope = "account"
    chat: ChatId | None = None

    @property
    def first_hand(self) -> bool:
        """Whether somebody speaks of themselves."""
        return bool(self.said_by & self.about)


def claimed(
    memory: Memory, *, said_by: Collection[PersonId], about: Collection[PersonId]
) -> Claimed:
    """A memory as a side of a supersession, its people given with all their records."""
    return Claimed(
        content=memory.content,
        said_by=frozenset(said_by),
        about=frozenset(about),
        scope=memory.scope,
        chat=memory.chat,
    )


def may_supersede(new: Claimed, old: Claimed) -> bool:
    """Whether the new statement may stand in the old one's place.

    A third party never replaces what somebody said of themselves; their own word replaces hearsay
    about them wherever it was said; otherwise only what was said in the same scope, which is the
    speaker's own account or one chat.
    """
    if not new.about & old.about or not about_the_same(old.content, new.content):
        return False
    if old.first_hand and not new.said_by & old.said_by:
        return False
    if new.first_hand and not old.first_hand:
        return True
    if new.scope != old.scope:
        return False
    return new.chat == old.chat if new.scope == "chat" else bool(new.said_by & old.said_by)


def confirms_hearsay(new: Claimed, old: Claimed) -> bool:
    """Whether somebody's own word replaces what others said of them, in any scope."""
    return new.first_hand and not old.first_hand and may_supersede(new, old)
