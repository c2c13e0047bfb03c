"""Writes of one space inside one transaction under the append lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firsthand.ports import (
    EVERY,
    LISTED,
    REST,
    SEQ_BITS,
    UNLISTED,
    Attention,
    BeliefRow,
    DocRow,
    Embedder,
    Head,
    JobRow,
    LedgerRow,
    RequestRow,
    ScopeRow,
    Shelf,
)
from firsthand.rules.bearing import STONE_KEYS
from firsthand.rules.wording import Indexed
from firsthand.store.engine import Connection
from firsthand.store.sql import PROJECTIONS
from firsthand.store.write_erasure import INDEXES, ErasureWrites
from firsthand.store.write_masks import MaskWrites
from firsthand.store.write_vectors import VectorWrites
from firsthand.vocabulary.entries import Entry, root_of
from firsthand.vocabulary.errors import BrokenError
from firsthand.vocabulary.instants import FOREVER

SCOPE_BITS = 31
"""A scope's number fits above `SEQ_BITS` in a signed 64-bit document number."""
WAITING_DOCUMENTS: Final = 2_000
"""How many documents' words wait to be indexed together."""


class SqliteWriter(VectorWrites, ErasureWrites, MaskWrites):
    """One open transaction: what it reads includes what it wrote.

    Nobody else can write while it lasts, so what it read or wrote is remembered and not read again; the store lets the
    next transaction go on from there if nobody wrote in between. Words wait and are indexed together at the end: FTS5
    writes a segment whenever another statement may have to be undone.
    """

    def __init__(
        self, connection: Connection, queries: dict[str, str], space: str, embedder: Embedder | None = None
    ) -> None:
        super().__init__(connection, queries, space, embedder)
        self._freed: list[int] = []
        self._counted: set[str] = set()
        self._waiting: dict[Shelf, dict[int, str]] = {LISTED: {}, REST: {}}

    def finish(self) -> None:
        """Write what waits. The next transaction may go on with what is remembered, if that has not grown too large."""
        self._write_waiting()
        self._settle_vectors()
        self._freed.clear()
        self._forget_the_surplus()

    def _write_waiting(self) -> None:
        """The words and vectors of new documents, and how many documents each scope has."""
        self._write_vectors()
        for shelf, waiting in self._waiting.items():
            if waiting:
                insert = f"INSERT INTO {INDEXES[shelf]} (rowid, terms) VALUES (?, ?)"
                self._connection.executemany(insert, sorted(waiting.items()))
                waiting.clear()
        for scope_id in sorted(self._counted):
            row = self._scopes[scope_id]
            counts = (row.next_seq, row.listed, row.rest, row.changed, row.erasures, row.reworded)
            self._connection.execute(self._q["count_scope"], (*counts, self._space, scope_id))
        self._counted.clear()

    # ---- reads of what waits ---------------------------------------------------------------------------------------

    def scope_rows(self) -> list[ScopeRow]:
        """All scopes, by number."""
        self._write_waiting()
        return super().scope_rows()

    def similar(self, scope_no: int, first: str, others: Sequence[str], limit: int) -> list[int]:
        """Listed claims of a scope with one term and any of others, newest first."""
        self._write_waiting()
        return super().similar(scope_no, first, others, limit)

    def postings(self, scope_no: int, term: str, shelf: Shelf, start: int = 0, most: int = EVERY) -> str:
        """Places in the scope of the newest documents with a term, from one place on, comma-separated, newest first."""
        self._write_waiting()
        return super().postings(scope_no, term, shelf, start, most)

    def digests(self) -> dict[str, str]:
        """One digest per projection and word index, over all its columns."""
        self._write_waiting()
        self._settle_vectors()
        return super().digests()

    # ---- writes ----------------------------------------------------------------------------------------------------

    def put_entry(self, row: LedgerRow) -> None:
        """Append an entry."""
        self._run("put_entry", *row)
        self._head = Head(row.position, row.entry_id, row.chain, row.received_at)

    def look_no_further(self, position: int) -> None:
        """While a replay is at a position: what came later is not known yet."""
        self._last_seen = position

    def forget_entries(self) -> None:
        """Read entries anew: they may be believed otherwise than before."""
        self._entries.clear()
        self._bearing.clear()
        self._trusted = None

    def put_bearings(self, entry: Entry, position: int, keys: Sequence[str], bare: Sequence[str]) -> None:
        """Say what an entry bears on, and under which keys nothing is found yet."""
        self._pin(position)
        read = self.vouched(entry)
        if read is not None:
            self._keep(read)
        self._bearing |= {key: [] for key in bare}
        if keys:
            self._connection.executemany(self._q["put_bearing"], [(self._space, key, position) for key in keys])
            for key in keys:
                if key.startswith(STONE_KEYS):
                    self._stones = True
                if read is not None and key in self._bearing:
                    self._bearing[key].append(read)
                if key in self._last_bearing:
                    self._last_bearing[key] = position

    def put_scope(self, scope_id: str, name: str | None) -> ScopeRow:
        """Number a scope, or give it its name."""
        row = self.scope(scope_id)
        if row is None:
            number = self._next_scope_no()
            self._run("put_scope", scope_id, number, name)
            row = ScopeRow(scope_id, number, name, 0, 0, 0, 0, 0, 0)
        elif name is not None and row.name != name:
            self._connection.execute(self._q["name_scope"], (name, self._space, scope_id))
            row = row._replace(name=name)
        self._scopes[scope_id] = row
        return row

    def _next_scope_no(self) -> int:
        """The file's next number; in a replay the space's own numbers again, in the order they were given."""
        if self._freed:
            return self._freed.pop(0)
        return int(self._connection.execute(self._q["highest_scope_no"]).get) + 1

    def next_vid(self, scope_id: str, shelf: Shelf) -> int:
        """Number a new document of a scope, and count it on its shelf."""
        row = self.scope(scope_id) or self.put_scope(scope_id, None)
        if row.next_seq >= 1 << SEQ_BITS:
            raise BrokenError("scope_full", "the scope has no document numbers left")
        self._count(row, 1, int(shelf == LISTED), int(shelf == REST))
        return (row.scope_no << SEQ_BITS) | row.next_seq

    def _count(self, row: ScopeRow, new: int, listed: int, rest: int, reworded: int = 0) -> None:
        """Count documents of a scope, to be written when the transaction ends."""
        self._scopes[row.scope_id] = row._replace(
            next_seq=row.next_seq + new,
            listed=row.listed + listed,
            rest=row.rest + rest,
            changed=row.changed + 1,
            reworded=row.reworded + reworded,
        )
        self._counted.add(row.scope_id)

    def _counted_as_erased(self, scope_id: str) -> None:
        row = self.scope(scope_id)
        assert row is not None
        self._scopes[scope_id] = row._replace(changed=row.changed + 1, erasures=row.erasures + 1)
        self._counted.add(scope_id)

    def put_name(self, what: str, name_id: str, text: str | None) -> None:
        """Keep the words behind an opaque id."""
        self._run("put_name", what, name_id, text)
        self._names[what, name_id] = text

    def put_doc(self, doc: DocRow, indexed: Indexed) -> None:
        """Add a document, its terms and its vector on its shelf."""
        self._run("put_doc", *doc)
        if doc.shelf != UNLISTED:
            self._index(doc.shelf, doc.vid, indexed.terms)
            self._embed(doc.vid, indexed)

    def shelve(self, scope_id: str, vid: int, was: Shelf, now: Shelf, indexed: Indexed) -> None:
        """Move a document's words from one index to another; where they are in none they have no vector either."""
        if was == now:
            return
        if now == UNLISTED:
            self._drop_vector(vid)
        elif was == UNLISTED:
            self._embed(vid, indexed)
        if was != UNLISTED and self._waiting[was].pop(vid, None) is None:
            self._connection.execute(f"DELETE FROM {INDEXES[was]} WHERE rowid = ?", (vid,))
        if now != UNLISTED:
            self._index(now, vid, indexed.terms)
        self._connection.execute(self._q["set_shelf"], (now, self._space, vid))
        row = self.scope(scope_id)
        assert row is not None
        self._count(row, 0, *((now == shelf) - (was == shelf) for shelf in (LISTED, REST)))

    def _index(self, shelf: Shelf, vid: int, terms: Sequence[str]) -> None:
        waiting = self._waiting[shelf]
        waiting[vid] = " ".join(terms)
        if len(waiting) >= WAITING_DOCUMENTS:
            self._write_waiting()

    def reindex(self, scope_id: str, doc: DocRow, indexed: Indexed) -> None:
        """Index a document's words anew, on the shelf it is on."""
        if doc.shelf == UNLISTED:
            return
        if self._waiting[doc.shelf].pop(doc.vid, None) is None:
            self._connection.execute(f"DELETE FROM {INDEXES[doc.shelf]} WHERE rowid = ?", (doc.vid,))
        self._index(doc.shelf, doc.vid, indexed.terms)
        self._drop_vector(doc.vid)
        self._embed(doc.vid, indexed)
        row = self.scope(scope_id)
        assert row is not None
        self._count(row, 0, 0, 0, 1)

    def put_mentions(self, scope_id: str, vid: int, names: Sequence[str]) -> None:
        """Index the names a document mentions."""
        self._connection.executemany(self._q["put_mention"], [(self._space, scope_id, name, vid) for name in names])

    def put_entity_names(self, scope_id: str, record_id: str, names: Sequence[tuple[str, str]]) -> None:
        """Replace an entity's names."""
        self._run("drop_entity_names", record_id)
        named, nameless = self._names_known(scope_id)
        if self._connection.changes():
            named.clear()
            self._entities.clear()
        for name, role in names:
            named.add(name)
            nameless.discard(name)
            self._entities.pop((scope_id, name), None)
            self._run("put_entity_name", scope_id, name, record_id, role)

    def speaker_no(self, scope_id: str, name: str) -> int:
        """The number of a speaker in a scope, given on first sight."""
        number = self._speakers.get((scope_id, name))
        if number is None:
            row = self._one("speaker_no", scope_id, name) or self._one("put_speaker", scope_id, name)
            assert row is not None
            number = self._speakers[scope_id, name] = row[0]
        return number

    def close_belief(self, row: BeliefRow, at: int) -> None:
        """End a row's known time."""
        self._connection.execute(self._q["close_belief"], (at, self._space, row.vid, row.valid_from))
        if row.unit in self._open:
            self._open[row.unit].remove(row)
        if row.kind == "entity":
            self._entities.clear()

    def put_belief(self, row: BeliefRow) -> None:
        """Open a row."""
        self._run("put_belief", *row)
        self._stands_otherwise(row.vid)
        if row.unit in self._open and row.known_to == FOREVER:
            self._open[row.unit].append(row)
        if row.kind == "entity" and root_of(row.record_id) != row.revision_id:
            self._entities.clear()

    def put_relation(self, record_id: str, relation: str, target_id: str, position: int) -> None:
        """Begin an edge between records."""
        self._run("put_relation", record_id, relation, target_id, position)

    def drop_relation(self, record_id: str, relation: str, target_id: str) -> None:
        """End an edge between records."""
        self._run("drop_relation", record_id, relation, target_id)

    def put_attention(self, record_id: str, attention: Attention) -> None:
        """Set a salience anchor."""
        self._run("put_attention", record_id, *attention)

    def put_request(self, digest: str, row: RequestRow) -> None:
        """Keep what an idempotency key was used for."""
        self._run("put_request", digest, *row)

    def put_refusal(self, at: int, verb: str, code: str, scope_id: str, actor: str, cause_entry: str | None) -> None:
        """Record a refusal, without content."""
        self._run("put_refusal", at, verb, code, scope_id, actor, cause_entry)

    def put_job(self, row: JobRow) -> None:
        """Put a stretch in a job's queue, or say how it is with it now."""
        self._run("put_job", *row)

    def drop_job(self, row: JobRow) -> None:
        """Take a stretch out of the queue."""
        self._run("drop_job", row.job, row.scope_id, row.upto)

    def put_job_mark(self, job: str, scope_id: str, position: int) -> None:
        """Say up to where a job's work in a scope has been put in the queue."""
        self._run("put_job_mark", job, scope_id, position)

    def drop_projections(self) -> None:
        """Empty everything a replay makes anew; words of no scope at all, which damage may leave, go too."""
        scopes = self._connection.execute(self._q["every_scope_no"]).fetchall()
        others = sorted(number for space, number in scopes if space != self._space)
        own = {number for space, number in scopes if space == self._space}
        own |= {number for (number,) in self._all("scope_nos_of_docs", SEQ_BITS)}
        self._freed = sorted(own - set(others))
        self._forget()
        for waiting in self._waiting.values():
            waiting.clear()
        self._begin_vectors_anew()
        self._counted.clear()
        for index in INDEXES.values():
            if not others:
                self._connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
                continue
            for low, high in zip([0, *(n + 1 for n in others)], [*others, 1 << SCOPE_BITS], strict=True):
                self._connection.execute(
                    f"DELETE FROM {index} WHERE rowid >= ? AND rowid <= ?", (low << SEQ_BITS, (high << SEQ_BITS) - 1)
                )
        for table in PROJECTIONS:
            if table == "vector" and self._keeping:
                continue
            self._connection.execute(f"DELETE FROM {table} WHERE space_id = ?", (self._space,))
            # An index that damage has parted from its table still holds what was deleted.
            self._connection.execute(f"REINDEX {table}")
