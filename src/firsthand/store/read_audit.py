"""Digests of everything a replay makes anew."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator

import apsw

from firsthand.ports import SEQ_BITS, ScopeRow
from firsthand.store.engine import Row
from firsthand.store.snapshot import Snapshot
from firsthand.store.sql import PROJECTIONS

UNREADABLE = "unreadable"
ROWS_HASHED_TOGETHER = 256


class AuditReads(Snapshot):
    """What an audit compares."""

    def digests(self) -> dict[str, str]:
        """One digest per projection and word index, over all its columns."""
        found = {t: _digest(self._table(t, order)) for t, order in PROJECTIONS.items()}
        return found | {t: _digest(self._index_terms(t)) for t in ("lex", "lex_rest")}

    def _table(self, table: str, order: str) -> Iterator[Row]:
        yield from self._connection.execute(
            f"SELECT * FROM {table} WHERE space_id = ? ORDER BY {order}", (self._space,)
        )

    def _index_terms(self, index: str) -> Iterator[Row]:
        """(term, document) of a word index, and (document, size) of its documents, of this space's scopes."""
        vocabulary = f"temp.{index}_terms"
        self._connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vocabulary} USING fts5vocab('main', '{index}', 'instance')"
        )
        numbers = {ScopeRow(*r).scope_no for r in self._all("scope_rows")}
        for term, vid in self._connection.execute(f"SELECT term, doc FROM {vocabulary} ORDER BY term, doc"):
            if vid >> SEQ_BITS in numbers:
                yield term, vid
        for vid, size in self._connection.execute(f"SELECT id, sz FROM {index}_docsize ORDER BY id"):
            if vid >> SEQ_BITS in numbers:
                yield vid, size


def _digest(rows: Iterator[Row]) -> str:
    """A digest over all columns; a table too damaged to read has one that no table has."""
    running = hashlib.sha256()
    try:
        while block := list(itertools.islice(rows, ROWS_HASHED_TOGETHER)):
            running.update("".join([f"{row!r}\n" for row in block]).encode())
    except (apsw.CorruptError, UnicodeDecodeError):
        return UNREADABLE
    return running.hexdigest()
