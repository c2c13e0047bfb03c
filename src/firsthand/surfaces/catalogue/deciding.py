"""The review desk, and the background jobs that fill it."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from firsthand.surfaces.catalogue import fields as f
from firsthand.surfaces.catalogue.operation import Arguments, Operation
from firsthand.surfaces.catalogue.reading import Nothing, Page
from firsthand.vocabulary.jobs import JobsReport, JobsStatus
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.reviews import DecisionName, ReviewKind, ReviewPage, ReviewView

ItemId = Annotated[
    str, f.said("What waits: the id its list shows.", metavar="ITEM", reads="item", max_length=f.ID_CHARACTERS)
]


class ListReview(Page, frozen=True, kw_only=True):
    """Arguments of review list."""

    kind: Annotated[ReviewKind, f.said("Only this kind of what waits; all unless said.")] | UnsetType = UNSET


class ShowReview(Arguments, frozen=True, kw_only=True):
    """Arguments of review show."""

    item_id: ItemId


class Decide(ShowReview, frozen=True, kw_only=True):
    """Arguments of review decide."""

    decision: Annotated[DecisionName, f.said("What is decided.")]
    reason: f.Reason
    idempotency_key: f.Key | UnsetType = UNSET


class RunJobs(Arguments, frozen=True, kw_only=True):
    """Arguments of jobs run."""

    limit: (
        Annotated[int, f.said("Stop after so many stretches of at most 64 documents.", metavar="N", ge=1)] | UnsetType
    ) = UNSET
    again: Annotated[bool, f.said("Also try again what was given up.")] = False


OPERATIONS: Final = (
    Operation(
        name="review list", needs="review", path="review.list", takes=ListReview, gives=ReviewPage, shows="review_page",
        does="List what waits for a person, kind by kind, newest first.", example={"kind": "proposals"},
    ),
    Operation(
        name="review show", needs="review", path="review.show", takes=ShowReview, gives=ReviewView, shows="review_view",
        does="Show an item with its evidence and history, and what each decision would change.", words=("item_id",),
        example={"item_id": "e…"},
    ),
    Operation(
        name="review decide", needs="approve", path="review.decide", takes=Decide, gives=Receipt, shows="revision",
        writes=True, words=("item_id", "decision"),
        does="Decide an item, as a person: approve makes it a fact, reject forbids it for good or closes a proposal.",
        example={"item_id": "e…", "decision": "approve", "reason": "seen on the contract"},
    ),
    Operation(
        name="jobs run", needs="jobs", path="jobs.run", takes=RunJobs, gives=JobsReport, shows="jobs_report",
        writes=True, working="jobs",
        does="Read claims out of what was captured and propose merges, until nothing waits that is due.", example={},
    ),
    Operation(
        name="jobs status", needs="jobs", path="jobs.status", takes=Nothing, gives=JobsStatus, shows="jobs",
        does="Show what waits, what is being worked on and what was given up, in every scope.", example={},
    ),
)  # fmt: skip
