"""Why a record is, or is not, in the answer to a query."""

from __future__ import annotations

from firsthand.ports import LISTED, Reader
from firsthand.recall.pipeline import Trace
from firsthand.rules.access import Handle
from firsthand.vocabulary.errors import AbsentError
from firsthand.vocabulary.packets import Explanation, Reason, Why


def explain(reader: Reader, handle: Handle, trace: Trace, record_id: str) -> Explanation:
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
    reason = _reason(trace, record_id, rank, gated=kept_back and handle.grant.audit)
    return Explanation(record_id=record_id, returned=False, why=why, reason=reason, rank=rank, contributions=parts)


def _reason(trace: Trace, record_id: str, rank: int | None, *, gated: bool) -> Reason:
    """The first reason; that the gate kept it back is said to an auditor only (design 04)."""
    if record_id in trace.grouped.absorbed:
        return "grouped"
    if rank is not None:
        omitted = trace.packet.omitted
        return "cut_by_budget" if omitted.bytes or omitted.tokens else "cut_by_rank"
    return "gated" if gated else "no_match"
