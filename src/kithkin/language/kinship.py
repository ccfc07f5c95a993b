"""Relationship words: what counts as one, which mean the same, which answer each other.

A term has a *label*, the plain word that is stored in a claim ("mom"), and a *meaning*, the one
word that all its synonyms share ("mother"). Claims are compared by meaning.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from kithkin.language.words import fold, word_set

RELATIONSHIP_TERMS = word_set(
    "wife husband partner spouse mom mother dad father parent son daughter child kid brother "
    "sister sibling boss manager coworker colleague friend roommate doctor therapist dentist"
) | {"best friend"}
"""The specification's own list. `label_of` and `meaning_of` understand many more."""

# meaning: groups of words for it. The first word of a group is the label of the whole group.
_KIN = """
mother: mother | mom mum mommy mummy mama mamma momma mam ma
father: father | dad daddy papa pop pops dada pa
parent: parent
son: son
daughter: daughter
child: child | kid
brother: brother bro
sister: sister sis
sibling: sibling
wife: wife wifey
husband: husband hubby
spouse: spouse
aunt: aunt auntie aunty
uncle: uncle
cousin: cousin cuz
niece: niece
nephew: nephew
grandmother: grandmother | grandma granny gran nana nan nanna
grandfather: grandfather | grandpa granddad grandad gramps
"""
_OTHERS = """
partner: partner significant-other
girlfriend: girlfriend gf
boyfriend: boyfriend bf
fiance: fiancé fiance | fiancée fiancee
ex: ex
best friend: best-friend bestie bff
friend: friend buddy pal mate
boss: boss | manager | supervisor | employer
employee: employee direct-report subordinate
assistant: assistant secretary
colleague: colleague | coworker co-worker workmate | teammate
classmate: classmate schoolmate
roommate: roommate flatmate housemate
neighbour: neighbour | neighbor
landlord: landlord | landlady
tenant: tenant lodger
doctor: doctor physician gp | pediatrician paediatrician
dentist: dentist | orthodontist
therapist: therapist | psychologist | psychiatrist | counsellor counselor
nurse: nurse
patient: patient
vet: vet veterinarian
teacher: teacher | professor | tutor | instructor
student: student pupil
coach: coach | trainer
nanny: nanny | babysitter | au-pair | childminder
cleaner: cleaner | housekeeper | cleaning-lady
accountant: accountant bookkeeper
lawyer: lawyer attorney solicitor
client: client customer
agent: agent | realtor | estate-agent
mentor: mentor
mentee: mentee
business partner: business-partner | cofounder co-founder
guardian: guardian
pastor: pastor | priest | rabbi | imam | minister
hairdresser: hairdresser | barber
plumber: plumber
electrician: electrician
mechanic: mechanic
gardener: gardener
driver: driver chauffeur
penpal: penpal
twin: twin
crush: crush
lover: lover | mistress
"""
_MODIFIERS = word_set(
    "older elder big bigger younger little baby eldest oldest youngest middle twin dear beloved "
    "lovely late dead deceased poor sweet wonderful great good own real biological birth adoptive "
    "adopted paternal maternal current favourite favorite closest close dearest darling beautiful "
    "amazing crazy actual identical fraternal"
)
_PREFIXES = ("ex", "former", "great", "grand", "step", "half", "foster", "god")
_PREFIX_FORMS = {
    "former": "ex-",
    "ex": "ex-",
    "great": "great-",
    "half": "half-",
    "foster": "foster ",
}
_GREAT = ("grand", "aunt", "uncle", "niece", "nephew")
_UMBRELLAS = {
    "spouse": ("wife", "husband"),
    "parent": ("mother", "father"),
    "child": ("son", "daughter"),
    "sibling": ("brother", "sister"),
    "partner": ("wife", "husband", "spouse", "girlfriend", "boyfriend", "fiance"),
    "ex": (
        *("ex-wife", "ex-husband", "ex-spouse", "ex-partner"),
        *("ex-girlfriend", "ex-boyfriend", "ex-fiance"),
    ),
}
_COUPLE = ("wife", "husband", "spouse", "partner")
_DATING = ("girlfriend", "boyfriend", "fiance", "partner")
_PARENTS, _CHILDREN = ("mother", "father", "parent"), ("son", "daughter", "child")
_SIBLINGS = ("brother", "sister", "twin", "sibling")
_FAMILY = frozenset(line.partition(":")[0] for line in _KIN.split("\n") if line)
_ANSWERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_COUPLE, _COUPLE),
    **dict.fromkeys(("girlfriend", "boyfriend", "fiance"), _DATING),
    **dict.fromkeys(_PARENTS, _CHILDREN),
    **dict.fromkeys(_CHILDREN, _PARENTS),
    **dict.fromkeys(_SIBLINGS, _SIBLINGS),
    **dict.fromkeys(("aunt", "uncle"), ("niece", "nephew")),
    **dict.fromkeys(("niece", "nephew"), ("aunt", "uncle")),
    **dict.fromkeys(("friend", "best friend"), ("friend", "best friend")),
    **{
        term: (term,)
        for term in (
            *("cousin", "colleague", "classmate", "roommate", "neighbour", "penpal", "ex"),
            *("business partner", "lover"),
        )
    },
    "boss": ("employee", "assistant"),
    **dict.fromkeys(("employee", "assistant"), ("boss",)),
    **dict.fromkeys(("doctor", "therapist", "dentist", "nurse"), ("patient", "client")),
    **dict.fromkeys(("lawyer", "accountant", "agent"), ("client",)),
    "patient": ("doctor", "therapist", "dentist", "nurse"),
    "client": ("lawyer", "accountant", "agent", "therapist"),
    "teacher": ("student",),
    "student": ("teacher",),
    "landlord": ("tenant",),
    "tenant": ("landlord",),
    "mentor": ("mentee",),
    "mentee": ("mentor",),
}


