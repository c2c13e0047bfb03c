"""Every plug in the wall: what the house asks of a store, a clock and an embedder, and the rows that cross."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple, Protocol

from firsthand.rules.view import Entries
from firsthand.vocabulary.entries import Entry
from firsthand.vocabulary.kinds import HiddenReason, Kind, Status, Tier, Visibility, Volatility

Shelf = Literal[0, 1, 2]
"""Where a document's words are indexed: nowhere, with what the default gate may pass, with the rest."""
UNLISTED: Shelf = 0
LISTED: Shelf = 1
REST: Shelf = 2

SEQ_BITS = 32
"""A document's number is its scope's number in the high bits and its place in the scope in the low ones."""


class Clock(Protocol):
    """The time, in microseconds UTC."""

    def now(self) -> int:
        """This instant."""
        ...


class Embedder(Protocol):
    """Text as a vector; the default arm degrades with a code where there is none."""

    identity: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One int8 vector of `dimension` bytes per text."""
        ...


class Head(NamedTuple):
    """The end of a space's ledger; position 0 when it is empty."""

    position: int
    entry_id: str | None
    chain: str
    received_at: int


class LedgerRow(NamedTuple):
    """One entry as stored. Body and salt are unset once erased."""

    position: int
    entry_id: str
    received_at: int
    chain: str
    skeleton: str
    body: str | None
    salt: str | None


class ScopeRow(NamedTuple):
    """A scope's number, how many documents it numbered, how many are on each shelf, and its change counter."""

    scope_id: str
    scope_no: int
    name: str | None
    next_seq: int
    listed: int
    rest: int
    changed: int


class DocRow(NamedTuple):
    """What ranking needs to know of one revision. `told_*` is the time its text speaks of."""

    vid: int
    record_id: str
    revision_id: str
    position: int
    kind: Kind
    shelf: Shelf
    thread: str | None
    speaker: int | None
    occurred_at: int | None
    flags: int
    told_from: int | None
    told_to: int | None
    volatility: Volatility | None


class BeliefRow(NamedTuple):
    """One row of the bitemporal projection; windows in microseconds."""

    vid: int
    known_from: int
    valid_from: int
    known_to: int
    valid_to: int
    unit: str
    record_id: str
    revision_id: str
    kind: Kind
    scope_id: str
    generation: int
    claim: str | None
    conditions: str | None
    tier: Tier
    status: Status
    visibility: Visibility
    hidden_reason: HiddenReason | None
    live_support: int
    sensitivity: int
    cause_entry: str
    ended_by: str | None
    challenged_by: str | None


class RequestRow(NamedTuple):
    """What an idempotency key was first used for."""

    fingerprint: str
    outcome: str
    record_id: str | None
    entry_id: str | None
    evidence_id: str | None
    known_at: int
    code: str | None


class Attention(NamedTuple):
    """A salience anchor, and how often a record helped or failed."""

    anchor: float
    anchored_at: int
    helped: int
    failed: int


class Scored(NamedTuple):
    """The part of a belief row that ranking reads."""

    vid: int
    record_id: str
    kind: Kind
    tier: Tier
    valid_from: int
    valid_to: int
    known_from: int


ColumnsRow = tuple[int, Kind, str | None, int | None, int | None, int, int | None, int | None]
"""A document's place in its scope, kind, thread, speaker, occurred_at, flags, told_from, told_to."""


