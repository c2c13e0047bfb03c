"""How a word on the command line becomes a value: instants, conditions, evidence, typed objects, record ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

import click
import msgspec

from firsthand.surfaces.desk import Memory
from firsthand.vocabulary.errors import AbsentError, InvalidError
from firsthand.vocabulary.instants import Instant
from firsthand.vocabulary.kinds import ValueType
from firsthand.vocabulary.limits import LIST_PAGE_ROWS
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Payload, TypedValue

RECORD_ID_CHARACTERS: Final = 41
SHORT_CHARACTERS: Final = 8
_MICROS: Final = lazy_pattern(r"-?\d{9,}")
_WHOLE: Final = lazy_pattern(r"-?\d+")
_SHORT_ID: Final = lazy_pattern(r"r[0-9a-f]*")
_SHORT_ENTRY: Final = lazy_pattern(r"e[0-9a-f]*")
Scalar = str | int | float | bool


def instant(text: str | None) -> Instant | None:
    """Microseconds if it is a long number (receipts give those), else ISO 8601 for the memory to read."""
    return int(text) if text is not None and _MICROS.fullmatch(text) else text


def scalar(text: str) -> Scalar:
    """true, false and numbers as themselves, anything else as text."""
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        return float(text) if "." in text else text
    except ValueError:
        return text


def pairs(words: Iterable[str], field: str) -> dict[str, str]:
    """`name=value` words as a dictionary."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidError("pair_invalid", f"{field} is not name=value", field=field)
        found[name] = value
    return found


def conditions(words: Iterable[str]) -> dict[str, Scalar] | None:
    """`name=value` words as conditions; none at all is no condition."""
    return {name: scalar(value) for name, value in pairs(words, "if").items()} or None


def evidence(memory: Memory, words: Iterable[str]) -> tuple[Any, ...]:
    """`ID` or `ID=the words quoted` as citations."""
    import firsthand

    cited: list[Any] = []
    for word in words:
        record_id, equals, quote = word.partition("=")
        cited.append(firsthand.cite(full_id(memory, record_id), quote=quote if equals else None))
    return tuple(cited)


def typed_object(text: str | None, value_type: str | None, unit: str | None) -> Any:
    """The object of a claim; without a type it is text for the memory to read."""
    if text is None or value_type in (None, "string"):
        return text
    match value_type:
        case "number":
            value = scalar(text)
            if isinstance(value, bool | str):
                raise InvalidError("object_invalid", "object is not a number", field="object")
            return value
        case "boolean":
            value = scalar(text)
            if not isinstance(value, bool):
                raise InvalidError("object_invalid", "object is neither true nor false", field="object")
            return value
        case _:
            return TypedValue(type=value_type, value=text, unit=unit)  # pyright: ignore[reportArgumentType]


def payload(text: str) -> Payload:
    """The JSON of a record that is no claim."""
    try:
        return msgspec.json.decode(text, type=Payload)
    except msgspec.MsgspecError:
        raise InvalidError(
            "payload_invalid", "payload is not the JSON of a record with a known kind and known fields", field="payload"
        ) from None


def item_id(memory: Memory, given: str) -> str:
    """An item of the review desk: the one waiting entry, or the one readable record, whose id begins so."""
    if not _SHORT_ENTRY.fullmatch(given):
        return full_id(memory, given)
    return given if len(given) >= RECORD_ID_CHARACTERS else _waiting_entry(memory, given)


def _waiting_entry(memory: Memory, beginning: str) -> str:
    if len(beginning) < SHORT_CHARACTERS:
        raise InvalidError("id_too_short", f"give at least {SHORT_CHARACTERS} characters of the id", field="item_id")
    found: set[str] = set()
    cursor: str | None = None
    while True:
        page = memory.review.list("proposals", limit=LIST_PAGE_ROWS, cursor=cursor)
        found.update(item.item_id for item in page.items if item.item_id.startswith(beginning))
        cursor = page.cursor
        if cursor is None:
            break
    if len(found) > 1:
        raise InvalidError("id_ambiguous", "several items that wait have ids that begin so; give more", field="item_id")
    if not found:
        raise AbsentError("item_absent", "no item that waits has an id that begins so", field="item_id")
    return found.pop()


def full_id(memory: Memory, given: str) -> str:
    """A record id, or the one readable record whose id begins so."""
    if len(given) >= RECORD_ID_CHARACTERS or not _SHORT_ID.fullmatch(given):
        return given
    return memory.find(given)


def one_of(values: Sequence[str]) -> click.Choice[str]:
    """A closed set of words."""
    return click.Choice(list(values))


VALUE_TYPE: Final = one_of(get_args(ValueType))
