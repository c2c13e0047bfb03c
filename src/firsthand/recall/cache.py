"""What one process keeps of a space between recalls: posting lists, columns of documents, rejections.

All follow the space. A posting list is dropped as soon as any document of its scope comes or goes; a document's
columns never change but by an erasure, which drops them all, so they only grow, and vectors until words are masked. So
a ranking never depends on what this process read before (design 04).
"""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firsthand.ports import SEQ_BITS, ColumnsRow, Embedder, Reader, ScopeRow, Shelf
from firsthand.recall.rejections import Looked
from firsthand.recall.score import IntArray
from firsthand.recall.vectors import Matrix, Vectors
from firsthand.rules.wording import QUESTION, TIME_WORDS
from firsthand.vocabulary.kinds import KINDS

CACHED_LISTS: Final = 4_096
CACHED_SIZES: Final = 1_024
GROW_ROWS: Final = 1_024
SEQ_MASK: Final = (1 << SEQ_BITS) - 1
NOWHERE: Final = -1


class Columns(NamedTuple):
    """The documents of one scope by their place in it; threads and speakers are numbered."""

    thread: NDArray[np.int32]
    prev: NDArray[np.int32]
    next: NDArray[np.int32]
    speaker: NDArray[np.int32]
    kind: NDArray[np.int8]
    flags: NDArray[np.int8]
    occurred: IntArray
    told_from: IntArray
    told_to: IntArray


_TYPES: Final[dict[str, tuple[type[np.generic], int]]] = {
    "thread": (np.int32, NOWHERE),
    "prev": (np.int32, NOWHERE),
    "next": (np.int32, NOWHERE),
    "speaker": (np.int32, NOWHERE),
    "kind": (np.int8, 0),
    "flags": (np.int8, 0),
    "occurred": (np.int64, 0),
    "told_from": (np.int64, 0),
    "told_to": (np.int64, 0),
}
_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}


class _Scope:
    """Growing columns of one scope."""

    def __init__(self) -> None:
        self._size = 0
        self._arrays: dict[str, NDArray[Any]] = {n: np.full(GROW_ROWS, f, dtype=t) for n, (t, f) in _TYPES.items()}
        self._threads: dict[str, int] = {}
        self._last: dict[int, int] = {}
        self._columns = self._upto_size()

    def upto(self, reader: Reader, scope: ScopeRow) -> Columns:
        """The columns, at least as far as this snapshot of the scope goes."""
        if self._size < scope.next_seq:
            self._grow(scope.next_seq)
            self._put(reader.columns(scope.scope_no, self._size, scope.next_seq))
            self._size = scope.next_seq
            self._columns = self._upto_size()
        return self._columns

    def _upto_size(self) -> Columns:
        return Columns(**{n: a[: self._size] for n, a in self._arrays.items()})

    def _grow(self, size: int) -> None:
        room = len(self._arrays["thread"])
        if size <= room:
            return
        for name, (kind, fill) in _TYPES.items():
            grown = np.full(max(size, room * 2), fill, dtype=kind)
            grown[:room] = self._arrays[name]
            self._arrays[name] = grown

    def _put(self, rows: Sequence[ColumnsRow]) -> None:
        """A column at a time: a scope is read whole by the first recall of a process."""
        if not rows:
            return
        seqs, kinds, threads, speakers, occurred, flags, told_from, told_to = zip(*rows, strict=True)
        a, at = self._arrays, np.array(seqs, dtype=np.int64)
        a["kind"][at], a["flags"][at] = [_KIND_NUMBERS[kind] for kind in kinds], flags
        a["speaker"][at] = [NOWHERE if speaker is None else speaker for speaker in speakers]
        a["occurred"][at] = [0 if instant is None else instant for instant in occurred]
        told = [(0, 0) if None in span else span for span in zip(told_from, told_to, strict=True)]
        a["told_from"][at], a["told_to"][at] = zip(*told, strict=True)
        for seq, thread in zip(seqs, threads, strict=True):
            if thread is not None:
                self._follow(seq, thread)

    def _follow(self, seq: int, thread: str) -> None:
        """A document goes on where its thread had come to."""
        a, number = self._arrays, self._threads.setdefault(thread, len(self._threads))
        before = self._last.get(number, NOWHERE)
        a["thread"][seq], a["prev"][seq] = number, before
        if before != NOWHERE:
            a["next"][before] = seq
        self._last[number] = seq


