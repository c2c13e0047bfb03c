"""What the house asks when it writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from firsthand.ports.reading import Reader
from firsthand.ports.rows import Attention, BeliefRow, DocRow, JobRow, LedgerRow, MaskRow, RequestRow, ScopeRow, Shelf
from firsthand.rules.wording import Indexed
from firsthand.vocabulary.entries import Entry


class Writer(Reader, Protocol):
    """One open transaction under the space's append lock: all or nothing."""

    def put_entry(self, row: LedgerRow) -> None:
        """Append an entry."""
        ...

    def look_no_further(self, position: int) -> None:
        """While a replay is at a position: what came later is not known yet."""
        ...

    def forget_entries(self) -> None:
        """Read entries anew: they may be believed otherwise than before."""
        ...

    def put_bearings(self, entry: Entry, position: int, keys: Sequence[str], bare: Sequence[str]) -> None:
        """Say what an entry bears on, and under which keys nothing is found yet."""
        ...

    def foresee(self, keys: Iterable[str]) -> None:
        """Read at once what bears on keys that will be asked for one by one."""
        ...

    def foresee_names(self, scope_id: str, names: Iterable[str]) -> None:
        """Read at once which of many names an entity of a scope has."""
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

    def put_doc(self, doc: DocRow, indexed: Indexed) -> None:
        """Add a document, its terms and its vector on its shelf."""
        ...

    def shelve(self, scope_id: str, vid: int, was: Shelf, now: Shelf, indexed: Indexed) -> None:
        """Move a document's words from one index to another; where they are in none they have no vector either."""
        ...

    def reindex(self, scope_id: str, doc: DocRow, indexed: Indexed) -> None:
        """Index a document's words anew, on the shelf it is on."""
        ...

    def put_masks(self, entry_id: str, rows: Sequence[MaskRow]) -> None:
        """Replace what is masked of an entry's words."""
        ...

    def mask_mentions(self, scope_id: str, vid: int, names: Sequence[str], *, masked: bool) -> None:
        """Leave names that a document mentions out of the index, or put them back."""
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

    def blank_body(self, entry_id: str) -> None:
        """Destroy the words of an entry that an erase entry of this transaction names."""
        ...

    def blank_doc(self, scope_id: str, doc: DocRow) -> None:
        """Forget what a document's words gave: its columns and its terms."""
        ...

    def drop_mention(self, scope_id: str, name: str, vid: int) -> None:
        """A document no longer mentions a name."""
        ...

    def drop_name(self, what: str, name_id: str) -> None:
        """Forget the words behind an opaque id."""
        ...

    def drop_relations(self, record_id: str) -> None:
        """Forget the edges that begin at a record."""
        ...

    def renumber_speakers(self, scope_id: str) -> None:
        """Speakers are those still heard in a scope, numbered as if no other had ever spoken there."""
        ...

    def drop_deliveries(self, record_ids: Iterable[str]) -> None:
        """Forget which recalls delivered records, and what those packets said in sum."""
        ...

    def optimise_words(self) -> None:
        """Rewrite the word indexes: a deleted term's bytes stay in them until then."""
        ...

    def put_certificate(self, entry_id: str, at: int, report: str, *, cleaned: bool) -> None:
        """Keep what is known of an erasure."""
        ...

    def put_job(self, row: JobRow) -> None:
        """Put a stretch in a job's queue, or say how it is with it now."""
        ...

    def drop_job(self, row: JobRow) -> None:
        """Take a stretch out of the queue."""
        ...

    def put_job_mark(self, job: str, scope_id: str, position: int) -> None:
        """Say up to where a job's work in a scope has been put in the queue."""
        ...

    def drop_projections(self) -> None:
        """Empty everything a replay makes anew."""
        ...

    def pin(self) -> None:
        """Say that the vectors of this space are by the store's embedder, if they are nobody's yet."""
        ...

    def renew_vectors(self) -> None:
        """Forget every vector of the space, pin it to the store's embedder, and let every document wait for one."""
        ...

    def behind(self, most: int) -> list[int]:
        """Documents that wait for a vector which the store's embedder makes in a transaction, if it is the space's."""
        ...

    def put_late(self, dimension: int, made: Sequence[tuple[int, bytes]], done: Iterable[int]) -> None:
        """Give documents vectors of the words that they have in this transaction; `done` wait no longer."""
        ...

    def lease_pending(self, vids: Iterable[int], until: int) -> None:
        """Nobody else takes these documents before an instant."""
        ...

    def hold_pending(self, vids: Iterable[int], held: int) -> None:
        """Documents that wait, but for something else than their turn: see `Pending`."""
        ...

    def release_pending(self, held: int) -> None:
        """What was held for this reason waits for its turn again."""
        ...

    def note_failure(self, code: str | None) -> None:
        """Keep how an endpoint failed last, or that it did not."""
        ...
