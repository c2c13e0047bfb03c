"""Where in a SQLite file the bytes of each value lie, so that a test can damage exactly one of them.

Reads the file format itself (https://www.sqlite.org/fileformat2.html): tables, indexes and tables without rowid, with
their overflow pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

HEADER = -1
"""The column of a record's own header, which holds the types of its values."""
ROWID = -2
_INTERIOR_INDEX, _INTERIOR_TABLE, _LEAF_INDEX, _LEAF_TABLE = 2, 5, 10, 13
_FIXED_BYTES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)


class Value(NamedTuple):
    """A value that has bytes in the file: of which table or index, which of its records, which column, and where."""

    of: str
    table: str
    record: int
    column: int
    places: tuple[int, ...]


def values(path: Path) -> list[Value]:
    """Every value of every table and index of a closed file."""
    data = path.read_bytes()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    objects = [("sqlite_schema", "sqlite_schema", 1)]
    objects += connection.execute("SELECT name, tbl_name, rootpage FROM sqlite_schema WHERE rootpage > 0")
    connection.close()
    return [value for name, table, root in objects for value in _File(data).values(name, table, root)]


class _File:
    def __init__(self, data: bytes) -> None:
        self.data = data
        size = int.from_bytes(data[16:18], "big")
        self.page = 65_536 if size == 1 else size
        self.usable = self.page - data[20]

    def values(self, name: str, table: str, root: int) -> Iterator[Value]:
        for number, (rowid, payload) in enumerate(self._records(root)):
            if rowid:
                yield Value(name, table, number, ROWID, tuple(rowid))
            header, at = self._varint([*payload[:9]], 0)
            yield Value(name, table, number, HEADER, tuple(payload[:header]))
            types = []
            while at < header:
                kind, at = self._varint(payload, at)
                types.append(kind)
            for column, kind in enumerate(types):
                length = _FIXED_BYTES[kind] if kind < len(_FIXED_BYTES) else (kind - 12) // 2
                if length:
                    yield Value(name, table, number, column, tuple(payload[at : at + length]))
                at += length

    def _records(self, number: int) -> Iterator[tuple[Sequence[int], list[int]]]:
        """(places of the rowid, places of the payload) of each record below a page, in order."""
        start = (number - 1) * self.page
        head = start + (100 if number == 1 else 0)
        kind = self.data[head]
        interior = kind in (_INTERIOR_INDEX, _INTERIOR_TABLE)
        count = self._number(head + 3, 2)
        pointers = head + (12 if interior else 8)
        for each in range(count):
            at = start + self._number(pointers + 2 * each, 2)
            if interior:
                yield from self._records(self._number(at, 4))
                at += 4
            if kind == _INTERIOR_TABLE:
                continue
            whole = range(at, at + 18)
            length, used = self._varint(whole, 0)
            rowid: Sequence[int] = ()
            if kind == _LEAF_TABLE:
                _, end = self._varint(whole, used)
                rowid, used = whole[used:end], end
            yield rowid, self._payload(at + used, length, table=kind == _LEAF_TABLE)
        if interior:
            yield from self._records(self._number(head + 8, 4))

    def _payload(self, at: int, length: int, *, table: bool) -> list[int]:
        most = self.usable - 35 if table else (self.usable - 12) * 64 // 255 - 23
        least = (self.usable - 12) * 32 // 255 - 23
        if length <= most:
            return list(range(at, at + length))
        local = least + (length - least) % (self.usable - 4)
        local = local if local <= most else least
        places = list(range(at, at + local))
        following = self._number(at + local, 4)
        while following:
            start = (following - 1) * self.page
            places += range(start + 4, start + 4 + min(self.usable - 4, length - len(places)))
            following = self._number(start, 4)
        return places

    def _number(self, at: int, length: int) -> int:
        return int.from_bytes(self.data[at : at + length], "big")

    def _varint(self, places: Sequence[int], at: int) -> tuple[int, int]:
        value = 0
        for used in range(8):
            byte = self.data[places[at + used]]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, at + used + 1
        return value << 8 | self.data[places[at + 8]], at + 9