class Cache:
    """Posting lists, columns, vectors and speakers of one space's scopes, and what they reject; safe for threads."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder
        self._matrices: dict[int, Matrix] = {}
        self._lists: OrderedDict[tuple[int, str, Shelf], tuple[int, IntArray]] = OrderedDict()
        self._scopes: dict[int, _Scope] = {}
        self._speakers: dict[int, tuple[int, dict[str, int]]] = {}
        self._unlisted: dict[int, tuple[int, IntArray]] = {}
        self._sizes: OrderedDict[tuple[int, int], int] = OrderedDict()
        self._erasures: dict[int, int] = {}
        self._lock = threading.RLock()
        self.looked = Looked()

    def _heed(self, scope: ScopeRow) -> None:
        """Forget all that is kept of a scope in which words were erased since: terms and names are words, too."""
        number = scope.scope_no
        if self._erasures.get(number, 0) == scope.erasures:
            return
        self._erasures[number] = scope.erasures
        for key in [k for k in self._lists if k[0] == number]:
            del self._lists[key]
        self._scopes.pop(number, None)
        self._matrices.pop(number, None)
        self._speakers.pop(number, None)
        self._unlisted.pop(number, None)
        self.looked.forget()

    def postings(self, reader: Reader, scope: ScopeRow, term: str, shelf: Shelf) -> IntArray:
        """Places in the scope of the documents with a term, ascending."""
        key = (scope.scope_no, term, shelf)
        with self._lock:
            self._heed(scope)
            held = self._lists.get(key)
            if held is not None and held[0] == scope.changed:
                self._lists.move_to_end(key)
                return held[1]
        text = reader.postings(scope.scope_no, term, shelf)
        found = np.sort(np.fromstring(text, dtype=np.int64, sep=",")) if text else np.zeros(0, dtype=np.int64)
        with self._lock:
            self._lists[key] = (scope.changed, found)
            while len(self._lists) > CACHED_LISTS:
                self._lists.popitem(last=False)
        return found

    def size_at(self, reader: Reader, scope: ScopeRow, known_at: int) -> int:
        """How many documents a scope had by an instant: they are numbered in the order they were received in."""
        low = scope.scope_no << SEQ_BITS
        if not scope.next_seq or reader.received(low + scope.next_seq - 1) <= known_at:
            return scope.next_seq
        key = (scope.scope_no, known_at)
        with self._lock:
            held = self._sizes.get(key)
        if held is None:
            held = bisect.bisect_right(range(scope.next_seq), known_at, key=lambda seq: reader.received(low + seq))
            with self._lock:
                self._sizes[key] = held
                while len(self._sizes) > CACHED_SIZES:
                    self._sizes.popitem(last=False)
        return held

    def columns(self, reader: Reader, scope: ScopeRow) -> Columns:
        """The columns of a scope's documents; rows written after this snapshot are never reached from it."""
        with self._lock:
            self._heed(scope)
            held = self._scopes.get(scope.scope_no)
            if held is None:
                held = self._scopes[scope.scope_no] = _Scope()
            return held.upto(reader, scope)

    def vectors(self, reader: Reader, scope: ScopeRow) -> Vectors:
        """The vectors of a scope's documents, read anew where any of them was made of other words since."""
        assert self.embedder is not None
        with self._lock:
            self._heed(scope)
            held = self._matrices.get(scope.scope_no)
            if held is None or held.state != (scope.erasures, scope.reworded):
                held = self._matrices[scope.scope_no] = Matrix(scope, self.embedder)
            return held.upto(reader, scope)

    def speakers(self, reader: Reader, scope: ScopeRow) -> dict[str, int]:
        """Speaker names of a scope with their numbers."""
        with self._lock:
            self._heed(scope)
            held = self._speakers.get(scope.scope_no)
            if held is None or held[0] != scope.changed:
                held = (scope.changed, reader.speakers(scope.scope_id))
                self._speakers[scope.scope_no] = held
            return held[1]

    def unlisted(self, reader: Reader, scope: ScopeRow) -> IntArray:
        """Places in the scope of threaded documents that the default gate keeps back."""
        with self._lock:
            self._heed(scope)
            held = self._unlisted.get(scope.scope_no)
            if held is None or held[0] != scope.changed:
                held = (scope.changed, np.array(reader.unlisted(scope.scope_no), dtype=np.int64) & SEQ_MASK)
                self._unlisted[scope.scope_no] = held
            return held[1]


def flag(flags: NDArray[np.int8], which: int) -> NDArray[np.bool_]:
    """One flag of many documents."""
    assert which in (QUESTION, TIME_WORDS)
    return (flags & which) != 0
