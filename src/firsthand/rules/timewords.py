"""Date words: what a query asks about, and what "last week" meant on the day it was said. All in UTC."""

from collections.abc import Iterator
from typing import NamedTuple

from firsthand.rules.days import Days, day_of, instant_of
from firsthand.rules.timerules import RULES, TIME_WORDS, compiled
from firsthand.vocabulary.patterns import lazy_pattern

MAX_WINDOWS = 32
_WORD = lazy_pattern(r"[a-z]+|[0-9]+")
_RULE_WORDS = frozenset[str]().union(*(rule.words for rule in RULES))
_ANY_TIME_WORDS = _RULE_WORDS | TIME_WORDS


class Window(NamedTuple):
    """A half-open stretch of time in microseconds UTC."""

    start: int
    end: int


class TimePhrase(NamedTuple):
    """Time words in a text, characters `[begin, stop)`, and the window they meant when it was said."""

    begin: int
    stop: int
    window: Window


class Told(NamedTuple):
    """The narrowest window that a text's time words meant, the first among equals, and whether it has any at all."""

    window: Window | None
    has_time_words: bool


_NOTHING_TOLD = Told(None, False)


def windows(query: str, now: int) -> list[Window]:
    """Return the windows that a query's date words may mean, without repeats; a date without a year means each."""
    found = [window for _, _, meant in _meanings(query, now, _words(query)) for window in meant]
    return list(dict.fromkeys(found))[:MAX_WINDOWS]


def time_phrases(text: str, said_at: int) -> list[TimePhrase]:
    """Return the time words of a text, in order, each with the one window it most likely meant when it was said."""
    return [
        TimePhrase(begin, stop, _nearest(meant, said_at))
        for begin, stop, meant in _meanings(text, said_at, _words(text))
    ]


def told(text: str, said_at: int) -> Told:
    """Return what the time words of a text tell, said when it was said."""
    words = _words(text)
    if _ANY_TIME_WORDS.isdisjoint(words):
        return _NOTHING_TOLD
    found = [_nearest(meant, said_at) for _, _, meant in _meanings(text, said_at, words)]
    narrowest = min(found, key=lambda window: window.end - window.start, default=None)
    return Told(narrowest, bool(found) or not TIME_WORDS.isdisjoint(words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _nearest(meant: list[Window], instant: int) -> Window:
    return min(meant, key=lambda window: (_distance(window, instant), window))


def _distance(window: Window, instant: int) -> int:
    if window.start <= instant < window.end:
        return 0
    return window.start - instant if instant < window.start else instant - window.end + 1


def _meanings(text: str, instant: int, words: list[str]) -> Iterator[tuple[int, int, list[Window]]]:
    present = _RULE_WORDS.intersection(words)
    if not present or (anchor := day_of(instant)) is None:
        return
    taken: list[tuple[int, int, list[Days]]] = []
    for rule in RULES:
        for match in () if rule.words.isdisjoint(present) else compiled(rule.pattern).finditer(text):
            begin, stop = match.span()
            if all(stop <= other[0] or other[1] <= begin for other in taken) and (days := rule.meaning(match, anchor)):
                taken.append((begin, stop, days))
    for begin, stop, days in sorted(taken):
        yield begin, stop, [Window(instant_of(first), instant_of(last)) for first, last in days]
