"""What must never be stored: keys, tokens, card and account numbers, passwords."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct

_CARD: Final = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w])")
# Issuer by issuer: the first digits, and how many there are in all.
_CARD_FORMS: Final = re.compile(
    r"3[47]\d{13}|4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
)
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_IBAN_LENGTHS: Final = range(15, 35)
_FORMATS: Final[Mapping[str, str]] = {
    "Anthropic key": r"sk-ant-[A-Za-z0-9_-]{16,}",
    "OpenAI key": r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}",
    "Stripe key": r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "GitHub token": r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}",
    "GitLab token": r"glpat-[A-Za-z0-9_-]{20,}",
    "AWS key": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "Google key": r"AIza[A-Za-z0-9_-]{35}",
    "Slack token": r"xox[abprs]-[A-Za-z0-9-]{10,}",
    "Hugging Face token": r"hf_[A-Za-z0-9]{30,}",
    "JSON web token": r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "Telegram bot token": r"\d{8,10}:[A-Za-z0-9_-]{35}",
    "connection password": r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/@]{3,200}@[^\s/]+",
}
_TOKENS: Final = {
    name: re.compile(rf"(?<![A-Za-z0-9_-])(?:{form})") for name, form in _FORMATS.items()
}
# What follows the word must look like a value: a digit or sign in it, or quotes around it, or it
# stands alone at the end. "The password is case sensitive" says nothing secret.
_SAID: Final = re.compile(
    r"(?<!\w)(?:pass(?:word|code|phrase)|pwd|pin(?: code| number)?|secret(?: key)?|api[ _-]?key"
    r"|access[ _-]?token|wi-?fi (?:key|code)|(?:door|alarm|gate|safe|entry|security) code|cvv|cvc)"
    r"(?: (?:for|to|of) [\w' .-]{1,30}?)?\s*(?:is now|is set to|is still|is|was|=|:|→|->)\s*"
    r"(?P<value>\"[^\"\n]{3,}\"|'[^'\n]{3,}'|`[^`\n]{3,}`|[^\s,;]{3,})(?P<after>\s+\w+)?",
    re.IGNORECASE,
)
_PLAIN_WORDS: Final = re.compile(
    r"(?:not|the|a|an|in|on|at|too|very|so|case|now|wrong|right|correct|expired?|expiring|invalid"
    r"|required|optional|missing|saved|stored|secure|weak|strong|short|long|shared|same|different"
    r"|written|changed|reset|being|still|always|never|only|just|my|your|our|their|his|her|it"
    r"|that|this|what|unknown|safe|lost|leaked|hidden|encrypted|hashed|none|empty|blank|needed"
    r"|broken|working|good|bad|ok|okay|fine|updated|gone|set|old|new|easy|hard|under|with|your)",
    re.IGNORECASE,
)


class Secret(Struct, frozen=True):
    """A secret found in a text: what it looks like and where it stands."""

    what: str
    start: int
    end: int


def secrets_in(text: str) -> tuple[Secret, ...]:
    """Every secret of a known format, in order, none overlapping."""
    found: list[Secret] = []
    for secret in sorted(_candidates(text), key=lambda one: (one.start, -one.end)):
        if not found or secret.start >= found[-1].end:
            found.append(secret)
    return tuple(found)


def masked(text: str) -> str:
    """The text with every secret replaced by what it was: safe to store and to show."""
    parts, at = [], 0
    for secret in secrets_in(text):
        parts += [text[at : secret.start], f"[{secret.what} removed]"]
        at = secret.end
    return "".join([*parts, text[at:]])


def _candidates(text: str) -> Iterator[Secret]:
    for what, pattern in _TOKENS.items():
        for match in pattern.finditer(text):
            yield Secret(what, match.start(), match.end())
    yield from _numbers(text, _CARD, "card number", is_card)
    yield from _numbers(text, _IBAN, "IBAN", is_iban)
    for match in _SAID.finditer(text):
        if _is_value(match["value"], match["after"]):
            yield Secret("password", match.start("value"), match.end("value"))


def _numbers(
    text: str, pattern: re.Pattern[str], what: str, holds: Callable[[str], bool]
) -> Iterator[Secret]:
    for match in pattern.finditer(text):
        if holds(match[0]):
            yield Secret(what, match.start(), match.end())


def is_card(text: str) -> bool:
    """Whether this is a payment card's number: its length, its issuer and its check digit."""
    plain = "".join(c for c in text if c in "0123456789")
    if not _CARD_FORMS.fullmatch(plain):
        return False
    digits = [int(c) for c in plain]
    doubled = (d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2])  # noqa: PLR2004 - Luhn
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether this is an account number, by its check digits."""
    plain = text.replace(" ", "").upper()
    if len(plain) not in _IBAN_LENGTHS:
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _is_value(value: str, after: str | None) -> bool:
    quoted = value[0] in "\"'`"
    plain = value.strip("\"'`.!?)")
    if not quoted and _PLAIN_WORDS.fullmatch(plain):
        return False
    mixed = any(c.isdigit() or not c.isalnum() for c in plain)
    return quoted or mixed or after is None
