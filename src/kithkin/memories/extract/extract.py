"""What a message says: each clause read for whom it is about and what it says of them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time
from typing import Final

from kithkin.language.dates import made_absolute, spans_in
from kithkin.memories.extract.model import Corrected, Fact, Proposal, Related, Said, SelfNamed, Who
from kithkin.memories.extract.predicates import Predicate, agrees, read_predicate
from kithkin.memories.extract.sentences import Clause, clauses_of
from kithkin.memories.model import Quote

ME: Final = Who("me")
_PRONOUNS: Final = ("he", "she", "they")
_MOST: Final = 20
"""No message teaches more than this: what has more is a document, not a message."""
_FILLER: Final = re.compile(
    r"\s*(?:(?:so|well|oh|btw|by the way|fyi|also|and|yeah|yes|yep|no|ok|okay|hey|hi|hello|haha|lol"
    r"|omg|actually|anyway|anyways|look|listen|guess what|honestly|fun fact|today|yesterday"
    r"|tonight|last (?:night|week|month|year)|this (?:morning|week|year)|in \d{4}|these days|lately"
    r"|recently|sadly|luckily|fortunately|unfortunately|good news|bad news|great news|update"
    r"|remember that|remember|note that|note|just so you know|ugh|wow|yay|sorry|thanks|then"
    r"|both|turns out|happy to share that|correction|p\.?s\.?)[,:!.]*\s+)*",
    re.IGNORECASE,
)
_NAME: Final = r"(?P<name>[^\W\d_][\w'\u2019-]*(?: [^\W\d_a-z][\w'\u2019-]*){0,3})"
_CALL_ME: Final = re.compile(
    r"(?i:(?:please |just |you can |everyone |everybody |people |friends )*calls? me|i go by"
    rf"|i'm called|my name is|my name's|the name's) {_NAME}"
)
_I_AM: Final = re.compile(
    r"(?:I'm|I am|i'm|im) (?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?=$|[.,!]| btw| by the way)"
)
_REMIND: Final = re.compile(
    r"(?:please )?remind me to (?P<task>\w{2,} .+)", re.IGNORECASE | re.DOTALL
)
_CORRECTS: Final = re.compile(
    r"(?:no,? )?(?:actually|sorry|correction|i meant|i mean|scratch that|my bad|oops|wait)[,:]?"
    r"(?: (?:sorry|no|i meant|i mean|actually))*,? (?:it'?s|it is|it was|make (?:it|that)|that'?s)?"
    r" ?(?P<value>.+)",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    r"(?:on |at )?(?:the )?(?:\d[\w:.,'\"/-]*(?: ?(?:am|pm|st|nd|rd|th))?(?: (?:of )?\w+)?"
    r"|\w+ \d{1,2}(?:st|nd|rd|th)?|(?:next |this )?(?:mon|tues?|wednes|thurs?|fri|satur"
    r"|sun)day)[.!]*",
    re.IGNORECASE,
)
_TERM: Final = r"(?P<term>[a-z][a-z-]*(?: (?:friend|partner))?)"
_OF_SOMEBODY: Final = re.compile(rf"(?:is|was|'s) (?P<of>my|our|\S+'s|\S+ \S+'s) {_TERM}[.!]*$")
_IS_NAMED: Final = re.compile(rf"(?:is|'s) (?:named|called) {_NAME}[.!]*$")
_IS_NAME: Final = re.compile(
    r"(?:is|'s) (?P<name>(?:[A-Z][\w.'\u2019-]+)(?: [A-Z][\w'\u2019-]+)*)[.!]*$"
)
_THING: Final = (
    r"(?P<thing>(?:favou?rite (?:\w+ ){0,2}?\w+|birthday|anniversary|(?:phone |cell )?number"
    r"|e-?mail(?: address)?|address|blood type|maiden name|middle name|last name|full name"
    r"|nickname|job|car"
    r"|dog|cat|puppy|kitten|parrot|horse|hamster|rabbit|kids|children|office|flight|train|passport"
    r"|visa|lease|wedding|wedding anniversary|shoe size|native language|mother tongue"
    r"|first language"
    r"|hometown|zodiac sign|star sign|pronouns|hobby|hobbies|hair|eyes|salary|rent|company|startup"
    r"|degree|major|username|handle|website|blog|surgery|due date|interview|exam|appointment"
    r"|vacation|holiday|landline|timezone|time zone))"
)
_MINE: Final = re.compile(
    rf"(?:my|our) {_THING} (?P<verb>is|are|was|expires|lands|leaves|starts"
    r"|ends)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_THEIRS: Final = re.compile(
    rf"['\u2019]s {_THING} (?P<verb>is|are|was|expires|lands|leaves|starts"
    r"|ends)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_JUNK_VALUE: Final = re.compile(
    r"\s*(?:not |so |too |very |really |pretty |kinda |all )*(?:good|great|bad|awful|fine|ok|okay"
    r"|nice|cool|amazing|late|delayed|broken|dead|gone|down|up|here|there|sick|cute|adorable"
    r"|annoying"
    r"|crazy|funny|coming|killing|driving|better|worse|hungry|asleep|the best|the worst|a mess)?"
    r"(?: today| now| again| lately)?[.!]*\s*",
    re.IGNORECASE,
)
_NAME_IS: Final = re.compile(rf"['\u2019]s (?:first |full |real )?name(?: is|'s) {_NAME}[.!]*$")
_WHO_CLAUSE: Final = re.compile(r",? who (?P<said>[^,]+),? ")


def extract(said: Said) -> tuple[Proposal, ...]:
    """What may be learned from a message, in order. Nothing is resolved or stored here."""
    found: list[Proposal] = []
    before = said.before
    for clause in clauses_of(said.text):
        for proposal in _of_clause(clause, said, before):
            if proposal not in found:
                found.append(proposal)
            if isinstance(proposal, Fact) and not proposal.who[0].is_speaker:
                before = proposal.who[0]
    return tuple(found[:_MOST])


def _of_clause(clause: Clause, said: Said, before: Who | None) -> Iterator[Proposal]:
    corrects = _CORRECTS.match(clause.text.strip())
    if corrects and _VALUE.fullmatch(corrects["value"].strip()):
        yield Corrected(corrects["value"].strip(" .!"), _quote(clause))
        return
    lead = _FILLER.match(clause.text)
    at = lead.end() if lead else 0
    words = clause.text[at:].replace("\u2019", "'")
    if named := _CALL_ME.match(words) or _I_AM.match(words):
        if name := _proper(named["name"]):
            yield SelfNamed(name, _quote(clause))
        return
    if task := _REMIND.match(words):
        yield _fact(
            (ME,), Predicate(f"needs to {task['task'].rstrip(' .!')}", "task"), clause, said
        )
        return
    if mine := _MINE.match(words):
        yield from _about_a_thing(mine, (ME,), clause, said)
        return
    yield from _about_people(clause, at, said, before)


def _about_people(clause: Clause, at: int, said: Said, before: Who | None) -> Iterator[Proposal]:
    mentioned = said.mentioned_at(clause.text, at)
    who = tuple(_antecedent(one, before) for one in mentioned.who)
    if not who or any(one.said in _PRONOUNS for one in who):
        return
    rest = clause.text[mentioned.end :].replace("\u2019", "'")
    if len(who) == 1 and (named := _NAME_IS.match(rest)):
        yield from _named_relation(who[0], named["name"], clause)
        return
    if theirs := _THEIRS.match(rest):
        yield from _about_a_thing(theirs, who, clause, said)
        return
    rest = rest.lstrip()
    aside = _WHO_CLAUSE.match(rest)
    if aside:
        yield from _facts(who, aside["said"], clause, said)
        rest = rest[aside.end() :]
    if len(who) == 1 and not who[0].is_speaker and not agrees(rest):
        return
    if len(who) == 1 and (related := _relation(who[0], rest, clause, said)):
        yield related
        return
    yield from _facts(who, rest, clause, said)


def _named_relation(who: Who, name: str, clause: Clause) -> Iterator[Proposal]:
    """Read "my wife's name is Sarah"."""
    owner, _, term = who.said.partition(" ")
    if owner.lower() in ("my", "our") and _proper(name):
        yield Related(Who(who.said, _proper(name)), term, ME, _quote(clause))


def _facts(who: tuple[Who, ...], words: str, clause: Clause, said: Said) -> Iterator[Proposal]:
    for one in who:
        predicate = read_predicate(words, first_person=one.is_speaker, sure=one.is_sure)
        if predicate and (one.is_speaker or one.is_sure or one.said):
            yield _fact((one,), predicate, clause, said)


def _antecedent(who: Who, before: Who | None) -> Who:
    """The pronoun's person, when one was spoken of in the same message."""
    return before if before and who.said in _PRONOUNS else who


