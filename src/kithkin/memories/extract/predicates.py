"""What a clause says of somebody: the verb decides whether it is worth keeping, and as what."""

import re
from typing import Final

from msgspec import Struct

from kithkin.language.word_lists import alternatives, word_set
from kithkin.memories.extract.verbs import ADVERBS, ALONE, ING, KIND_OF, PAST, PRESENT, third_person
from kithkin.memories.model import Kind

_BE: Final = re.compile(r"(?:is|are|am|was|were|'m|'s|'re|m|been)(?: not|n't)?(?= |$)")
_HAVE: Final = re.compile(r"(?:have|has|had|'ve|ve)(?: got)?(?= )|'s got(?= )|got(?= )")
_PARTICIPLE: Final = re.compile(
    r"(?:just |already |never |always |finally |recently |also |ever |only )*"
    r"(?:\w+ed|come|put|gotten|brought|seen|been|done|gone|taken|given|made|found|become|learnt"
    r"|told"
    r"|met|read|written|kept|left|felt|had|run|grown|known|spent|thought|built|begun|lost|won|shown"
    r"|set|said|heard|let|hit|cut)\b"
)
_HAVE_BEEN: Final = re.compile(r"(?:have|has|'ve|ve|'s) (?:never )?been ")
_NEGATED: Final = re.compile(
    r"(?P<not>don't|dont|doesn't|doesnt|didn't|can't|cant|cannot|can not|won't|do not|does not"
    r"|did not|couldn't) (?P<rest>\S.*)",
    re.DOTALL,
)
_ABLE: Final = re.compile(r"can (?P<rest>(?:speak|play|cook|swim|drive|sing)\b.*)", re.DOTALL)
_USED_TO: Final = re.compile(r"used to (?:be |live|work|own|play|teach|smoke|drink|run|drive)")
_GO: Final = re.compile(
    r"(?:go|goes) (?:to (?:the )?(?:gym|church|mosque|temple|synagogue|school|college|therapy|yoga"
    r"|university)\b|(?:running|swimming|hiking|climbing|dancing|cycling|fishing|camping|surfing"
    r"|skiing|bouldering)\b|by [A-Z])"
)
_MUST: Final = re.compile(
    r"(?:(?:really |still )?(?:need|needs|have|has|'ve got|gotta|got) to|must|gotta)"
    r" (?P<task>[a-z]{2,}\b.+)",
    re.DOTALL,
)
_WANT: Final = re.compile(
    r"(?:want|wants|plan|plans|is planning|am planning|decided|have decided|has decided"
    r"|'ve decided|'m planning|'s planning) to (?P<task>[a-z]{2,}\b.+)",
    re.DOTALL,
)
_NO_TASK: Final = re.compile(
    r"(?:go (?:home|now|to bed|to sleep)|say|know|see|be (?:honest|fair)|ask|tell|talk|admit|sleep"
    r"|pee|eat|leave|think|do (?:it|that|this)|stop|find out|figure|understand|hear|cry|laugh|chill"
    r"|relax|run\b(?! a)|go\b(?! (?:back )?to)|try (?:it|that|this)|check (?:it|that|this)|agree)\b"
)
_WISHES: Final = re.compile(
    r"(?:learn|become|visit|move|study|buy|start|write|travel|open|get (?:a|an|married)|have (?:a"
    r"|kids)|retire|adopt|go (?:back )?to|quit|run a|build|apply|take (?:a|up))\b"
)
_PRONOUN_OBJECT: Final = re.compile(
    r"(?:it|that|this|these|those|you|u|him|her|them|us|me|your|yours|what|how|when|where|one|ones"
    r"|there|here|too|so|and|the same|same|everything|nothing|something|anything|all|everyone)"
    r"(?=$|[\s,.!]*$| (?:so|very|too|a lot|much|when|how|that|all|guys)\b|'s\b)|(?:your|you|this"
    r"|that|these|those) "
)
_STATES: Final = alternatives(
    "vegetarian vegan pescatarian kosher pregnant married engaged single divorced widowed retired "
    "left-handed right-handed colorblind colourblind deaf blind diabetic autistic dyslexic gay "
    "lesbian bisexual trans transgender non-binary nonbinary straight queer jewish muslim "
    "christian catholic hindu buddhist atheist sikh mormon lactose_intolerant gluten_intolerant "
    "celiac "
    "gluten-free unemployed self-employed homeless adopted sober bilingual asexual bipolar "
    "bankrupt american british english french german italian spanish portuguese dutch irish "
    "scottish polish "
    "russian ukrainian indian chinese japanese korean mexican canadian australian brazilian "
    "turkish greek swedish norwegian danish finnish swiss nigerian egyptian vietnamese"
)
_LINKS: Final = (
    r"allergic to|intolerant to|afraid of|scared of|terrified of|into|from|originally from"
    r"|obsessed with|interested in|fluent in|good at|bad at|bad with|good with|addicted to"
    r"|engaged to|married to|diagnosed with|born|raised|named|called|known as|in love with"
    r"|on (?:a diet|parental leave|maternity leave|paternity leave|sabbatical|medication|vacation"
    r"|holiday|dialysis|insulin|statins|antidepressants)|in (?:(?:the )?hospital|rehab|college"
    r"|prison|jail|debt|remission|recovery|(?:first|second|third|fourth|fifth|sixth|seventh|eighth"
    r"|ninth|tenth|\d+(?:st|nd|rd|th)) grade|high school|grad school|med school|law school"
    r"|kindergarten|the (?:army|navy|military))|proud of|promoted|accepted|admitted|fired|laid off"
    r"|hospitalized|arrested|elected|allergic|a fan of|based in|close to \d|due (?:on|in)|expecting"
    r"|dating|seeing (?!you|it|what)|training for|learning|studying|planning|living|working"
    r"|going (?:to [A-Z]|through|back to (?:school|college|work))|coming (?:over|to visit|for|home"
    r"|back)|getting (?:married|divorced|engaged|a (?!bit|lot))|moving (?:to|in|out|back|house)"
    r"|flying|visiting|travell?ing|bringing|hosting|turning \d|retiring|starting|fasting|staying"
    r"|applying|writing a|building a|saving for|taking (?:a|the|classes)|teaching|quitting|having"
    r" (?:a baby|surgery|twins)|renting|buying|selling|running (?:a|for)|recovering|undergoing"
    r"|throwing a|opening a|launching|graduating|interviewing|competing|performing|not a|not an"
)
_BE_STATE: Final = re.compile(
    rf"(?:a |an )?(?:{_STATES})(?= (?:now|and|but|since|as|for)\b|,|$|[.!]*$)|(?:{_LINKS})\b",
    re.IGNORECASE,
)
_BE_NUMBER: Final = re.compile(
    r"(?:\d{1,3}(?: years? old| y/?o| now)?(?=$|[.!,]| and)"
    r"|\d['\u2019]\s?\d{1,2}(?:[\"\u201d]|''|\b)|\d(?:\.\d+)?\s?(?:m|cm|feet|ft)\b|\d{3}\s?cm\b)"
)
_BE_SOMETHING: Final = re.compile(r"(?:not )?(?:a|an|the) (?:\S+ ){0,5}\S+|an only child")
_NO_NOUN: Final = re.compile(
    r"(?:a|an|the) (?:(?:huge|big|great|key|major) )?(?:part|way|place|step|honou?r|privilege"
    r"|feeling|look|try|go|chance|time|day|week|year|bit|lot|little|mess|joke|problem"
    r"|good (?:idea|point|thing|one)|great"
    r"|bad|nightmare|pain|shame|surprise|while|few|couple|best|worst|same|one|only one|big deal"
    r"|disaster|wreck|huge (?:mess|pain|deal)|total (?:mess|wreck)|idiot|genius|legend|angel|star"
    r"|sweetheart|hero|jerk|moron|clown|way|reason|point|thing|dream|blast|hoot|minute|second"
    r"|lost cause|real|true|nice|fun|cool|long|short|hard|tough|lovely|beautiful|amazing|perfect"
    r"|good|kind|sort|type|next|first|last|other|millionaire|liar)\b"
)
_NO_HAVING: Final = re.compile(
    r"(?:a |an |the |no |some |any |so much |too much |this |that |another |my |his |her )?(?:idea"
    r"|ideas|question|questions|feeling|problem|point|lot|doubt|doubts|hunch|minute|sec|second"
    r"|moment|time|fun|headache|good (?:time|day|one|point|night)|great (?:time|day)|nice (?:time"
    r"|day)|choice|clue|thing|bit|look|chance|blast|it|that|this|to|been|you|your|seen|heard|had"
    r"|done|gone|made|got|said|told|thought|just|never|always|already|not|lunch|dinner|breakfast"
    r"|coffee|enough|nothing|something|anything|everything|issues?|reason|right|word|words|point"
    r"|hard time|rough|bad day|long day|crush|faith|better|home|up|out|back|here|there|in|on|off"
    r"|distracted|lost|stuck|confused|bored|tired|sick of|mad|angry|upset|excited|ready|worse)\b"
)
_GOT: Final = re.compile(
    r"(?:engaged|married|divorced|promoted|fired|laid off|accepted|into [A-Z]\w*|pregnant|sober"
    r"|arrested"
    r"|hired|diagnosed|vaccinated|admitted|elected|a (?:new |big |full )?(?:job|dog|cat|puppy"
    r"|kitten"
    r"|tattoo|promotion|raise|car|house|degree|scholarship|divorce|visa|apartment|flat|bike|baby"
    r"|diagnosis|offer)|the job|surgery|braces|glasses|custody|tickets)\b"
)
_BECAME: Final = re.compile(
    r"(?:became|becomes|grew up|grows? up|was raised|gave birth|gave up|broke up|passed away|got"
    r" back together|proposed|started|moved|majored|specialises|specializes|works? out|woke up"
    r"|wakes? up) ?"
)
_HAD: Final = re.compile(
    r"(?:just )?(?:a (?:baby|miscarriage|stroke|heart attack|surgery|car accident|seizure|fight"
    r"|operation)|surgery|twins|an? (?:accident|operation|abortion)|his|her|their|my)\b"
)
_TIME_ONLY: Final = word_set("today tomorrow yesterday now tonight later soon again already too")
_LONGEST: Final = 24
_AND_THEN: Final = re.compile(
    r",? (?:and|it's|which) (?=(?:it|it's|that|that's|they|there|this|was|is|such)\b)|, (?:it's"
    r"|such)"
    r" ",
    re.IGNORECASE,
)
_TO_YOU: Final = re.compile(r"\b(?:you|your|yours|u)\b", re.IGNORECASE)


