"""Writes of vectors: in the transaction that writes the words they are made of, or pending; gone when those go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from firsthand.ports import KEPT_BACK, NOBODY, Embedder, Embedding, Said
from firsthand.rules.wording import Indexed
from firsthand.store.engine import Connection, SqlValue
from firsthand.store.remembering import Remembering
from firsthand.vocabulary.errors import BrokenError

_UNMADE: Final = Embedding(NOBODY, None, 0, 0, "", None)


class VectorWrites(Remembering):
    """Vectors of one space, all by one embedder; who writes with another one, or with none, leaves them pending.

    Words wait, so that many are embedded together.
    """

    def __init__(
        self, connection: Connection, queries: dict[str, str], space: str, embedder: Embedder | None = None
    ) -> None:
        super().__init__(connection, queries, space)
        self._embedder = embedder
        self._unsaid: dict[int, Said] = {}
        self._at_once: bool | None = None
        self._holds: bool | None = None
        self._keeping = False

    # ---- whose they are --------------------------------------------------------------------------------------------

    def _pin(self, position: int) -> None:
        """Say by whom the vectors of this space are, unless it is known: asked anew if somebody else wrote.

        `position`: of the entry that is projected. What follows from an entry needs what follows from those before it.
        """
        if self._at_once is not None:
            return
        held = self._projected(position > 1)
        if held is None or (held.identity == NOBODY and self._embedder is not None):
            held = self._take(held or _UNMADE)
        self._at_once = self._is_ours(held) and not self._is_remote

    def _projected(self, has_entries: bool) -> Embedding | None:
        """By whom the vectors are, if the space is one whose projections could be made."""
        held = self.embedding()
        if held is None and has_entries:
            raise BrokenError(
                "space_unprojected", "the ledger could not be replayed when the file was opened; verify says why",
                next_action="none",
            )  # fmt: skip
        return held

    def pin(self) -> None:
        """Say that the vectors of this space are by our embedder, if they are nobody's yet."""
        held = self.embedding()
        if held is not None and held.identity == NOBODY and self._embedder is not None:
            self._take(held)
            self._at_once = None

    def _take(self, held: Embedding) -> Embedding:
        """Pin a space that is nobody's to our embedder, if we have one."""
        own = self._embedder
        if own is not None:
            sent_to = held.sent_to.split("\n") if held.sent_to else []
            if own.is_remote and own.identity not in sent_to:
                sent_to.append(own.identity)
            held = held._replace(
                identity=own.identity, dimension=own.dimension or None, sent_to="\n".join(sent_to), code=None
            )
        self._put_embedding(held)
        return held

    def _is_ours(self, held: Embedding) -> bool:
        return self._embedder is not None and held.identity == self._embedder.identity

    @property
    def _is_remote(self) -> bool:
        return self._embedder is not None and self._embedder.is_remote

    def _put_embedding(self, held: Embedding) -> None:
        self._connection.execute(self._q["put_embedding"], (self._space, *held))

    def note_failure(self, code: str | None) -> None:
        """Keep how an endpoint failed last, or that it did not."""
        held = self.embedding()
        if held is not None and held.code != code:
            self._put_embedding(held._replace(code=code))

    def renew_vectors(self) -> None:
        """Forget every vector of the space, pin it to our embedder, and let every document wait for a vector of it."""
        held = self._projected(self.head().position > 0) or _UNMADE
        for query in ("drop_all_vectors", "drop_all_late", "drop_all_pending", "put_all_pending"):
            self._connection.execute(self._q[query], (self._space,))
        self._unsaid.clear()
        self._take(held._replace(identity=NOBODY, dimension=None, generation=held.generation + 1))
        self._at_once = self._holds = None

    # ---- with their words ------------------------------------------------------------------------------------------

    def _embed(self, vid: int, indexed: Indexed) -> None:
        """Give a document that has none the vector of its words when the transaction ends, or let it wait for one."""
        if not indexed.words:
            return
        if self._at_once and not self._keeping:
            self._unsaid[vid] = Said(indexed.words, indexed.text)
        else:
            self._connection.execute(self._q["put_pending"], (self._space, vid))

    def _drop_vector(self, vid: int) -> None:
        if self._unsaid.pop(vid, None) is None:
            if not self._keeping:
                self._connection.execute(self._q["drop_vector"], (self._space, vid))
            self._connection.execute(self._q["drop_pending"], (self._space, vid))

    def _write_vectors(self) -> None:
        """The vectors of the words that wait."""
        if self._unsaid and self._embedder is not None:
            vids = sorted(self._unsaid)
            made = self._embedder.embed([self._unsaid[vid] for vid in vids])
            self._unsaid.clear()
            self._put_vectors([(vid, packed) for vid, packed in zip(vids, made, strict=True) if packed])

    def _put_vectors(self, made: Iterable[tuple[int, bytes]]) -> None:
        self._connection.executemany(self._q["put_vector"], [(self._space, vid, packed) for vid, packed in made])

    # ---- after their words -----------------------------------------------------------------------------------------

    def behind(self, most: int) -> list[int]:
        """Documents that wait for a vector which our embedder makes in a transaction, if it is the space's own."""
        if self._at_once is None:
            held = self.embedding()
            self._at_once = held is not None and self._is_ours(held) and not self._is_remote
        return self.pending(0, most) if self._at_once else []

    def put_late(self, dimension: int, made: Sequence[tuple[int, bytes]], done: Iterable[int]) -> None:
        """Give documents vectors of the words that they have in this transaction; `done` wait no longer.

        Raises `BrokenError` if the space is another embedder's by now, or its vectors have another dimension.
        """
        held = self.embedding()
        if held is None or not self._is_ours(held):
            raise BrokenError(
                "embedder_replaced", "the vectors of this space are by another embedder by now; open it again",
                next_action="retry_same",
            )  # fmt: skip
        if made and held.dimension not in (None, dimension):
            raise BrokenError(
                "embedder_dimension_changed", "the embedder gives vectors of another dimension than those there are",
                field="embedder", next_action="reindex",
            )  # fmt: skip
        for vid in done:
            self._connection.execute(self._q["drop_pending"], (self._space, vid))
        if not made:
            return
        batch = held.late + 1
        self._put_vectors(made)
        self._connection.executemany(self._q["put_late"], [(self._space, batch, vid) for vid, _ in made])
        self._put_embedding(held._replace(dimension=dimension, late=batch))

    def lease_pending(self, vids: Iterable[int], until: int) -> None:
        """Nobody else takes these documents before an instant."""
        self._each("lease_pending", [(until, self._space, vid) for vid in vids])

    def hold_pending(self, vids: Iterable[int], held: int) -> None:
        """Documents that wait, but for something else than their turn."""
        self._each("hold_pending", [(held, self._space, vid) for vid in vids])
        self._holds = None

    def release_pending(self, held: int) -> None:
        """What was held for this reason waits for its turn again."""
        self._connection.execute(self._q["release_all_pending"], (self._space, held))
        self._holds = None

    def _stands_otherwise(self, vid: int) -> None:
        """What may not be sent as it stood waits for its turn again, now that it stands otherwise."""
        if self._holds is None:
            self._holds = self._one("held_back") is not None
        if self._holds:
            self._connection.execute(self._q["release_pending"], (self._space, KEPT_BACK, vid))

    def _each(self, query: str, rows: Sequence[tuple[SqlValue, ...]]) -> None:
        self._connection.executemany(self._q[query], rows)

    # ---- a replay --------------------------------------------------------------------------------------------------

    def _begin_vectors_anew(self) -> None:
        """A replay makes vectors again where that gives the same bytes, and otherwise keeps those that are there.

        Kept ones are not touched until it has said which documents have words on a shelf in the end.
        """
        held = self.embedding()
        exact = self._embedder is not None and self._embedder.is_exact
        self._keeping = held is not None and not (exact and (self._is_ours(held) or held.identity == NOBODY))
        self._connection.execute(self._q["drop_all_pending"], (self._space,))
        if held is not None:
            self._put_embedding(held._replace(generation=held.generation + 1))
        self._unsaid.clear()
        self._at_once = self._holds = None

    def _settle_vectors(self) -> None:
        """After a replay: no vector stays without its document, and what has a vector does not wait for one."""
        if self._keeping:
            self._keeping = False
            for query in ("drop_surplus_vectors", "drop_surplus_pending"):
                self._connection.execute(self._q[query], (self._space,))