class Reader(Entries, Protocol):
    """A consistent look at one space."""

    @property
    def space(self) -> str:
        """The space read."""
        ...

    def head(self) -> Head:
        """The end of the ledger."""
        ...

    def ledger_rows(self, after: int, limit: int) -> list[LedgerRow]:
        """Entries after a position, in order."""
        ...

    def position_of(self, entry_id: str) -> int | None:
        """The position of an entry."""
        ...

    def rows_of(self, entry_ids: Iterable[str]) -> dict[str, LedgerRow]:
        """Entries by id."""
        ...

    def bearing_on_any(self, keys: Iterable[str]) -> dict[str, list[Entry]]:
        """Entries found under each of several keys."""
        ...

    def positions_bearing_on(self, key: str) -> list[int]:
        """Positions of entries found under `key`."""
        ...

    def rows_at(self, positions: Iterable[int]) -> list[LedgerRow]:
        """Entries by position, in order."""
        ...

    def scope(self, scope_id: str) -> ScopeRow | None:
        """A scope by its id."""
        ...

    def scope_rows(self) -> list[ScopeRow]:
        """All scopes, by number."""
        ...

    def name(self, what: str, name_id: str) -> str | None:
        """The words behind an opaque id, unless erased."""
        ...

    def doc(self, revision_id: str) -> DocRow | None:
        """The document of a revision."""
        ...

    def docs_of_record(self, record_id: str) -> list[DocRow]:
        """The documents of a record."""
        ...

    def docs(self, vids: Iterable[int]) -> dict[int, DocRow]:
        """Documents by number."""
        ...

    def open_rows(self, unit: str) -> list[BeliefRow]:
        """The rows of a unit that are believed now."""
        ...

    def records_beginning(self, prefix: str, limit: int) -> list[str]:
        """Records whose id begins so, in order."""
        ...

    def units(self) -> list[str]:
        """Every unit with an open row."""
        ...

    def beliefs(self, vids: Iterable[int], known_at: int | None) -> list[BeliefRow]:
        """The rows of documents that are believed at an instant, or now."""
        ...

    def beliefs_of_record(self, record_id: str) -> list[BeliefRow]:
        """Every row a record ever had, oldest first."""
        ...

    def newest(
        self, scope_no: int, kinds: Sequence[Kind], before: int | None, limit: int, shown_only: bool, clearance: int
    ) -> list[int]:
        """Document numbers of a scope that nothing locks for a clearance, newest first."""
        ...

    def postings(self, scope_no: int, term: str, shelf: Shelf) -> str:
        """Places in the scope of the documents with a term, comma-separated, in no order."""
        ...

    def similar(self, scope_no: int, first: str, others: Sequence[str], limit: int) -> list[int]:
        """Listed claims of a scope with one term and any of others, newest first; looks at a bounded number."""
        ...

    def over(self, scope_no: int, clearance: int) -> list[tuple[int, Shelf]]:
        """Document numbers of a scope that are indexed and above a clearance, each with its shelf."""
        ...

    def shown(self, vids: Iterable[int], kinds: Sequence[Kind], clearance: int) -> list[Scored]:
        """The rows of documents that pass the default gate now, and are of these kinds."""
        ...

    def columns(self, scope_no: int, after: int) -> list[ColumnsRow]:
        """What ranking needs of a scope's documents, from a place on."""
        ...

    def unlisted(self, scope_no: int) -> list[int]:
        """Numbers of a scope's threaded documents that are not listed."""
        ...

    def known_names(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these names a document mentions or an entity has, in a scope."""
        ...

    def thread_around(self, thread: str, vid: int, reach: int, clearance: int) -> list[int]:
        """Document numbers of a thread within `reach` places of one, of those that nothing locks for a clearance."""
        ...

    def mentioning(self, scope_id: str, name: str, limit: int, clearance: int) -> list[int]:
        """Document numbers that mention a name and that nothing locks for a clearance, newest first."""
        ...

    def mentioned_in(self, scope_id: str, name: str, vids: Iterable[int]) -> list[int]:
        """Those of some document numbers that mention a name."""
        ...

    def has_spoken(self, scope_no: int, speaker_no: int, clearance: int) -> bool:
        """Whether a speaker said anything in a scope that nothing locks for a clearance."""
        ...

    def locked(self, record_ids: Iterable[str], clearance: int) -> set[str]:
        """Those of some records that are hidden, rejected, erased or above a clearance now."""
        ...

    def mentions_of(self, vid: int) -> list[str]:
        """Names a document mentions."""
        ...

    def entities_named(self, scope_id: str, name: str) -> list[str]:
        """Entity records a name stands for in a scope."""
        ...

    def entity_names_among(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these name keys an entity of a scope has."""
        ...

    def standing_entities(self, scope_id: str, name: str) -> list[str]:
        """Entity records that a name stands for in a scope and that stand themselves."""
        ...

    def names_of_entity(self, record_id: str) -> list[tuple[str, str]]:
        """(name, role) of an entity: canonical, alias, former or identifier."""
        ...

    def speakers(self, scope_id: str) -> dict[str, int]:
        """Speaker names of a scope with their numbers."""
        ...

    def relations_of(self, record_id: str) -> list[tuple[str, str, str]]:
        """(relation, other record, "out" or "in")."""
        ...

    def attention(self, record_ids: Iterable[str]) -> dict[str, Attention]:
        """Salience anchors of records that have one."""
        ...

    def request(self, digest: str) -> RequestRow | None:
        """What an idempotency key was used for."""
        ...

    def delivered_to(self, record_ids: Iterable[str], actor: str) -> bool:
        """Whether a recall ever gave one of these records to an actor."""
        ...

    def knows_nonce(self, nonce: str) -> bool:
        """Whether a packet fence is one of ours."""
        ...

    def delivery(self, recall_id: str) -> list[str] | None:
        """Records a recall delivered, by rank; unset if the recall is not known."""
        ...

    def counts(self, readable: frozenset[str] | None, clearance: int) -> dict[str, dict[str, int]]:
        """Open beliefs of readable scopes (unset: all) that nothing locks, by kind, status and scope."""
        ...

    def digests(self) -> dict[str, str]:
        """One digest per projection and word index, over all its columns."""
        ...


class Writer(Reader, Protocol):
    """One open transaction under the space's append lock: all or nothing."""

    def put_entry(self, row: LedgerRow) -> None:
        """Append an entry."""
        ...

    def put_bearings(self, entry: Entry, position: int, keys: Sequence[str], bare: Sequence[str]) -> None:
        """Say what an entry bears on, and under which keys nothing is found yet."""
        ...

    def foresee(self, keys: Iterable[str]) -> None:
        """Read at once what bears on keys that will be asked for one by one."""
        ...

    def put_scope(self, scope_id: str, name: str | None) -> ScopeRow:
        """Number a scope, or give it its name."""
        ...

    def next_vid(self, scope_id: str, shelf: Shelf) -> int:
        """Number a new document of a scope, and count it on its shelf."""
        ...

    def put_name(self, what: str, name_id: str, text: str | None) -> None:
        """Keep the words behind an opaque id."""
        ...

    def put_doc(self, doc: DocRow, terms: Sequence[str]) -> None:
        """Add a document, its terms on its shelf."""
        ...

    def shelve(self, scope_id: str, vid: int, was: Shelf, now: Shelf, terms: Sequence[str]) -> None:
        """Move a document's words from one index to another."""
        ...

    def put_mentions(self, scope_id: str, vid: int, names: Sequence[str]) -> None:
        """Index the names a document mentions."""
        ...

    def put_entity_names(self, scope_id: str, record_id: str, names: Sequence[tuple[str, str]]) -> None:
        """Replace an entity's names, of (name, role)."""
        ...

    def speaker_no(self, scope_id: str, name: str) -> int:
        """The number of a speaker in a scope, given on first sight."""
        ...

    def close_belief(self, row: BeliefRow, at: int) -> None:
        """End a row's known time."""
        ...

    def put_belief(self, row: BeliefRow) -> None:
        """Open a row."""
        ...

    def put_relation(self, record_id: str, relation: str, target_id: str, position: int) -> None:
        """Begin an edge between records."""
        ...

    def drop_relation(self, record_id: str, relation: str, target_id: str) -> None:
        """End an edge between records."""
        ...

    def put_attention(self, record_id: str, attention: Attention) -> None:
        """Set a salience anchor."""
        ...

    def put_request(self, digest: str, row: RequestRow) -> None:
        """Keep what an idempotency key was used for."""
        ...

    def put_refusal(self, at: int, verb: str, code: str, scope_id: str, actor: str, cause_entry: str | None) -> None:
        """Record a refusal, without content."""
        ...

    def drop_projections(self) -> None:
        """Empty everything a replay makes anew."""
        ...


class JournalRow(NamedTuple):
    """A recall's receipt: who asked, what was delivered, in which order."""

    recall_id: str
    at: int
    actor: str
    session: str | None
    nonce: str
    digest: str
    delivered: tuple[str, ...]


class Store(Protocol):
    """One database file or server: every space in it."""

    def reading(self, space: str) -> AbstractContextManager[Reader]:
        """A snapshot of a space for as long as the context lasts."""
        ...

    def writing(self, space: str) -> AbstractContextManager[Writer]:
        """The append lock and a transaction: committed at the end, rolled back on an error."""
        ...

    def journal(self, space: str, rows: Sequence[JournalRow]) -> None:
        """Write receipts in one group, durably only in the end (design 04)."""
        ...

    def space_key(self, space: str) -> bytes:
        """The key under which names of a space become digests; made on first use and kept beside the database."""
        ...

    def check(self, space: str) -> list[str]:
        """What the engine finds wrong with its own pages and indexes, in words without content."""
        ...

    def facts(self) -> dict[str, object]:
        """Where the store is, its size, engine and schema version."""
        ...

    def close(self) -> None:
        """Release every handle."""
        ...


class Source(Protocol):
    """Where unguessable bytes come from."""

    def __call__(self, count: int) -> bytes: ...


Progress = Callable[[int, int], None]
"""Called with (done, total)."""
