"""JSON that others wrote, a line or a value at a time: bounded, in UTF-8, without a field that is there twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Final, cast

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.limits import IMPORT_LINE_BYTES

Fields = dict[str, object]

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def numbered(stream: IO[bytes], *, most: int = IMPORT_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """Lines from 1 without blank ones; `None` stands for one over its limit, whose rest is read past unkept."""
    number = 0
    size = len(BYTE_ORDER_MARK) + most + len(b"\r\n")
    while raw := stream.readline(size):
        number += 1
        cut = len(raw) == size and not raw.endswith(b"\n")
        while cut and (rest := stream.readline(size)):
            cut = not rest.endswith(b"\n")
        if number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(raw) > most:
            yield number, None
        elif raw.strip():
            yield number, raw


def decoded(raw: bytes | None, *, what: str = "line", most: int = IMPORT_LINE_BYTES) -> Fields:
    """The JSON object in `raw`; `None` is one that was over its limit of `most` bytes."""
    if raw is None:
        raise InvalidError(f"{what}_too_long", f"the {what} is over its limit of {most} bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise InvalidError("utf8_invalid", f"the {what} is not valid UTF-8") from None
    try:
        found: object = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        raise InvalidError("json_invalid", f"the {what} is not valid JSON") from None
    if not isinstance(found, dict):
        raise InvalidError("json_not_object", f"the {what} is not a JSON object")
    return cast("Fields", found)


def compact(value: object) -> str:
    """A value as JSON on one line, as it is shown to a reader."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    except RecursionError:
        raise InvalidError("json_too_deep", "the line holds JSON that is nested too deeply") from None


def text_of(fields: Fields, key: str) -> str | None:
    """A text that may be missing. A number is refused for an instant, too: nobody says what it counts."""
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    raise InvalidError("field_not_text", f"{key} is not text", field=key)


def object_of(fields: Fields, key: str) -> Fields:
    """An object, empty where it is missing."""
    value = fields.get(key)
    if value is None:
        return {}
    if isinstance(value, dict):
        return cast("Fields", value)
    raise InvalidError("field_not_object", f"{key} is not a JSON object", field=key)


def list_of(fields: Fields, key: str) -> list[object]:
    """A list, empty where it is missing."""
    value = fields.get(key)
    if value is None:
        return []
    if isinstance(value, list):
        return cast("list[object]", value)
    raise InvalidError("field_not_list", f"{key} is not a list", field=key)


def _distinct(pairs: list[tuple[str, object]]) -> Fields:
    """Which of two values was meant cannot be known, so a repeated field is refused."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidError("field_repeated", "the line has the same field twice")
    return found
