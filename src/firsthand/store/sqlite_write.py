"""Writes of one space inside one transaction under the append lock."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import (
    LISTED,
    REST,
    SEQ_BITS,
    UNLISTED,
    Attention,
    BeliefRow,
    DocRow,
    Head,
    LedgerRow,
    RequestRow,
    ScopeRow,
    Shelf,
)
from firsthand.store.engine import Connection, SqlValue
from firsthand.store.sql import PROJECTIONS
from firsthand.store.sqlite_read import SqliteReader
from firsthand.vocabulary.errors import BrokenError

SCOPE_BITS = 31
"""A scope's number fits above `SEQ_BITS` in a signed 64-bit document number."""

_INDEXES: dict[Shelf, str] = {LISTED: "lex", REST: "lex_rest"}


class SqliteWriter(SqliteReader):
    """One open transaction: what it reads includes what it wrote."""

    def _run(self, query: str, *values: SqlValue) -> None:
        self._connection.execute(self._q[query], (self._space, *values))

    def __init__(self, connection: Connection, queries: dict[str, str], space: str) -> None:
        super().__init__(connection, queries, space)
        self._head: Head | None = None
        self._speakers: dict[tuple[str, str], int] = {}
        self._freed: list[int] = []

    def head(self) -> Head:
        """The end of the ledger, which nobody else can move while this transaction lasts."""
        if self._head is None:
            self._head = super().head()
        return self._head

    def put_entry(self, row: LedgerRow) -> None:
        """Append an entry."""
        self._run("put_entry", *row)
        self._head = Head(row.position, row.entry_id, row.chain, row.received_at)

    def put_bearings(self, position: int, keys: Sequence[str]) -> None:
        """Say what an entry bears on."""
        for key in keys:
            self._run("put_bearing", key, position)

    def put_scope(self, scope_id: str, name: str | None) -> ScopeRow:
        """Number a scope, or give it its name."""
        row = self.scope(scope_id)
        if row is None:
            number = self._next_scope_no()
            self._run("put_scope", scope_id, number, name)
            return ScopeRow(scope_id, number, name, 0, 0, 0, 0)
        if name is not None and row.name != name:
            self._connection.execute(self._q["name_scope"], (name, self._space, scope_id))
        return row

    def _next_scope_no(self) -> int:
        """The file's next number; in a replay the space's own numbers again, in the order they were given."""
        if self._freed:
            return self._freed.pop(0)
        return int(self._connection.execute(self._q["highest_scope_no"]).get) + 1

    def next_vid(self, scope_id: str, shelf: Shelf) -> int:
        """Number a new document of a scope, and count it on its shelf."""
        counted = (int(shelf == LISTED), int(shelf == REST), scope_id)
        row = self._one("next_seq", *counted)
        if row is None:
            self.put_scope(scope_id, None)
            row = self._one("next_seq", *counted)
        if row is None or row[1] >= 1 << SEQ_BITS:
            raise BrokenError("scope_full", "the scope has no document numbers left")
        return (row[0] << SEQ_BITS) | row[1]

    def put_name(self, what: str, name_id: str, text: str | None) -> None:
        """Keep the words behind an opaque id."""
        self._run("put_name", what, name_id, text)

    def put_doc(self, doc: DocRow, terms: Sequence[str]) -> None:
        """Add a document, its terms on its shelf."""
        self._run("put_doc", *doc)
        if doc.shelf != UNLISTED:
            self._index(doc.shelf, doc.vid, terms)

    def shelve(self, scope_id: str, vid: int, was: Shelf, now: Shelf, terms: Sequence[str]) -> None:
        """Move a document's words from one index to another."""
        if was == now:
            return
        if was != UNLISTED:
            self._connection.execute(f"DELETE FROM {_INDEXES[was]} WHERE rowid = ?", (vid,))
        if now != UNLISTED:
            self._index(now, vid, terms)
        self._connection.execute(self._q["set_shelf"], (now, self._space, vid))
        moved = [(now == shelf) - (was == shelf) for shelf in (LISTED, REST)]
        self._connection.execute(self._q["count_shelves"], (*moved, self._space, scope_id))

    def _index(self, shelf: Shelf, vid: int, terms: Sequence[str]) -> None:
        self._connection.execute(f"INSERT INTO {_INDEXES[shelf]} (rowid, terms) VALUES (?, ?)", (vid, " ".join(terms)))

    def put_mentions(self, scope_id: str, vid: int, names: Sequence[str]) -> None:
        """Index the names a document mentions."""
        self._connection.executemany(self._q["put_mention"], [(self._space, scope_id, name, vid) for name in names])

    def put_entity_names(self, scope_id: str, record_id: str, names: Sequence[tuple[str, str]]) -> None:
        """Replace an entity's names."""
        self._run("drop_entity_names", record_id)
        for name, role in names:
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
        self._connection.execute(self._q["close_belief"], (at, self._space, row.vid, row.known_from, row.valid_from))

    def put_belief(self, row: BeliefRow) -> None:
        """Open a row."""
        self._run("put_belief", *row)

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

    def drop_projections(self) -> None:
        """Empty everything a replay makes anew; words of no scope at all, which damage may leave, go too."""
        scopes = self._connection.execute(self._q["every_scope_no"]).fetchall()
        others = sorted(number for space, number in scopes if space != self._space)
        own = {number for space, number in scopes if space == self._space}
        own |= {number for (number,) in self._all("scope_nos_of_docs", SEQ_BITS)}
        self._freed = sorted(own - set(others))
        self._speakers.clear()
        for index in _INDEXES.values():
            if not others:
                self._connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
                continue
            for low, high in zip([0, *(n + 1 for n in others)], [*others, 1 << SCOPE_BITS], strict=True):
                self._connection.execute(
                    f"DELETE FROM {index} WHERE rowid >= ? AND rowid <= ?", (low << SEQ_BITS, (high << SEQ_BITS) - 1)
                )
        for table in PROJECTIONS:
            self._connection.execute(f"DELETE FROM {table} WHERE space_id = ?", (self._space,))
            # An index that damage has parted from its table still holds what was deleted.
            self._connection.execute(f"REINDEX {table}")
