"""What one process keeps of a space between recalls: posting lists, columns of documents, rejections.

All follow the space. New documents are added to a posting list, and it is dropped as soon as an older document of its
scope goes or changes. A document's columns are read when it is first looked at; they never change but by an erasure,
which drops them all, or by the next document of its thread. Vectors are kept until words are masked. So a ranking never
depends on what this process read before (design 04), and what a recall reads of documents does not grow with the scope.
"""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from firsthand.ports import SEQ_BITS, ColumnsRow, Embedder, Embedding, Reader, ScopeRow, Shelf
from firsthand.recall.rejections import Looked
from firsthand.recall.score import IntArray, distinct
from firsthand.recall.vectors import Matrix, Vectors
from firsthand.rules.wording import QUESTION, TIME_WORDS
from firsthand.vocabulary.kinds import KINDS, Kind

CACHED_POSTINGS: Final = 1 << 23
"""Places in all posting lists together, of eight bytes each."""
CACHED_SIZES: Final = 1_024
GROW_ROWS: Final = 1_024
SEQ_MASK: Final = (1 << SEQ_BITS) - 1
NOWHERE: Final = -1

Column = Literal["thread", "prev", "next", "speaker", "kind", "flags", "occurred", "told_from", "told_to"]
_TYPES: Final[dict[Column, type[np.generic]]] = {
    "thread": np.int32,
    "prev": np.int64,
    "next": np.int64,
    "speaker": np.int32,
    "kind": np.int8,
    "flags": np.int8,
    "occurred": np.int64,
    "told_from": np.int64,
    "told_to": np.int64,
}
_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}


class Postings(NamedTuple):
    """A posting list, how far its scope went when it was read, and what had changed by then of older documents."""

    upto: int
    changes: int
    places: IntArray
    cut: bool
    """Whether there are older ones, which were too many."""

    def serves(self, most: int) -> bool:
        """Whether it holds so many, or all there are."""
        return not self.cut or len(self.places) >= most


class Columns(NamedTuple):
    """The columns of some documents, in their order."""

    arrays: dict[Column, NDArray[Any]]
    slots: NDArray[np.int32]

    def of(self, column: Column) -> NDArray[Any]:
        """One of them."""
        return self.arrays[column][self.slots]


class _Held:
    """The columns of those documents of one scope that were looked at, one slot each; threads are numbered."""

    def __init__(self) -> None:
        self._slots = np.zeros(0, dtype=np.int32)
        """By place in the scope, the slot of a document; 0 is nobody's."""
        self._filled = 1
        self._arrays: dict[Column, NDArray[Any]] = {n: np.zeros(GROW_ROWS, dtype=t) for n, t in _TYPES.items()}
        self._last_at = np.zeros(GROW_ROWS, dtype=np.int64)
        """How far the scope went when a document was found to be the last of its thread; 0 where that is settled."""
        self._threads: dict[str, int] = {}

    def get(self, reader: Reader, scope: ScopeRow, places: IntArray) -> Columns:
        """The columns of some documents; those that are not known yet are read."""
        self._make_room(scope.next_seq)
        slots = self._slots[places]
        stale = (slots == 0) | ((self._last_at[slots] > 0) & (self._last_at[slots] < scope.next_seq))
        if stale.any():
            wanted = distinct(places[stale])
            rows = reader.columns(scope.scope_no, wanted.tolist())
            assert len(rows) == len(wanted), "every document number of a scope below its next one is taken"
            self._put(rows, scope.next_seq)
            slots = self._slots[places]
        return Columns(self._arrays, slots)

    def _make_room(self, size: int) -> None:
        if size > len(self._slots):
            self._slots = _longer(self._slots, max(size, len(self._slots) * 2))

    def _put(self, rows: Sequence[ColumnsRow], size: int) -> None:
        """A column at a time."""
        places, kinds, threads, before, after, speakers, occurred, flags, told_from, told_to = zip(*rows, strict=True)
        self._take_slots(np.array(places, dtype=np.int64))
        a, at = self._arrays, self._slots[list(places)]
        a["kind"][at], a["flags"][at] = [_KIND_NUMBERS[kind] for kind in kinds], flags
        numbers = self._threads
        a["thread"][at] = [NOWHERE if t is None else numbers.setdefault(t, len(numbers)) for t in threads]
        a["prev"][at] = [NOWHERE if place is None else place for place in before]
        a["next"][at] = [NOWHERE if place is None else place for place in after]
        a["speaker"][at] = [NOWHERE if speaker is None else speaker for speaker in speakers]
        a["occurred"][at] = [0 if instant is None else instant for instant in occurred]
        told = [(0, 0) if None in span else span for span in zip(told_from, told_to, strict=True)]
        a["told_from"][at], a["told_to"][at] = zip(*told, strict=True)
        self._last_at[at] = np.where((a["thread"][at] != NOWHERE) & (a["next"][at] == NOWHERE), size, 0)

    def _take_slots(self, places: IntArray) -> None:
        new = places[self._slots[places] == 0]
        stop = self._filled + len(new)
        room = len(self._last_at)
        if stop > room:
            room = max(stop, room * 2)
            self._arrays = {name: _longer(array, room) for name, array in self._arrays.items()}
            self._last_at = _longer(self._last_at, room)
        self._slots[new] = np.arange(self._filled, stop, dtype=np.int32)
        self._filled = stop


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    grown = np.zeros(size, dtype=array.dtype)
    grown[: len(array)] = array
    return grown