class Predicate(Struct, frozen=True):
    """What is said, in the third person, and what kind of thing it is."""

    content: str
    kind: Kind
    confidence: float = 0.9


_PLURAL: Final = re.compile(r"(?:are|were|'re|have|do|don't|'ve|ve)(?= |$)")


def agrees(said: str) -> bool:
    """Whether the verb is one for a single person: "Books have" and "Hard work" name nobody."""
    lead = ADVERBS.match(said)
    words = said[lead.end() if lead else 0 :]
    verb = words.split(" ", 1)[0]
    return not _PLURAL.match(words) and (PRESENT.get(verb) != verb or verb in PAST)


def read_predicate(said: str, *, first_person: bool, sure: bool = True) -> Predicate | None:
    """What the words after a subject say of it; None when they say nothing worth keeping."""
    said = " ".join(said.replace("\u2019", "'").split()).rstrip(" .,!;:")
    said = _AND_THEN.split(said, maxsplit=1)[0]
    if not said or len(said.split()) > _LONGEST or _TO_YOU.search(said):
        return None
    adverbs = ADVERBS.match(said)
    lead = adverbs[0] if adverbs else ""
    rest = said[len(lead) :]
    found = (
        _must(rest)
        or _been(rest)
        or _be(rest)
        or _have(rest)
        or _negated(rest)
        or _said_otherwise(rest)
        or _verb(rest)
    )
    if found is None or (not sure and found.confidence < 0.9):  # noqa: PLR2004 - the usual one
        return None
    content = _third(lead + found.content if lead else found.content, first_person=first_person)
    return Predicate(content, found.kind, found.confidence)


