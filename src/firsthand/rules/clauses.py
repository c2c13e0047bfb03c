"""A text cut into the clauses in which somebody plainly says something: no questions, doubts, quotes or jokes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from firsthand.rules.normalise import name_key

SENTENCE_CHARACTERS: Final = 400
"""A sentence longer than this is a story, a listing or a log, and is left alone."""


class Clause(NamedTuple):
    """A clause at `[start, end)` in code points. `begins`: where its sentence does."""

    start: int
    end: int
    begins: int


_BREAK: Final = re.compile(
    r"(?<=[.!?…])(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)(?<!\bSt\.)(?<!\bvs\.)(?<!e\.g\.)(?<!i\.e\.)[)\"'”*]*\s+|\n+"
)
_SPLIT: Final = re.compile(
    r"[;()\[\]–—]|\s-{1,2}\s|,?\s(?:but|because|although|though|while|whereas|since\s(?=I\b|we\b|it\b|he\b|she\b|they\b))\s"
    r"|,\s(?:and|so|which|who|where)\s|,\s(?=(?:I|it|he|she|they|we|you|this|that|there|my|our)\b)"
    r"|\sand\s(?=(?:I|we|it|he|she|they|my|our)\b|(?:am|is|lives?|works?|uses?|prefers?|likes?|loves?|enjoys?|owns?|speaks?"
    r"|knows?|reports?|listens?|runs?|moved)\s)"
)
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LABEL: Final = re.compile(r"(?P<label>[^\W\d_][\w .-]{0,40}):\s+")
_NOTES: Final = frozenset(("note", "fyi", "ps", "update", "reminder", "info", "fact", "correction"))
_LEAD: Final = re.compile(
    r"(?:(?:well|yes|yeah|yep|no|so|oh|ok|okay|hi|hey|hello|thanks|actually|anyway|also|and|but|by the way|btw|fyi|honestly"
    r"|to be honest|in fact|as you know|currently|nowadays|for the record|note that|just so you know"
    r"|(?:please )?(?:remember|note)(?: that)?)[,!.:]?\s+)+",
    re.IGNORECASE,
)

# Any of these words makes a sentence something other than a plain statement of what is so.
_DOUBT: Final = re.compile(
    r"\b(?:if|unless|whether|would|wouldn't|could|couldn't|might|should|shouldn't|must|shall|maybe|perhaps|probably|possibly"
    r"|presumably|supposedly|apparently|allegedly|reportedly|seems?|seemed|seemingly|guess|wish|hopes?|hoping|imagin\w+|imagine"
    r"|suppos\w+|assum\w+|pretend\w*|dream\w*|thinks?|thought|believes?|believed|doubts?|says?|said|saying|tells?|told|telling"
    r"|claims?|claimed|asks?|asked|wonder\w*|wrote|writes|heard|hears?|according to|rumou?rs?|e\.g\.|examples?|hypothetical\w*"
    r"|in theory|(?:in|from) (?:the|a|an|this|that|my) (?:novel|story|book|movie|film|game|show|dream|series|play|song|episode)"
    r"|not true|isn't true|untrue|false|unsure|not sure|never|as if|as though|like if|when|whenever|once|until now|almost|nearly"
    r"|rarely|hardly|seldom|sometimes|barely|either|neither|nor|only|lets?|let's|ensure|make sure|wants?|wanted|plans? to"
    r"|planning|gonna|going to|won't|need to|needs to|trying|tried|try to|appl(?:y|ied)|someone|somebody|no way|back then"
    r"|as an? (?:child|kid|teenager|student|joke)|growing up|at the time|'ll|'d|(?:looks?|sounds?|feels?) like|not really"
    r"|kind of|sort of|sorta|kinda|afraid|happens? to|used as|were|was born to|what|how|why|quote)\b"
    r"|\b(?-i:will|may)\b(?! \d)|(?<!-)\bdoubtful\b",
    re.IGNORECASE,
)
_MARKED_AS_QUOTE: Final = re.compile(r"[\"“”«»„]|(?:^|\s)'\w|(?:^|\n)\s*>")
_LAUGHTER: Final = re.compile(r"\b(?:ha(?:ha)+h?|he(?:he)+|lol|lmao|rofl)\b|[😂🤣😜😉🙃]|[;:]-?[P)](?<=[;P].)|/s\b", re.IGNORECASE)
_JOKE: Final = re.compile(r"\b(?:just kidding|kidding|jk|joking|a joke|april fools?|sarcasm|not serious|made that up)\b", re.IGNORECASE)


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
