"""The readings of English date words: each rule turns a match, read on some day, into the days it may mean."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from typing import NamedTuple

from firsthand.rules.days import Days, month_of, moved, one_day, season_of, week_of, year_of

_YEARS_BACK = 9

_Meaning = Callable[[re.Match[str], date], list[Days]]


class Rule(NamedTuple):
    """A reading: the words of which a text must hold one, what it must match, and the days that a match may mean."""

    words: frozenset[str]
    pattern: str
    meaning: _Meaning


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a rule's pattern ready to match; a process compiles only those that its texts call for."""
    return re.compile(pattern, re.IGNORECASE)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SEASONS = {"winter": 0, "spring": 1, "summer": 2, "autumn": 3, "fall": 3}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_VAGUE_COUNTS = {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
_NAMED_DAYS = {
    "day before yesterday": -2,
    "day after tomorrow": 2,
    "last night": -1,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "yesterday": -1,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
}

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_FULL_MONTH_NAMES = (
    *("january", "february", "april", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_FULL_MONTH = rf"(?P<month>{'|'.join(_FULL_MONTH_NAMES)})\b"
# "may" and "march" are verbs too, unless a word that governs a date stands before them.
_GOVERNED_MONTH = r"(?:in|of|since|during|until|by|early|late) (?P<month>may|march)\b"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})\b"
_SEASON = r"(?P<season>winter|spring|summer|autumn|fall)\b"
_WEEKDAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
_UNIT = r"(?P<unit>day|weekend|week|month|year)s?\b"
_COUNT = rf"(?:an? )?(?P<count>[0-9]{{1,3}}|{'|'.join(_COUNTS)}|an?|couple|few|several)(?: of)?"
_WHICH = r"\b(?P<which>last|past|previous|this|next|coming)"


def _years(match: re.Match[str], anchor: date) -> Iterable[int]:
    stated = match.groupdict().get("year")
    return (int(stated),) if stated else range(anchor.year + 1, anchor.year - _YEARS_BACK, -1)


def _month_number(match: re.Match[str]) -> int:
    return _MONTHS.index(match["month"][:3].lower()) + 1


def _day_of_month(match: re.Match[str], anchor: date) -> list[Days]:
    month, wanted = _month_number(match), int(match["day"])
    spans = (month_of(year, month) for year in _years(match, anchor))
    return [(first + wanted - 1, first + wanted) for first, last in spans if 1 <= wanted <= last - first]


def _iso_day(match: re.Match[str], _: date) -> list[Days]:
    try:
        return [one_day(date.fromisoformat(match[0]))]
    except ValueError:
        return []


def _whole_month(match: re.Match[str], anchor: date) -> list[Days]:
    return [month_of(year, _month_number(match)) for year in _years(match, anchor)]


def _whole_season(match: re.Match[str], anchor: date) -> list[Days]:
    return [season_of(year, _SEASONS[match["season"].lower()]) for year in _years(match, anchor)]


def _whole_year(match: re.Match[str], _: date) -> list[Days]:
    return [year_of(int(match["year"]))]


def _named_day(match: re.Match[str], anchor: date) -> list[Days]:
    return [moved(anchor, "day", _NAMED_DAYS[" ".join(match[0].lower().split())])]


def _stepped_unit(match: re.Match[str], anchor: date) -> list[Days]:
    return [moved(anchor, match["unit"].lower(), _STEPS[match["which"].lower()])]


def _stepped_season(match: re.Match[str], anchor: date) -> list[Days]:
    return [_step(_whole_season(match, anchor), match["which"].lower(), year_of(anchor.year), anchor)]


def _stepped_month(match: re.Match[str], anchor: date) -> list[Days]:
    return [_step(_whole_month(match, anchor), match["which"].lower(), year_of(anchor.year), anchor)]


def _stepped_weekday(match: re.Match[str], anchor: date) -> list[Days]:
    return [_step(_weekday_around(match, anchor), match["which"].lower(), week_of(anchor), anchor)]


def _step(newest_first: list[Days], which: str, around: Days, anchor: date) -> Days:
    """Choose the last one over before today, the first one that begins after it, or the one of this year or week."""
    today, step = anchor.toordinal(), _STEPS[which]
    if step < 0:
        return next(days for days in newest_first if days[1] <= today)
    if step > 0:
        return next(days for days in reversed(newest_first) if days[0] > today)
    of_this = [days for days in newest_first if around[0] <= days[1] - 1 < around[1]]
    return next((days for days in newest_first if days[0] <= today < days[1]), of_this[0])


def _weekday_around(match: re.Match[str], anchor: date) -> list[Days]:
    this_week = week_of(anchor)[0] + _WEEKDAYS.index(match["weekday"].lower())
    return [(this_week + ahead, this_week + ahead + 1) for ahead in (7, 0, -7)]


def _bare_weekday(match: re.Match[str], anchor: date) -> list[Days]:
    return [_step(_weekday_around(match, anchor), which, week_of(anchor), anchor) for which in ("last", "next")]


def _count(match: re.Match[str]) -> int:
    word = match["count"].lower()
    if word.isdigit():
        return int(word)
    return _VAGUE_COUNTS[word] if word in _VAGUE_COUNTS else _COUNTS.index(word)


def _ago(match: re.Match[str], anchor: date) -> list[Days]:
    return [moved(anchor, match["unit"].lower(), -_count(match))]


def _ahead(match: re.Match[str], anchor: date) -> list[Days]:
    return [moved(anchor, match["unit"].lower(), _count(match))]


def _past_stretch(match: re.Match[str], anchor: date) -> list[Days]:
    return [(moved(anchor, match["unit"].lower(), -_count(match))[0], anchor.toordinal() + 1)]


def _beside_date(match: re.Match[str], anchor: date) -> list[Days]:
    step = -1 if match["side"].lower() == "before" else 1
    named = _day_of_month(match, anchor)
    return [moved(date.fromordinal(first), match["unit"].lower(), step) for first, _ in named]


def _rule(words: frozenset[str], pattern: str, meaning: _Meaning) -> Rule:
    return Rule(words, rf"\b{pattern}".replace(" ", r"\s+"), meaning)


_MONTH_WORDS = frozenset((*_MONTHS, *_FULL_MONTH_NAMES, "sept", "may", "march"))
_UNIT_WORDS = frozenset(unit + ending for unit in ("day", "weekend", "week", "month", "year") for ending in ("", "s"))
_YEAR_WORDS = frozenset(map(str, range(1900, 2100)))
_NAMED_DAY_WORDS = frozenset(("yesterday", "today", "tonight", "tomorrow", "night", "morning", "afternoon", "evening"))

# Longer readings first: a phrase that overlaps one already read is dropped.
RULES = (
    _rule(_YEAR_WORDS, r"[0-9]{4}-[0-9]{2}-[0-9]{2}\b", _iso_day),
    _rule(_MONTH_WORDS, rf"{_UNIT} (?P<side>before|after) {_DAY} {_MONTH},?\s*{_YEAR}", _beside_date),
    _rule(_MONTH_WORDS, rf"{_UNIT} (?P<side>before|after) {_MONTH} {_DAY},?\s*{_YEAR}", _beside_date),
    _rule(_MONTH_WORDS, rf"{_DAY}(?: of)? {_MONTH}(?:,?\s*{_YEAR})?", _day_of_month),
    _rule(_MONTH_WORDS, rf"{_MONTH} {_DAY}(?:,?\s*{_YEAR})?", _day_of_month),
    _rule(_MONTH_WORDS, rf"{_MONTH}(?: of)?,? {_YEAR}", _whole_month),
    _rule(frozenset(_SEASONS), rf"{_SEASON}(?: of)?,? {_YEAR}", _whole_season),
    _rule(_NAMED_DAY_WORDS, rf"(?:{'|'.join(_NAMED_DAYS)})\b", _named_day),
    _rule(_UNIT_WORDS, rf"{_COUNT} {_UNIT} ago\b", _ago),
    _rule(_UNIT_WORDS, rf"in {_COUNT} {_UNIT}", _ahead),
    _rule(_UNIT_WORDS, rf"(?:last|past|previous) {_COUNT} {_UNIT}", _past_stretch),
    _rule(_UNIT_WORDS, rf"{_WHICH} {_UNIT}", _stepped_unit),
    _rule(frozenset(_SEASONS), rf"{_WHICH} {_SEASON}", _stepped_season),
    _rule(_MONTH_WORDS, rf"{_WHICH} {_MONTH}", _stepped_month),
    _rule(frozenset(_WEEKDAYS), rf"{_WHICH} {_WEEKDAY}", _stepped_weekday),
    _rule(frozenset(_FULL_MONTH_NAMES), _FULL_MONTH, _whole_month),
    _rule(frozenset(("may", "march")), _GOVERNED_MONTH, _whole_month),
    _rule(frozenset(_SEASONS), rf"(?:in|during|over) (?:the )?{_SEASON}", _whole_season),
    _rule(frozenset(_WEEKDAYS), _WEEKDAY, _bare_weekday),
    _rule(_YEAR_WORDS, rf"(?<![$#.]){_YEAR}(?![%.][0-9])", _whole_year),
)

TIME_WORDS = frozenset[str]().union({"ago"}, *(rule.words for rule in RULES)) - {"may", "march", "mar"}
"""Words that tell a time even where no rule reads them ("for years"); the three left out are verbs of themselves."""
