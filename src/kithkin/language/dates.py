"""Days said in relation to the day they are said on, made absolute."""

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final

from msgspec import Struct

_MONTHS: Final = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
} | {"sept": 9}
_DAYS: Final = {
    name.lower(): number
    for names in (calendar.day_name, calendar.day_abbr)
    for number, name in enumerate(names)
} | {"tues": 1, "thurs": 3, "weds": 2, "thur": 3}
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY: Final = "|".join(sorted(_DAYS, key=len, reverse=True))
_COUNT: Final = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_SHORT_YEAR: Final = 100


class Span(Struct, frozen=True):
    """Days from `first` to `last`, said as the words from `start` to `end`."""

    first: date
    last: date
    start: int
    end: int

    @property
    def absolute(self) -> str:
        """How the days are written when nobody remembers which day it was said on."""
        if self.first == self.last:
            return f"{self.first.day} {self.first:%b %Y}"
        if (self.first.day, self.last) == (1, _month_end(self.first)):
            return f"{self.first:%b %Y}"
        if self.last - self.first < timedelta(days=7):
            return f"the week of {self.first.day} {self.first:%b %Y}"
        return f"{self.first:%Y}"


def spans_in(text: str, *, said: datetime) -> tuple[Span, ...]:
    """Every day, week, month or year a text speaks of, by the day it was said on."""
    found: list[Span] = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            days = read(match, said.date())
            if days and not any(s.start < match.end() and match.start() < s.end for s in found):
                found.append(Span(*days, match.start(), match.end()))
    return tuple(sorted(found, key=lambda span: span.start))


def made_absolute(text: str, *, said: datetime) -> str:
    """The text with "yesterday" and "next Friday" replaced by the days they were."""
    parts, at = [], 0
    for span in spans_in(text, said=said):
        words = text[span.start : span.end]
        if _RELATIVE.search(words) and not _recurs(text, span):
            parts += [text[at : span.start], _preposition(text, span), span.absolute]
            at = span.end
    return "".join([*parts, text[at:]])


def _preposition(text: str, span: Span) -> str:
    """What stands before a date: a day is "on", a month or year "in", a week has its own words."""
    if _AFTER_ON.search(text[: span.start]):
        return ""
    if span.first == span.last:
        return "on "
    return "" if span.absolute.startswith("the ") else "in "


def _recurs(text: str, span: Span) -> bool:
    """Whether it is said of every such day, or of no day: "every Friday", "the 4th floor"."""
    before, after = text[: span.start].rstrip().lower(), text[span.end :].lstrip().lower()
    return before.endswith(("every", "each", "most", "any")) or bool(_GOES_ON.match(after))


_GOES_ON: Final = re.compile(
    r"(?:mornings?|nights|evenings?|afternoons?|s|floor|grade|street|st|ave|avenue|time|place"
    r"|birthday|anniversary|year|class|row|chapter|gen)\b"
)
_RELATIVE: Final = re.compile(
    r"day|night|tomorrow|ago|next|last|this|coming|weekend|^in (?!\d{4})|the \d+(?:st|nd|rd|th)$|"
    rf"^(?:on )?(?:{_DAY})$",
    re.IGNORECASE,
)
_AFTER_ON: Final = re.compile(
    r"\b(?:on|in|by|until|till|since|from|is|was|for|the)\s+$", re.IGNORECASE
)

Days = tuple[date, date]


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _week(day: date) -> Days:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def _month(year: int, month: int) -> Days:
    first = date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
    return first, _month_end(first)


def _one(day: date) -> Days:
    return day, day


def _named(match: re.Match[str], said: date) -> Days:
    ahead = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "last night": -1}
    word = match[0].lower()
    steps = {**ahead, "the day after tomorrow": 2, "day after tomorrow": 2}
    steps |= {"the day before yesterday": -2, "day before yesterday": -2}
    return _one(said + timedelta(days=steps[" ".join(word.split())]))


def _weekday(match: re.Match[str], said: date) -> Days | None:
    which, day = (match["which"] or "").lower(), _DAYS[match["day"].lower()]
    if not which and not match["day"].lower().endswith("day"):
        # "the sun", "he sat": a short form alone is another word.
        return None
    if which == "last":
        return _one(said - timedelta(days=(said.weekday() - day - 1) % 7 + 1))
    ahead = (day - said.weekday() - 1) % 7 + 1
    if which == "next" and ahead < 7 - said.weekday():
        ahead += 7
    return _one(said + timedelta(days=ahead))


def _period(match: re.Match[str], said: date) -> Days:
    step = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}[match["which"].lower()]
    match match["unit"].lower():
        case "week":
            return _week(said + timedelta(weeks=step))
        case "weekend":
            saturday = _week(said + timedelta(weeks=step))[0] + timedelta(days=5)
            return saturday, saturday + timedelta(days=1)
        case "month":
            return _month(said.year, said.month + step)
        case _:
            return date(said.year + step, 1, 1), date(said.year + step, 12, 31)


