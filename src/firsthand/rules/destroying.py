"""Which texts hold a value that is to be destroyed, and by which sentences it is known when it comes in again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

import msgspec

from firsthand.rules.normalise import folded, name_key, statement_key
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import TypedValue

WHOLE_SENTENCE: Final = 20
"""A normalised sentence this long is told by itself; a shorter one only by the subject and value in it."""
SHORTEST_BARE_VALUE: Final = 8
"""A value without a subject is destroyed wherever it stands, so it has to be one that nothing else is called."""
_BETWEEN: Final = lazy_pattern(r"(?<=[.!?…])\s+|[\r\n]+")
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DATE: Final = lazy_pattern(r"(\d{4})-(\d{2})-(\d{2})")


class Wanted(NamedTuple):
    """A value to be destroyed, as the normal forms that it may be written in; no subjects: wherever it stands."""

    subjects: tuple[str, ...]
    values: tuple[str, ...]
    statements: tuple[str, ...] = ()

    def stands_in(self, text: str) -> bool:
        """Whether a folded text holds the value and its subject, or a sentence that says both."""
        if any(_has(text, s) for s in self.statements):
            return True
        return any(_has(text, v) for v in self.values) and (
            not self.subjects or any(_has(text, s) for s in self.subjects)
        )

    def said_in(self, sentence: str) -> bool:
        """Whether a folded sentence of such a text says the value."""
        return any(_has(sentence, each) for each in (*self.values, *self.statements))


def _has(text: str, part: str) -> bool:
    """Whether a text holds a part, as whole words."""
    at = text.find(part) if part else -1
    while at >= 0:
        end = at + len(part)
        if not (at and _joined(text[at - 1], part[0])) and not (end < len(text) and _joined(text[end], part[-1])):
            return True
        at = text.find(part, at + 1)
    return False


def _joined(beside: str, edge: str) -> bool:
    return (beside.isalnum() or beside == "_") and (edge.isalnum() or edge == "_")


def value_forms(value: TypedValue) -> tuple[str, ...]:
    """How a value may be written in a text, in normal form."""
    text = str(value.value)
    if isinstance(value.value, bool):
        text = text.lower()
    forms = [f"{text} {value.unit}", f"{text}{value.unit}"] if value.unit else [text]
    if found := _DATE.fullmatch(text):
        year, month, day = found[1], _MONTHS[min(int(found[2]), 12) - 1], int(found[3])
        forms += [f"{day} {month} {year}", f"{month} {day}, {year}", f"{month} {day} {year}"]
    return tuple(dict.fromkeys(name_key(f) for f in forms if name_key(f)))


def texts_in(body: str) -> list[str]:
    """Every text of a stored body: its strings, the names of its fields' own making, and its numbers."""
    return list(_texts(msgspec.json.decode(body)))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bool() | None:
            return
        case int() | float():
            yield str(value)
        case dict():
            for key, each in cast("dict[str, Any]", value).items():
                yield key
                yield from _texts(each)
        case list():
            for each in cast("list[Any]", value):
                yield from _texts(each)
        case _:
            return


def folded_body(body: str) -> str:
    """All of a body's texts in normal form, a line each."""
    return "\n".join(folded(t) for t in texts_in(body))


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text stand."""
    start = 0
    for between in _BETWEEN.finditer(text):
        if between.start() > start:
            yield start, between.start()
        start = between.end()
    if start < len(text):
        yield start, len(text)


def told_sentences(texts: list[str], wanted: Wanted) -> list[str]:
    """The normal forms of those sentences that are known by themselves when they come in again."""
    found: dict[str, None] = {}
    for text in texts:
        for start, end in sentences(text):
            key = statement_key(text[start:end])
            if len(key) >= WHOLE_SENTENCE and wanted.said_in(folded(text[start:end])):
                found[key] = None
    return list(found)
