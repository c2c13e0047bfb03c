"""Our own embedder: the mean of a text's word vectors, rare words counting more. No model runs, nothing is asked of.

It adds whole numbers, so the same text has the same vector, byte for byte, on every machine and in any order of words;
and it needs numpy only where there is much to embed: a process that embeds one text does so before numpy is loaded.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from firsthand.inference.words import ONE, PIECE, WordFile, open_words
from firsthand.ports import Said, Scale
from firsthand.rules.wordlists import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS: Final = Path(__file__).parents[1] / "data" / "words.bin"
IDENTITY: Final = "firsthand-words-1"
"""Of the file and of the way its words are put together: whatever makes other vectors has another name."""
DIMENSION: Final = 256
LENGTH: Final = 400
"""Of a vector, in steps of its int8 numbers: a dimension of 256 is a sixteenth of it, and five times that fits."""
WORDS_READ: Final = 512
"""What a text is about is clear by then; and so many fit into 32 bits, their squares into 64."""
SHORTEST_PIECE: Final = 3
LONGEST_WORD: Final = 32
FEW: Final = 64
"""How many texts a process embeds before it loads numpy for them, which costs as much."""
BLOCK: Final = 128
ONE_BY_ONE: Final = 4
"""So few texts are added up each for itself; more of them together, a block at a time."""
_MOST: Final = 127
_WHOLE_SHIFT: Final = 13
_PIECE_SHIFT: Final = 14
_UNSAID: Final = -1


class StaticEmbedder:
    """Text as a vector of int8 numbers; safe for threads. The file of words is opened by the first text."""

    identity = IDENTITY
    dimension = DIMENSION
    length = LENGTH
    scale = Scale()
    is_exact = True
    is_remote = False

    def __init__(self, path: Path = WORDS) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._opened: tuple[WordFile, dict[str, int]] | None = None
        self._arrays: tuple[NDArray[np.int32], NDArray[np.int8]] | None = None
        self._done = 0

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        """One int8 vector of `dimension` bytes per text, made of its words; an empty one where none is known."""
        said = [self._said(each.words) for each in texts]
        self._done += len(said)
        if self._done <= FEW and "numpy" not in sys.modules:
            return [self._one(rows) for rows in said]
        if len(said) <= ONE_BY_ONE:
            return [self._one_of_few(rows) for rows in said]
        found: list[bytes] = []
        for start in range(0, len(said), BLOCK):
            found += self._many(said[start : start + BLOCK])
        return found

    def ask(self, query: Said) -> bytes:
        """The vector of a question."""
        return self.embed([query])[0]

    def forget(self) -> None:
        """It remembers nothing of any text."""

    # ---- words -----------------------------------------------------------------------------------------------------

    def _words(self) -> tuple[WordFile, dict[str, int]]:
        if self._opened is None:
            with self._lock:
                if self._opened is None:
                    file = open_words(self._path)
                    assert file.dimension == DIMENSION
                    known = file.rows | dict.fromkeys((word.replace("'", "") for word in STOP_WORDS), _UNSAID)
                    self._opened = file, known
        return self._opened

    def _said(self, words: Sequence[str]) -> list[int]:
        """The rows of a text's words; those of pieces are counted on from the last row."""
        file, known = self._words()
        found: list[int] = []
        for token in words:
            row = known.get(token)
            if row is None:
                found += _rows_of(token, known, len(file.rows))
            elif row != _UNSAID:
                found.append(row)
            if len(found) >= WORDS_READ:
                break
        return found[:WORDS_READ]

    # ---- sums ------------------------------------------------------------------------------------------------------

    def _one(self, said: Iterable[int]) -> bytes:
        """The vector of some rows, without numpy."""
        file, _ = self._words()
        total = [0] * DIMENSION
        for row in said:
            at = row % len(file.rows)
            share = file.weights[at] * file.steps[at] >> _WHOLE_SHIFT if at == row else _piece(file.steps[at])
            vector = file.vectors[at * DIMENSION : (at + 1) * DIMENSION]
            total = [t + share * v for t, v in zip(total, vector, strict=True)]
        square = sum(t * t for t in total)
        if not square:
            return b""
        size = math.sqrt(square)
        made = (max(-_MOST, min(_MOST, round(t * LENGTH / size))) for t in total)
        return bytes(number & 0xFF for number in made)

    def _one_of_few(self, said: Sequence[int]) -> bytes:
        """The same with numpy, in as few steps as there are."""
        import numpy as np

        shares, vectors = self._loaded(np)
        rows = np.array(said, dtype=np.int64)
        total = shares[rows] @ vectors[rows % len(vectors)].astype(np.int32)
        total = total.astype(np.int64)
        square = int(total @ total)
        if not square:
            return b""
        made = np.rint(total * LENGTH / math.sqrt(square))
        return np.minimum(np.maximum(made, -_MOST), _MOST).astype(np.int8).tobytes()

    def _many(self, said: Sequence[Sequence[int]]) -> list[bytes]:
        """The same for many at once."""
        import numpy as np

        shares, vectors = self._loaded(np)
        rows = np.array([row for of_one in said for row in of_one], dtype=np.int64)
        if not len(rows):
            return [b""] * len(said)
        sizes = np.array([len(of_one) for of_one in said])
        some = sizes > 0
        starts = (np.cumsum(sizes) - sizes)[some]
        weighed = vectors[rows % len(vectors)] * shares[rows][:, None]
        total = np.add.reduceat(weighed, starts, axis=0, dtype=np.int32).astype(np.int64)
        size = np.sqrt((total * total).sum(axis=1).astype(np.float64))
        # Where everything cancels out, which leaves no vector, nothing is divided by one.
        made = np.rint(total * LENGTH / np.maximum(size, 1)[:, None])
        packed = np.minimum(np.maximum(made, -_MOST), _MOST).astype(np.int8)
        found = [b""] * len(said)
        for at, own, long in zip(np.flatnonzero(some).tolist(), packed, size.tolist(), strict=True):
            found[at] = own.tobytes() if long else b""
        return found

    def _loaded(self, np: Any) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Each row's share in a sum, those of pieces after them, and the vectors as they lie in the file."""
        if self._arrays is None:
            file, _ = self._words()
            weights, steps = (np.frombuffer(p, dtype=np.uint16).astype(np.int64) for p in (file.weights, file.steps))
            shares = np.concatenate((weights * steps >> _WHOLE_SHIFT, ONE * steps >> _PIECE_SHIFT)).astype(np.int32)
            self._arrays = shares, np.frombuffer(file.vectors, dtype=np.int8).reshape(-1, DIMENSION)
        return self._arrays


def _piece(step: int) -> int:
    """A piece says half of what a whole rare word says."""
    return ONE * step >> _PIECE_SHIFT


def _rows_of(token: str, known: dict[str, int], count: int) -> list[int]:
    """The rows of a word that is not known as it stands: without its ending, or else of the pieces it is made of.

    Numbers and names with numbers in them have none: nothing is like them but themselves.
    """
    word = token.partition("'")[0] if "'" in token else token
    row = known.get(token.replace("'", ""), known.get(word))
    if row is not None:
        return [row] if row != _UNSAID else []
    if not word.isalpha() or len(word) > LONGEST_WORD:
        return []
    found: list[int] = []
    at = 0
    while at <= len(word) - SHORTEST_PIECE:
        for end in range(len(word), at + SHORTEST_PIECE - 1, -1):
            row = known.get(f"{PIECE}{word[at:end]}" if at else word[:end])
            if row is not None and row != _UNSAID:
                found.append(row + count)
                at = end
                break
        else:
            at += 1
    return found
