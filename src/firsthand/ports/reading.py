"""What the house asks when it reads: one consistent look at a space, by subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from firsthand.ports.rows import (
    EVERY,
    Attention,
    BeliefRow,
    CertificateRow,
    ColumnsRow,
    DocRow,
    Embedding,
    Head,
    JobRow,
    LedgerRow,
    MaskRow,
    Pending,
    RefusalRow,
    RequestRow,
    ScopeRow,
    Scored,
    Shelf,
)
from firsthand.rules.view import Entries
from firsthand.vocabulary.entries import Define, Entry
from firsthand.vocabulary.kinds import Kind, PeerTrust


class LedgerReader(Entries, Protocol):
    """The ledger: entries by id, by place and by what they bear on."""

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

    def rows_at(self, positions: Iterable[int]) -> list[LedgerRow]:
        """Entries by position, in order."""
        ...

    def bearing_on_any(self, keys: Iterable[str], known_at: int | None = None) -> dict[str, list[Entry]]:
        """Entries found under each of several keys, of those received by an instant, or of all."""
        ...

    def peers(self) -> dict[str, Define]:
        """The newest registration of each other store, by its device."""
        ...

    def senders(self, entry_id: str) -> dict[str, PeerTrust]:
        """The devices an entry came from, each with how far it itself believes it; none, if it was written here."""
        ...

    def arrived_from(self, device: str) -> list[str]:
        """The ids of all entries that came from a device."""
        ...

    def trust_in(self, entry_id: str) -> PeerTrust:
        """How far those an entry came from are believed; what was written here counts as it says."""
        ...

    def vouched(self, entry: Entry) -> Entry | None:
        """An entry as far as those it came from are believed; unset, if they are not."""
        ...

    def positions_bearing_on(self, key: str) -> list[int]:
        """Positions of entries found under `key`."""
        ...

    def last_bearing_on(self, key: str) -> int:
        """The position of the last entry found under `key`, or 0."""
        ...

    def last_stone(self) -> int:
        """The position of the last entry that forbids a value, or 0."""
        ...

    def stones(self) -> list[Entry]:
        """Every entry that forbids a value, oldest first."""
        ...


class BeliefReader(Protocol):
    """Documents, and what is believed of them."""

    def doc(self, revision_id: str) -> DocRow | None:
        """The document of a revision."""
        ...

    def docs_of_record(self, record_id: str) -> list[DocRow]:
        """The documents of a record."""
        ...

    def docs(self, vids: Iterable[int]) -> dict[int, DocRow]:
        """Documents by number."""
        ...

    def docs_of_kind(self, scope_no: int, kind: Kind) -> list[DocRow]:
        """The documents of a scope that are of one kind."""
        ...

    def docs_between(self, low: int, high: int, kind: Kind, limit: int) -> list[DocRow]:
        """Documents of one kind by their numbers, from one up to another, but for what was stored only to be cited."""
        ...

    def records_beginning(self, prefix: str, limit: int) -> list[str]:
        """Records whose id begins so, in order."""
        ...

    def units(self) -> list[str]:
        """Every unit with an open row."""
        ...

    def open_rows(self, unit: str) -> list[BeliefRow]:
        """The rows of a unit that are believed now."""
        ...

    def masks(self, entry_ids: Iterable[str]) -> list[MaskRow]:
        """What is masked of the words of some entries."""
        ...

    def beliefs(self, vids: Iterable[int], known_at: int | None) -> list[BeliefRow]:
        """The rows of documents that are believed at an instant, or now."""
        ...

    def beliefs_of_records(self, record_ids: Iterable[str]) -> list[BeliefRow]:
        """The rows of records that are believed now."""
        ...

    def beliefs_of_record(self, record_id: str) -> list[BeliefRow]:
        """Every row a record ever had, oldest first."""
        ...

    def newest(
        self, scope_no: int, kinds: Sequence[Kind], before: int | None, limit: int, shown_only: bool, clearance: int
    ) -> list[int]:
        """Document numbers of a scope that nothing locks for a clearance, newest first."""
        ...

    def waiting(self, scope_no: int, what: str, before: int | None, limit: int, clearance: int) -> list[BeliefRow]:
        """Beliefs of a scope that wait for a person, as one kind of item, newest documents first."""
        ...

    def locked(self, record_ids: Iterable[str], clearance: int) -> set[str]:
        """Those of some records that are hidden, rejected, erased or above a clearance now."""
        ...

    def attention(self, record_ids: Iterable[str]) -> dict[str, Attention]:
        """Salience anchors of records that have one."""
        ...

    def counts(self, readable: frozenset[str] | None, clearance: int) -> dict[str, dict[str, int]]:
        """Open beliefs of readable scopes (unset: all) that nothing locks, by kind, status and scope."""
        ...


class SearchReader(Protocol):
    """What the arms of a recall look for, and what ranking reads."""

    def postings(self, scope_no: int, term: str, shelf: Shelf, start: int = 0, most: int = EVERY) -> str:
        """Places in the scope of the newest documents with a term, from one place on, comma-separated, in no order."""
        ...

    def similar(self, scope_no: int, first: str, others: Sequence[str], limit: int) -> list[int]:
        """Listed claims of a scope with one term and any of others, newest first; looks at a bounded number."""
        ...

    def shown(self, vids: Iterable[int], clearance: int, known_at: int | None) -> list[Scored]:
        """The rows of documents that pass the default gate now, or passed it at an instant, by document."""
        ...

    def over(self, scope_no: int, clearance: int) -> list[tuple[int, Shelf]]:
        """Document numbers of a scope that are indexed and above a clearance, each with its shelf."""
        ...

    def columns(self, scope_no: int, places: Iterable[int]) -> list[ColumnsRow]:
        """What ranking needs of some of a scope's documents, by their places in it."""
        ...

    def of_kinds(self, scope_no: int, kinds: Sequence[Kind], start: int, stop: int) -> str:
        """Places of a scope's documents of some kinds, from one place up to another, comma-separated, in no order."""
        ...

    def off(self, scope_no: int) -> list[tuple[int, Shelf]]:
        """Document numbers of a scope that are not listed, with their shelves; not what is only there to be cited."""
        ...

    def unlisted(self, scope_no: int) -> list[int]:
        """Numbers of a scope's threaded documents that are not listed."""
        ...

    def thread_around(self, thread: str, vid: int, reach: int, clearance: int) -> list[int]:
        """Document numbers of a thread within `reach` places of one, of those that nothing locks for a clearance."""
        ...

    def mentioning(self, scope_id: str, name: str, before: int | None, limit: int, clearance: int) -> list[int]:
        """Document numbers below one that mention a name and that nothing locks for a clearance, newest first."""
        ...

    def all_mentioning(self, scope_id: str, name: str) -> list[int]:
        """Document numbers that mention a name, locked or not."""
        ...

    def mentioned_in(self, scope_id: str, name: str, vids: Iterable[int]) -> list[int]:
        """Those of some document numbers that mention a name."""
        ...

    def received(self, vid: int) -> int:
        """When the entry that a document came with was received, in microseconds; the later the higher its number."""
        ...

    def has_spoken(self, scope_no: int, speaker_no: int, before: int, clearance: int) -> bool:
        """Whether a speaker said anything in a scope, below a document number, that nothing locks for a clearance."""
        ...


