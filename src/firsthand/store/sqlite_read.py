"""Reads of one space inside one snapshot."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import apsw
import msgspec

from firsthand.ports import (
    REST,
    SEQ_BITS,
    Attention,
    BeliefRow,
    ColumnsRow,
    DocRow,
    Head,
    LedgerRow,
    RequestRow,
    ScopeRow,
    Scored,
    Shelf,
)
from firsthand.store.engine import Connection, Row, SqlValue
from firsthand.store.sql import PROJECTIONS
from firsthand.vocabulary.entries import Entry, Skeleton
from firsthand.vocabulary.kinds import DEFAULT_SENSITIVITY, HIGHEST_SENSITIVITY, SENSITIVITIES, Kind

GENESIS = "0" * 40
UNREADABLE = "unreadable"
SIMILAR_SCANNED = 2_000
DEFAULT_LEVEL = SENSITIVITIES.index(DEFAULT_SENSITIVITY)

_skeletons = msgspec.json.Decoder(Skeleton)
_encode = msgspec.json.encode


class SqliteReader:
    """One space as one snapshot shows it."""

    def __init__(self, connection: Connection, queries: dict[str, str], space: str) -> None:
        self._connection = connection
        self._q = queries
        self._space = space

    @property
    def space(self) -> str:
        """The space read."""
        return self._space

    def _all(self, query: str, *values: SqlValue) -> list[Row]:
        return self._connection.execute(self._q[query], (self._space, *values)).fetchall()

    def _one(self, query: str, *values: SqlValue) -> Row | None:
        return self._connection.execute(self._q[query], (self._space, *values)).fetchone()

    # ---- ledger ----------------------------------------------------------------------------------------------------

    def head(self) -> Head:
        """The end of the ledger."""
        row = self._one("head")
        return Head(*row) if row else Head(0, None, GENESIS, 0)

    def ledger_rows(self, after: int, limit: int) -> list[LedgerRow]:
        """Entries after a position, in order."""
        return [LedgerRow(*r) for r in self._all("ledger_rows", after, limit)]

    def position_of(self, entry_id: str) -> int | None:
        """The position of an entry."""
        row = self._one("position_of", entry_id)
        return row[0] if row else None

    def rows_of(self, entry_ids: Iterable[str]) -> dict[str, LedgerRow]:
        """Entries by id."""
        return {r[1]: LedgerRow(*r) for r in self._all("rows_of", _array(entry_ids))}

    def rows_at(self, positions: Iterable[int]) -> list[LedgerRow]:
        """Entries by position, in order."""
        return [LedgerRow(*r) for r in self._all("rows_at", _array(positions))]

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        row = self._one("skeleton_of", entry_id)
        return Entry(id=entry_id, skeleton=_skeletons.decode(row[0])) if row else None

    def bearing_on(self, key: str) -> Sequence[Entry]:
        """Entries found under `key`."""
        return [self._decoded(i, s) for i, s in self._all("bearing_on", key)]

    def bearing_on_any(self, keys: Iterable[str]) -> dict[str, list[Entry]]:
        """Entries found under each of several keys."""
        found: dict[str, list[Entry]] = {}
        for key, entry_id, text in self._all("bearing_on_any", _array(keys)):
            found.setdefault(key, []).append(self._decoded(entry_id, text))
        return found

    def _decoded(self, entry_id: str, skeleton: str) -> Entry:
        return Entry(id=entry_id, skeleton=_skeletons.decode(skeleton))

    def positions_bearing_on(self, key: str) -> list[int]:
        """Positions of entries found under `key`."""
        return [r[0] for r in self._all("positions_bearing_on", key)]

    # ---- scopes and names ------------------------------------------------------------------------------------------

    def scopes(self) -> tuple[str, ...]:
        """Every scope id of the space."""
        return tuple(r[0] for r in self._all("scope_rows"))

    def scope(self, scope_id: str) -> ScopeRow | None:
        """A scope by its id."""
        row = self._one("scope", scope_id)
        return ScopeRow(*row) if row else None

    def scope_rows(self) -> list[ScopeRow]:
        """All scopes, by number."""
        return [ScopeRow(*r) for r in self._all("scope_rows")]

    def name(self, what: str, name_id: str) -> str | None:
        """The words behind an opaque id."""
        row = self._one("name", what, name_id)
        return row[0] if row else None

    # ---- documents and beliefs -------------------------------------------------------------------------------------

    def doc(self, revision_id: str) -> DocRow | None:
        """The document of a revision."""
        row = self._one("doc", revision_id)
        return DocRow(*row) if row else None

    def docs_of_record(self, record_id: str) -> list[DocRow]:
        """The documents of a record."""
        return [DocRow(*r) for r in self._all("docs_of_record", record_id)]

    def docs(self, vids: Iterable[int]) -> dict[int, DocRow]:
        """Documents by number."""
        return {r[0]: DocRow(*r) for r in self._all("docs", _array(vids))}

    def open_rows(self, unit: str) -> list[BeliefRow]:
        """The rows of a unit that are believed now."""
        if unit.startswith("r"):
            return self.beliefs([d.vid for d in self.docs_of_record(unit)], None)
        return [BeliefRow(*r) for r in self._all("open_rows", unit)]

    def records_beginning(self, prefix: str, limit: int) -> list[str]:
        """Records whose id begins so, in order."""
        low = "e" + prefix[1:]
        return [r[0] for r in self._all("records_beginning", low, low + "g", limit)]

    def units(self) -> list[str]:
        """Every unit with an open row."""
        return [r[0] for r in self._all("units")]

    def beliefs(self, vids: Iterable[int], known_at: int | None) -> list[BeliefRow]:
        """The rows of documents that are believed at an instant, or now."""
        if known_at is None:
            rows = self._all("beliefs_now", _array(vids))
        else:
            rows = self._all("beliefs_at", _array(vids), known_at, known_at)
        return [BeliefRow(*r) for r in rows]

    def beliefs_of_record(self, record_id: str) -> list[BeliefRow]:
        """Every row a record ever had, oldest first."""
        return [BeliefRow(*r) for r in self._all("beliefs_ever", _array(d.vid for d in self.docs_of_record(record_id)))]

    def newest(
        self, scope_no: int, kinds: Sequence[Kind], before: int | None, limit: int, shown_only: bool, clearance: int
    ) -> list[int]:
        """Document numbers of a scope that nothing locks for a clearance, newest first."""
        low = scope_no << SEQ_BITS
        high = before if before is not None else (scope_no + 1) << SEQ_BITS
        return [r[0] for r in self._all("newest", low, high, not shown_only, _array(kinds), clearance, limit)]

    # ---- search ----------------------------------------------------------------------------------------------------

    def postings(self, scope_no: int, term: str, shelf: Shelf) -> str:
        """Places in the scope of the documents with a term, comma-separated."""
        table = "lex_rest" if shelf == REST else "lex"
        low = scope_no << SEQ_BITS
        found = self._connection.execute(
            f"SELECT group_concat(rowid - ?) FROM {table} WHERE {table} MATCH ? AND rowid BETWEEN ? AND ?",
            (low, f'"{term}"', low, low + (1 << SEQ_BITS) - 1),
        ).get
        return str(found) if found is not None else ""

    def similar(self, scope_no: int, first: str, others: Sequence[str], limit: int) -> list[int]:
        """Listed claims of a scope with one term and any of others, newest first."""
        low = scope_no << SEQ_BITS
        match = f'"{first}"'
        if others:
            match += " AND (" + " OR ".join(f'"{o}"' for o in others) + ")"
        return [r[0] for r in self._all("similar", match, low, low + (1 << SEQ_BITS) - 1, SIMILAR_SCANNED, limit)]

    def over(self, scope_no: int, clearance: int) -> list[tuple[int, Shelf]]:
        """Document numbers of a scope that are indexed and above a clearance, each with its shelf."""
        if clearance >= HIGHEST_SENSITIVITY:
            return []
        query = "over" if clearance >= DEFAULT_LEVEL else "over_public"
        found = self._all(query, clearance, scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS)
        return [(r[0], r[1]) for r in found]

    def shown(self, vids: Iterable[int], kinds: Sequence[Kind], clearance: int) -> list[Scored]:
        """The rows of documents that pass the default gate now, and are of these kinds."""
        return [Scored(*r) for r in self._all("shown", _array(vids), clearance, _array(kinds))]

    def columns(self, scope_no: int, after: int) -> list[ColumnsRow]:
        """What ranking needs of a scope's documents, from a place on."""
        low = scope_no << SEQ_BITS
        return cast("list[ColumnsRow]", self._all("columns", low + after, low + (1 << SEQ_BITS)))

    def unlisted(self, scope_no: int) -> list[int]:
        """Numbers of a scope's threaded documents that are not listed."""
        return [r[0] for r in self._all("unlisted", scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS)]

    def known_names(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these names a document mentions or an entity has, in a scope."""
        found = self._connection.execute(self._q["known_names"], (_array(names), self._space, scope_id))
        return [r[0] for r in found.fetchall()]

    def thread_around(self, thread: str, vid: int, reach: int, clearance: int) -> list[int]:
        """Document numbers of a thread within `reach` places of one, of those that nothing locks for a clearance."""
        before = [r[0] for r in self._all("thread_before", thread, vid, clearance, reach)]
        return [*reversed(before), *(r[0] for r in self._all("thread_after", thread, vid, clearance, reach))]

    def mentioning(self, scope_id: str, name: str, limit: int, clearance: int) -> list[int]:
        """Document numbers that mention a name and that nothing locks for a clearance, newest first."""
        return [r[0] for r in self._all("mentioning", scope_id, name, clearance, limit)]

    def mentioned_in(self, scope_id: str, name: str, vids: Iterable[int]) -> list[int]:
        """Those of some document numbers that mention a name."""
        return [r[0] for r in self._all("mentioned_in", scope_id, name, _array(vids))]

    def has_spoken(self, scope_no: int, speaker_no: int, clearance: int) -> bool:
        """Whether a speaker said anything in a scope that nothing locks for a clearance."""
        low, high = scope_no << SEQ_BITS, (scope_no + 1) << SEQ_BITS
        return self._one("has_spoken", low, high, speaker_no, clearance) is not None

    def locked(self, record_ids: Iterable[str], clearance: int) -> set[str]:
        """Those of some records that are hidden, rejected, erased or above a clearance now."""
        return {r[0] for r in self._all("locked", _array(record_ids), clearance)}

    def mentions_of(self, vid: int) -> list[str]:
        """Names a document mentions."""
        return [r[0] for r in self._all("mentions_of", vid)]

    def entities_named(self, scope_id: str, name: str) -> list[str]:
        """Entity records a name stands for in a scope."""
        return [r[0] for r in self._all("entities_named", scope_id, name)]

    def entity_names_among(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these name keys an entity of a scope has."""
        return [r[0] for r in self._all("entity_names_among", scope_id, _array(names))]

    def standing_entities(self, scope_id: str, name: str) -> list[str]:
        """Entity records that a name stands for in a scope and that stand themselves."""
        return [r[0] for r in self._all("standing_entities", scope_id, name)]

    def names_of_entity(self, record_id: str) -> list[tuple[str, str]]:
        """(name, role) of an entity."""
        return [(r[0], r[1]) for r in self._all("names_of_entity", record_id)]

    def speakers(self, scope_id: str) -> dict[str, int]:
        """Speaker names of a scope with their numbers."""
        return {r[0]: r[1] for r in self._all("speakers", scope_id)}

    def relations_of(self, record_id: str) -> list[tuple[str, str, str]]:
        """(relation, other record, direction)."""
        out = [(r[0], r[1], "out") for r in self._all("relations_out", record_id)]
        return out + [(r[0], r[1], "in") for r in self._all("relations_in", record_id)]

    def attention(self, record_ids: Iterable[str]) -> dict[str, Attention]:
        """Salience anchors of records that have one."""
        return {r[0]: Attention(*r[1:]) for r in self._all("attention", _array(record_ids))}

    # ---- kept and journal ------------------------------------------------------------------------------------------

    def request(self, digest: str) -> RequestRow | None:
        """What an idempotency key was used for."""
        row = self._one("request", digest)
        return RequestRow(*row) if row else None

    def delivered_to(self, record_ids: Iterable[str], actor: str) -> bool:
        """Whether a recall ever gave one of these records to an actor."""
        return self._one("delivered_to", _array(record_ids), actor) is not None

    def knows_nonce(self, nonce: str) -> bool:
        """Whether a packet fence is one of ours."""
        return self._one("knows_nonce", nonce) is not None

    def delivery(self, recall_id: str) -> list[str] | None:
        """Records a recall delivered, by rank."""
        if self._one("knows_recall", recall_id) is None:
            return None
        return [r[0] for r in self._all("delivery", recall_id)]

    def counts(self, readable: frozenset[str] | None, clearance: int) -> dict[str, dict[str, int]]:
        """Open beliefs of readable scopes that nothing locks for a clearance, by kind, by status and by scope."""
        found: dict[str, dict[str, int]] = {"kind": {}, "status": {}, "scope": {}}
        for kind, status, scope, count in self._all("counts", clearance):
            if readable is not None and scope not in readable:
                continue
            for group, value in (("kind", kind), ("status", status), ("scope", scope)):
                found[group][value] = found[group].get(value, 0) + count
        return found

    # ---- audit -----------------------------------------------------------------------------------------------------

    def digests(self) -> dict[str, str]:
        """One digest per projection and word index, over all its columns."""
        found = {t: _digest(self._table(t, order)) for t, order in PROJECTIONS.items()}
        return found | {t: _digest(self._index_terms(t)) for t in ("lex", "lex_rest")}

    def _table(self, table: str, order: str) -> Iterator[Row]:
        yield from self._connection.execute(
            f"SELECT * FROM {table} WHERE space_id = ? ORDER BY {order}", (self._space,)
        )

    def _index_terms(self, index: str) -> Iterator[Row]:
        """(term, document) of a word index, and (document, size) of its documents, of this space's scopes."""
        vocabulary = f"temp.{index}_terms"
        self._connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vocabulary} USING fts5vocab('main', '{index}', 'instance')"
        )
        numbers = {s.scope_no for s in self.scope_rows()}
        for term, vid in self._connection.execute(f"SELECT term, doc FROM {vocabulary} ORDER BY term, doc"):
            if vid >> SEQ_BITS in numbers:
                yield term, vid
        for vid, size in self._connection.execute(f"SELECT id, sz FROM {index}_docsize ORDER BY id"):
            if vid >> SEQ_BITS in numbers:
                yield vid, size


def _digest(rows: Iterator[Row]) -> str:
    """A digest over all columns; a table too damaged to read has one that no table has."""
    running = hashlib.sha256()
    try:
        for row in rows:
            running.update(repr(row).encode())
            running.update(b"\n")
    except (apsw.CorruptError, UnicodeDecodeError):
        return UNREADABLE
    return running.hexdigest()


def _array(values: Iterable[object]) -> str:
    """An array parameter for `json_each`."""
    return _encode(list(values)).decode()
