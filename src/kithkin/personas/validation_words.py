"""The words of an answer that choose among what was asked, and those that decide."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from kithkin.personas.model import Asked, Verdict


class Chosen(Struct, frozen=True):
    """Some of what was asked; `rest`, whatever nobody else named; `out`, an "except"."""

    items: frozenset[int] = frozenset()
    out: bool = False
    rest: bool = False


class Decided(Struct, frozen=True):
    """A verdict. One that orders ("keep") is said before what it is about."""

    verdict: Verdict
    orders: bool = False


class Stop(Struct, frozen=True):
    """A pause: a comma, a full stop, a "but"."""


Sign = Chosen | Decided | Stop


class Reading(Struct, frozen=True):
    """The signs of an answer, and whether it says nothing else: "my car is real" names a car."""

    signs: tuple[Sign, ...]
    is_bare: bool


_PLAY: Final = (
    r"role[ -]?play(?:ing|ed|s)?|rp|in[ -]character|(?:the |our |a |that |my )?"
    r"(?:game|story|scene|campaign|adventure|fiction|tale|bit)\b|fictional|make[ -]believe"
    r"|pretend(?:ing|ed)?|imaginary|fantasy|improv|acting"
)
_HEDGES: Final = re.compile(
    r"\?|\b(?:maybe|perhaps|possibly|probably|might|not sure|unsure|no idea|depends|kind of"
    r"|sort of|partly|half|i guess|i suppose|(?:do ?n[o']t|can ?no?t|can't) (?:know|remember|recall"
    r"|say|tell)|either way|whatever|never ?mind|forget it|ask me|later|hmm+|if|unless|not really"
    r"|sometimes|or|some|most(?:ly)?|many|few|several|mainly)\b"
)
_NOT: Final = r"(?:not|n't|never|no longer|hardly|none|neither|nothing|isnt|arent|wasnt|dont)"
_NOT_BEFORE: Final = re.compile(
    rf"(?:\b|(?<=\w)){_NOT}\b(?:\s+(?:of|them|these|those|it|that|is|are|was|were|a|an|at|all|any"
    r"|one|based|on|anything|something|to|be|the|actually|ever|just|only|really|have))*\s*$"
)
_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_ORDINALS: Final = {
    word: number
    for number, words in enumerate(
        (
            ("first", "1st"),
            ("second", "2nd"),
            ("third", "3rd"),
            ("fourth", "4th"),
            ("fifth", "5th"),
        ),
        start=1,
    )
    for word in words
}
_ORDINAL: Final = "|".join(_ORDINALS)
_NUMBER: Final = "|".join(_NUMBERS)

_STAYS: Final = (
    r"\b(?:keep|leave|put|have|let|should stay|can stay|stays?|belongs?)\b[\w\s']{0,24}?"
    r"\b(?:in|within|to|inside|with|for|as|between)\s+"
    r"(?:the\s+|our\s+|that\s+|those\s+|just\s+|these\s+|my\s+)*"
    rf"(?:{_PLAY}|conversations?|chats?|\x00\w+)"
)
_JOKED: Final = (
    r"\b(?:(?:a )?jok(?:e|es|ing)|kidding|for fun|play(?:ing|ed) (?:along|around)"
    r"|made (?:it |that |this |them )?up|make it up|fake|invented|unreal)\b"
)
_GONE: Final = (
    r"\b(?:remove|removed|delete|deleted|drop|dropped|erase|erased|discard|scrap|trash|forget|lose"
    r"|toss|wipe|get rid of|throw (?:\w+ )?(?:away|out)|take (?:\w+ )?out|clear out)\b"
)
_TRULY: Final = (
    r"\b(?:real|genuine|legit(?:imate)?|in real life|irl|for real|really happened"
    r"|actually happened|i meant (?:it|that|this|them|those))\b"
)
_REST: Final = (
    r"\b(?:(?:all |everything |anything )?(?:the |of the )?(?:rest|remaining|remainder|others?)"
    r"|everything else|anything else|the other (?:one|ones|two|three|four))\b"
)
_ALL: Final = r"\b(?:all|everything|each|every|both|they(?:'re)?|them|these|those|neither|none)\b"
# The first that matches at a place counts, so what is longer and says more stands first.
_PATTERNS: Final = {
    "stays": _STAYS,
    "alone": r"\b(?:only|just) (?:between|with|for|in|part of|to) (?:\w+ ){0,3}?\x00\w+",
    "part": r"\bpart of (?:\w+ ){0,4}?(?:conversations?|chats?|act|\x00\w+)",
    "play": rf"\b(?:{_PLAY})\b",
    "joked": _JOKED,
    "gone": _GONE,
    "keep": r"\b(?:keep|save|confirm|confirmed|hold on to|retain)\b",
    "moves": r"\bmove\b",
    "real": _TRULY,
    "true": r"\b(?:true|accurate|facts?)\b",
    "rest": _REST,
    "except": r"\b(?:except|excluding|apart from|other than|besides|all but|but not)\b",
    "ends": rf"\b(?P<side>first|last) (?P<many>{_NUMBER}|[2-5])\b",
    "span": r"#?\b(?P<from>[1-9])\s*(?:-|to|through|\u2013)\s*#?(?P<to>[1-9])\b",
    "ordinal": rf"\b(?:{_ORDINAL}|last)\b(?: one\b)?",
    "digit": r"#?\b\d+\b",
    "other": r"\b(?:this|that|the|which|each|every|no|some|any|other) ones?\b",
    "number": rf"\b(?:{_NUMBER})\b",
    "all": _ALL,
    "single": r"\b(?:that|this|it)(?:'s)?\b",
    "named": r"\x01\d+",
    "voice": r"\x00\d+",
    "stop": r"[,.;!\n]|\bbut\b",
}
_WORDS: Final = re.compile("|".join(f"(?P<{name}>{one})" for name, one in _PATTERNS.items()))
_DECIDES: Final[dict[str, Decided]] = {
    "stays": Decided("move"),
    "alone": Decided("move"),
    "part": Decided("move"),
    "play": Decided("move"),
    "joked": Decided("move"),
    "gone": Decided("remove", orders=True),
    "keep": Decided("keep", orders=True),
    "moves": Decided("move", orders=True),
    "real": Decided("keep"),
    "true": Decided("keep"),
}
_FILLING: Final = (
    "yes yeah yep yup ok okay no nope please thanks thank you i i'm was were is are be am just "
    "only simply so well oh ah haha actually really quite totally definitely of course in fact as "
    "based on something things thing stuff and also we did do 's 're a an the for sure"
)
_FILLERS: Final = frozenset(_FILLING.split())
_STOP_WORDS: Final = frozenset(
    ("your", "you", "that", "this", "with", "from", "have", "real", "true", "keep", "role", "play")
)


def signs_in(text: str, asked: Sequence[Asked]) -> Reading | None:
    """What chooses and what decides, in order; None when the answer hedges or cannot be read."""
    plain = _plain(text)
    if _HEDGES.search(plain):
        return None
    named = _with_names(plain, asked)
    signs: list[Sign] = []
    for match in _WORDS.finditer(named):
        sign = _sign(match, named, asked)
        if sign is None:
            return None
        signs += sign
    left = set(re.findall(r"[\w']+", _WORDS.sub(" ", named)))
    return Reading(tuple(_merged(signs, len(asked))), left <= _FILLERS)


def _plain(text: str) -> str:
    low = text.casefold().replace("\u2019", "'").replace("\u2018", "'")
    return " ".join(low.replace("\x00", " ").replace("\x01", " ").split(" "))


def _with_names(text: str, asked: Sequence[Asked]) -> str:
    """The text with a mark where one of the things, or somebody who brought it up, is named."""
    for index, one in enumerate(asked):
        text = re.sub(rf"\b{re.escape(one.name.casefold())}\b", f"\x01{index}", text)
    for index, voice in enumerate(_voices(asked)):
        text = re.sub(rf"\b{re.escape(voice.casefold())}\b(?:'s)?", f"\x00{index}", text)
    for word, index in _telling_words(asked):
        text = re.sub(rf"(?<!\x01)\b{re.escape(word)}\b", f"\x01{index}", text)
    return text


def _voices(asked: Sequence[Asked]) -> list[str]:
    return list(dict.fromkeys(name for one in asked for name in one.personas))


def _telling_words(asked: Sequence[Asked]) -> Iterator[tuple[str, int]]:
    """Words that stand in one thing's name or value and in no other's."""
    words = [_words(one) for one in asked] if len(asked) > 1 else []
    for index, mine in enumerate(words):
        others = set().union(*(those for at, those in enumerate(words) if at != index))
        yield from ((word, index) for word in sorted(mine - others))


def _words(one: Asked) -> set[str]:
    texts = (one.name, *(change.new for change in one.changes))
    found = {word for text in texts for word in re.findall(r"[^\W\d_]{3,}", text.casefold())}
    signs = {word for word in found if _WORDS.fullmatch(word)}
    return found - _STOP_WORDS - signs - {voice.casefold() for voice in one.personas}


def _sign(match: re.Match[str], text: str, asked: Sequence[Asked]) -> list[Sign] | None:
    """What a word stands for; nothing of its own; or None when the answer cannot be read."""
    kind = next(name for name in _PATTERNS if match[name] is not None)
    if kind in _DECIDES:
        return _decided(kind, text[: match.start()])
    if kind == "stop":
        return [Stop()]
    if kind == "other":
        return []
    return _chosen(kind, match, asked)


def _decided(kind: str, before: str) -> list[Sign] | None:
    sign = _DECIDES[kind]
    if not _NOT_BEFORE.search(before):
        return [sign]
    if kind == "real":
        return [Decided("move")]
    if sign.verdict == "move":
        return [Decided("keep")]
    # "Not true" may mean role-play or a mistake; "don't keep", to move or to remove.
    return [] if kind == "true" else None


def _chosen(  # noqa: PLR0911 - one line for each way of choosing
    kind: str, match: re.Match[str], asked: Sequence[Asked]
) -> list[Sign] | None:
    count = len(asked)
    match kind:
        case "rest":
            return [Chosen(rest=True)]
        case "except":
            return [Chosen(out=True)]
        case "all":
            return None if match[0] == "both" and count > 2 else [Chosen(_upto(count))]  # noqa: PLR2004 - both are two
        case "single":
            return [] if count == 1 else [Chosen()]
        case "named":
            return [Chosen(frozenset([int(match[0][1:])]))]
        case "voice":
            return [Chosen(_brought_up_by(_voices(asked)[int(match[0][1:])], asked))]
        case _:
            return _counted(kind, match, count)


def _brought_up_by(voice: str, asked: Sequence[Asked]) -> frozenset[int]:
    return frozenset(at for at, one in enumerate(asked) if voice in one.personas)


def _counted(kind: str, match: re.Match[str], count: int) -> list[Sign] | None:
    match kind:
        case "ends":
            many = int(_NUMBERS.get(match["many"]) or match["many"])
            every = sorted(_upto(count))
            picked = every[:many] if match["side"] == "first" else every[-many:]
            return [Chosen(frozenset(picked))] if many <= count else None
        case "span":
            picked = list(range(int(match["from"]) - 1, int(match["to"])))
        case "ordinal":
            word = match[0].removesuffix(" one")
            picked = [count - 1 if word == "last" else _ORDINALS[word] - 1]
        case "digit":
            picked = [int(match[0].lstrip("#")) - 1]
        case _:
            picked = [_NUMBERS[match[0]] - 1]
    return [Chosen(frozenset(picked))] if picked and set(picked) <= _upto(count) else None


def _upto(count: int) -> frozenset[int]:
    return frozenset(range(count))


def _merged(signs: Sequence[Sign], count: int) -> list[Sign]:
    """Take what follows an "except" out of what came before; a "that" of nothing points back.

    "All but 2 are real" is said of the others; "the second, that's role-play" of the second.
    """
    made: list[Sign] = []
    base: int | None = None
    for sign in signs:
        if isinstance(sign, Chosen) and sign.out:
            base = _base(made, count)
        elif isinstance(sign, Chosen) and base is not None and sign.items:
            made[base] = Chosen(_items(made[base]) - sign.items)
            # Something was decided before: what it left out may be decided next.
            made += [sign] if any(isinstance(one, Decided) for one in made[base:]) else []
        else:
            base = base if isinstance(sign, Chosen) else None
            made.append(sign)
    return [sign for sign in made if not (isinstance(sign, Chosen) and _points_back(sign, made))]


def _base(made: list[Sign], count: int) -> int:
    """Where what is excepted from stands; everything, when nothing was chosen."""
    for at in reversed(range(len(made))):
        if _items(made[at]):
            return at
    made.append(Chosen(_upto(count)))
    return len(made) - 1


def _items(sign: Sign) -> frozenset[int]:
    return sign.items if isinstance(sign, Chosen) else frozenset()


def _points_back(sign: Chosen, made: Sequence[Sign]) -> bool:
    several = [one for one in made if isinstance(one, Chosen) and (one.items or one.rest)]
    return not sign.items and not sign.rest and bool(several)