def _relation(who: Who, words: str, clause: Clause, said: Said) -> Proposal | None:
    if who.is_speaker:
        return None
    if match := _OF_SOMEBODY.match(words):
        owner = match["of"]
        of = ME if owner.lower() in ("my", "our") else Who(owner.removesuffix("'s"))
        return Related(who, match["term"], of, _quote(clause))
    owner, _, term = who.said.rpartition(" ")
    if who.name or owner.lower() not in ("my", "our"):
        return None
    named = _IS_NAMED.match(words) or _is_name(words, said)
    if named and (name := _proper(named["name"])):
        return Related(Who(who.said, name), term, ME, _quote(clause))
    return None


def _is_name(words: str, said: Said) -> re.Match[str] | None:
    """The name that somebody is; "is Italian" has a capital too."""
    match = _IS_NAME.match(words)
    return match if match and said.mentioned_at(match["name"], 0).who else None


def _about_a_thing(
    match: re.Match[str], who: tuple[Who, ...], clause: Clause, said: Said
) -> Iterator[Proposal]:
    rest = match["rest"].rstrip(" .!")
    if _JUNK_VALUE.fullmatch(rest) or not rest.strip():
        return
    dated = {"birthday", "anniversary", "flight", "wedding", "exam", "interview", "appointment"}
    kind = "event" if match["verb"] in ("lands", "leaves", "starts", "ends") else "identity"
    if match["thing"].lower().startswith("favo"):
        kind = "preference"
    elif match["thing"].lower() in dated - {"birthday", "anniversary"}:
        kind = "event"
    content = f"{match['thing'].lower()} {match['verb'].lower()}{rest}"
    yield _fact(who, Predicate(content, kind), clause, said)  # type: ignore[arg-type] # one of ours


def _fact(who: tuple[Who, ...], predicate: Predicate, clause: Clause, said: Said) -> Fact:
    spans = spans_in(predicate.content, said=said.at)
    last = max((span.last for span in spans), default=None)
    return Fact(
        who,
        made_absolute(predicate.content, said=said.at),
        predicate.kind,
        _quote(clause),
        predicate.confidence,
        datetime.combine(last, time.max, UTC) if last else None,
    )


def _quote(clause: Clause) -> Quote:
    text = clause.text.strip()
    start = clause.start + clause.text.index(text)
    return Quote(text, start, start + len(text))


def _proper(name: str) -> str:
    """The name with capitals; "" for what is none."""
    plain = name.strip(" .,!")
    if plain.lower() in ("maybe", "later", "back", "when", "if", "tomorrow", "today", "now", "a"):
        return ""
    return plain if plain != plain.lower() else plain.title()
