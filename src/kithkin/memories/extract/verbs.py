"""Verbs that say something lasting of a person, what kind of thing, and their forms."""

import re
from collections.abc import Mapping
from typing import Final

from kithkin.language.word_lists import word_set
from kithkin.memories.model import Kind

_VERBS: Final[Mapping[Kind, str]] = {
    "preference": "like love hate prefer enjoy adore dislike support collect fear crave",
    "identity": """live work study teach speak own drive play run volunteer smoke drink eat wear
        weigh cook paint sing dance write coach commute belong identify make earn rent teach raise
        breed practice practise suffer use take stay sleep wake fix swim ride knit bake
        garden photograph program code manage lead attend train share bring owe""",
    "event": """move adopt buy sell quit leave start finish graduate retire marry divorce win lose
        pass fail break visit fly travel arrive land propose publish celebrate welcome expect give
        get join stop book enroll enrol apply accept turn die crash hurt injure injure sprain
        relocate emigrate fight stay undergo recover fast find begin""",
}
# By the base: the past and the participle.
_IRREGULAR: Final[Mapping[str, tuple[str, str]]] = {
    "eat": ("ate", "eaten"),
    "drink": ("drank", "drunk"),
    "drive": ("drove", "driven"),
    "speak": ("spoke", "spoken"),
    "teach": ("taught", "taught"),
    "wear": ("wore", "worn"),
    "run": ("ran", "run"),
    "write": ("wrote", "written"),
    "sing": ("sang", "sung"),
    "make": ("made", "made"),
    "take": ("took", "taken"),
    "sleep": ("slept", "slept"),
    "wake": ("woke", "woken"),
    "swim": ("swam", "swum"),
    "ride": ("rode", "ridden"),
    "lead": ("led", "led"),
    "buy": ("bought", "bought"),
    "sell": ("sold", "sold"),
    "quit": ("quit", "quit"),
    "leave": ("left", "left"),
    "win": ("won", "won"),
    "lose": ("lost", "lost"),
    "break": ("broke", "broken"),
    "fly": ("flew", "flown"),
    "give": ("gave", "given"),
    "get": ("got", "gotten"),
    "hurt": ("hurt", "hurt"),
    "fight": ("fought", "fought"),
    "begin": ("began", "begun"),
    "undergo": ("underwent", "undergone"),
    "bring": ("brought", "brought"),
    "find": ("found", "found"),
}
_DOUBLED: Final = word_set("run swim get stop quit program win begin knit plan")
ALONE: Final = word_set(
    "smoke drink die retire move graduate swim volunteer cook quit drive relocate code knit paint"
)
"""Verbs that say something without an object."""


def _past(base: str) -> tuple[str, ...]:
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith("e"):
        return (f"{base}d",)
    if base.endswith("y") and base[-2] not in "aeiou":
        return (f"{base[:-1]}ied",)
    return (f"{base}{base[-1]}ed",) if base in _DOUBLED else (f"{base}ed",)


def third_person(base: str) -> str:
    """The form after "she"."""
    if base in ("have", "do", "go"):
        return {"have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "sh", "ch", "x", "z")):
        return f"{base}es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}s"


def _ing(base: str) -> str:
    if base == "die":
        return "dying"
    if base.endswith("e") and not base.endswith("ee"):
        return f"{base[:-1]}ing"
    return f"{base}{base[-1]}ing" if base in _DOUBLED else f"{base}ing"


def _all_forms() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    present: dict[str, str] = {}
    past: dict[str, str] = {}
    ing: dict[str, str] = {}
    for verbs in _VERBS.values():
        for base in verbs.split():
            present |= {base: base, third_person(base): base}
            past |= dict.fromkeys(_past(base), base)
            ing[_ing(base)] = base
    return present, past, ing


PRESENT, PAST, ING = _all_forms()
"""Each form and its base."""
KIND_OF: Final[Mapping[str, Kind]] = {
    base: kind for kind, verbs in reversed(list(_VERBS.items())) for base in verbs.split()
}
ADVERBS: Final = re.compile(
    r"(?:(?:really|also|just|still|usually|always|only|now|recently|currently|already|actually"
    r"|totally|absolutely|often|mostly|finally|both|all|never|honestly|secretly|kinda|officially"
    r"|even|regularly|generally|normally|rarely|first|then|once|personally|each|apparently not) )*"
)
