"""Reads of vectors: those there are, by whom they are, and which documents wait for theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from firsthand.ports import SEQ_BITS, Embedding, Pending, Shelf
from firsthand.store.snapshot import Snapshot, array


class VectorReads(Snapshot):
    """The vectors of one space, and what is known of how they came to be."""

    def vectors(self, scope_no: int, start: int, stop: int) -> list[tuple[int, bytes]]:
        """The vectors of a scope's documents, from one place up to another; not all have one."""
        low = scope_no << SEQ_BITS
        return cast("list[tuple[int, bytes]]", self._all("vectors", low + start, low + stop))

    def vectors_of(self, vids: Iterable[int]) -> list[tuple[int, bytes]]:
        """The vectors of some documents, of those that have one."""
        return cast("list[tuple[int, bytes]]", self._all("vectors_of", array(vids)))

    def embedding(self) -> Embedding | None:
        """By which embedder every vector of the space is; unset if nothing was projected yet."""
        row = self._one("embedding")
        return None if row is None else Embedding._make(row)

    def late(self, scope_no: int, after: int) -> list[int]:
        """Documents of a scope whose vectors came after their words, in batches after one."""
        return [r[0] for r in self._all("late", after, scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS)]

    def is_pending(self, scope_no: int, stop: int, shelves: Sequence[Shelf], clearance: int) -> bool:
        """Whether any document of a scope, up to a place, on these shelves and for a clearance, waits for a vector."""
        low = scope_no << SEQ_BITS
        return self._one("is_pending", low, low + stop, array(shelves), clearance) is not None

    def pending(self, now: int, most: int) -> list[int]:
        """Documents that wait for a vector and that nobody else is at, the oldest first."""
        return [r[0] for r in self._all("pending", now, most)]

    def still_pending(self, vids: Iterable[int]) -> list[int]:
        """Those of some documents that wait for a vector."""
        return [r[0] for r in self._all("still_pending", array(vids))]

    def pending_counts(self) -> Pending:
        """How many documents wait for a vector, how many may not be sent, and how many the endpoint would not have."""
        found = dict(self._all("pending_counts"))
        return Pending(found.get(0, 0), found.get(1, 0), found.get(2, 0))
