"""The file of word vectors: how it is laid out, and opened without being read."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Final, NamedTuple

MAGIC: Final = b"FHWORDS1"
HEADER: Final = struct.Struct("<8sIII")
"""The mark, how many words, dimensions of each, bytes of the words' text."""
PIECE: Final = "##"
"""Before what is only the rest of a longer word."""
ONE: Final = 4_096
"""The weight of the rarest word, and the size of the largest step."""


class WordFile(NamedTuple):
    """Words with their rows; weights, steps and vectors stay in the file until they are looked at."""

    rows: dict[str, int]
    dimension: int
    weights: memoryview
    steps: memoryview
    vectors: memoryview


def open_words(path: Path) -> WordFile:
    """Map the file; only its words are read."""
    with path.open("rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    magic, count, dimension, size = HEADER.unpack_from(data)
    assert magic == MAGIC, "the file of word vectors is another one"
    start = HEADER.size + size
    words = bytes(data[HEADER.size : start]).decode().rstrip("\n").split("\n")
    assert len(words) == count
    weights, steps = (data[at : at + 2 * count].cast("H") for at in (start, start + 2 * count))
    return WordFile(
        dict(zip(words, range(count), strict=True)), dimension, weights, steps, data[start + 4 * count :].cast("b")
    )
