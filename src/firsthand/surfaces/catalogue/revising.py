"""What changes what is believed, shown or allowed: correct to undo."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import UNSET, UnsetType

from firsthand.surfaces.catalogue import fields as f
from firsthand.surfaces.catalogue.operation import Arguments, Operation
from firsthand.vocabulary import limits
from firsthand.vocabulary.kinds import Because
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.results import Impact


class _Why(Arguments, frozen=True, kw_only=True):
    reason: f.Reason
    idempotency_key: f.Key | UnsetType = UNSET


class _Which(_Why, frozen=True, kw_only=True):
    """One record, by its id or by what it is about."""

    record_id: f.RecordId | UnsetType = UNSET
    target: f.Target | UnsetType = UNSET


class _Read(_Which, frozen=True, kw_only=True):
    """A record as it was when it was read."""

    expected_heads: f.Heads = ()


class _Renewed(_Read, frozen=True, kw_only=True):
    """What a record says instead."""

    statement: f.Statement | UnsetType = UNSET
    object: f.Object | UnsetType = UNSET
    unit: f.Unit | UnsetType = UNSET
    evidence: f.Evidence = ()


class Correct(_Renewed, frozen=True, kw_only=True):
    """Arguments of correct."""

    polarity: f.Polarity | UnsetType = UNSET
    conditions: f.Conditions | UnsetType = UNSET
    valid_from: f.ValidFrom | UnsetType = UNSET
    valid_to: f.ValidTo | UnsetType = UNSET


class Change(_Renewed, frozen=True, kw_only=True):
    """Arguments of change."""

    since: f.Since | UnsetType = UNSET


class Retract(_Read, frozen=True, kw_only=True):
    """Arguments of retract."""


class Contest(_Read, frozen=True, kw_only=True):
    """Arguments of contest."""

    against: f.OtherId | UnsetType = UNSET


class Settle(_Which, frozen=True, kw_only=True):
    """Arguments of settle."""

    contests: Annotated[
        tuple[f.EntryId, ...],
        f.said(
            "Only these contests, by their entries.", flag="--contest", metavar="ENTRY", max_length=limits.LIST_ITEMS
        ),
    ] = ()


class Fork(_Renewed, frozen=True, kw_only=True):
    """Arguments of fork."""

    conditions: f.Conditions | UnsetType = UNSET
    polarity: f.Polarity | UnsetType = UNSET
    valid_from: f.ValidFrom | UnsetType = UNSET
    valid_to: f.ValidTo | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        """A fork without conditions is told so by the verb."""
        return {"conditions": {}, **super().given()}


class Merge(_Why, frozen=True, kw_only=True):
    """Arguments of merge."""

    record_ids: f.RecordIds
    statement: (
        Annotated[f.Statement, f.said("What they all say; as the first says it, unless said.", reads="prose")]
        | UnsetType
    ) = UNSET
    object: f.Object | UnsetType = UNSET
    unit: f.Unit | UnsetType = UNSET


class Withdraw(_Read, frozen=True, kw_only=True):
    """Arguments of withdraw."""

    expected_visibility_heads: f.VisibilityHeads = ()


class Restore(_Why, frozen=True, kw_only=True):
    """Arguments of restore."""

    record_id: Annotated[
        str, f.said("The whole id, from the receipt of the withdrawal.", metavar="ID", max_length=f.ID_CHARACTERS)
    ]
    expected_heads: f.Heads = ()
    expected_visibility_heads: f.VisibilityHeads = ()


class Reject(_Which, frozen=True, kw_only=True):
    """Arguments of reject: a record, or a value that no record need have."""

    statement: f.Statement | UnsetType = UNSET
    subject: f.Subject | UnsetType = UNSET
    predicate: f.Predicate | UnsetType = UNSET
    object: f.Object | UnsetType = UNSET
    unit: f.Unit | UnsetType = UNSET
    polarity: f.Polarity | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        """With the parts of the value as the one argument the verb takes."""
        given = super().given()
        parts = ("statement", "subject", "predicate", "object", "unit", "polarity")
        value = {part: given.pop(part) for part in parts if part in given}
        return {**given, "value": value} if value else given


class Lift(_Why, frozen=True, kw_only=True):
    """Arguments of lift."""

    rejection_id: Annotated[f.EntryId, f.said("The entry that rejected, corrected or retracted it.", metavar="ENTRY")]


class Share(_Read, frozen=True, kw_only=True):
    """Arguments of share."""

    scope: Annotated[f.Scope, f.said("Into which scope.", metavar="SCOPE")]


class Forget(_Which, frozen=True, kw_only=True):
    """Arguments of forget."""

    because: Annotated[Because, f.said("Why it should go: it decides how it goes.")]
    reason: f.Reason | UnsetType = UNSET  # pyright: ignore[reportIncompatibleVariableOverride]


class Undo(_Why, frozen=True, kw_only=True):
    """Arguments of undo."""

    entry_id: f.EntryId


class AskImpact(Arguments, frozen=True, kw_only=True):
    """Arguments of impact."""

    record_id: f.RecordId


def _revision(name: str, takes: type[Arguments], does: str, example: dict[str, Any], *words: str) -> Operation:
    return Operation(
        name=name, needs=name, path=name, takes=takes, gives=Receipt, shows="revision", writes=True, does=does,
        words=words, example=example,
    )  # fmt: skip


_ID: Final = {"record_id": "r…"}
OPERATIONS: Final = (
    _revision("correct", Correct, "It was never so: it is this. The old value leaves all time, and may not come back.",
              {**_ID, "object": "Porto", "reason": "misheard"}, "record_id", "statement"),
    _revision("change", Change, "It was so; since then it is this. With neither statement nor object it only ends.",
              {**_ID, "object": "Porto", "since": "2026-05-01", "reason": "moved"}, "record_id", "statement"),
    _revision("retract", Retract, "Take a record back, with nothing in its place.",
              {**_ID, "reason": "I misspoke"}, "record_id"),
    _revision("contest", Contest, "Doubt a record: it is shown as a conflict until the doubt is settled.",
              {**_ID, "reason": "the invoice says otherwise"}, "record_id"),
    _revision("settle", Settle, "Settle the doubts about a record.", {**_ID, "reason": "checked"}, "record_id"),
    _revision("fork", Fork, "It stands, and under conditions it is this.",
              {**_ID, "object": "tea", "conditions": {"time": "evening"}, "reason": "sleep"}, "record_id", "statement"),
    _revision("merge", Merge, "Make several records that say the same one, with the evidence of all.",
              {"record_ids": ["r…", "r…"], "reason": "said twice"}, "record_ids"),
    _revision("withdraw", Withdraw, "Do not show a record for now. It stays as true as it was.",
              {**_ID, "reason": "under embargo"}, "record_id"),
    _revision("restore", Restore, "Show a withdrawn record again.", {**_ID, "reason": "published"}, "record_id"),
    _revision("reject", Reject, "Never let a value in again, whoever says it. A person's decision.",
              {**_ID, "reason": "fabricated"}, "record_id"),
    _revision("lift", Lift, "Let a value come back that was rejected, corrected or retracted. A person's decision.",
              {"rejection_id": "e…", "reason": "it was right"}, "rejection_id"),
    _revision("share", Share, "Copy a record into another scope, linked to it: it dies with its original.",
              {**_ID, "scope": "space:", "reason": "everyone needs it"}, "record_id", "scope"),
    _revision("forget", Forget, "Forget a record: taken back, ended, hidden or rejected, as the reason asks.",
              {**_ID, "because": "private"}, "record_id"),
    _revision("undo", Undo, "Take back what an entry did, by writing its opposite.",
              {"entry_id": "e…", "reason": "wrong record"}, "entry_id"),
    Operation(
        name="impact", needs="impact", path="impact", takes=AskImpact, gives=Impact, shows="impact",
        words=("record_id",), does="Say what would become of the records that rest on one. Changes nothing.",
        example=_ID,
    ),
)  # fmt: skip
