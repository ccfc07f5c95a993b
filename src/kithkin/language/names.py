"""Whether two names may be one person's: nicknames, slips of spelling, initials, handles."""

import re
from functools import cache, lru_cache

from kithkin.language.words import Name, name_of, word_set

PLAUSIBLE = 0.75
"""The least likeness at which a fuzzy proposal may be accepted."""
_SAME, _NICKNAME, _SHORTENED, _PET_NAME = 1.0, 0.95, 0.85, 0.8
_SIBLING, _MAYBE, _INITIAL = 0.7, 0.6, 0.5
_ALIKE = 0.85
_SHORTEST_STEM = 3
"""Fewer letters begin too many names: "jo" is no short form of its own."""
_SHORTEST_END = 4
_SHORTEST_SLIP, _SURE_SLIP = 4, 5
"""One letter off makes a short name another name."""
_SHORTEST_HANDLE = 5
_SPELT = (
    "^kn>^n ^gn>^n ^wr>^r ^x>^s ph>f sch>s sh>x ch>x ck>k qu>k ce>se ci>si cy>sy "
    "^gh>^G gh>k ^G>^gh th>t wr>r"
)
"""What letters together sound like, in this order; "^" is where the word begins."""
_SOUNDS = tuple(rule.partition(">")[::2] for rule in _SPELT.split())
_TOGETHER = re.compile("|".join(re.escape(letters) for letters, _ in _SOUNDS))
_LETTERS = str.maketrans("qzcyvj", "kskifg", "h")
_NO_VOWELS = str.maketrans("", "", "aeiou")
_REPEATED = re.compile(r"(.)\1+")
_PET_ENDINGS = re.compile("(?:[slt]?ie|ey|[tl]?y|i|ee)$")
_OTHER_ENDINGS = re.compile("(?:a|e|s|o)$")


@cache
def _nicknames() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """(formal name → nicknames, nickname → formal names); read once, when first needed."""
    from nicknames import NickNamer  # noqa: PLC0415 - 30 ms that most runs never need

    namer = NickNamer()
    frozen = [
        {name: frozenset(others) for name, others in table.items()}
        for table in (namer.nickname_lookup, namer.canonical_lookup)
    ]
    return frozen[0], frozen[1]


def other_forms(word: str) -> frozenset[str]:
    """Formal names and nicknames of a given name: robert, rob, bobby, … for "bob"."""
    nicknames, formals = _nicknames()
    of_word = formals.get(word, frozenset())
    beside = frozenset().union(*(nicknames.get(formal, frozenset()) for formal in of_word))
    return (nicknames.get(word, frozenset()) | of_word | beside) - {word}


@lru_cache(maxsize=16384)
def skeleton(word: str) -> str:
    """The word as it sounds: spelling variants of one name mostly share it."""
    sound = f"^{word}"
    if _TOGETHER.search(sound):
        for letters, heard in _SOUNDS:
            sound = sound.replace(letters, heard)
    sound = sound.translate(_LETTERS)
    return _REPEATED.sub(r"\1", sound[1:2] + sound[2:].translate(_NO_VOWELS))


def same_name(a: str, b: str) -> float:
    """How surely two given names (or two surnames) are forms of one name, from 0 to 1."""
    return _same_word(" ".join(name_of(a).words), " ".join(name_of(b).words))


@lru_cache(maxsize=65536)
def _same_word(a: str, b: str) -> float:
    if a == b:
        return _SAME if a else 0.0
    short, long = sorted((a, b), key=len)
    if len(short) <= 1:
        return _INITIAL if short and long.startswith(short) else 0.0
    return max(_by_table(a, b), _by_shortening(short, long), _by_spelling(short, long))


def _by_table(a: str, b: str) -> float:
    nicknames, formals = _nicknames()
    if b in nicknames.get(a, ()) or a in nicknames.get(b, ()):
        return _NICKNAME
    # Two nicknames of one name are one name. Two names that share a nickname are not:
    # Albert and Alexander are both Al.
    return _SIBLING if formals.get(a, frozenset()) & formals.get(b, frozenset()) else 0.0


def _by_shortening(short: str, long: str) -> float:
    if long.startswith(short):
        return _SHORTENED if len(short) >= _SHORTEST_STEM else _MAYBE
    if len(short) >= _SHORTEST_END and long.endswith(short):
        return _MAYBE
    for endings, score in ((_PET_ENDINGS, _PET_NAME), (_OTHER_ENDINGS, _MAYBE)):
        stem = _undoubled(endings.sub("", short))
        if len(stem) >= _SHORTEST_STEM and stem != short and long.startswith(stem):
            # "Mary" looks like a pet name of "Mark", but it is a name in full itself.
            return _MAYBE if short in _nicknames()[0] else score
    return 0.0


