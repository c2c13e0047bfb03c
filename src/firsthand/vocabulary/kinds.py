"""Closed enumerations of design 02, as literal types with their members in order."""

from __future__ import annotations

from typing import Final, Literal, get_args

Kind = Literal["episodic", "working", "semantic", "competence", "plan_graph", "entity"]
Tier = Literal["observed", "candidate", "validated_claim", "fact"]
Status = Literal[
    "active",
    "pending_evidence",
    "needs_review",
    "quarantined",
    "disputed",
    "superseded",
    "retracted",
    "rejected",
    "erased",
]
Visibility = Literal["visible", "content_conflict", "hidden"]
HiddenReason = Literal["withdrawn", "conflicting_decisions", "unreviewed_content"]
Sensitivity = Literal["public", "low", "medium", "high", "hyper"]
Volatility = Literal["stable", "drift_prone", "ephemeral"]
Basis = Literal["stated", "observed", "inferred", "imported"]
StatedBasis = Literal["stated", "observed", "inferred"]
"""What a caller may say a claim is based on; only importers say the fourth."""
Authority = Literal["authoritative", "primary", "secondary", "inferred", "unknown"]
Role = Literal["person", "agent", "system"]
PeerTrust = Literal["person", "agent", "none"]
Polarity = Literal["+", "-"]
ValidityMode = Literal["global", "timeboxed", "conditional"]
Outcome = Literal["success", "failure", "partial", "unknown"]
TaskState = Literal["planning", "executing", "blocked", "waiting", "done"]
Cardinality = Literal["one", "many"]
RelationKind = Literal["state", "event"]
ValueType = Literal["string", "number", "boolean", "date", "datetime", "entity"]
FeedbackOutcome = Literal["helped", "failed", "unused"]
Reason = Literal[
    "returned", "no_match", "cut_by_rank", "cut_by_budget", "grouped", "retracted", "superseded", "rejected", "gated"
]
"""Why a record is or is not in an answer."""
Include = Literal["candidates", "needs_review", "pending", "superseded"]
"""What a recall may ask for beyond the default; never what is hidden, retracted, rejected, erased or over clearance."""
Because = Literal["wrong", "outdated", "private", "never_again"]
"""Why a record is forgotten."""

EntryKind = Literal[
    "revise",
    "support",
    "judge",
    "show",
    "reject",
    "lift",
    "classify",
    "relate",
    "attend",
    "define",
    "erase",
    "seal",
    "propose",
    "settle",
]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SENSITIVITIES: Final[tuple[Sensitivity, ...]] = get_args(Sensitivity)
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
ROLES: Final[tuple[Role, ...]] = get_args(Role)
INCLUDES: Final[tuple[Include, ...]] = get_args(Include)
TRUSTS: Final[tuple[PeerTrust, ...]] = get_args(PeerTrust)

HIGHEST_SENSITIVITY: Final = len(SENSITIVITIES) - 1
DEFAULT_SENSITIVITY: Final[Sensitivity] = "low"
