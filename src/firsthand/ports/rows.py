"""The rows that cross between the house and a store."""

from __future__ import annotations

from typing import Literal, NamedTuple

from firsthand.vocabulary.kinds import HiddenReason, Kind, Status, Tier, Visibility, Volatility

Shelf = Literal[0, 1, 2]
"""Where a document's words are indexed: nowhere, with what the default gate may pass, with the rest."""
UNLISTED: Shelf = 0
LISTED: Shelf = 1
REST: Shelf = 2

SEQ_BITS = 32
"""A document's number is its scope's number in the high bits and its place in the scope in the low ones."""


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


ColumnsRow = tuple[int, Kind, str | None, int | None, int | None, int, int | None, int | None]
"""A document's place in its scope, kind, thread, speaker, occurred_at, flags, told_from, told_to."""


class JournalRow(NamedTuple):
    """A recall's receipt: who asked, what was delivered, in which order."""

    recall_id: str
    at: int
    actor: str
    session: str | None
    nonce: str
    digest: str
    delivered: tuple[str, ...]