class Cache:
    """Posting lists, columns, vectors and speakers of one space's scopes, and what they reject; safe for threads."""

    def __init__(self, embedder: Embedder | None = None, *, one_shot: bool = False) -> None:
        self.embedder = embedder
        self.one_shot = one_shot
        """Whether so little is asked that it does not pay to read every vector of a scope."""
        self._matrices: dict[int, Matrix] = {}
        self._lists: OrderedDict[tuple[int, str, Shelf], Postings] = OrderedDict()
        self._kept = 0
        self._held: dict[int, _Held] = {}
        self._of_kinds: dict[tuple[int, tuple[Kind, ...]], tuple[int, IntArray]] = {}
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
            self._kept -= len(self._lists.pop(key).places)
        self._held.pop(number, None)
        self._matrices.pop(number, None)
        self._speakers.pop(number, None)
        self._unlisted.pop(number, None)
        self.looked.forget()

    def postings(self, reader: Reader, scope: ScopeRow, term: str, shelf: Shelf, most: int) -> tuple[IntArray, bool]:
        """Places in the scope of the newest documents with a term, ascending, and whether there are more than `most`.

        Some may be beyond this snapshot. A new document counts as one change, and any other change is one
        of an older document.
        """
        key = (scope.scope_no, term, shelf)
        changes = scope.changed - scope.next_seq
        with self._lock:
            self._heed(scope)
            held = self._lists.get(key)
            if held is not None and (held.changes != changes or not held.serves(most)):
                held = None
            if held is not None and held.upto >= scope.next_seq:
                self._lists.move_to_end(key)
                return _newest(held, most)
        if held is None:
            held = Postings(0, changes, np.zeros(0, dtype=np.int64), False)
        new = _places(reader.postings(scope.scope_no, term, shelf, held.upto, most + 1))
        if len(new) > most:
            found = Postings(scope.next_seq, changes, new[1:], True)
        else:
            places = np.concatenate((held.places, new)) if len(new) else held.places
            found = Postings(scope.next_seq, changes, places, held.cut)
        with self._lock:
            self._keep(key, found)
        return _newest(found, most)

    def _keep(self, key: tuple[int, str, Shelf], found: Postings) -> None:
        """Keep a posting list, and let go of those that were not asked for longest."""
        known = self._lists.pop(key, None)
        self._kept += len(found.places) - (len(known.places) if known is not None else 0)
        self._lists[key] = found
        while self._kept + len(self._lists) > CACHED_POSTINGS:
            _, dropped = self._lists.popitem(last=False)
            self._kept -= len(dropped.places)

    def of_kinds(self, reader: Reader, scope: ScopeRow, kinds: tuple[Kind, ...]) -> IntArray:
        """Places in the scope of the documents of some kinds, ascending; a document's kind never changes."""
        with self._lock:
            upto, places = self._of_kinds.get((scope.scope_no, kinds), (0, np.zeros(0, dtype=np.int64)))
            if upto < scope.next_seq:
                new = _places(reader.of_kinds(scope.scope_no, kinds, upto, scope.next_seq))
                upto, places = scope.next_seq, np.concatenate((places, new))
                self._of_kinds[scope.scope_no, kinds] = upto, places
            return places if upto == scope.next_seq else places[: np.searchsorted(places, scope.next_seq)]

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

    def columns(self, reader: Reader, scope: ScopeRow, places: IntArray) -> Columns:
        """The columns of documents of a scope, by their places in it."""
        with self._lock:
            self._heed(scope)
            held = self._held.get(scope.scope_no)
            if held is None:
                held = self._held[scope.scope_no] = _Held()
            return held.get(reader, scope, places)

    def vectors(self, reader: Reader, scope: ScopeRow, held: Embedding) -> Vectors:
        """The vectors of a scope's documents, read anew where any was made since of other words or in another way."""
        assert self.embedder is not None
        with self._lock:
            self._heed(scope)
            matrix = self._matrices.get(scope.scope_no)
            if matrix is None or matrix.state != (scope.erasures, scope.reworded, held.generation):
                matrix = self._matrices[scope.scope_no] = Matrix(scope, self.embedder, held)
            return matrix.upto(reader, scope, held)

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


def _newest(held: Postings, most: int) -> tuple[IntArray, bool]:
    """The newest places of a list, and whether there are more."""
    return (held.places[-most:], True) if len(held.places) > most else (held.places, held.cut)


def _places(text: str) -> IntArray:
    """Places that come comma-separated, ascending; a stable sort is quick where they are in order or turned round."""
    return np.sort(np.fromstring(text, dtype=np.int64, sep=","), kind="stable") if text else np.zeros(0, dtype=np.int64)


def flag(flags: NDArray[np.int8], which: int) -> NDArray[np.bool_]:
    """One flag of many documents."""
    assert which in (QUESTION, TIME_WORDS)
    return (flags & which) != 0
