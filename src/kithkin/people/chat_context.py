"""What the chat tells about a reference: who is spoken to, who was meant a moment ago."""

import re
from collections.abc import Collection, Sequence

from msgspec import Struct

from kithkin.ids import PersonId, SpeakerKey
from kithkin.language.words import fold, name_of
from kithkin.people.model import Context, Person, Speaker

_TURNS_BACK = 8
_CLEARLY_MORE = 2
_GENERIC_BEFORE = re.compile(
    r"(?:\b(?:an?|any|every|some|no|another|what|like|of|was|word|say|said|the|one|some)|-)\W*$"
)
_OWN_NAME_NEXT = re.compile(
    r"(?:\b(?:i ?'m|i am|it ?'s|this is|call me|my name is|my name ?'s|called me)|^-*)\W*$"
)


class Nearest(Struct, frozen=True):
    """The one the surroundings point to, and how."""

    person: Person
    why: str


def addressee(context: Context | None, speaker: Speaker | None) -> PersonId | None:
    """Who is spoken to: whoever else spoke last, or the only other one present."""
    if context is None:
        return None
    me = speaker.person if speaker else None
    for turn in reversed(context.turns[-_TURNS_BACK:]):
        if turn.speaker is not None and turn.speaker != me:
            return turn.speaker
    others = [person for person in context.participants if person != me]
    return others[0] if len(others) == 1 else None


def is_generic(context: Context | None) -> bool:
    """Whether the sentence speaks of any such person: "you are not a dad"."""
    if context is None or context.at is None:
        return False
    return bool(_GENERIC_BEFORE.search(fold(context.text[: context.at])))


def introduces_self(context: Context) -> bool:
    """Whether the sentence says the speaker's own name: "I'm Sarah"."""
    if context.at is None:
        return False
    return bool(_OWN_NAME_NEXT.search(fold(context.text[: context.at])))


def nearest(
    candidates: Sequence[Person],
    context: Context | None,
    speaker: Speaker | None,
    known_here: Collection[SpeakerKey] = (),
) -> Nearest | None:
    """Break a tie when the surroundings are decisive; None when they leave a doubt.

    `known_here` are the keys of everyone present: whom one of them speaks of as theirs is nearer.
    """
    if context is None:
        return None
    me = speaker.person if speaker else None
    others = [person for person in candidates if person.id != me]
    present = [person for person in others if person.id in context.participants]
    close = [person for person in present or others if _is_known_to(person, known_here)]
    pointed_out = (
        (_self_named(candidates, me, context), "the speaker's own name"),
        (_named_before(others, context), "the full name was said a moment ago"),
        (present, "the only one of that name in this chat"),
        (_best_known(present or candidates, context), "by far the most present of that name"),
        (close, "the only one of that name whom somebody here knows"),
    )
    decided = (Nearest(people[0], why) for people, why in pointed_out if len(people) == 1)
    return next(decided, None)


def _self_named(
    candidates: Sequence[Person], me: PersonId | None, context: Context
) -> Sequence[Person]:
    own = [person for person in candidates if person.id == me]
    return own if introduces_self(context) else ()


def _is_known_to(person: Person, speakers: Collection[SpeakerKey]) -> bool:
    return any(claim.stated_by in speakers for claim in person.relationships)


def _named_before(candidates: Sequence[Person], context: Context) -> Sequence[Person]:
    """Whose full name stands in the latest turn that has one of them in full."""
    said = [context.text, *(turn.text for turn in reversed(context.turns[-_TURNS_BACK:]))]
    full = [(person, f" {name_of(person.name).key} ") for person in candidates]
    full = [(person, key) for person, key in full if " " in key.strip()]
    for text in said if full else ():
        spaced = f" {name_of(text).key} "
        if named := [person for person, key in full if key in spaced]:
            return named
    return ()


def _best_known(candidates: Sequence[Person], context: Context) -> Sequence[Person]:
    ranked = sorted(candidates, key=lambda person: -context.presence.get(person.id, 0))
    often = [context.presence.get(person.id, 0) for person in ranked[:2]] + [0, 0]
    return ranked[:1] if often[0] and often[0] >= _CLEARLY_MORE * often[1] else ()


def around(context: Context | None) -> tuple[PersonId, ...]:
    """The people present, or heard lately: names are cut short for them ("Sam")."""
    if context is None:
        return ()
    spoke = (turn.speaker for turn in reversed(context.turns) if turn.speaker is not None)
    often = sorted(context.presence, key=lambda person: -context.presence[person])[:20]
    return tuple(dict.fromkeys([*context.participants, *spoke, *often]))