def _counted(match: re.Match[str], said: date) -> Days | None:
    many = _NUMBERS.get(match["count"].lower()) or int(match["count"])
    step = -many if match["ago"] else many
    match match["unit"].lower().rstrip("s"):
        case "day":
            return _one(said + timedelta(days=step))
        case "week":
            return _week(said + timedelta(weeks=step))
        case "month":
            return _month(said.year, said.month + step)
        case _:
            year = said.year + step
            return (date(year, 1, 1), date(year, 12, 31)) if date.min.year <= year else None


def _calendar_day(match: re.Match[str], said: date) -> Days | None:
    month, day = _MONTHS[match["month"].lower()], int(match["number"])
    year = int(match["year"]) if match["year"] else _nearest_year(month, day, said)
    return _one(date(year, month, day)) if _is_day(year, month, day) else None


def _nearest_year(month: int, day: int, said: date) -> int:
    """The year in which the day is nearest to when it was said."""
    years = [
        year for year in (said.year - 1, said.year, said.year + 1) if _is_day(year, month, day)
    ]
    return min(years, key=lambda y: abs(date(y, month, day) - said), default=said.year)


def _is_day(year: int, month: int, day: int) -> bool:
    known = date.min.year <= year <= date.max.year
    return known and 1 <= day <= calendar.monthrange(year, month)[1]


def _whole_month(match: re.Match[str], said: date) -> Days:
    month = _MONTHS[match["month"].lower()]
    if match["year"]:
        return _month(int(match["year"]), month)
    which = (match["which"] or "").lower()
    if which == "last":
        return _month(said.year - (month >= said.month), month)
    if which == "next":
        return _month(said.year + (month <= said.month), month)
    return _month(_nearest_year(month, 15, said), month)


def _ordinal(match: re.Match[str], said: date) -> Days | None:
    """The coming day of that number: "the 14th"."""
    day = int(match["number"])
    year, month = said.year, said.month
    for _ in range(12):
        if _is_day(year, month, day) and date(year, month, day) >= said:
            return _one(date(year, month, day))
        year, month = year + month // 12, month % 12 + 1
    return None


def _iso(match: re.Match[str], _said: date) -> Days | None:
    year, month, day = int(match["year"]), int(match["month"]), int(match["number"])
    return _one(date(year, month, day)) if 1 <= month <= 12 and _is_day(year, month, day) else None  # noqa: PLR2004 - months


def _year(match: re.Match[str], _said: date) -> Days:
    return date(int(match["year"]), 1, 1), date(int(match["year"]), 12, 31)


_READERS: Final[
    tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Days | None]], ...]
] = (
    (_word(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<number>\d{2})"), _iso),
    (
        _word(
            rf"(?:the )?(?P<number>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?"
            r"(?:,? (?P<year>\d{4}))?"
        ),
        _calendar_day,
    ),
    (
        _word(
            rf"(?P<month>{_MONTH})\.? (?:the )?(?P<number>\d{{1,2}})(?:st|nd|rd|th)?"
            r"(?:,? (?P<year>\d{4}))?"
        ),
        _calendar_day,
    ),
    (
        _word(
            r"(?:the )?day (?:after tomorrow|before yesterday)|yesterday|today|tonight|tomorrow"
            r"|last night"
        ),
        _named,
    ),
    (_word(rf"(?:(?P<which>last|next|this|on)\s+)?(?P<day>{_DAY})(?!s)"), _weekday),
    (
        _word(r"(?P<which>last|past|this|next|coming) (?P<unit>weekend|week|month|year)"),
        _period,
    ),
    (
        _word(rf"(?:(?P<count>{_COUNT}) (?P<unit>days?|weeks?|months?|years?) (?P<ago>ago))"),
        _counted,
    ),
    (
        _word(rf"in (?P<count>{_COUNT}) (?P<unit>days?|weeks?|months?|years?)(?P<ago>\b\B)?"),
        _counted,
    ),
    (
        _word(
            rf"(?:(?P<which>last|next|this|in|since|by|until)\s+)(?P<month>{_MONTH})"
            r"(?:,? (?:of )?(?P<year>\d{4}))?"
        ),
        _whole_month,
    ),
    (_word(rf"(?P<which>\B\b)?(?P<month>{_MONTH}) (?P<year>\d{{4}})"), _whole_month),
    (_word(r"(?:on |by )?the (?P<number>\d{1,2})(?:st|nd|rd|th)"), _ordinal),
    (_word(r"in (?P<year>(?:19|20)\d{2})"), _year),
)