class Term(Struct, frozen=True):
    """A relationship word: what a claim stores, and what all its synonyms share."""

    label: str
    meaning: str


def _rows(table: str) -> Iterable[tuple[str, Term]]:
    for line in table.strip().splitlines():
        meaning, _, groups = line.partition(": ")
        for group in groups.split(" | "):
            words = [word.replace("-", " ") for word in group.split()]
            for word in words:
                yield fold(word).replace(" ", ""), Term(label=words[0], meaning=meaning)


def _alternatives(tables: Iterable[str]) -> str:
    """Every word of the tables, longest first; a hyphen may be a space or nothing."""
    lines = (line.partition(": ")[2] for table in tables for line in table.strip().splitlines())
    words = {fold(word) for line in lines for word in line.split() if word != "|"}
    return "|".join(sorted(words, key=len, reverse=True)).replace("-", "[- ]?")


_KIN_WORDS = dict(_rows(_KIN))
_OTHER_WORDS = dict(_rows(_OTHERS))
_PATTERN = (
    rf"(?P<prefix>(?:(?:{'|'.join(_PREFIXES)})[- ]?){{0,6}}?)"
    rf"(?:(?P<kin>{_alternatives([_KIN])})(?P<law>[- ]in[- ]law)?"
    rf"|(?P<other>{_alternatives([_OTHERS])}))"
)
_MODIFIED = rf"(?:(?:{'|'.join(sorted(_MODIFIERS))}),? ){{0,4}}"
TERM_IN_TEXT = rf"{_MODIFIED}{re.sub('P<[a-z]+>', ':', _PATTERN)}(?![\w-])"
"""A pattern, for folded text, of the longest whole relationship word with its modifiers."""
_TERM = re.compile(_PATTERN)
_MODIFIERS_FIRST = re.compile(_MODIFIED)
_PARTS = re.compile(
    r"(?P<prefix>(?:ex-|great-|grand|step|half-|foster |god)*)(?P<base>.+?)(?P<suffix>(?:-in-law)?)"
)


@lru_cache(maxsize=4096)
def term_of(text: str) -> Term | None:
    """The relationship term that `text` is, with or without modifiers ("older sister").

    Only the whole text counts: "girlfriend" is no "friend", "stepdad" no "dad".
    """
    folded = fold(text).strip(" .,!?")
    if term := _built(_TERM.fullmatch(folded)):
        return term
    if folded.isalpha():
        return None
    bare = _MODIFIERS_FIRST.sub("", folded, count=1)
    return None if bare == folded else _built(_TERM.fullmatch(bare))


