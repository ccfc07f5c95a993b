"""How delicate something is, by the words it is said in."""

import re
from collections.abc import Mapping
from typing import Final, Literal

Sensitivity = Literal["public", "personal", "sensitive"]

_LEVELS: Final[Mapping[Sensitivity, int]] = {"public": 0, "personal": 1, "sensitive": 2}

_SENSITIVE: Final = {
    "health": r"""
        diagnos\w+ | cancer | tumou?rs? | chemo\w* | diabet\w+ | asthma\w* | depress(?:ed|ion|ive)
        | anxiety | adhd | autis\w+ | bipolar | ptsd | hiv | aids | miscarr\w+ | pregnan\w+
        | abortion | surger(?:y|ies) | medications? | antidepressants? | prescri\w+
        | therap(?:y|ist) | psychiatr\w+ | rehab | sober | sobriety | alcoholi\w+ | addict\w*
        | overdos\w+
        | suicid\w+
        | self[- ]harm | panic\ attacks? | allerg\w+ | epilep\w+ | seizures? | stroke
        | heart\ (?:attack|condition|disease) | blood\ pressure | insulin | ivf | infertil\w+
        | std | herpes | hospitali[sz]ed | in\ (?:the\ )?hospital | disabilit(?:y|ies) | dementia
        | alzheimer\w* | eating\ disorder | anorexi\w+ | bulimi\w+ | biopsy | migraines?
    """,
    "money": r"""
        salar(?:y|ies) | in\ debt | debts? | bankrupt\w* | mortgages? | overdraft | overdrawn
        | credit\ score | net\ worth | inherit(?:ed|ance) | laid\ off | unemploy\w+ | foreclos\w+
        | owes? | loans? | alimony | child\ support | savings | earns? | paycheck | wages?
        | can(?:'t|not)\ afford | [$€£]\s?\d[\d,.]*\s?(?:k|m|bn)?
    """,
    "sexuality": r"""
        gay | lesbian | bisexual | transgender | trans\ (?:man|woman) | non[- ]?binary | queer
        | sexual\w* | sex | affairs? | cheat(?:ed|ing|s)\ on | closeted | (?:came|come|coming)\ out
        | asexual | kinks? | porn\w* | sleeping\ with | one[- ]night\ stand
    """,
    "legal": r"""
        arrest\w* | lawsuits? | sued | suing | (?:in|to)\ court
        | court\ (?:date|case|order|hearing) | custody | convict\w+ | felon\w* | probation
        | parole | prison | jail | dui | visa\ status | undocumented | deport\w+
        | restraining\ order | divorc\w+ | indict\w+ | criminal\ record
        | subpoena\w* | immigration\ status
    """,
    "credentials": r"""
        passwords? | passcodes? | pin\ (?:code|number|is) | api\ keys? | secret\ keys? | 2fa
        | recovery\ codes? | security\ codes? | alarm\ codes? | passport\ number | ssn
        | social\ security | iban | account\ numbers? | routing\ number
    """,
}
_PERSONAL: Final = {
    "conflict": r"""
        fight(?:s|ing)? | fought | argu(?:ed|ing|ment)s? | hates?\ (?:him|her|them|his|their|my)
        | broke\ up | break(?:ing)?\ up | not\ (?:speaking|talking)\ to | fell\ out | falling\ out
        | estranged | resents? | furious | betray\w+ | blocked\ (?:him|her|them|me) | fired
    """,
    "location": r"""
        home\ address | lives?\ at | living\ at | address\ is | \d+\s+\w+\s+(?:street|st|avenue|ave
        |road|rd|lane|ln|drive|dr|boulevard|blvd)\b | apartment\ \d+ | apt\.?\ \w+ | zip\ code
        | postcode | door\ code | home\ alone | away\ from\ home | spare\ key | key\ is\ under
    """,
}


def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE | re.VERBOSE)


_RULES: Final = (
    *(("sensitive", topic, _compiled(words)) for topic, words in _SENSITIVE.items()),
    *(("personal", topic, _compiled(words)) for topic, words in _PERSONAL.items()),
)


def topic_of(text: str) -> str | None:
    """The first delicate topic a text touches: health, money, sexuality, legal and so on."""
    return next((topic for _, topic, pattern in _RULES if pattern.search(text)), None)


def sensitivity_of(text: str) -> Sensitivity:
    """How delicate a text is; what no rule knows is public."""
    for level, _, pattern in _RULES:
        if pattern.search(text):
            return "sensitive" if level == "sensitive" else "personal"
    return "public"


def higher(one: Sensitivity, other: Sensitivity) -> Sensitivity:
    """The more delicate of two: a later copy never lowers what an earlier one was."""
    return max(one, other, key=_LEVELS.__getitem__)
