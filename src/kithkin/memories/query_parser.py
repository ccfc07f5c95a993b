"""Read a question: whom it is about, when, and which words are left to look for."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from kithkin.db import Tx
from kithkin.disclosure.audience import with_persona
from kithkin.disclosure.rule import Audience, Hearer
from kithkin.disclosure.view import View
from kithkin.identity.records import records_of
from kithkin.identity.self_person import resolve_in, speaker_in
from kithkin.language.dates import spans_in
from kithkin.language.kinship import TERM_IN_TEXT
from kithkin.language.mentions import lowered
from kithkin.language.words import fold, name_of
from kithkin.memories.ranking import Asked
from kithkin.people import store as people
from kithkin.people.lookup_keys import exact_keys
from kithkin.people.model import Ambiguous, ByClaim, Found, Person
from kithkin.personas.voices import STEWARD, Voice, seen_by, sees, voice_in
from kithkin.search.query_words import STOP_WORDS, query_words, words_in

if TYPE_CHECKING:
    from kithkin.ids import PersonId

_MINE: Final = re.compile(rf"(?<![\w'-])(?:my|our) ({TERM_IN_TEXT})")
_MYSELF: Final = re.compile(r"(?<![\w'-])(?:i|me|my|mine|myself)(?![\w-])")
_WHEN: Final = re.compile(r"\s*(?:when|how long|what (?:date|day|month|year|time))\b")


class Question(Struct, frozen=True):
    """What a question asks for: words to look for, whom it is about, and when."""

    words: tuple[str, ...]
    persons: tuple[Person, ...]
    asked: Asked


def meant(tx: Tx, question: str, speaker: str, voice: Voice = STEWARD) -> tuple[Person, ...]:
    """The people a question is about, as far as it names or describes them."""
    who = speaker_in(tx, speaker)
    me = records_of(tx, who.person) if who and who.person else frozenset()
    hearers = (Hearer(me, verified=True),)
    audience = with_persona(Audience(hearers), voice.id, seen_by(tx, voice))
    view = View(tx, audience, now=datetime.now(UTC))
    persons, _ = _meant(tx, question[:4000], view, speaker)
    return persons


def unclear_in(tx: Tx, question: str, speaker: str, voice: Voice = STEWARD) -> str | None:
    """What to say of the first "my X" of a question that leads to nobody, or to several."""
    for match in _MINE.finditer(lowered(question)):
        found = resolve_in(tx, match[0], speaker=speaker, voice=voice)
        own = isinstance(found, Ambiguous) and any(isinstance(e, ByClaim) for e in found.evidence)
        if isinstance(found, Ambiguous) and own:
            names = " or ".join(person.name for person in found.candidates)
            return f"Whom do you mean by {match[0]!r}: {names}?"
        if not isinstance(found, Found):
            return f"You have not told me who {match[0]!r} is."
    return None


def is_about_asker(question: str) -> bool:
    """Whether somebody asks about themselves: "where do I live?"."""
    return _MYSELF.search(lowered(question)) is not None


def asked_in(tx: Tx, question: str, view: View, speaker: str | None) -> Question:
    """Read a question: names and days are taken out of the words that are looked for."""
    text = question[:4000]
    persons, names = _meant(tx, text, view, speaker)
    spans = spans_in(text, said=view.now)
    timed = {word for span in spans for word in words_in(text[span.start : span.end])}
    ids = frozenset(one for person in persons for one in records_of(tx, person.id))
    first = min((span.first for span in spans), default=None)
    last = max((span.last for span in spans), default=None)
    asked = Asked(
        ids,
        when=bool(_WHEN.match(text.lower())),
        since=datetime.combine(first, time.min, UTC) if first else None,
        until=datetime.combine(last, time.min, UTC) + timedelta(days=1) if last else None,
    )
    words = query_words(text, without=frozenset(names | timed))
    telling = tuple(word for word in words if word not in STOP_WORDS)
    return Question(telling if persons or spans else words, persons, asked)


def _meant(
    tx: Tx, text: str, view: View, speaker: str | None
) -> tuple[tuple[Person, ...], set[str]]:
    """The people a question is about, and the words that only name them."""
    low = lowered(text)
    asker = None if speaker is None else speaker_in(tx, speaker)
    found: dict[PersonId, Person] = {}
    names: set[str] = set()
    for match in _MINE.finditer(low):
        meant = resolve_in(tx, match[0], speaker=speaker, voice=_voice(view))
        if isinstance(meant, Found):
            found[meant.person.id] = meant.person
            names |= set(words_in(match[0]))
    keys = {word: exact_keys(word) for word in words_in(text) if word not in STOP_WORDS}
    in_use = people.keys_in_use(tx, [key for each in keys.values() for key in each])
    for word, each in keys.items():
        if in_use.intersection(each) and (person := _called(tx, word, view)):
            found[person.id] = person
            names.add(word)
    if not found and asker and asker.person and _MYSELF.search(low):
        me = people.get(tx, asker.person)
        return ((me,) if me else ()), names
    return tuple(found.values()), names


def _voice(view: View) -> Voice:
    """Whose people come first: the fiction's own, in the voice the answer is given in."""
    audience = view.audience
    if audience is None or audience.persona is None:
        return STEWARD
    return replace(voice_in(view.tx, audience.persona), visible=audience.groups)


def _called(tx: Tx, word: str, view: View) -> Person | None:
    """The one person of this name among those whom somebody here is or has spoken of."""
    key = fold(word)
    known = [
        person
        for person in people.named(tx, exact_keys(word))
        if person.merged_into is None and key in _name_words(person) and _seen(view, person)
    ]
    if known and view.audience is not None:
        here = view.present
        known = [p for p in known if p.id in here] or [p for p in known if view.knows(p)]
    return known[0] if len(known) == 1 else None


def _seen(view: View, person: Person) -> bool:
    return view.audience is None or sees(view.audience.groups, person)


def _name_words(person: Person) -> frozenset[str]:
    names = (person.name, *(alias.value for alias in person.aliases))
    return frozenset(word for name in names for word in name_of(name).words)
