"""Where the sentences of a text begin and end: the pieces in which running text is looked at for a tombstone."""

from typing import Final

from firsthand.vocabulary.patterns import lazy_pattern

_END: Final = lazy_pattern(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。．！？｡]|\n[^\S\n]*\n")
_SHORTENED: Final = lazy_pattern(
    r"\b(?:(?<!\d[ -])[A-Z]|St|Dr|Mr|Ms|Mrs|Prof|Jr|Sr|Mt|Ft|Inc|Ltd|Co|No|e\.g|i\.e|vs|etc|approx)\.$"
)
"""A full stop that belongs to a word cut short, such as the one of St. Petersburg; `C` after a number is a unit."""
LINES_TOGETHER: Final = 3
"""A sentence may be broken over so many lines; a longer run of lines is looked at in windows."""

Span = tuple[int, int]


def sentences(text: str) -> list[Span]:
    """Spans of the sentences of a text, without the white space around them."""
    found: list[Span] = []
    start = 0
    for end in _END.finditer(text):
        if end.group() == "." and _SHORTENED.search(text, max(start, end.end() - 12), end.end()):
            continue
        found += _bare(text, start, end.end())
        start = end.end()
    found += _bare(text, start, len(text))
    return [window for span in found for window in _windows(text, *span)]


def apart(text: str) -> list[Span]:
    """The words of an utterance and the reason in brackets after them, each as sentences."""
    at = _opening_of_last_bracket(text)
    if at is None:
        return sentences(text)
    return sentences(text[:at]) + [(low + at, high + at) for low, high in sentences(text[at:])]


def _bare(text: str, start: int, stop: int) -> list[Span]:
    piece = text[start:stop]
    low = start + len(piece) - len(piece.lstrip())
    high = start + len(piece.rstrip())
    return [(low, high)] if low < high else []


def _windows(text: str, start: int, stop: int) -> list[Span]:
    """A sentence of many lines, such as a log or a table, as overlapping windows of a few."""
    lines: list[Span] = []
    at = start
    for line in text[start:stop].splitlines(keepends=True):
        lines += _bare(text, at, at + len(line))
        at += len(line)
    if len(lines) <= LINES_TOGETHER:
        return [(start, stop)]
    return [(lines[i][0], lines[i + LINES_TOGETHER - 1][1]) for i in range(len(lines) - LINES_TOGETHER + 1)]


def _opening_of_last_bracket(text: str) -> int | None:
    """Where the bracket opens that the text ends with."""
    if not text.endswith(")"):
        return None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return at if at else None
    return None
