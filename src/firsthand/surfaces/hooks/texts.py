"""Texts of a harness: read from what it sends, and as short as they are kept."""

from __future__ import annotations

import json
from typing import Any, Final, TypeVar, cast

import msgspec

from firsthand.capture.clipping import clean, clip

LINE: Final = "\n"
T = TypeVar("T")


def clipped(text: str, most: int) -> str:
    """At most `most` bytes of a text, from its beginning and its end."""
    return clip(text, most).text


def one_line(text: str, most: int) -> str:
    """The beginning of a text in one line."""
    line = " ".join(clean(text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def told(value: Any) -> str:
    """What a tool was given or gave back, as text: its output where it has one, else its JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        return _told_of(fields_of(value))
    parts = cast("list[Any]", value) if isinstance(value, list) else []
    if parts and all(isinstance(part, dict) for part in parts):
        return LINE.join(map(told, parts))
    return msgspec.json.encode(value).decode()


def _told_of(fields: dict[str, Any]) -> str:
    match fields:
        case {"stdout": str(out), **rest}:
            return LINE.join(part for part in (out, rest.get("stderr")) if isinstance(part, str) and part)
        case {"text": str(text)} | {"file": {"content": str(text)}}:
            return text
        case {"type": "image"}:
            return "[image]"
        case {"content": content} if isinstance(content, list):
            return told(content)
        case _:
            return msgspec.json.encode(fields).decode()


def decoded(data: bytes, shape: type[T]) -> T:
    """JSON as a harness writes it. JavaScript lets half a character through, which Unicode does not.

    Raises `ValueError` where it is something else.
    """
    try:
        return msgspec.json.decode(data, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = json.dumps(json.loads(data.decode(errors="replace")), ensure_ascii=False).encode(errors="replace")
        return msgspec.json.decode(mended, type=shape)


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a JSON object; none where it is something else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
