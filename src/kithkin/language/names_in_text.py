"""Where a name stands in a sentence, by its capitals: nothing here knows who is meant."""

import re

from kithkin.language.words import PARTICLES, fold, word_set

_WORD = re.compile(r"[^\W\d_](?:[\w]|['\u2019\-](?=[^\W\d_]))*\.?")
_MOST_WORDS = 5
_LONGEST = 120
"""No name is longer, and no more of a text is read for one."""
_POSSESSIVE = re.compile(r"['\u2019]s$")
_INITIAL = re.compile(r"[A-Z]\.?$")

_NOT_NAMES = word_set(
    # pronouns, articles, conjunctions, prepositions
    "i i'm i'll i've i'd we you he she it they them us me my our your his her their its this that "
    "these those who whom whose which what when where why how if because so but and or nor yet as "
    "than then though although while since until unless a an the in on at by for from with without "
    "of off to into onto over under after before during about around near up down out not no yes "
    "ok okay oh hey hi hello well please thanks sorry maybe perhaps also too just only even still "
    "already always never often sometimes usually again once here there now today tomorrow "
    "yesterday tonight later soon however actually honestly apparently both each every all some "
    "any yeah yep nope uh um ah er hm hmm wow gosh right sure look listen anyway "
    # verbs that follow a subject
    "is are was were be been am has have had do does did will would can could shall should might "
    "must isn't doesn't don't didn't won't can't wants want wanted likes like liked loves love "
    "loved hates hate needs need says say said thinks think thought knows know knew goes go going "
    "gone went comes come came gets get got makes make made takes take took tells tell told asks "
    "ask asked works work worked lives live lived looks look plays play played uses use used keeps "
    "keep kept lets let calls call called feels feel felt gives give gave prefers prefer enjoys "
    "enjoy wishes wish plans plan hopes hope sees see saw hears hear heard runs run ran reads read "
    "writes write wrote eats eat ate drinks drink drank sleeps sleep bought buys buy sent sends "
    "send met meets meet left leaves leave moved moves move started starts start stopped turned "
    "turns turn speaks speak spoke drives drive drove cooks cook sings sing paid pays pay "
    # days, months, feasts
    "monday tuesday wednesday thursday friday saturday sunday january february march july "
    "september october november december christmas easter hanukkah ramadan diwali thanksgiving "
    "halloween spring summer autumn winter "
    # peoples and tongues
    "american british english french german italian spanish portuguese dutch belgian swiss "
    "austrian irish scottish welsh swedish norwegian danish finnish polish czech russian ukrainian "
    "greek turkish indian chinese japanese korean vietnamese thai mexican canadian australian "
    "brazilian african asian european jewish muslim catholic buddhist hindu hungarian "
    "romanian arab arabic persian iranian israeli egyptian nigerian pakistani filipino "
    # places
    "america usa uk england britain france germany italy spain portugal belgium switzerland "
    "austria ireland scotland wales sweden norway denmark finland poland russia ukraine greece "
    "turkey india china japan korea vietnam thailand mexico canada australia brazil africa asia "
    "europe london berlin tokyo rome madrid amsterdam brussels vienna prague moscow beijing "
    "shanghai mumbai delhi boston chicago seattle toronto vancouver york "
    # things in the same breath
    "mr mrs ms dr prof god internet google facebook whatsapp telegram github email "
    "one two three first second last new old good great best"
)
_MONTHS_AND_NAMES = frozenset(["april", "may", "june", "august"])
_AFTER_A_NAME = re.compile(r"(?:$|[,.;:!?)]|\s+(?:is|was|has|had|will|and|who|\w+(?:s|ed))\b)")
_TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof", "miss"])


def aligned(text: str) -> str:
    """The text folded letter by letter, so that every place in it is the same place in `text`."""
    return "".join(folded if len(folded := fold(c)) == 1 else _plain(c) for c in text)


def _plain(letter: str) -> str:
    return letter if len(letter.lower()) != 1 or not letter.isspace() else " "


def starts_with_name(text: str, start: int = 0) -> str:
    """The name that stands in the text right at `start`, or ""."""
    return _first_name(text[start : start + _LONGEST])


def _first_name(text: str) -> str:
    end, words, at = 0, 0, 0
    while words < _MOST_WORDS and (match := _WORD.match(text, at)):
        if not _is_particle_before_name(text, match):
            if not _may_be_name(text, match):
                break
            end = _end_of(match)
        words, at = words + 1, match.end() + 1
        if end and _stops(text, match):
            break
    return text[:end]


def ends_with_name(text: str, end: int) -> str:
    """The name that stands in the text right before `end`, or ""."""
    before = text[max(0, end - _LONGEST) : end].rstrip()
    for match in _WORD.finditer(before):
        name = _first_name(before[match.start() :])
        whole = match.start() + len(name) == len(before)
        if name and whole and not _is_place(before[: match.start()]):
            return name
    return ""


def _is_place(before: str) -> bool:
    words = fold(before).split()
    return bool(words) and words[-1] in {"in", "at", "near", "outside", "inside", "around", "on"}


def _may_be_name(text: str, match: re.Match[str]) -> bool:
    word = fold(match[0]).rstrip(".")
    if not _is_capitalised(match[0]) or _POSSESSIVE.sub("", word) in _NOT_NAMES - _TITLES:
        return False
    if word in _MONTHS_AND_NAMES:
        return bool(_AFTER_A_NAME.match(text, match.end()))
    return len(word) > 1 or not word.isascii() or _is_initial(match)


def _is_initial(match: re.Match[str]) -> bool:
    """Whether a letter stands for a name: "J." at its start, "J" or "J." within it, never "I"."""
    return match[0].endswith(".") or match.start() > 0


def _is_capitalised(word: str) -> bool:
    # Scripts without case (Chinese, Arabic, Hindi) have no capitals to look for.
    return word[0].isupper() or not (word[0].islower() or word[0].isupper())


def _is_particle_before_name(text: str, match: re.Match[str]) -> bool:
    following = _WORD.match(text, match.end() + 1)
    if fold(match[0]) not in PARTICLES - {"of", "e"} or not match[0].islower() or not following:
        return False
    return _is_capitalised(following[0]) or _is_particle_before_name(text, following)


def _end_of(match: re.Match[str]) -> int:
    word = match[0]
    possessive = _POSSESSIVE.search(word)
    dot = word.endswith(".") and not _INITIAL.match(word) and fold(word)[:-1] not in _TITLES
    return match.start() + (possessive.start() if possessive else len(word) - dot)


def _stops(text: str, match: re.Match[str]) -> bool:
    """Whether the name cannot go on after this word: a possessive, a stop, anything but a space."""
    return _end_of(match) != match.end() or text[match.end() : match.end() + 1] != " "
