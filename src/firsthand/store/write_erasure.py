"""Writes that destroy: the words of entries, and all that was made of them."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Final

from firsthand.ports import SEQ_BITS, UNLISTED, DocRow, Shelf
from firsthand.store.engine import SqlValue
from firsthand.store.remembering import Remembering
from firsthand.store.snapshot import encoded

INDEXES: Final[dict[Shelf, str]] = {1: "lex", 2: "lex_rest"}


class ErasureWrites(Remembering, abc.ABC):
    """What an erasure changes in its transaction; the file itself is cleaned once that is committed."""

    _waiting: dict[Shelf, dict[int, str]]

    def _run(self, query: str, *values: SqlValue) -> None:
        self._connection.execute(self._q[query], (self._space, *values))

    @abc.abstractmethod
    def _write_waiting(self) -> None:
        """Index the words that wait."""

    @abc.abstractmethod
    def _drop_vector(self, vid: int) -> None:
        """Forget a document's vector."""

    @abc.abstractmethod
    def _counted_as_erased(self, scope_id: str) -> None:
        """Count one document of a scope as changed and erased, to be written when the transaction ends."""

    def blank_body(self, entry_id: str) -> None:
        """Destroy the words of an entry that an erase entry of this transaction names."""
        self._run("blank_body", entry_id)

    def blank_doc(self, scope_id: str, doc: DocRow) -> None:
        """Forget what a document's words gave: its columns and its terms."""
        self._run("blank_doc", doc.vid)
        self._drop_vector(doc.vid)
        if doc.shelf != UNLISTED:
            if self._waiting[doc.shelf].pop(doc.vid, None) is None:
                self._connection.execute(f"DELETE FROM {INDEXES[doc.shelf]} WHERE rowid = ?", (doc.vid,))
            self._waiting[doc.shelf][doc.vid] = ""
        self._counted_as_erased(scope_id)

    def drop_mention(self, scope_id: str, name: str, vid: int) -> None:
        """A document no longer mentions a name."""
        self._run("drop_mention", scope_id, name, vid)

    def drop_name(self, what: str, name_id: str) -> None:
        """Forget the words behind an opaque id."""
        if what == "scope":
            self._connection.execute(self._q["name_scope"], (None, self._space, name_id))
            row = self.scope(name_id)
            if row is not None:
                self._scopes[name_id] = row._replace(name=None)
        else:
            self._run("put_name", what, name_id, None)
        self._names.pop((what, name_id), None)

    def drop_relations(self, record_id: str) -> None:
        """Forget the edges that begin at a record."""
        self._run("drop_relations", record_id)

    def renumber_speakers(self, scope_id: str) -> None:
        """Speakers are those still heard in a scope, numbered as if no other had ever spoken there."""
        scope = self.scope(scope_id)
        if scope is None:
            return
        low, high = scope.scope_no << SEQ_BITS, (scope.scope_no + 1) << SEQ_BITS
        heard = self._connection.execute(self._q["heard"], (scope_id, self._space, low, high)).fetchall()
        numbers = {was: now for now, (_, was, _) in enumerate(heard)}
        if numbers == self._numbers_of(scope_id):
            return
        self._run("drop_speakers", scope_id)
        for name, was, _ in heard:
            self._run("number_speaker", scope_id, numbers[was], name)
        self._connection.execute(
            self._q["renumber_speakers"], (encoded({str(k): v for k, v in numbers.items()}), self._space, low, high)
        )
        self._speakers.clear()

    def _numbers_of(self, scope_id: str) -> dict[int, int]:
        """Every number given in a scope, as itself: what a renumbering has to say when it changes nothing."""
        return {number: number for number in self.speakers(scope_id).values()}

    def drop_deliveries(self, record_ids: Iterable[str]) -> None:
        """Forget which recalls delivered records, and what those packets said in sum."""
        for record_id in record_ids:
            self._connection.execute(self._q["blank_receipts"], (self._space, record_id))
            self._run("drop_deliveries", record_id)

    def optimise_words(self) -> None:
        """Rewrite the word indexes: a deleted term's bytes stay in them until then."""
        self._write_waiting()
        for index in INDEXES.values():
            self._connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")

    def put_certificate(self, entry_id: str, at: int, report: str, *, cleaned: bool) -> None:
        """Keep what is known of an erasure."""
        self._run("put_certificate", entry_id, at, report, cleaned)
