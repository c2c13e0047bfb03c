"""What comes back: receipts of writes, packets of recalls, rows of history (designs 03, 04, 05)."""

from __future__ import annotations

from typing import Literal

import msgspec

from firsthand.vocabulary.errors import NextAction
from firsthand.vocabulary.kinds import (
    Authority,
    Basis,
    Cardinality,
    HiddenReason,
    Kind,
    Polarity,
    Reason,
    RelationKind,
    Sensitivity,
    Status,
    Tier,
    Visibility,
    Volatility,
)
from firsthand.vocabulary.records import Payload, Performance, TypedValue
from firsthand.vocabulary.rendering import CountTokens, Style, render
from firsthand.vocabulary.results import Effect
from firsthand.vocabulary.results import Result as _Result

ReceiptOutcome = Literal["stored", "reinforced", "proposed", "refused"]
WhyEmpty = Literal["nothing_matched", "scope_empty", "arm_down", "nothing_fits"]
ArmName = Literal["lexical", "vector", "entity", "recent", "thread", "expand"]


class Standing(_Result, frozen=True):
    """A record's standing in one word each. `shown`: whether a recall that asks for nothing more may return it."""

    tier: Tier
    status: Status
    visibility: Visibility
    hidden_reason: HiddenReason | None = None
    shown: bool = True


class Conflict(_Result, frozen=True):
    """Something a write met: what it is, and the verbs that would settle it."""

    code: Literal["disputed", "challenged", "possible_conflict", "denied_by", "ambiguous", "also_said_by"]
    record_id: str
    text: str | None = None
    settle_with: tuple[str, ...] = ()


class Masking(_Result, frozen=True):
    """A secret that was masked before anything was stored; spans are in the text as given."""

    type: str
    field: str
    start: int
    end: int


class Receipt(_Result, frozen=True):
    """What a write did. `refused` and `proposed` are outcomes, not errors (design 09.12)."""

    outcome: ReceiptOutcome
    record_id: str | None
    entry_id: str | None
    known_at: int
    standing: Standing | None = None
    conflicts: tuple[Conflict, ...] = ()
    maskings: tuple[Masking, ...] = ()
    code: str | None = None
    next_action: NextAction | None = None
    notes: tuple[str, ...] = ()
    evidence_id: str | None = None
    affected: tuple[Effect, ...] = ()
    replayed: bool = False
    cause_entry: str | None = None  # what forbids a refused write, for who may know of it; a person lifts it by this id


class Citation(_Result, frozen=True):
    """Where a belief came from: an exact span of an episode, in code points."""

    record_id: str
    quote: str
    span: tuple[int, int]
    speaker: str | None = None
    occurred_at: int | None = None
    source: str | None = None
    attested: bool = False


class Why(_Result, frozen=True):
    """Which arm found an item, at which rank from 1."""

    arm: ArmName
    rank: int


class Structure(_Result, frozen=True):
    """A claim's structure, in words."""

    subject: str | None = None
    predicate: str | None = None
    object: TypedValue | None = None
    polarity: Polarity = "+"
    cardinality: Cardinality = "many"
    conditions: dict[str, str | int | float | bool] = msgspec.field(default_factory=dict[str, str | int | float | bool])


class Excepted(_Result, frozen=True):
    """A claim that holds instead under conditions, which are pairs of name and value."""

    record_id: str
    conditions: tuple[tuple[str, str | int | float | bool], ...]


class Qualifier(_Result, frozen=True):
    """How far an item can be relied on. `text` is the sentence; the rest is for programs.

    A global claim beside conditional ones is the default, except for what `excepted` names. `challenged_by` are ids of
    records; `denied_by` are names of who says the opposite, or took it back though others still say it.
    """

    code: Literal["current", "ended", "future", "disputed", "superseded", "unverified", "candidate", "said_then"]
    text: str
    until: int | None = None
    since: int | None = None
    conditions: dict[str, str | int | float | bool] = msgspec.field(default_factory=dict[str, str | int | float | bool])
    unmet: tuple[str, ...] = ()
    drifted: bool = False
    last_verified: int | None = None
    see: str | None = None
    challenged_by: tuple[str, ...] = ()
    denied_by: tuple[str, ...] = ()
    excepted: tuple[Excepted, ...] = ()


class Item(_Result, frozen=True):
    """One belief in a packet."""

    record_id: str
    revision_id: str
    kind: Kind
    text: str
    scope: str
    tier: Tier
    status: Status
    authority: Authority
    valid_from: int | None
    valid_to: int | None
    believed_since: int
    salience: float
    citations: tuple[Citation, ...]
    why: tuple[Why, ...]
    qualifier: Qualifier
    structure: Structure | None = None
    payload: Payload | None = None
    performance: Performance | None = None
    """How often a skill or plan helped: the numbers it was written with, and feedback since."""
    speaker: str | None = None
    occurred_at: int | None = None
    thread: str | None = None
    source_id: str | None = None
    supports: int = 0
    sources: int = 1
    """Independent voices behind it: one owner's agents are one, and an echo of what was delivered is none."""
    volatility: Volatility = "drift_prone"
    sensitivity: Sensitivity = "low"
    neighbour_of: str | None = None


class ConflictGroup(_Result, frozen=True):
    """Beliefs that cannot all hold; none is offered as true. `more`: sides of it that did not fit."""

    code: Literal["disputed", "content_conflict", "possible_conflict"]
    items: tuple[Item, ...]
    more: int = 0


