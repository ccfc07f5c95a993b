"""How words are compared: case, accents, apostrophes, prefixes, titles and the parts of a name."""

import re
import unicodedata
from functools import lru_cache

from msgspec import Struct

_APOSTROPHES = dict.fromkeys(map(ord, "`\u00b4\u2018\u2019\u201b\u02bc\u02b9\u2032\uff07"), "'")
_LETTERS = {
    ord("\u00f8"): "o",
    ord("\u0142"): "l",
    ord("\u0111"): "d",
    ord("\u00f0"): "d",
    ord("\u0131"): "i",
    ord("\u00e6"): "ae",
    ord("\u0153"): "oe",
    ord("\u00fe"): "th",
    ord("\u2010"): "-",
    ord("\u2011"): "-",
    ord("\u2013"): "-",
}
# Only the marks of accented letters. The vowel signs of Indic, Thai and Hebrew are combining
# characters too, and a name without its vowels is another name.
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]")
_PREFIXES = re.compile(r"^(?:(?:my|our|the)\s+(?=\S)|@\s*(?=\S))+")
_POSSESSIVE = re.compile(r"(?<=\w)(?:'s|(?<=s)')$")
_JOINED = re.compile(r"['.\u00b7\"()]")
_SEPARATED = re.compile(r"[^\w'.&@+]+|_|(?<=\w\w)\.(?=\w\w)")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set: how the lists of this package are written."""
    return frozenset(text.split())


TITLES = word_set(
    "mr mrs ms miss mister missus mx dr doctor prof professor sir dame lady lord madam madame mme "
    "mlle monsieur senor senora herr frau captain capt colonel col major general gen lieutenant lt "
    "sergeant sgt judge reverend rev father fr sister brother aunt auntie uncle grandma grandpa "
    "granny nana king queen prince princess count countess duke duchess baron baroness saint st "
    "president senator officer detective inspector coach"
)
_EPITHETS = word_set("old young little poor dear dearest the")
_BEFORE_NAMES = TITLES | _EPITHETS
SUFFIXES = word_set("jr sr ii iii iv phd md esq junior senior")
PARTICLES = word_set(
    "van von der den de del della di da dos das la le du ter ten bin ibn al el y e zu of"
)


def fold(text: str) -> str:
    """The text as it is compared: lower case, without accents, one space, straight apostrophes."""
    if text.isascii():
        return " ".join(text.replace("`", "'").lower().split())
    folded = _fold_once(text)
    # Folding one letter can uncover another (a ligature, a compatibility form).
    return folded if folded == text else fold(folded)


def _fold_once(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain)).translate(_LETTERS)
    return " ".join(unicodedata.normalize("NFC", bare).translate(_APOSTROPHES).split())


def normalise(said: str) -> str:
    """A reference without what does not tell people apart: "My Wife" and "@Bob's" lose it."""
    before, text = "", fold(said)
    while text != before:
        before, text = text, _POSSESSIVE.sub("", _PREFIXES.sub("", text)).strip(" ,;:!?")
    return text


# gc=False: thousands are kept at hand, and texts cannot form a cycle.
class Name(Struct, frozen=True, gc=False):
    """A name in the parts that matching needs, all folded."""

    key: str
    """Every word but titles and suffixes, one space between: equal keys are equal names."""
    words: tuple[str, ...]
    """The words that carry the name: no title, no suffix, no particle."""
    titles: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()


@lru_cache(maxsize=16384)
def name_of(text: str) -> Name:
    """Take a name apart; "Smith, John" is turned round, a name of titles alone keeps them."""
    if text.isascii() and text.isalnum():
        # One plain word, as most handles and first names are: the rest would find nothing in it.
        word = text.lower()
        return Name(key=word, words=(word,))
    said = _split_name(_turned(_POSSESSIVE.sub("", fold(text).lstrip("@"))))
    begins = _count_titles(said)
    rest = tuple([word for word in said[begins:] if word not in SUFFIXES]) or said
    return Name(
        key=" ".join(rest) or fold(text),
        words=tuple([word for word in rest if word not in PARTICLES]) or rest,
        titles=tuple([word for word in said[:begins] if word not in _EPITHETS]),
        suffixes=tuple([word for word in said if word in SUFFIXES and rest != said]),
    )


def _turned(folded: str) -> str:
    last, comma, first = folded.partition(",")
    if not comma or not first.strip() or first.strip(" .") in SUFFIXES:
        return folded
    return f"{first.strip()} {last.strip()}"


def _split_name(folded: str) -> tuple[str, ...]:
    words = [_JOINED.sub("", word) for word in _SEPARATED.split(folded)]
    return tuple([word for word in words if word])


def _count_titles(words: tuple[str, ...]) -> int:
    count = 0
    while count < len(words) - 1 and words[count] in _BEFORE_NAMES:
        count += 1
    return count


def may_hold(text: str, word: str) -> bool:
    """Whether a name may have this word: a quick no for most, before the name is taken apart."""
    return word in _JOINED.sub("", fold(text))


def key_of(text: str) -> str:
    """The key under which a name or handle is looked up."""
    return name_of(text).key
