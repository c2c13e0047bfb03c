"""Reads of the word indexes, of threads and mentions, and of what ranking needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firsthand.ports import EVERY, REST, SEQ_BITS, ColumnsRow, Scored, Shelf
from firsthand.store.snapshot import Snapshot, array
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.kinds import DEFAULT_SENSITIVITY, HIGHEST_SENSITIVITY, SENSITIVITIES, Kind

SIMILAR_SCANNED = 2_000
DEFAULT_LEVEL = SENSITIVITIES.index(DEFAULT_SENSITIVITY)


class SearchReads(Snapshot):
    """What the arms of a recall look for, and what ranking reads."""

    def postings(self, scope_no: int, term: str, shelf: Shelf, start: int = 0, most: int = EVERY) -> str:
        """Places in the scope of the newest documents with a term, from one place on, comma-separated, newest first."""
        table = "lex_rest" if shelf == REST else "lex"
        low = scope_no << SEQ_BITS
        # Newest first: FTS5 reaches the few at the end sooner from there.
        found = self._connection.execute(
            f"SELECT group_concat(rowid - ?) FROM (SELECT rowid FROM {table} WHERE {table} MATCH ? "
            "AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?)",
            (low, f'"{term}"', low + start, low + (1 << SEQ_BITS) - 1, most),
        ).get
        return str(found) if found is not None else ""

    def similar(self, scope_no: int, first: str, others: Sequence[str], limit: int) -> list[int]:
        """Listed claims of a scope with one term and any of others, newest first."""
        low = scope_no << SEQ_BITS
        match = f'"{first}"'
        if others:
            match += " AND (" + " OR ".join(f'"{o}"' for o in others) + ")"
        return [r[0] for r in self._all("similar", match, low, low + (1 << SEQ_BITS) - 1, SIMILAR_SCANNED, limit)]

    def shown(self, vids: Iterable[int], clearance: int, known_at: int | None) -> list[Scored]:
        """The rows of documents that pass the default gate now, or passed it at an instant, by document."""
        if known_at is None:
            rows = self._all("shown", array(vids), clearance)
        else:
            rows = self._all("shown_at", array(vids), known_at, known_at, clearance)
        return list(map(Scored._make, rows))

    def over(self, scope_no: int, clearance: int) -> list[tuple[int, Shelf]]:
        """Document numbers of a scope that are indexed and above a clearance, each with its shelf."""
        if clearance >= HIGHEST_SENSITIVITY:
            return []
        query = "over" if clearance >= DEFAULT_LEVEL else "over_public"
        found = self._all(query, clearance, scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS)
        return [(r[0], r[1]) for r in found]

    def columns(self, scope_no: int, places: Iterable[int]) -> list[ColumnsRow]:
        """What ranking needs of some of a scope's documents, by their places in it, ascending."""
        low = scope_no << SEQ_BITS
        return list(map(ColumnsRow._make, self._all("columns", array(low + place for place in places))))

    def of_kinds(self, scope_no: int, kinds: Sequence[Kind], start: int, stop: int) -> str:
        """Places of a scope's documents of some kinds, from one place up to another, comma-separated."""
        low = scope_no << SEQ_BITS
        row = self._one("of_kinds", low + start, low + stop, array(kinds))
        return str(row[0]) if row is not None and row[0] is not None else ""

    def off(self, scope_no: int) -> list[tuple[int, Shelf]]:
        """Document numbers of a scope that are not listed, with their shelves; not what is only there to be cited."""
        return [(r[0], r[1]) for r in self._all("off", scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS)]

    def unlisted(self, scope_no: int) -> list[int]:
        """Numbers of a scope's threaded documents that are not listed."""
        return [r[0] for r in self._all("unlisted", scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS)]

    def thread_around(self, thread: str, vid: int, reach: int, clearance: int) -> list[int]:
        """Document numbers of a thread within `reach` places of one, of those that nothing locks for a clearance."""
        before = [r[0] for r in self._all("thread_before", thread, vid, clearance, reach)]
        return [*reversed(before), *(r[0] for r in self._all("thread_after", thread, vid, clearance, reach))]

    def mentioning(self, scope_id: str, name: str, before: int | None, limit: int, clearance: int) -> list[int]:
        """Document numbers below one that mention a name and that nothing locks for a clearance, newest first."""
        below = before if before is not None else FOREVER
        return [r[0] for r in self._all("mentioning", scope_id, name, below, clearance, limit)]

    def all_mentioning(self, scope_id: str, name: str) -> list[int]:
        """Document numbers that mention a name, locked or not."""
        return [r[0] for r in self._all("all_mentioning", scope_id, name)]

    def mentioned_in(self, scope_id: str, name: str, vids: Iterable[int]) -> list[int]:
        """Those of some document numbers that mention a name."""
        return [r[0] for r in self._all("mentioned_in", scope_id, name, array(vids))]

    def has_spoken(self, scope_no: int, speaker_no: int, before: int, clearance: int) -> bool:
        """Whether a speaker said anything in a scope, below a document number, that nothing locks for a clearance."""
        return self._one("has_spoken", scope_no << SEQ_BITS, before, speaker_no, clearance) is not None

    def received(self, vid: int) -> int:
        """When the entry that a document came with was received."""
        row = self._one("received", vid)
        assert row is not None, "every document number of a scope below its next one is taken"
        return row[0]
