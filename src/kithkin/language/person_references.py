"""What kind of reference something said is: "my wife", "Tom's sister", "@handle", a name."""

import re
from functools import lru_cache

from msgspec import Struct

from kithkin.language.kinship import TERM_IN_TEXT, Term, term_of
from kithkin.language.words import fold, normalise, word_set


class Myself(Struct, frozen=True, tag=True):
    """The speaker: "me"."""


class My(Struct, frozen=True, tag=True):
    """Somebody by what they are to the speaker, with a name when it was said too."""

    term: Term
    name: str = ""


class Your(Struct, frozen=True, tag=True):
    """Somebody by what they are to whoever is spoken to."""

    term: Term


class Their(Struct, frozen=True, tag=True):
    """Somebody by what they are to a third person who is only a pronoun here."""

    pronoun: str
    term: Term


class Possessive(Struct, frozen=True, tag=True):
    """Somebody by what they are to somebody: "Tom's sister", "my wife's boss"."""

    owner: "Reference"
    term: Term


class BareTerm(Struct, frozen=True, tag=True):
    """A relationship word on its own: "Dad", "the boss"."""

    term: Term
    said: str


class Handle(Struct, frozen=True, tag=True):
    """A handle: "@sksembhi"."""

    handle: str


# gc=False: thousands are kept at hand, and a text cannot form a cycle.
class Named(Struct, frozen=True, tag=True, gc=False):
    """A name, in whole or in part."""

    name: str


class Thing(Struct, frozen=True, tag=True):
    """Something of somebody's that is nobody: "my cat"."""

    said: str


Reference = Myself | My | Your | Their | Possessive | BareTerm | Handle | Named | Thing

_WHOSE = re.compile(r"(my|our|your|his|her|their)\s+(.+)", re.DOTALL)
_OF = re.compile(r"(?:the |a |an )?(.+?) of (.+)", re.DOTALL)
_GREETING = re.compile(
    r"^(?:hey|hi|hello|dear|oh|yo|ok|okay|thanks|bye)[,!]? +(?=\S)", re.IGNORECASE
)
_ARTICLE = re.compile(r"(?:the|this|that)\s+(.+)", re.DOTALL)
_TERM_THEN_NAME = re.compile(rf"({TERM_IN_TEXT}),? (\S.*)", re.DOTALL)
_NAME_THEN_TERM = re.compile(rf"(\S.*?), (?:my|our) ({TERM_IN_TEXT})", re.DOTALL)
_THINGS = word_set(
    "cat dog pet puppy kitten horse bird fish rabbit hamster car bike house home flat apartment "
    "phone computer laptop job work office school team company name address email number birthday "
    "life day week weekend wedding party garden book money bank account"
)
_MYSELF = word_set("me myself i")
_LONGEST_CHAIN = 8
_LONGEST = 300
"""Nobody is called by more letters than this; what follows is not read."""


@lru_cache(maxsize=65536)
def parse_reference(said: str) -> Reference:
    """Tell what kind of reference this is; whatever is nothing else is a name."""
    if said.isascii() and said.isalnum() and len(said) < _LONGEST:
        return _plain_word(said)
    return _parsed(" ".join(said[:_LONGEST].split()), depth=0)


def _plain_word(said: str) -> Reference:
    """One plain word, as most handles and first names are: a few questions settle it."""
    low = said.lower()
    if low in _MYSELF:
        return Myself()
    term = term_of(low) if low.isalpha() else None
    return BareTerm(term, said=low) if term else Named(said)


def _parsed(said: str, *, depth: int) -> Reference:
    folded = fold(said)
    if folded.startswith("@"):
        return Handle(folded.lstrip("@ ").strip(" ,.!?") or folded)
    if folded in _MYSELF:
        return Myself()
    if term := term_of(folded):
        return BareTerm(term, said=folded)
    return _owned(folded, depth) or _by_relation(said, folded) or Named(_bare_name(said))


def _owned(folded: str, depth: int) -> Possessive | None:
    """Read a chain from its end: "my wife's boss" is the boss of "my wife"."""
    if depth >= _LONGEST_CHAIN:
        return None
    head, _, last = folded.rpartition("' " if folded.count("'s ") == 0 else "'s ")
    if head and (term := term_of(last)):
        return Possessive(owner=_parsed(head, depth=depth + 1), term=term)
    match = _OF.fullmatch(folded)
    if match and (term := term_of(match[1])):
        return Possessive(owner=_parsed(match[2], depth=depth + 1), term=term)
    return None


def _by_relation(said: str, folded: str) -> Reference | None:
    if match := _NAME_THEN_TERM.fullmatch(folded):
        return _my(match[2], _words(said, 0, len(match[1].split())))
    if match := _ARTICLE.fullmatch(folded):
        term = term_of(match[1])
        return BareTerm(term, said=folded) if term else None
    if match := _WHOSE.fullmatch(folded):
        return _somebodys(match[1], match[2], said)
    return None


def _somebodys(whose: str, what: str, said: str) -> Reference | None:
    term = term_of(what)
    if whose in ("my", "our"):
        return _mine(term, what, said)
    if term is None:
        return None
    return Your(term) if whose == "your" else Their(pronoun=whose, term=term)


def _mine(term: Term | None, what: str, said: str) -> Reference | None:
    if term:
        return My(term)
    if match := _TERM_THEN_NAME.fullmatch(what):
        return _my(match[1], _words(said, -len(match[2].split()), None))
    return Thing(what) if what.rpartition(" ")[2] in _THINGS else None


def _my(term: str, name: str) -> Reference | None:
    known = term_of(term)
    return My(known, name=name) if known else None


def _words(said: str, first: int, last: int | None) -> str:
    # By words, not by letters: folding may make a text longer.
    return " ".join(said.split()[first:last]).strip(" ,")


def _bare_name(said: str) -> str:
    """The name without a prefix or possessive; as it was said when nothing else is left."""
    greeted = _GREETING.sub("", said)
    kept = normalise(greeted)
    return kept if kept and kept != fold(greeted) else greeted
