"""What a query asks: its terms, whom it names, which dates it means, and whether it asks when."""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from firsthand.rules.terms import normalise, terms, tokens
from firsthand.rules.timewords import Window, windows
from firsthand.rules.wordlists import STOP_WORDS
from firsthand.vocabulary.patterns import lazy_pattern

_SHORTEST_NICKNAME = 3
_WORD = lazy_pattern(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_POSSESSIVE = lazy_pattern(r"['\u2019]s$")
_ASKS_WHEN = lazy_pattern(
    r"\b(?:when|how\s+(?:long|old|recently)|since\s+when|(?:what|which)\s+(?:year|month|week|weekend|day|date|time|season))\b",
    re.IGNORECASE,
)
_OPENS_QUESTION = lazy_pattern(
    r"\s*(?:wh(?:o|om|ose|at|ich|en|ere|y)|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)


class QueryFeatures(msgspec.Struct, frozen=True):
    """Everything that scoring reads from a query."""

    terms: tuple[str, ...]
    faint: frozenset[str]
    """Terms of the names of known speakers: who said it is scored apart, and others say the name most often."""
    speakers: frozenset[int]
    windows: tuple[Window, ...]
    asks_when: bool
    is_question: bool
    words: tuple[str, ...] = ()
    """All of its words as they stand, but for those names: of which its vector is made."""
    text: str = ""
    """The query as it was asked, for an embedder that reads sentences."""


class _Name(NamedTuple):
    parts: list[str]
    is_small: bool
    speaker: int


def analyse(query: str, now: int, known_speakers: Mapping[str, int]) -> QueryFeatures:
    """Read a query against the instant it is asked at and the speakers (name to id) whom its scope knows."""
    named = _named(query, known_speakers)
    faint = frozenset(term for words in named for term in terms(words))
    return QueryFeatures(
        terms=tuple(terms(query)),
        faint=faint,
        speakers=frozenset(named.values()),
        windows=tuple(windows(query, now)),
        asks_when=_ASKS_WHEN.search(query) is not None,
        is_question=query.rstrip().endswith("?") or _OPENS_QUESTION.match(query) is not None,
        words=tuple(word for word in tokens(query) if faint.isdisjoint(terms(word))),
        text=query,
    )


def likely(query: str, names: Mapping[str, int]) -> dict[str, int]:
    """Those of many names that `analyse` could find in a query: a part begins as one of its words does."""
    words = {_POSSESSIVE.sub("", word) for word in _WORD.findall(query)}
    starts = {part[:_SHORTEST_NICKNAME] for word in words for part in normalise(word).split()}
    return {name: number for name, number in names.items() if not starts.isdisjoint(_starts(name))}


@functools.lru_cache(maxsize=65_536)
def _starts(name: str) -> frozenset[str]:
    return frozenset(part[:_SHORTEST_NICKNAME] for part in normalise(name).split())


def _named(query: str, known: Mapping[str, int]) -> dict[str, int]:
    """Map each stretch of the query that names one known speaker to that speaker."""
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(query)]
    phrase, caseless = f" {normalise(' '.join(words))} ", query.islower()
    names = [_Name(normalise(name).split(), name.islower(), speaker) for name, speaker in known.items()]
    wholes = {" ".join(name.parts): name.speaker for name in names if len(name.parts) > 1}
    named = {whole: speaker for whole, speaker in wholes.items() if f" {whole} " in phrase}
    for at, word in enumerate(words):
        folded, capital = normalise(word), word[0].isupper()
        # "Will it rain?" names no Will, and neither does "what will ...".
        if folded in STOP_WORDS and (at == 0 or not capital):
            continue
        speakers = _called(folded, [name for name in names if capital or caseless or name.is_small], capital=capital)
        if len(speakers) == 1:
            named[word] = speakers.pop()
    return named


def _called(word: str, names: list[_Name], *, capital: bool) -> set[int]:
    """Return whom a word can mean: by the whole name, else by a part of it, else by the start of a part."""
    part = [name for name in names if word in name.parts]
    if part or not capital or len(word) < _SHORTEST_NICKNAME:
        return {name.speaker for name in part if len(name.parts) == 1} or {name.speaker for name in part}
    return {name.speaker for name in names if any(each.startswith(word) for each in name.parts)}
