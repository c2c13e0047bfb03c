"""A text cut into the clauses in which somebody plainly says something: no questions, doubts, quotes or jokes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from firsthand.rules.normalise import name_key
from firsthand.vocabulary.patterns import lazy_pattern

SENTENCE_CHARACTERS: Final = 400
"""A sentence longer than this is a story, a listing or a log, and is left alone."""


class Clause(NamedTuple):
    """A clause at `[start, end)` in code points. `begins`: where its sentence does."""

    start: int
    end: int
    begins: int


_ABBREVIATIONS: Final = (
    r"(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)(?<!\bSt\.)(?<!\bvs\.)(?<!e\.g\.)(?<!i\.e\.)"
)
_BREAK: Final = lazy_pattern(rf"(?<=[.!?…]){_ABBREVIATIONS}[)\"'”*]*\s+|\n+")
_ONE: Final = r"(?:I|we|it|he|she|they|my|our)\b"
_DOES: Final = (
    r"(?:am|is|lives?|works?|uses?|prefers?|likes?|loves?|enjoys?|owns?|speaks?|knows?|reports?|listens?|runs?|moved)\s"
)
_SPLIT: Final = lazy_pattern(
    rf"[;()\[\]–—]|\s-{{1,2}}\s|,?\s(?:but|because|although|though|while|whereas|since(?=\s{_ONE}))\s"
    rf"|,\s(?:and|so|which|who|where)\s|,\s(?={_ONE}|(?:you|this|that|there)\b)|\sand\s(?={_ONE}|{_DOES})"
)
_CODE: Final = lazy_pattern(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LABEL: Final = lazy_pattern(r"(?P<label>[^\W\d_][\w .-]{0,40}):\s+")
_NOTES: Final = frozenset(("note", "fyi", "ps", "update", "reminder", "info", "fact", "correction"))


def _any_of(listed: str) -> str:
    """Alternatives of a pattern: one to a word of the list, an underscore for each of their spaces."""
    return "|".join(listed.split()).replace("_", " ")


_LEADS: Final = """
    well yes yeah yep no so oh ok okay hi hey hello thanks actually anyway also and but by_the_way btw fyi honestly
    to_be_honest in_fact as_you_know currently nowadays for_the_record note_that just_so_you_know
    (?:please_)?(?:remember|note)(?:_that)?
"""
_LEAD: Final = lazy_pattern(rf"(?:(?:{_any_of(_LEADS)})[,!.:]?\s+)+", re.IGNORECASE)

# Any of these words makes a sentence something other than a plain statement of what is so.
_DOUBTS: Final = r"""
    if unless whether would wouldn't could couldn't might should shouldn't must shall maybe perhaps probably
    possibly presumably supposedly apparently allegedly reportedly seems? seemed seemingly guess wish hopes? hoping
    imagin\w+ suppos\w+ assum\w+ pretend\w* dream\w* thinks? thought believes? believed doubts? doubtful says? said
    saying tells? told telling claims? claimed asks? asked wonder\w* wrote writes heard hears? according_to
    rumou?rs? e\.g\. examples? hypothetical\w* in_theory not_true isn't_true untrue false unsure not_sure never
    as_if as_though like_if when whenever once until_now almost nearly rarely hardly seldom sometimes barely either
    neither nor only lets? let's ensure make_sure wants? wanted plans?_to planning gonna going_to won't need_to
    needs_to trying tried try_to appl(?:y|ied) someone somebody no_way back_then
    as_an?_(?:child|kid|teenager|student|joke) growing_up at_the_time 'll 'd (?:looks?|sounds?|feels?)_like
    not_really kind_of sort_of sorta kinda afraid happens?_to used_as were was_born_to what how why quote
    (?:in|from)_(?:the|an?|this|that|my)_(?:novel|story|book|movie|film|game|show|dream|series|play|song|episode)
"""
_DOUBT: Final = lazy_pattern(rf"\b(?:{_any_of(_DOUBTS)})\b|\b(?-i:will|may)\b(?! \d)", re.IGNORECASE)
_MARKED_AS_QUOTE: Final = lazy_pattern(r"[\"“”«»„]|(?:^|\s)'\w|(?:^|\n)\s*>")
_LAUGHS: Final = r"\b(?:ha(?:ha)+h?|he(?:he)+|lol|lmao|rofl)\b|[😂🤣😜😉🙃]|;-?[P)]|:-?P\b|/s\b"
_LAUGHTER: Final = lazy_pattern(_LAUGHS, re.IGNORECASE)
_JOKES: Final = "just_kidding kidding jk joking a_joke april_fools? sarcasm not_serious made_that_up"
_JOKE: Final = lazy_pattern(rf"\b(?:{_any_of(_JOKES)})\b", re.IGNORECASE)


def plain(text: str) -> str:
    """The same text, character for character, with straight apostrophes."""
    return text.replace("’", "'").replace("‘", "'")


def clauses(text: str, speaker: str | None) -> Iterator[Clause]:
    """The clauses of a text's plain statements, in order; a text that says it was a joke has none."""
    if _JOKE.search(text):
        return
    text = _CODE.sub(lambda code: "\n" * len(code[0]), text)
    begins = 0
    for ending in [*_BREAK.finditer(text), None]:
        stop = ending.start() if ending is not None else len(text)
        start = _after_label(text, begins, stop, speaker)
        if start is not None and _is_plain(text, start, stop):
            yield from _parts(text, start, stop)
        begins = ending.end() if ending is not None else stop


def _after_label(text: str, start: int, end: int, speaker: str | None) -> int | None:
    """Where a sentence begins behind its label; a label that names somebody else makes it a quote of theirs."""
    label = _LABEL.match(text, start, end)
    if label is None:
        return start
    named = name_key(label["label"])
    if named in _NOTES or (speaker is not None and named == name_key(speaker)):
        return label.end()
    return None


def _is_plain(text: str, start: int, end: int) -> bool:
    said = text[start:end]
    if len(said) > SENTENCE_CHARACTERS or "?" in said or ":" in re.sub(r"\d:\d|https?://", "", said):
        return False
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.lstrip().startswith((">", "|", "#")) or said.startswith((">", "|", "#")):
        return False
    return not (_DOUBT.search(said) or _MARKED_AS_QUOTE.search(said) or _LAUGHTER.search(said))


def _parts(text: str, begins: int, end: int) -> Iterator[Clause]:
    start = begins
    for cut in [*_SPLIT.finditer(text, begins, end), None]:
        stop = cut.start() if cut is not None else end
        lead = _LEAD.match(text, start, stop)
        first = lead.end() if lead is not None else start
        last = first + len(text[first:stop].rstrip(" \t.!…,*)"))
        while first < last and text[first] in " \t*-•":
            first += 1
        if first < last:
            yield Clause(first, last, begins)
        start = cut.end() if cut is not None else end