def _undoubled(stem: str) -> str:
    """The stem a pet name was made of: "samm" of Sammy is "sam"."""
    return stem[:-1] if stem[-2:-1] == stem[-1:] else stem


def _by_spelling(short: str, long: str) -> float:
    from rapidfuzz.distance import (  # noqa: PLC0415 - loaded when first needed
        DamerauLevenshtein,
        JaroWinkler,
    )

    alike = float(JaroWinkler.similarity(short, long))
    slips = DamerauLevenshtein.distance(short, long)
    sound = skeleton(short) if alike >= _ALIKE else ""
    if short[0] == long[0] and slips == 1 and len(short) >= _SURE_SLIP:
        return alike
    if sound and sound == skeleton(long) and len(sound) > 1:
        return alike if len(sound) >= _SHORTEST_STEM else _MAYBE
    return _MAYBE if slips == 1 and len(short) >= _SHORTEST_SLIP else 0.0


def likeness(said: str, known: str) -> float:
    """How surely `said` is a form of the name `known`, from 0 to 1.

    Every word said must be accounted for: "Sarah Smith" is not just any Sarah.
    """
    a, b = name_of(said), name_of(known)
    if not a.words or not b.words or titles_conflict(a, b):
        return 0.0
    if a.key == b.key:
        return _SAME
    if a.key.replace(" ", "") == b.key.replace(" ", ""):
        return _NICKNAME
    return max(_by_words(a.words, b.words), _by_handle(a, b), _by_handle(b, a))


def _by_words(said: tuple[str, ...], known: tuple[str, ...]) -> float:
    if len(said) == 1:
        # Nobody shortens a surname that is said alone: there, only a slip of the pen counts.
        family = (
            _same_word(said[0], known[-1]) if len(known) == 1 else _same_surname(said[0], known[-1])
        )
        return max(_same_word(said[0], known[0]), family)
    if len(known) == 1:
        return 0.0
    straight = _both(_same_word(said[0], known[0]), _same_word(said[-1], known[-1]))
    turned = _both(_same_word(said[0], known[-1]), _same_word(said[-1], known[0]))
    return max(straight, turned * 0.9) * _middle_fits(said, known)


def _same_surname(a: str, b: str) -> float:
    return _SAME if a == b else _by_spelling(*sorted((a, b), key=len)) * 0.95


def _both(given: float, family: float) -> float:
    return (given + family) / 2 if given and family else 0.0


def _middle_fits(said: tuple[str, ...], known: tuple[str, ...]) -> float:
    """Less than 1 when both have middle names and none of them agree."""
    ours, theirs = said[1:-1], known[1:-1]
    agree = any(_same_word(a, b) >= _INITIAL for a in ours for b in theirs)
    return 1.0 if agree or not ours or not theirs else 0.8


def _by_handle(handle: Name, name: Name) -> float:
    if len(handle.words) > 1 or len(name.words) == 1:
        return 0.0
    return 0.9 if handle.key.rstrip("0123456789") in derived_handles(name) else 0.0


@lru_cache(maxsize=16384)
def derived_handles(name: Name) -> frozenset[str]:
    """Handles people make of a name: jsmith, smithj, johnsmith, johns."""
    first, last = name.words[0], name.words[-1]
    initials = "".join(word[0] for word in name.words[:-1])
    made = {first + last, last + first, first[0] + last, first + last[0], last + first[0]}
    return frozenset(
        handle for handle in {*made, initials + last} if len(handle) >= _SHORTEST_HANDLE
    )


_HIS = word_set("mr mister sir lord king prince duke count baron monsieur senor herr")
_HERS = word_set(
    "mrs ms miss missus lady dame queen princess duchess countess baroness madam madame mme mlle "
    "senora frau aunt auntie"
)


def titles_conflict(a: Name, b: Name) -> bool:
    """Mr Smith is not Mrs Smith."""
    first, second = set(a.titles), set(b.titles)
    return bool((first & _HIS and second & _HERS) or (first & _HERS and second & _HIS))


def plausible(said: str, name: str) -> bool:
    """Whether a fuzzy proposal may stand, whoever made it: "Bob" for Robert, never Miso."""
    return likeness(said, name) >= PLAUSIBLE
