"""What one process keeps of a space's vectors, and what lies near a query among them.

Every number is whole and every sum exact, so a similarity does not depend on which other rows are beside it; rows that
may not be seen are left out before anything is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firsthand.ports import REST, SEQ_BITS, UNLISTED, Embedder, Embedding, Reader, Said, Scale, ScopeRow, Shelf
from firsthand.recall.score import FloatArray, IntArray, ScoreArray

MOST_ROWS: Final = 100_000
"""Documents that a recall searches by their vectors; where there are more, only what else was found is compared."""
NEAREST_BY_SIGN: Final = 1_200
"""How many rows are compared by their numbers, of those whose signs are most alike, and one more for every so many."""
ONE_MORE_FOR: Final = 64
GROW_ROWS: Final = 1_024
ROWS_AT_ONCE: Final = 4_096
"""Read or compared together: as rows of a query, and in single precision, they take several times their memory."""
PLAIN: Final = Scale()
_WORD_BITS: Final = 64
_SEQ_MASK: Final = (1 << SEQ_BITS) - 1


class Near(NamedTuple):
    """Documents of a scope by their place in it, with how alike they are to a query, from -1 to 1."""

    places: IntArray
    similarity: ScoreArray


class Vectors(NamedTuple):
    """The vectors of one scope by their place in it, with the signs of each, as one snapshot may see them.

    `has`: which rows have one. `off`: places that are not listed, by their shelf. `square`: of a vector's length.
    `scale`: of their embedder.
    """

    rows: NDArray[np.int8]
    signs: NDArray[np.uint64]
    has: NDArray[np.bool_]
    off: dict[Shelf, IntArray]
    square: int
    scale: Scale = PLAIN

    def seen(self, scope: ScopeRow, asked: Sequence[Shelf], over: IntArray) -> NDArray[np.bool_]:
        """Which rows have a vector and may be seen: on a shelf that is asked for, and not `over` a clearance."""
        seen = self.has[: scope.next_seq].copy()
        for hidden in (over, *(places for shelf, places in self.off.items() if shelf not in asked)):
            seen[hidden[hidden < scope.next_seq]] = False
        return seen

    def near(self, query: NDArray[np.int8], seen: NDArray[np.bool_], least: float, most: int) -> Near:
        """The rows most like a query, of those that are seen and alike enough, the newer first among equals."""
        count = int(np.count_nonzero(seen))
        wanted = NEAREST_BY_SIGN + count // ONE_MORE_FOR
        places = np.flatnonzero(seen) if count <= wanted else self._alike_in_sign(query, seen, wanted)
        similarity = self.similarity(query, places)
        enough = similarity >= least
        places, similarity = places[enough], similarity[enough]
        best = np.lexsort((-places, -similarity))[:most]
        return Near(places[best], similarity[best])

    def similarity(self, query: NDArray[np.int8], places: IntArray) -> ScoreArray:
        """How alike some rows are to a query; not at all, where a row has no vector."""
        return _likeness(query, self.rows, places, self.square, self.scale)

    def _alike_in_sign(self, query: NDArray[np.int8], seen: NDArray[np.bool_], wanted: int) -> IntArray:
        """Rows whose signs differ least, all of a level or none: so it is not for chance to choose among equals."""
        dimension = self.rows.shape[1]
        apart = np.zeros(len(seen), dtype=np.uint16)
        for own, other in zip(self.signs, signs_of(query[None, :])[:, 0], strict=True):
            apart += np.bitwise_count(own[: len(seen)] ^ other)
        np.copyto(apart, dimension + 1, where=~seen)  # further than any row can be
        level = int(np.searchsorted(np.cumsum(np.bincount(apart)), wanted))
        return np.flatnonzero(apart <= min(level, dimension))


class Unheld(NamedTuple):
    """The vectors of a scope with too many to hold: read for the documents that are asked about."""

    reader: Reader
    scope_no: int
    dimension: int
    square: int
    scale: Scale = PLAIN

    def similarity(self, query: NDArray[np.int8], places: IntArray) -> ScoreArray:
        """How alike some documents are to a query; not at all, where one has no vector."""
        rows = np.zeros((len(places), self.dimension), dtype=np.int8)
        kept = self.reader.vectors_of((places + (self.scope_no << SEQ_BITS)).tolist())
        if kept:
            at, found = _stacked(kept)
            order = np.argsort(places)
            rows[order[np.searchsorted(places, at, sorter=order)]] = found
        return _likeness(query, rows, np.arange(len(rows)), self.square, self.scale)


class Matrix:
    """The growing vectors of one scope; whoever holds it sees to it that one thread at a time brings it up to date."""

    def __init__(self, scope: ScopeRow, embedder: Embedder, held: Embedding) -> None:
        assert embedder.dimension % _WORD_BITS == 0
        self.state = (scope.erasures, scope.reworded, held.generation)
        self._square, self._scale = embedder.length**2, embedder.scale
        self._size = 0
        self._rows = np.zeros((GROW_ROWS, embedder.dimension), dtype=np.int8)
        self._signs = np.zeros((embedder.dimension // _WORD_BITS, GROW_ROWS), dtype=np.uint64)
        self._has = np.zeros(GROW_ROWS, dtype=np.bool_)
        self._changed = -1
        self._late = held.late
        self._off: dict[Shelf, IntArray] = {}
        self._away: frozenset[int] = frozenset()

    def upto(self, reader: Reader, scope: ScopeRow, held: Embedding) -> Vectors:
        """The vectors at least as far as this snapshot of the scope goes, and what it keeps off its first shelf."""
        if self._size < scope.next_seq:
            self._grow(scope.next_seq)
            start, self._size = self._size, scope.next_seq
            for at in range(start, self._size, ROWS_AT_ONCE):
                self._put(reader.vectors(scope.scope_no, at, min(at + ROWS_AT_ONCE, self._size)))
        if self._late < held.late:
            self._put(reader.vectors_of(reader.late(scope.scope_no, self._late)))
            self._late = held.late
        if self._changed != scope.changed:
            off: dict[Shelf, list[int]] = {UNLISTED: [], REST: []}
            for vid, shelf in reader.off(scope.scope_no):
                off[shelf].append(vid)
            # What had no place on a shelf when the rest was read has a vector now if it has got one since.
            away = frozenset(off[UNLISTED])
            if self._away - away:
                self._put(reader.vectors_of(sorted(self._away - away)))
            self._off = {shelf: np.array(vids, dtype=np.int64) & _SEQ_MASK for shelf, vids in off.items()}
            self._away, self._changed = away, scope.changed
        return Vectors(self._rows, self._signs, self._has, self._off, self._square, self._scale)

    def _grow(self, size: int) -> None:
        room = len(self._has)
        if size <= room:
            return
        more = max(size, room * 2) - room
        self._rows = np.concatenate((self._rows, np.zeros((more, self._rows.shape[1]), dtype=np.int8)))
        self._signs = np.concatenate((self._signs, np.zeros((len(self._signs), more), dtype=np.uint64)), axis=1)
        self._has = np.concatenate((self._has, np.zeros(more, dtype=np.bool_)))

    def _put(self, found: Sequence[tuple[int, bytes]]) -> None:
        # What lies further than this snapshot's end is read when the scope is looked at as far as that.
        found = [(vid, packed) for vid, packed in found if vid & _SEQ_MASK < self._size]
        if not found:
            return
        places, rows = _stacked(found)
        self._rows[places] = rows
        self._signs[:, places] = signs_of(rows)
        self._has[places] = True


def _stacked(found: Sequence[tuple[int, bytes]]) -> tuple[IntArray, NDArray[np.int8]]:
    """The places in their scope of some vectors, and the vectors below each other."""
    places = np.array([vid for vid, _ in found], dtype=np.int64) & _SEQ_MASK
    return places, np.frombuffer(b"".join([packed for _, packed in found]), dtype=np.int8).reshape(len(found), -1)


def _likeness(
    query: NDArray[np.int8], rows: NDArray[np.int8], places: IntArray, square: int, scale: Scale
) -> ScoreArray:
    """How alike some of the rows are to a query, a part of them at a time.

    Products of int8 numbers summed over some hundred dimensions are whole and below 2^24, so single precision is exact
    in any order.
    """
    cosine = np.empty(len(places), dtype=np.float32)
    asked = query.astype(np.float32)
    for start in range(0, len(places), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        cosine[part] = rows[places[part]].astype(np.float32) @ asked
    cosine /= np.float32(square)
    return (cosine - np.float32(scale.zero)) * np.float32(scale.gain) if scale != PLAIN else cosine


def signs_of(rows: NDArray[np.int8]) -> NDArray[np.uint64]:
    """The signs of each row as a few words of bits, the first word of every row first."""
    return np.ascontiguousarray(np.packbits(rows > 0, axis=1).view(np.uint64).T)


class Meant(NamedTuple):
    """A query as a vector, and the vectors of the scopes it is asked of, each with where its documents begin."""

    query: NDArray[np.int8]
    parts: Sequence[tuple[int, int, Vectors | Unheld]]

    def similarity(self, numbers: IntArray) -> FloatArray:
        """How alike documents are to the query, in the recall's numbering."""
        found = np.zeros(len(numbers))
        for offset, size, vectors in self.parts:
            inside = (numbers >= offset) & (numbers < offset + size)
            found[inside] = vectors.similarity(self.query, numbers[inside] - offset)
        return found


def vector_of(embedder: Embedder, query: Said) -> NDArray[Any] | None:
    """A query as a vector, if anything of it is known."""
    packed = embedder.ask(query)
    return np.frombuffer(packed, dtype=np.int8) if packed else None
