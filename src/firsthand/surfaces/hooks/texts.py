"""Texts of a harness as they may be kept: without our packets, without secrets, and no longer than a limit."""

from __future__ import annotations

import json
from typing import Any, Final, TypeVar, cast

import msgspec

from firsthand.capture.fences import cut
from firsthand.capture.secrets import mask

LOOKED_AT: Final = 256 * 1024
"""Characters of a text that are looked at: half from its beginning, half from its end."""
LINE: Final = "\n"
T = TypeVar("T")
LEFT_OUT: Final = "\n[…]\n"


def clipped(text: str, most: int) -> str:
    """At most `most` bytes of a text, from its beginning and its end.

    It is cut last: a packet or a secret of which only a part is left would no longer be known as one.
    """
    whole = clean(text)
    encoded = whole.encode()
    if len(encoded) <= most:
        return whole
    room = most - len(LEFT_OUT.encode())
    tail = room // 3
    return _decoded(encoded[: room - tail]) + LEFT_OUT + _decoded(encoded[len(encoded) - tail :])


def clean(text: str) -> str:
    """A text as Unicode without NULs, packets and secrets, and of an endless one its two ends."""
    if len(text) > LOOKED_AT:
        return LEFT_OUT.join((clean(text[: LOOKED_AT // 2]), clean(text[-LOOKED_AT // 2 :])))
    plain = text.replace("\x00", "").encode(errors="replace").decode()
    return mask(cut(plain, _everyones).text).text.strip()


def _everyones(nonce: str) -> bool:
    """Whose packet it is does not matter: what stands in one was never said here."""
    return True


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


def _decoded(data: bytes) -> str:
    """Bytes that were cut anywhere, without the character that was cut through."""
    return data.decode(errors="ignore")
