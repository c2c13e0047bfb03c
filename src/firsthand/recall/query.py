"""What a query asks: its terms, whom it names, which dates it means, and whether it asks when."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from firsthand.rules.terms import normalise, terms
from firsthand.rules.timewords import Window, windows
from firsthand.rules.wordlists import STOP_WORDS

_SHORTEST_NICKNAME = 3
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$")
_ASKS_WHEN = re.compile(
    r"\b(?:when|how\s+(?:long|old|recently)|since\s+when|(?:what|which)\s+(?:year|month|week|weekend|day|date|time|season))\b",
    re.IGNORECASE,
)
_OPENS_QUESTION = re.compile(
    r"\s*(?:wh(?:o|om|ose|at|ich|en|ere|y)|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """Everything that scoring reads from a query."""

    terms: tuple[str, ...]
    faint: frozenset[str]
    """Terms of the names of known speakers: who said it is scored apart, and others say the name most often."""
    speakers: frozenset[int]
    windows: tuple[Window, ...]
    asks_when: bool
    is_question: bool


def analyse(query: str, now: int, known_speakers: Mapping[str, int]) -> QueryFeatures:
    """Read a query against the instant it is asked at and the speakers (name to id) whom its scope knows."""
    named = _named(query, known_speakers)
    return QueryFeatures(
        terms=tuple(terms(query)),
        faint=frozenset(term for words in named for term in terms(words)),
        speakers=frozenset(named.values()),
        windows=tuple(windows(query, now)),
        asks_when=_ASKS_WHEN.search(query) is not None,
        is_question=query.rstrip().endswith("?") or _OPENS_QUESTION.match(query) is not None,
    )


def _named(query: str, known: Mapping[str, int]) -> dict[str, int]:
    """Map each stretch of the query that names one known speaker to that speaker."""
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(query)]
    phrase = f" {normalise(' '.join(words))} "
    named = {name: speaker for name, speaker in known.items() if " " in name and f" {normalise(name)} " in phrase}
    for at, word in enumerate(words):
        # "Will it rain?" names no Will, and neither does "what will ...".
        if normalise(word) in STOP_WORDS and (at == 0 or not word[0].isupper()):
            continue
        speakers = _called(word, known, caseless=query.islower())
        if len(speakers) == 1:
            named[word] = speakers.pop()
    return named


def _called(word: str, known: Mapping[str, int], *, caseless: bool) -> set[int]:
    """Return whom a word can mean: by the whole name, else by a part of it, else by the start of a part."""
    folded, capital = normalise(word), word[0].isupper()
    parts = {name: normalise(name).split() for name in known if capital or caseless or name.islower()}
    whole = {known[name] for name, of_name in parts.items() if of_name == [folded]}
    part = {known[name] for name, of_name in parts.items() if folded in of_name}
    if whole or part or not capital or len(folded) < _SHORTEST_NICKNAME:
        return whole or part
    return {known[name] for name, of_name in parts.items() if any(each.startswith(folded) for each in of_name)}