class Omitted(_Result, frozen=True):
    """What matched and did not fit."""

    rows: int = 0
    bytes: int = 0
    tokens: int = 0


class Selection(_Result, frozen=True):
    """How clearly the first competence or plan beats the second: `margin` as a share of its score."""

    needs_more: bool
    margin: float


class Packet(_Result, frozen=True):
    """The answer to a recall. `why_empty` says why it has no items; `likelihood`: of holding an answer."""

    recall_id: str
    query: str
    items: tuple[Item, ...]
    conflicts: tuple[ConflictGroup, ...]
    matching: int
    returned: int
    truncated: bool
    omitted: Omitted
    degraded: tuple[str, ...]
    coverage: float
    likelihood: float | None
    known_at: int
    valid_at: int | None
    notice: str
    nonce: str
    scopes: tuple[str, ...]
    selection: Selection | None = None
    why_empty: WhyEmpty | None = None
    now: int = 0

    def render(
        self, style: Style = "text", *, max_tokens: int | None = None, count_tokens: CountTokens | None = None
    ) -> str:
        """The packet fenced as data, at most `max_tokens` with the fence: estimated, or as `count_tokens` counts."""
        return render(self, style, max_tokens=max_tokens, count_tokens=count_tokens)


class BeliefView(_Result, frozen=True):
    """One row of a record's history: a state between two instants of knowledge."""

    record_id: str
    revision_id: str
    text: str | None
    tier: Tier
    status: Status
    visibility: Visibility
    hidden_reason: HiddenReason | None
    valid_from: int | None
    valid_to: int | None
    known_from: int
    known_to: int | None
    live_support: int
    sensitivity: Sensitivity
    cause_entry: str
    ended_by: str | None = None
    challenged_by: str | None = None


class EntryView(_Result, frozen=True):
    """One entry of a record's life, as history shows it."""

    position: int
    entry_id: str
    kind: str
    verb: str | None
    actor: str | None
    role: str
    harness: str
    recorded_at: int
    received_at: int
    text: str | None
    reason: str | None
    erased: bool


class History(_Result, frozen=True):
    """All that happened to a record, oldest first, at most 200 a page; `causes`: entries of others behind it."""

    record_id: str
    entries: tuple[EntryView, ...]
    beliefs: tuple[BeliefView, ...]
    causes: tuple[EntryView, ...] = ()
    cursor: str | None = None


class SupportView(_Result, frozen=True):
    """One support of a record."""

    support_id: str
    citation: Citation | None
    source: str | None
    basis: Basis
    live: bool
    spoken: int


class RelationView(_Result, frozen=True):
    """One edge of a record."""

    relation: str
    record_id: str
    direction: Literal["out", "in"]


class RecordView(_Result, frozen=True):
    """One record read by id."""

    item: Item
    visibility: Visibility
    supports: tuple[SupportView, ...]
    relations: tuple[RelationView, ...]
    heads: tuple[str, ...]
    visibility_heads: tuple[str, ...]


class RecordPage(_Result, frozen=True):
    """A page of records, newest first."""

    items: tuple[Item, ...]
    cursor: str | None


class Explanation(_Result, frozen=True):
    """Why a record is or is not in the answer to a query. `rejected_by`: what a scope read with it rejects."""

    record_id: str
    returned: bool
    why: tuple[Why, ...]
    reason: Reason
    rank: int | None = None
    contributions: dict[str, float] = msgspec.field(default_factory=dict[str, float])
    rejected_by: str | None = None
    qualifier: Qualifier | None = None
    """How far it can be relied on, if it was returned."""


class Stats(_Result, frozen=True):
    """What a space holds, as far as this handle may read."""

    space: str
    entries: int | None
    """Of the whole ledger: unset for a handle that may not read all of it."""
    records: dict[str, int]
    standing: dict[str, int]
    scopes: int
    bytes_on_disk: int
    known_at: int
    generation: int


class ScopeView(_Result, frozen=True):
    """A scope that holds something, and how many records."""

    scope: str
    records: int


class PredicateView(_Result, frozen=True):
    """A predicate: how many values it holds at a time, of what kinds, and its other names; no kinds means any."""

    key: str
    version: int
    cardinality: Cardinality
    relation_kind: RelationKind
    subject_kinds: tuple[str, ...]
    object_kinds: tuple[str, ...]
    aliases: tuple[str, ...]


class BatchReport(_Result, frozen=True):
    """What a bulk write did."""

    total: int
    stored: int
    reinforced: int
    refused: int
    proposed: int
    receipts: tuple[Receipt, ...]


class ImportProblem(_Result, frozen=True):
    """A line that could not be taken, by its number from 1, and its file where a folder was imported."""

    line: int
    code: str
    message: str
    file: str | None = None

    @property
    def place(self) -> str:
        """Where it is, in words; line 0 is the whole file."""
        return ", ".join(part for part in (self.file, f"line {self.line}" if self.line else None) if part)


class ImportReport(_Result, frozen=True):
    """What an import did; running it again adds nothing. `scopes` are those it wrote to."""

    source: str
    scopes: tuple[str, ...]
    read: int
    added: int
    known: int
    refused: int
    problems: tuple[ImportProblem, ...]  # by line, and no more than so many of the `bad` ones
    seconds: float

    @property
    def bad(self) -> int:
        """How many lines had a problem, listed or not."""
        return self.read - self.added - self.known - self.refused