def meaning_of(relationship: str) -> str:
    """What a stored claim means; a word that is no known term means itself."""
    term = term_of(relationship)
    return term.meaning if term else fold(relationship)


def _built(match: re.Match[str] | None) -> Term | None:
    if match is None:
        return None
    prefixes = re.findall("|".join(_PREFIXES), match["prefix"])
    front = "".join(_PREFIX_FORMS.get(prefix, prefix) for prefix in prefixes)
    if match["kin"] is None:
        word = _OTHER_WORDS[re.sub("[- ]", "", match["other"])]
        return _affixed(front, word, "") if front in ("", "ex-") else None
    word = _KIN_WORDS[match["kin"]]
    return (
        _affixed(front, word, "-in-law" if match["law"] else "") if _is_kin(front, word) else None
    )


def _is_kin(front: str, word: Term) -> bool:
    """Whether the prefixes make sense: a "great mom" is a mom, a "great-aunt" is not an aunt."""
    return not front.endswith("great-") or word.meaning.startswith(_GREAT)


def _affixed(front: str, word: Term, back: str) -> Term:
    return Term(label=f"{front}{word.label}{back}", meaning=f"{front}{word.meaning}{back}")


@lru_cache(maxsize=1024)
def looked_up_by(meaning: str) -> tuple[str, ...]:
    """Other meanings that "my X" also reaches, when nobody is X by that very word.

    A spouse is a wife or a husband and the other way round; "my friend" may be the best friend,
    but "my best friend" is not just any friend.
    """
    if meaning == "friend":
        return ("best friend",)
    front, base, back = _parts(meaning)
    wider = tuple(umbrella for umbrella, below in _UMBRELLAS.items() if base in below)
    found = _UMBRELLAS.get(meaning) or (*_UMBRELLAS.get(base, ()), *wider)
    if meaning in _UMBRELLAS["ex"]:
        return (*(f"ex-{other}" for other in (*_UMBRELLAS.get(base, ()), *wider)), "ex")
    return found if meaning in _UMBRELLAS else tuple(f"{front}{other}{back}" for other in found)


@lru_cache(maxsize=1024)
def answers_to(meaning: str) -> frozenset[str]:
    """What somebody calls the speaker whom the speaker may call `meaning`: "husband" for "wife"."""
    front, base, back = _parts(meaning)
    return frozenset(f"{front}{answer}{back}" for answer in _ANSWERS.get(base, ()))


_LOVE, _NO_TIE = "love", ""


@lru_cache(maxsize=1024)
def tie_of(relationship: str) -> str:
    """Which tie of family or love a word is, the same for "mom" and "parent"; "" for others."""
    parts = _PARTS.fullmatch(meaning_of(relationship))
    if parts is None:
        return _NO_TIE
    front, base, back = parts["prefix"].removeprefix("ex-"), parts["base"], parts["suffix"]
    if base in (*_COUPLE, *_DATING, "ex", "lover"):
        return f"{front}{_LOVE}{back}"
    for words in (_PARENTS, _CHILDREN, _SIBLINGS):
        if base in words:
            return f"{front}{words[-1]}{back}"
    return f"{front}{base}{back}" if base in _FAMILY else _NO_TIE


def is_another(relationship: str, known: Iterable[str]) -> bool:
    """Whether nobody calls one person by this word and by those: a wife is no "my friend Sarah".

    Whoever was a friend, or a colleague, may have become a love.
    """
    ties = {tie_of(one) for one in known}
    tie = tie_of(relationship)
    return bool(ties) and tie not in ties and not (tie == _LOVE and _NO_TIE in ties)


def _parts(meaning: str) -> tuple[str, str, str]:
    match = _PARTS.fullmatch(meaning)
    if match is None or not (match["base"] in _ANSWERS or match["base"] in _UMBRELLAS):
        return "", meaning, ""
    return match["prefix"], match["base"], match["suffix"]
