"""What waits for a person: items of the review desk, and what each decision would change."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from firsthand.vocabulary.errors import NextAction
from firsthand.vocabulary.kinds import Sensitivity, Status, Tier
from firsthand.vocabulary.packets import History, RecordView, Standing
from firsthand.vocabulary.results import Effect, Result

ReviewKind = Literal["proposals", "conflicts", "candidates", "near_tombstones"]
DecisionName = Literal["approve", "reject", "settle", "retract"]
REVIEW_KINDS: Final[tuple[ReviewKind, ...]] = get_args(ReviewKind)
DECISIONS: Final[dict[ReviewKind, tuple[DecisionName, ...]]] = {
    "proposals": ("approve", "reject"),
    "conflicts": ("approve", "settle", "retract", "reject"),
    "candidates": ("approve", "retract", "reject"),
    "near_tombstones": ("approve", "retract", "reject"),
}
"""What a person may decide of each: an approval makes a fact; rejecting a record forbids its value for good."""


class ReviewItem(Result, frozen=True):
    """Something that waits. `item_id` is the proposal's entry, or the record."""

    item_id: str
    kind: ReviewKind
    record_id: str | None
    text: str | None
    since: int
    verb: str | None = None
    by: str | None = None
    reason: str | None = None
    tier: Tier | None = None
    status: Status | None = None
    sensitivity: Sensitivity = "low"
    against: str | None = None
    about: tuple[str, ...] = ()
    """What the records say that a proposal would change, as far as they may be read here."""


class ReviewPage(Result, frozen=True):
    """A page of what waits: of one kind newest first, else grouped by kind. `counts`: how many of each kind wait."""

    items: tuple[ReviewItem, ...]
    cursor: str | None = None
    counts: dict[ReviewKind, int] = msgspec.field(default_factory=dict[ReviewKind, int])


class Outlook(Result, frozen=True):
    """What one decision would change, computed and not applied; `code` says why it would be refused."""

    decision: DecisionName
    outcome: Literal["stored", "reinforced", "proposed", "refused"]
    standing: Standing | None = None
    affected: tuple[Effect, ...] = ()
    code: str | None = None
    next_action: NextAction | None = None


class ReviewView(Result, frozen=True):
    """One item with what a person needs to decide it: the record, its evidence and history, and each decision."""

    item: ReviewItem
    record: RecordView | None
    history: History | None
    outlooks: tuple[Outlook, ...]
