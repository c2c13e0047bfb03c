"""Writes of vectors: in the transaction that writes the words they are made of, and gone when those go."""

from __future__ import annotations

from firsthand.ports import Embedder, Said
from firsthand.rules.wording import Indexed
from firsthand.store.engine import Connection
from firsthand.store.remembering import Remembering
from firsthand.vocabulary.errors import BrokenError

NO_EMBEDDER = ""
"""Says that a space lacks vectors: somebody wrote to it who had no embedder, or another one than made the others."""


class VectorWrites(Remembering):
    """Vectors of one space, all by one embedder. Words wait, so that many are embedded together."""

    def __init__(
        self, connection: Connection, queries: dict[str, str], space: str, embedder: Embedder | None = None
    ) -> None:
        super().__init__(connection, queries, space)
        self._embedder = embedder
        self._unsaid: dict[int, Said] = {}
        self._embeds: bool | None = None

    def _pin(self, position: int) -> None:
        """Say by whom the vectors of this space are, or that some will be missing: asked anew if somebody else wrote.

        `position`: of the entry that is projected. What follows from an entry needs what follows from those before it.
        """
        if self._embeds is not None:
            return
        own, held = self._own_identity, self.embedding()
        if held is None and position > 1:
            raise BrokenError(
                "space_unprojected", "the ledger could not be replayed when the file was opened; verify says why",
                next_action="none",
            )  # fmt: skip
        if held != own:
            self._connection.execute(self._q["put_embedding"], (self._space, own if held is None else NO_EMBEDDER))
        self._embeds = held in (None, own) and own != NO_EMBEDDER

    @property
    def _own_identity(self) -> str:
        return self._embedder.identity if self._embedder is not None else NO_EMBEDDER

    def _embed(self, vid: int, indexed: Indexed) -> None:
        """Give a document that has none the vector of its words, when the transaction ends."""
        if indexed.words and self._embeds:
            self._unsaid[vid] = Said(indexed.words, indexed.text)

    def _drop_vector(self, vid: int) -> None:
        if self._unsaid.pop(vid, None) is None:
            self._connection.execute(self._q["drop_vector"], (self._space, vid))

    def _write_vectors(self) -> None:
        """The vectors of the words that wait."""
        if self._unsaid and self._embedder is not None:
            vids = sorted(self._unsaid)
            made = self._embedder.embed([self._unsaid[vid] for vid in vids])
            rows = [(self._space, vid, packed) for vid, packed in zip(vids, made, strict=True) if packed]
            self._unsaid.clear()
            self._connection.executemany(self._q["put_vector"], rows)