def _must(said: str) -> Predicate | None:
    if (match := _MUST.match(said)) and not _NO_TASK.match(match["task"]):
        return Predicate(f"needs to {match['task']}", "task")
    if (match := _WANT.match(said)) and _WISHES.match(match["task"]):
        verb = "wants" if said.startswith("want") else "plans"
        return Predicate(f"{verb} to {match['task']}", "task")
    return None


def _been(said: str) -> Predicate | None:
    match = _HAVE_BEEN.match(said)
    if match is None:
        return None
    rest = said[match.end() :]
    if _BE_STATE.match(rest) or re.match(r"(?:to|in|with|on) (?:[A-Z]|the )", rest):
        never = "never " if "never" in match[0] else ""
        return Predicate(f"has {never}been {rest}", "identity")
    ing = rest.split(" ", 1)[0]
    return Predicate(f"has been {rest}", KIND_OF[ING[ing]]) if ing in ING and " " in rest else None


def _be(said: str) -> Predicate | None:
    match = _BE.match(said)
    if match is None or (match[0] == "m" and not said.startswith("m ")):
        return None
    rest = said[match.end() :].strip()
    lead = ADVERBS.match(rest)
    bare = rest[lead.end() :] if lead else rest
    past = match[0].startswith("w")
    kind = _kind_of_being(bare)
    if kind is None:
        return None
    negated = " not" if match[0].endswith(("not", "n't")) else ""
    return Predicate(f"{'was' if past else 'is'}{negated} {rest}", kind)


