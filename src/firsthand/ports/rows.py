"""The rows that cross between the house and a store."""

from typing import Final, Literal, NamedTuple

from firsthand.vocabulary.kinds import HiddenReason, Kind, Status, Tier, Visibility, Volatility

Shelf = Literal[0, 1, 2]
"""Where a document's words are indexed: nowhere, with what the default gate may pass, with the rest."""
UNLISTED: Shelf = 0
LISTED: Shelf = 1
REST: Shelf = 2

SEQ_BITS = 32
"""A document's number is its scope's number in the high bits and its place in the scope in the low ones."""
EVERY = 1 << SEQ_BITS
"""More documents than a scope has."""


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
    """A scope's number, how many documents it numbered and how many are on each shelf.

    `changed` counts what came, went or moved; `erasures` how often a document lost its words; `reworded` how often one
    was indexed by other words than before.
    """

    scope_id: str
    scope_no: int
    name: str | None
    next_seq: int
    listed: int
    rest: int
    changed: int
    erasures: int
    reworded: int


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


class CertificateRow(NamedTuple):
    """What is known of an erasure, as JSON, and whether the file itself was cleaned after it."""

    entry_id: str
    at: int
    report: str
    cleaned: bool


class Residue(NamedTuple):
    """Bytes of destroyed words that a sweep found: in which file or index, in which form, how often, where first."""

    where: str
    form: str
    times: int
    offsets: tuple[int, ...]


class Scrubbed(NamedTuple):
    """What became of the file's own leftovers; `log`: whether the write-ahead log could be emptied."""

    log: Literal["truncated", "blocked"]
    pages_freed: int


JobState = Literal["waiting", "leased", "dead"]


class JobRow(NamedTuple):
    """A stretch of the ledger, `(after, upto]`, that a job has still to look at in a scope: no words, only places.

    `due`: when it may be taken, in microseconds, which for one that is leased is when its lease ends. `code`: how it
    failed last.
    """

    job: str
    scope_id: str
    upto: int
    after: int
    state: JobState
    due: int
    fence: int = 0
    failures: int = 0
    code: str | None = None


class MaskRow(NamedTuple):
    """A span of an entry's texts, laid end to end, that is not shown to whoever asks about `since` or later.

    `stone` is the entry that forbids what it says; empty where it is private.
    """

    entry_id: str
    low: int
    high: int
    stone: str
    since: int


class RefusalRow(NamedTuple):
    """A write that was refused: by its number, content-free."""

    number: int
    at: int
    verb: str
    code: str
    scope_id: str
    actor: str
    cause_entry: str | None


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
    known_to: int


class ColumnsRow(NamedTuple):
    """What ranking reads of a document: by its place in its scope, as the ones before and after it in its thread."""

    place: int
    kind: Kind
    thread: str | None
    before: int | None
    after: int | None
    speaker: int | None
    occurred_at: int | None
    flags: int
    told_from: int | None
    told_to: int | None


NOBODY: Final = ""
"""By whom the vectors of a space are of which none was made yet."""


KEPT_BACK: Final = 1
GIVEN_UP: Final = 2
"""Why a document waits for no vector: it may not be sent as it stands; the endpoint would not have it."""


class Embedding(NamedTuple):
    """By whom the vectors of a space are. `dimension` is unset until the first of them says it.

    `generation` counts how often all were made anew, `late` the batches that came after their words. `sent_to`: every
    remote embedder that was ever asked, one a line; `code`: how the last call of one failed, if it did.
    """

    identity: str
    dimension: int | None
    generation: int
    late: int
    sent_to: str
    code: str | None


class Pending(NamedTuple):
    """How many documents wait for a vector, may not be sent as they stand, and were refused by the endpoint."""

    waiting: int
    kept_back: int
    given_up: int


class JournalRow(NamedTuple):
    """A recall's receipt: who asked, what was delivered, in which order."""

    recall_id: str
    at: int
    actor: str
    session: str | None
    nonce: str
    digest: str
    delivered: tuple[str, ...]
