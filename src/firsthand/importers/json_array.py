"""A JSON array read element by element: an export is one array in one file, and may be larger than memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Final

from firsthand.importers.jsonlines import BYTE_ORDER_MARK
from firsthand.vocabulary.errors import InvalidError

ELEMENT_BYTES: Final = 64 * 1024 * 1024
_CHUNK_BYTES: Final = 1024 * 1024
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_BETWEEN: Final = re.compile(rb"[ \t\r\n,]*+")
_STRAY: Final = re.compile(rb"[^\[\]{}]*+")
_OUTSIDE: Final = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)
"""Up to a bracket that is in no string, or up to a string that does not end in this chunk."""
_INSIDE: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_QUOTE, _OPENING = ord('"'), frozenset(b"[{")


def elements(stream: IO[bytes], *, most: int = ELEMENT_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """The elements of an array as they stand in the file, from 1; `None` stands for one over its limit.

    Nothing is decoded: what is no JSON but ends where its brackets do spoils no other element. What stands where an
    object should, and an array that the file's end cuts short, come as bytes that decode to nothing.
    """
    text = _Chunks(stream)
    if text.after(_SPACE) != b"[":
        raise InvalidError("not_an_export", "the file is not a JSON array of conversations", field="source")
    text.at += 1
    number = 0
    while (byte := text.after(_BETWEEN)) != b"]":
        number += 1
        if byte in (b"{", b"["):
            yield number, text.element(most)
            continue
        yield number, b""
        if byte == b"":
            return
        text.at += 1
        text.after(_STRAY)


class _Chunks:
    """A stream in chunks, and how far into the newest one it was read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._chunk = stream.read(_CHUNK_BYTES).removeprefix(BYTE_ORDER_MARK)
        self.at = 0

    def after(self, skipped: re.Pattern[bytes]) -> bytes:
        """The next byte that is not skipped, unread; nothing at the end of the stream."""
        while True:
            self.at = _end(skipped, self._chunk, self.at)
            if self.at < len(self._chunk):
                return self._chunk[self.at : self.at + 1]
            if not self._next():
                return b""

    def element(self, most: int) -> bytes | None:
        """The element that begins here, up to its closing bracket or the end of the stream."""
        brackets = _Brackets()
        parts: list[bytes] = []
        size = 0
        while True:
            end = brackets.closed_at(self._chunk, self.at)
            stop = len(self._chunk) if end is None else end
            size += stop - self.at
            parts = [*parts, self._chunk[self.at : stop]] if size <= most else []
            self.at = stop
            if end is not None or not self._next():
                return b"".join(parts) if size <= most else None

    def _next(self) -> bool:
        self._chunk, self.at = self._stream.read(_CHUNK_BYTES), 0
        return bool(self._chunk)


class _Brackets:
    """How deep in brackets, and whether in a string, an element is at the end of what was read of it."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._escaped: bool = False

    def closed_at(self, chunk: bytes, at: int) -> int | None:
        """Where the element ends, if it ends in this chunk."""
        while at < len(chunk):
            if self._in_string:
                at = self._through_string(chunk, at)
                continue
            at = _end(_OUTSIDE, chunk, at)
            if at == len(chunk):
                return None
            if chunk[at] == _QUOTE:
                self._in_string = True
            else:
                self._depth += 1 if chunk[at] in _OPENING else -1
            at += 1
            if self._depth == 0:
                return at
        return None

    def _through_string(self, chunk: bytes, at: int) -> int:
        at = _end(_INSIDE, chunk, at + 1 if self._escaped else at)
        self._escaped = False
        if at < len(chunk):
            quote = chunk[at] == _QUOTE
            self._in_string, self._escaped = not quote, not quote  # else a backslash, the last byte of its chunk
        return at + 1


def _end(pattern: re.Pattern[bytes], chunk: bytes, at: int) -> int:
    found = pattern.match(chunk, at)
    return at if found is None else found.end()
