"""The floor: what plain SQLite costs for one row, its text index and its vector, with no provenance at all."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from workload import packed, words

_SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fact (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vector (id INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS lex USING fts5 (text, content = '', contentless_delete = 1, detail = none);
"""
_FACT = "INSERT INTO fact (text) VALUES (?) RETURNING id"
_LEX = "INSERT INTO lex (rowid, text) VALUES (?, ?)"
_VECTOR = "INSERT INTO vector (id, packed) VALUES (?, ?)"
# bm25() scores nothing over an index without positions (`detail=none`), so searches get an index of their own.
_RANKED = """
CREATE VIRTUAL TABLE ranked USING fts5 (text, content = '', contentless_delete = 1);
INSERT INTO ranked (rowid, text) SELECT id, text FROM fact;
"""
_SEARCH = """
SELECT fact.id, fact.text FROM ranked JOIN fact ON fact.id = ranked.rowid
WHERE ranked MATCH ? ORDER BY bm25(ranked), ranked.rowid LIMIT ?
"""


class Floor:
    """One SQLite file, written the plain way."""

    def __init__(self, path: Path, synchronous: str = "FULL") -> None:
        self._path = path
        self._connection = apsw.Connection(str(path))
        self._connection.execute(_SCHEMA).fetchall()  # apsw stops at the first row otherwise
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")

    def bare(self, text: str) -> None:
        """One durable row and nothing else."""
        self._connection.execute("INSERT INTO bare (text) VALUES (?)", (text,))

    def indexed(self, text: str) -> None:
        """One durable row and its text index."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        execute(_LEX, (execute(_FACT, (text,)).get, text))
        execute("COMMIT")

    def full(self, text: str, vector: bytes) -> None:
        """One durable row, its text index and its vector: the unit of the write bars."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        row = execute(_FACT, (text,)).get
        execute(_LEX, (row, text))
        execute(_VECTOR, (row, vector))
        execute("COMMIT")

    def many(self, texts: Sequence[str]) -> None:
        """All of them in one transaction, embedding included."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        for text in texts:
            row = execute(_FACT, (text,)).get
            execute(_LEX, (row, text))
            execute(_VECTOR, (row, packed(text)))
        execute("COMMIT")

    def prepare_search(self) -> None:
        """Make the index that can be ranked."""
        self._connection.execute(_RANKED).fetchall()

    def search(self, query: str, limit: int = 10) -> list[str]:
        """The best texts by bm25 over any of the query's words."""
        match = " OR ".join(f'"{word}"' for word in words(query))
        return [text for _, text in self._connection.execute(_SEARCH, (match, limit))]

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