def _kind_of_being(said: str) -> Kind | None:
    word = said.split(" ", 1)[0]
    if _BE_NUMBER.match(said):
        return "identity"
    if _BE_STATE.match(said):
        base = ING.get(word)
        return KIND_OF[base] if base else ("event" if word.endswith("ing") else "identity")
    if _BE_SOMETHING.match(said) and not _NO_NOUN.match(said.removeprefix("not ")):
        return "identity"
    return None


_STARTED: Final = re.compile(r"(?:just |already |never )?(?:started|stopped|quit|moved|adopted)\b")
_APPOINTED: Final = re.compile(
    r"\b(?:appointment|interview|exam|meeting|flight|wedding|tickets|party|date|deadline)\b"
)


def _have(said: str) -> Predicate | None:
    match = _HAVE.match(said)
    if match is None:
        return None
    rest = said[match.end() :].strip()
    if match[0] == "got":
        return Predicate(said, "event") if _GOT.match(rest) else None
    if _STARTED.match(rest):
        return Predicate(f"has {rest}", "event")
    return None if _PARTICIPLE.match(rest) else _having(match[0], rest)


def _having(verb: str, rest: str) -> Predicate | None:
    if verb == "had":
        return Predicate(f"had {rest}", "event") if _HAD.match(rest) else None
    if _NO_HAVING.match(rest):
        return None
    return Predicate(f"has {rest}", "event" if _APPOINTED.search(rest) else "identity")


def _negated(said: str) -> Predicate | None:
    match = _NEGATED.match(said)
    if match is None:
        return None
    rest = match["rest"]
    lead = ADVERBS.match(rest)
    verb, _, thing = (rest[lead.end() :] if lead else rest).partition(" ")
    if rest.startswith(("have any ", "have a ", "have kids", "have children")):
        return Predicate(f"doesn't {rest}", "identity")
    if rest.startswith("stand ") and not _PRONOUN_OBJECT.match(thing):
        return Predicate(f"can't {rest}", "preference")
    base = PRESENT.get(verb)
    if base is None or KIND_OF[base] == "event" or not _says_enough(base, thing):
        return None
    able = match["not"].startswith(("can", "cannot"))
    past = match["not"].startswith("did")
    word = "can't" if able else "didn't" if past else "doesn't"
    return Predicate(f"{word} {rest}", KIND_OF[base])


def _said_otherwise(said: str) -> Predicate | None:
    if match := _ABLE.match(said):
        return Predicate(f"can {match['rest']}", "identity")
    if _USED_TO.match(said):
        return Predicate(said, "identity")
    if _GO.match(said):
        return Predicate(said, "identity")
    if match := _BECAME.match(said):
        rest = said[match.end() :]
        return Predicate(said, "event") if rest or match[0].strip() in _WHOLE else None
    return None


_WHOLE: Final = ("passed away", "gave birth", "proposed", "works out", "work out", "broke up")


def _verb(said: str) -> Predicate | None:
    verb, _, thing = said.partition(" ")
    base = PRESENT.get(verb) or PAST.get(verb)
    if base is None or base == "get" or not _says_enough(base, thing):
        return None
    kind = KIND_OF[base]
    if kind == "event" and verb == base and verb not in PAST:
        # "start", "get", "book" without an ending is mostly a command.
        return None if base not in ("expect", "start") else Predicate(said, kind, 0.8)
    if base in ("make", "take", "use", "stay", "bring", "share", "give", "owe", "pass", "find"):
        return Predicate(said, kind, 0.8)
    return Predicate(said, kind)


def _says_enough(base: str, thing: str) -> bool:
    if not thing or thing.split(" ", 1)[0] in _TIME_ONLY:
        return base in ALONE and not thing
    return not _PRONOUN_OBJECT.match(thing)


_FIRST_WORDS: Final = re.compile(
    r"\b(my|our|mine|ours|me|us|myself|ourselves|i'm|i)\b", re.IGNORECASE
)
_THEIRS: Final = {
    "my": "their",
    "our": "their",
    "mine": "theirs",
    "ours": "theirs",
    "me": "them",
    "us": "them",
    "myself": "themselves",
    "ourselves": "themselves",
    "i'm": "they are",
    "i": "they",
}


def _third(said: str, *, first_person: bool) -> str:
    """The words as one says them of somebody else; "me" stays the speaker in what others did."""
    lead = ADVERBS.match(said)
    at = lead.end() if lead else 0
    verb, gap, rest = said[at:].partition(" ")
    if PRESENT.get(verb) == verb and verb not in PAST:
        verb = third_person(verb)
    elif verb == "go":
        verb = "goes"
    if not first_person:
        return said[:at] + verb + gap + rest
    theirs = _FIRST_WORDS.sub(lambda word: _THEIRS[word[0].lower()], rest)
    return said[:at] + verb + gap + theirs
