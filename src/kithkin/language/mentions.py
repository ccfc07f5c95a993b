"""Who is mentioned where a clause begins: "I", "my wife Sarah", "Tom's sister", "Sarah and Tom"."""

import re
from functools import lru_cache

from msgspec import Struct

from kithkin.language.kinship import TERM_IN_TEXT, term_of
from kithkin.language.names_in_text import aligned, starts_with_name
from kithkin.language.words import word_set

_I = re.compile(r"(?:i|we|im|ive)(?![\w-])")
_PRONOUN = re.compile(r"(?:he|she|they)(?![\w-])")
_MINE = re.compile(rf"(?:my|our) ({TERM_IN_TEXT})")
_BARE = re.compile(rf"({TERM_IN_TEXT})")
_SEVERAL_OF_MINE = re.compile(
    r"(?:my|our) (?:two |three )?(?:twins|kids|sons|daughters|sisters|brothers|friends|children"
    r"|cousins|roommates|coworkers|colleagues) "
)
_WHOSE = re.compile(rf"'s ({TERM_IN_TEXT})")
_HANDLE = re.compile(r"@\w[\w.]{1,63}")
_AND = re.compile(r",? (?:and|&) |, (?=[^,]{1,40} (?:and|&) )")
_THEIR_OWN = re.compile(r"(?:her|his|their) \w+")
_APPOSITION = re.compile(rf", (?:my|our) ({TERM_IN_TEXT}),")
_NAME_APART = re.compile(r", ")
_MAYBE = re.compile(r"[a-z][a-z'-]{1,20}(?= )")
_NO_NAMES = word_set(
    "a an the this that these those it he she they we you i my your his her our their its who what "
    "where when why how which there here everyone everybody someone somebody anyone anybody nobody "
    "people guys dude man bro babe not no yes so and but or if as then than also just still really "
    "very please thanks ok okay hey hi lol haha well oh is are was were be have has had do does "
    "did "
    "can could will would should may might must let to in on at by for from with of off up down "
    "out "
    "all some any both each every one two three first last next today tomorrow yesterday tonight "
    "maybe perhaps never always often usually sometimes another other only even too now again get "
    "got go going make makes send run try ask call dont cant im ive ill id isnt doesnt"
)


_COMMON = word_set(
    "life love work music books pets kids parents gaming time hope family art nature dogs cats "
    "coffee food school everything something nothing sounds home money health peace winter summer "
    "cooking dancing pottery yoga netflix amazon apple spotify youtube twitter instagram tiktok "
    "reddit uber microsoft slack zoom discord python java javascript linux windows android iphone "
    "covid science history math english spanish french german dinner lunch breakfast pizza sushi "
    "traffic weather rain snow rent inflation politics congress football basketball tennis chess "
    "friendship support practice progress success failure honesty trust truth beauty change "
    "monday's friday's paris london lisbon porto madrid lol haha congrats congratulations cheers "
    "absolutely definitely exactly totally agreed cool nice awesome amazing perfect wonderful "
    "nobody everyone somebody anybody people guys mother nature fate luck karma society history "
    "self customer customers management team hr it ai chatgpt claude siri alexa google "
    "being having getting taking making going doing seeing feeling keeping working living sharing"
)
_COMMON_ENDINGS = ("ing", "tion", "sion", "ness", "ment", "ity", "ism", "ship", "hood", "ology")


def _is_common(name: str) -> bool:
    """Whether one capitalised word is likelier a thing than a person: "Gaming", "Netflix"."""
    word = name.lower()
    return " " not in name and (
        word in _COMMON or (len(word) > _SHORT_NAME and word.endswith(_COMMON_ENDINGS))
    )


_SHORT_NAME = 5


class Mention(Struct, frozen=True):
    """How somebody is referred to, and where in the text."""

    said: str
    """The reference as resolution takes it; "me" for the speaker."""
    start: int
    end: int
    name: str = ""
    """The name that was said beside a relationship word."""
    is_sure: bool = True
    """False for a lower-case word: somebody is meant only if a person of that name is known."""


@lru_cache(maxsize=1024)
def lowered(text: str) -> str:
    """The text in lower case, letter for letter, straight apostrophes: places stay the same."""
    if text.isascii():
        return text.lower()
    return aligned(text).replace("\u2019", "'")


def mentioned_at(text: str, at: int) -> tuple[tuple[Mention, ...], int]:
    """The people a clause is about when it begins at `at`, and where its verb may begin."""
    low = lowered(text)
    if several := _SEVERAL_OF_MINE.match(low, at):
        at = several.end()
    first = _one_at(text, low, at)
    if first is None:
        return (), at
    found = [first]
    end = first.end
    while joined := _AND.match(low, end):
        following = _one_at(text, low, joined.end())
        if following is None or not following.is_sure:
            own = _THEIR_OWN.match(low, joined.end())
            return (tuple(found), own.end()) if own else (tuple(found), end)
        found.append(following)
        end = following.end
    return tuple(found), end


def _one_at(text: str, low: str, at: int) -> Mention | None:
    if spoken := _I.match(low, at):
        # "im" and "ive" are the pronoun and the verb in one.
        return Mention("me", at, at + 1 if spoken[0] in ("im", "ive") else spoken.end())
    if pronoun := _PRONOUN.match(low, at):
        return Mention(pronoun[0], at, pronoun.end())
    if handle := _HANDLE.match(low, at):
        return Mention(text[at : handle.end()], at, handle.end())
    found = _mine(text, low, at) or _bare(text, low, at) or _named(text, low, at)
    return _somebody_of(text, low, found) if found else None


def _mine(text: str, low: str, at: int) -> Mention | None:
    match = _MINE.match(low, at)
    if match is None or term_of(match[1]) is None:
        return None
    name, end = _name_beside(text, low, match.end())
    return Mention(text[at : match.end()], at, end, name)


def _name_beside(text: str, low: str, end: int) -> tuple[str, int]:
    if low[end : end + 1] == " ":
        name = starts_with_name(text, end + 1)
        return (name, end + 1 + len(name)) if name else ("", end)
    if _NAME_APART.match(low, end):
        name = starts_with_name(text, end + 2)
        after = end + 2 + len(name)
        if name and low[after : after + 2] == ", ":
            return name, after + 1
    return "", end


def _bare(text: str, low: str, at: int) -> Mention | None:
    """Take "Mom is coming" so: a relationship word with a capital is used like a name."""
    match = _BARE.match(low, at)
    if match is None or not text[at].isupper() or starts_with_name(text, match.end() + 1):
        return None
    return Mention(text[at : match.end()], at, match.end()) if term_of(match[1]) else None


def _named(text: str, low: str, at: int) -> Mention | None:
    name = starts_with_name(text, at)
    if not name:
        maybe = _MAYBE.match(low, at)
        if maybe is None or maybe[0] in _NO_NAMES or not text[at].islower():
            return None
        return Mention(maybe[0], at, maybe.end(), is_sure=False)
    if _is_common(name):
        return None
    end = at + len(name)
    if beside := _APPOSITION.match(low, end):
        return Mention(f"my {beside[1]}", at, beside.end(), name)
    return Mention(name, at, end)


def _somebody_of(text: str, low: str, owner: Mention) -> Mention:
    """Take the whole of "Tom's sister" or "my wife's boss" for the reference."""
    at, end = owner.end, owner.end
    while (match := _WHOSE.match(low, end)) and term_of(match[1]):
        end = match.end()
    if end == at or not owner.is_sure:
        return owner
    name, after = _name_beside(text, low, end)
    said = f"{owner.name or owner.said}{text[at:end]}"
    return Mention(said, owner.start, after, name)
