"""Why a record is, or is not, in the answer to a query."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.ports import LISTED, BeliefRow, DocRow, Reader
from firsthand.recall.pipeline import Trace
from firsthand.recall.plan import Plan
from firsthand.recall.reading import may_read
from firsthand.rules.access import Handle
from firsthand.vocabulary.errors import AbsentError
from firsthand.vocabulary.kinds import Reason
from firsthand.vocabulary.packets import Explanation, Why


def explain(reader: Reader, handle: Handle, plan: Plan, trace: Trace, record_id: str) -> Explanation:
    """The arm and rank that found it, or the first reason why it was not returned."""
    docs = reader.docs_of_record(record_id)
    rows = reader.beliefs([d.vid for d in docs], None)
    readable = [r for r in rows if handle.reads(r.scope_id) and r.sensitivity <= handle.clearance]
    if not readable or all(r.visibility == "hidden" for r in readable):
        raise AbsentError("record_absent", "record_id names no record that can be read here", field="record_id")
    numbers = trace.base.numbers([d.vid for d in docs if trace.base.holds(d.vid)])
    why = tuple(
        Why(arm=arm, rank=at + 1)
        for arm, found in trace.found.arms.items()
        for at, number in enumerate(found.tolist())
        if number in numbers
    )
    items = (*trace.packet.items, *(i for c in trace.packet.conflicts for i in c.items))
    shown = {i.record_id: i.qualifier for i in items}
    at = next((n for n, number in enumerate(trace.ranked.numbers.tolist()) if number in numbers), None)
    rank = None if at is None else at + 1
    parts = {} if at is None else {n: round(float(v[at]), 4) for n, v in trace.ranked.parts.items() if v[at]}
    if record_id in trace.selected:
        parts["selection"] = round(trace.selected[record_id], 4)
    if record_id in shown:
        return Explanation(
            record_id=record_id, returned=True, why=why, reason="returned", rank=rank, contributions=parts,
            qualifier=shown[record_id],
        )  # fmt: skip
    rejected_by = next((trace.kept_out[d.revision_id] for d in docs if d.revision_id in trace.kept_out), None)
    if rejected_by is not None:
        return Explanation(
            record_id=record_id, returned=False, why=why, reason="rejected", rank=rank, contributions=parts,
            rejected_by=rejected_by,
        )  # fmt: skip
    kept_back = bool(why) or not any(d.shelf == LISTED for d in docs)
    reason = _reason(trace, record_id, rank) or _became(reader, handle, plan, docs, rows)
    reason = reason or ("gated" if kept_back and handle.grant.audit else "no_match")
    return Explanation(record_id=record_id, returned=False, why=why, reason=reason, rank=rank, contributions=parts)


def _reason(trace: Trace, record_id: str, rank: int | None) -> Reason | None:
    """Why it was left out of what matched and may be shown."""
    if record_id in trace.grouped.absorbed:
        return "grouped"
    if rank is not None:
        omitted = trace.packet.omitted
        return "cut_by_budget" if omitted.bytes or omitted.tokens else "cut_by_rank"
    return None


def _became(
    reader: Reader, handle: Handle, plan: Plan, docs: Sequence[DocRow], rows: Sequence[BeliefRow]
) -> Reason | None:
    """What became of a record that nothing says any more, as `read` tells whoever may read it; else nothing.

    That the gate keeps something back for another reason is said to an auditor only (design 04).
    """
    if not any(may_read(handle, row) for row in rows):
        return None
    asked = rows if plan.known_at is None else reader.beliefs([d.vid for d in docs], plan.known_at)
    statuses = {row.status for row in asked}
    if not statuses or not statuses <= {"retracted", "superseded"}:
        return None
    return "superseded" if "superseded" in statuses else "retracted"
