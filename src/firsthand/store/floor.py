"""The floor: what bare SQLite does with the same text, with no provenance at all, so that costs have a neighbour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, cast

import apsw

from firsthand.store.engine import Connection
from firsthand.store.translating import translated

_SCHEMA: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE lex USING fts5 (text, content = 'line', content_rowid = 'id');
"""
_FILL: Final = "INSERT INTO lex (rowid, text) SELECT id, text FROM line"
_SEARCH: Final = """
SELECT line.id, line.text FROM lex JOIN line ON line.id = lex.rowid WHERE lex MATCH ? ORDER BY bm25(lex) LIMIT ?
"""


class Floor:
    """One SQLite file, written and searched the plain way."""

    def __init__(self, path: Path, texts: Iterable[str]) -> None:
        with translated():
            self._connection = cast("Connection", apsw.Connection(str(path)))
            self._connection.execute(_SCHEMA).fetchall()  # apsw stops at the first row otherwise
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO line (text) VALUES (?)", [(text,) for text in texts])
            self._connection.execute(_FILL)
            self._connection.execute("COMMIT")

    def insert(self, text: str) -> None:
        """One row, synced."""
        with translated():
            self._connection.execute("INSERT INTO line (text) VALUES (?)", (text,))

    def search(self, words: Sequence[str], limit: int) -> list[str]:
        """The best texts by bm25 that hold any of the words."""
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        with translated():
            return [text for _, text in self._connection.execute(_SEARCH, (match, limit))]

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