class VectorReader(Protocol):
    """Vectors, by whom they are, and which documents wait for theirs."""

    def vectors(self, scope_no: int, start: int, stop: int) -> list[tuple[int, bytes]]:
        """The vectors of a scope's documents, from one place up to another; not all have one."""
        ...

    def vectors_of(self, vids: Iterable[int]) -> list[tuple[int, bytes]]:
        """The vectors of some documents, of those that have one."""
        ...

    def embedding(self) -> Embedding | None:
        """By which embedder every vector of the space is; unset if nothing was projected yet."""
        ...

    def late(self, scope_no: int, after: int) -> list[int]:
        """Documents of a scope whose vectors came after their words, in batches after one."""
        ...

    def is_pending(self, scope_no: int, stop: int, shelves: Sequence[Shelf], clearance: int) -> bool:
        """Whether any document of a scope, up to a place, on these shelves and for a clearance, waits for a vector."""
        ...

    def pending(self, now: int, most: int) -> list[int]:
        """Documents that wait for a vector and that nobody else is at, the oldest first."""
        ...

    def still_pending(self, vids: Iterable[int]) -> list[int]:
        """Those of some documents that wait for a vector."""
        ...

    def pending_counts(self) -> Pending:
        """How many documents wait for a vector, how many may not be sent, and how many the endpoint would not have."""
        ...


