"""Every plug in the wall: a store, a clock, an embedder, a reranker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from firsthand.ports.reading import Reader
from firsthand.ports.rows import Head, JournalRow, Residue, Scrubbed
from firsthand.ports.writing import Writer

if TYPE_CHECKING:
    from firsthand.rules.residue import Needle

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


class Store(Protocol):
    """One database file or server: every space in it. `embedder` makes the vectors of what is written."""

    embedder: Embedder | None

    def reading(self, space: str) -> AbstractContextManager[Reader]:
        """A snapshot of a space for as long as the context lasts."""
        ...

    def writing(self, space: str) -> AbstractContextManager[Writer]:
        """The append lock and a transaction: committed at the end, rolled back on an error."""
        ...

    def use(self, embedder: Embedder | None) -> None:
        """Have another embedder make the vectors of what is written from now on."""
        ...

    def journal(self, space: str, rows: Sequence[JournalRow]) -> None:
        """Write receipts in one group, durably only in the end (design 04)."""
        ...

    def space_key(self, space: str) -> bytes:
        """The key under which names of a space become digests; made on first use and kept beside the database."""
        ...

    def copy_to(self, path: Path, progress: Progress | None) -> tuple[dict[str, Head], list[Path]]:
        """Copy everything as one consistent state, and what is kept beside it; each space's end, the files kept."""
        ...

    def device_key(self, space: str) -> bytes:
        """The secret with which this store signs; made on first use and kept beside the database."""
        ...

    def check(self, space: str) -> list[str]:
        """What the engine finds wrong with its own pages and indexes, in words without content."""
        ...

    def scrub(self) -> Scrubbed:
        """Clean the file of what deleted rows left in it: the log, and pages that hold nothing any more."""
        ...

    def sweep(self, needles: Sequence[Needle], terms: Sequence[str], vectors: Sequence[bytes] = ()) -> list[Residue]:
        """Where the files hold any of these bytes, the word indexes all of these terms, and what is left of vectors.

        A vector that words which stay have as well is not looked for in the files.
        """
        ...

    def rehearse(
        self,
        folder: Path,
        canary: str,
        planted: Mapping[str, bytes],
        needles: Sequence[Needle],
        vectors: Sequence[bytes],
    ) -> dict[str, int]:
        """How often a sweep finds a canary in each place of a store made for it, and each planted form in a file."""
        ...

    def files(self) -> list[str]:
        """The names of the store's files."""
        ...

    def facts(self) -> dict[str, object]:
        """Where the store is, its size, engine and schema version."""
        ...

    def close(self) -> None:
        """Release every handle."""
        ...


class Clock(Protocol):
    """The time, in microseconds UTC."""

    def now(self) -> int:
        """This instant."""
        ...


class Said(NamedTuple):
    """A text to make a vector of: its normalised words in order, and as people read it, without what is masked."""

    words: Sequence[str]
    text: str


class Scale(NamedTuple):
    """How the cosine of two vectors becomes a likeness: what is unlike is near `zero`, and `gain` stretches the rest.

    A likeness of 0.35 is what one in twenty pairs of texts about nothing in common reaches.
    """

    zero: float = 0.0
    gain: float = 1.0


class Embedder(Protocol):
    """Text as a vector; the vector arm degrades with a code where there is none.

    `identity` names whatever makes other vectors: those of two names are never compared. `length` is that of a vector.
    `is_exact`: the same text has the same bytes on every machine, so a replay may make them again. `is_remote`: another
    machine is asked, so no write waits for it and not every text may be sent; until its first answer `dimension` is 0.
    """

    @property
    def is_exact(self) -> bool:
        """Whether a text has the same vector, byte for byte, wherever it is made."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether another machine is asked."""
        ...

    @property
    def identity(self) -> str:
        """The name of this way to make vectors."""
        ...

    @property
    def dimension(self) -> int:
        """How many bytes a vector has."""
        ...

    @property
    def length(self) -> int:
        """How long a vector is, in steps of its int8 numbers."""
        ...

    @property
    def scale(self) -> Scale:
        """What makes a likeness of the cosine of two of its vectors."""
        ...

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        """One int8 vector per text, whatever is beside it; an empty one where nothing of it is known."""
        ...

    def ask(self, query: Said) -> bytes:
        """The vector of a question, soon or not at all."""
        ...

    def forget(self) -> None:
        """Empty what it remembers of texts it was given, and close what it opened; it may be asked again."""
        ...


class Reranker(Protocol):
    """How well texts answer a query, by a model that reads both; what it reads the caller may see anyway."""

    @property
    def identity(self) -> str:
        """The name of this way to judge."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """From 0 to 1 for each text, whatever is beside it."""
        ...
