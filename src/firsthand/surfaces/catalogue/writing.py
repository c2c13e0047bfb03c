"""What puts something in: capture, remember, support, relate, classify, feedback."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from firsthand.surfaces.catalogue import fields as f
from firsthand.surfaces.catalogue.operation import Arguments, Operation
from firsthand.vocabulary import limits
from firsthand.vocabulary.kinds import FeedbackOutcome, Outcome
from firsthand.vocabulary.packets import Receipt

NAME: Final = limits.NAME_BYTES


class _Kept(Arguments, frozen=True, kw_only=True):
    """What may be said beside any record."""

    tags: f.Tags = ()
    metadata: f.Metadata | UnsetType = UNSET
    sensitivity: f.Sensitivity | UnsetType = UNSET
    reason: f.Reason | UnsetType = UNSET
    idempotency_key: f.Key | UnsetType = UNSET


class Capture(_Kept, frozen=True, kw_only=True):
    """Arguments of capture."""

    text: f.Text
    speaker: Annotated[str, f.said("Who said it.", metavar="NAME", max_length=NAME)] | UnsetType = UNSET
    occurred_at: f.OccurredAt | UnsetType = UNSET
    thread: Annotated[str, f.said("The conversation it belongs to.", metavar="NAME", max_length=NAME)] | UnsetType = (
        UNSET
    )
    event_kind: Annotated[str, f.said("What kind of event it was.", metavar="WORD", max_length=NAME)] | UnsetType = (
        UNSET
    )
    outcome: Annotated[Outcome, f.said("How it ended.")] | UnsetType = UNSET
    source_id: Annotated[str, f.said("Its id where it came from.", metavar="ID", max_length=NAME)] | UnsetType = UNSET
    origin: (
        Annotated[str, f.said("The document or tool it came from.", metavar="NAME", max_length=NAME)] | UnsetType
    ) = UNSET


class Remember(_Kept, frozen=True, kw_only=True):
    """Arguments of remember."""

    statement: f.Statement | UnsetType = UNSET
    subject: f.Subject | UnsetType = UNSET
    predicate: f.Predicate | UnsetType = UNSET
    object: f.Object | UnsetType = UNSET
    unit: f.Unit | UnsetType = UNSET
    polarity: f.Negative | UnsetType = UNSET
    conditions: f.Conditions | UnsetType = UNSET
    valid_from: f.ValidFrom | UnsetType = UNSET
    valid_to: f.ValidTo | UnsetType = UNSET
    basis: f.Basis | UnsetType = UNSET
    volatility: f.Volatility | UnsetType = UNSET
    evidence: f.Evidence = ()
    payload: f.Payload | UnsetType = UNSET


class Support(Arguments, frozen=True, kw_only=True):
    """Arguments of support."""

    record_id: f.RecordId
    evidence: f.Evidence = ()
    revoke: Annotated[str, f.said("Take this support back.", metavar="SUPPORT", max_length=NAME)] | UnsetType = UNSET
    reinstate: (
        Annotated[str, f.said("Let this support count again.", metavar="SUPPORT", max_length=NAME)] | UnsetType
    ) = UNSET
    reason: f.Reason
    idempotency_key: f.Key | UnsetType = UNSET


class Relate(Arguments, frozen=True, kw_only=True):
    """Arguments of relate."""

    record_id: f.RecordId
    relation: Annotated[str, f.said("The relation, such as depends_on.", metavar="RELATION", max_length=NAME)]
    target: f.OtherId
    end: Annotated[bool, f.said("End the relation instead.")] = False
    reason: f.Reason
    idempotency_key: f.Key | UnsetType = UNSET


class Classify(Arguments, frozen=True, kw_only=True):
    """Arguments of classify."""

    record_id: f.RecordId
    sensitivity: f.Sensitivity
    reason: f.Reason
    idempotency_key: f.Key | UnsetType = UNSET


class Feedback(Arguments, frozen=True, kw_only=True):
    """Arguments of feedback."""

    recall_id: Annotated[str, f.said("The recall, by the id in its packet.", metavar="RECALL-ID", max_length=NAME)]
    outcome: Annotated[FeedbackOutcome, f.said("What the answer was worth.")]
    used: Annotated[
        tuple[f.RecordId, ...],
        f.said(
            "Records of the answer that this is about; all it delivered unless said.",
            metavar="ID",
            reads="records",
            max_length=limits.RECALL_LIMIT_MAX,
        ),
    ] = ()
    reason: f.Reason | UnsetType = UNSET
    idempotency_key: f.Key | UnsetType = UNSET


OPERATIONS: Final = (
    Operation(
        name="remember", needs="remember", path="remember", takes=Remember, gives=Receipt, shows="receipt", writes=True,
        does="Store a claim, with what it rests on.", words=("statement",),
        example={"statement": "Ana lives in Lisbon", "subject": "Ana", "predicate": "lives_in", "object": "Lisbon"},
    ),
    Operation(
        name="capture", needs="capture", path="capture", takes=Capture, gives=Receipt, shows="receipt", writes=True,
        does="Store what was said or happened, word for word.", words=("text",),
        example={"text": "We ship on Friday.", "speaker": "Ana", "thread": "standup"},
    ),
    Operation(
        name="support", needs="support", path="support", takes=Support, gives=Receipt, shows="receipt", writes=True,
        does="Add evidence to a record, or take evidence back.", words=("record_id",),
        example={"record_id": "r…", "evidence": [{"record_id": "r…", "quote": "on Friday"}], "reason": "said again"},
    ),
    Operation(
        name="relate", needs="relate", path="relate", takes=Relate, gives=Receipt, shows="receipt", writes=True,
        does="Join two records by a relation, or end one.", words=("record_id", "relation", "target"),
        example={"record_id": "r…", "relation": "depends_on", "target": "r…", "reason": "it calls it"},
    ),
    Operation(
        name="classify", needs="classify", path="classify", takes=Classify, gives=Receipt, shows="receipt", writes=True,
        does="Set how sensitive a record is: anyone may raise it, a person may lower it.",
        words=("record_id", "sensitivity"),
        example={"record_id": "r…", "sensitivity": "high", "reason": "it names a patient"},
    ),
    Operation(
        name="feedback", needs="feedback", path="feedback", takes=Feedback, gives=tuple[Receipt, ...], shows="receipts",
        writes=True, does="Say what an answer was worth, which moves the salience of what it used.",
        words=("recall_id",), example={"recall_id": "q…", "outcome": "helped", "used": ["r…"]},
    ),
)  # fmt: skip