class NameReader(Protocol):
    """Scopes, the words behind opaque ids, entities, speakers and relations."""

    def scope(self, scope_id: str) -> ScopeRow | None:
        """A scope by its id."""
        ...

    def scope_rows(self) -> list[ScopeRow]:
        """All scopes, by number."""
        ...

    def some_names(self, what: str, limit: int) -> list[tuple[str, str]]:
        """A few (opaque id, words), of those whose words are still known."""
        ...

    def name(self, what: str, name_id: str) -> str | None:
        """The words behind an opaque id, unless erased."""
        ...

    def known_names(self, scope_id: str, names: Sequence[str]) -> list[str]:
        """Which of these names a document mentions or an entity has, in a scope."""
        ...

    def mentions_among(self, scope_id: str, vid: int, names: Sequence[str]) -> list[str]:
        """Those of some names that a document mentions."""
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


class KeptReader(Protocol):
    """What a replay leaves as it is: idempotency keys, refusals, certificates, and the journal of recalls."""

    def refusals(self, before: int, limit: int) -> list[RefusalRow]:
        """Refusals below a number, newest first."""
        ...

    def request(self, digest: str) -> RequestRow | None:
        """What an idempotency key was used for."""
        ...

    def certificate(self, entry_id: str) -> CertificateRow | None:
        """What is known of the erasure that an entry says."""
        ...

    def unfinished_erasures(self) -> list[CertificateRow]:
        """Erasures after which the file was not cleaned yet."""
        ...

    def refused(self, verb: str) -> set[tuple[str, str]]:
        """(code, cause) of every refusal of a verb that names its cause."""
        ...

    def delivered_to(self, record_ids: Iterable[str], actor: str) -> bool:
        """Whether a recall ever gave one of these records to an actor."""
        ...

    def delivery(self, recall_id: str) -> list[str] | None:
        """Records a recall delivered, by rank; unset if the recall is not known."""
        ...


class JobReader(Protocol):
    """The queue of background jobs, which a replay leaves as it is."""

    def jobs(self) -> list[JobRow]:
        """Everything in the queue, by job, scope and place."""
        ...

    def job(self, job: str, scope_id: str, upto: int) -> JobRow | None:
        """One stretch in the queue."""
        ...

    def due_job(self, now: int, scope_ids: Iterable[str]) -> JobRow | None:
        """The stretch in some scopes that has been due for longest, if any is."""
        ...

    def job_mark(self, job: str, scope_id: str) -> int:
        """Up to which position a job's work in a scope has been put in the queue."""
        ...


class AuditReader(Protocol):
    """What an audit compares."""

    def digests(self) -> dict[str, str]:
        """One digest per projection and word index, over all its columns."""
        ...


class Reader(
    LedgerReader, BeliefReader, SearchReader, VectorReader, NameReader, KeptReader, JobReader, AuditReader, Protocol
):
    """A consistent look at one space."""

    @property
    def space(self) -> str:
        """The space read."""
        ...
