"""What was said then, and holds no longer: episodes whose cited claims ended or were corrected (design 09.23)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firsthand.ports import BeliefRow, Reader
from firsthand.recall.gated import shown_row
from firsthand.recall.plan import Plan
from firsthand.rules.access import Handle
from firsthand.rules.bearing import citing_key, claim_digest, unit_of
from firsthand.rules.gate import unlocked
from firsthand.rules.view import said_by
from firsthand.vocabulary.entries import Entry
from firsthand.vocabulary.instants import FOREVER, to_date
from firsthand.vocabulary.packets import Qualifier

STILL_SAID: Final = ("active", "disputed", "needs_review")
NO_LONGER_SAID: Final = ("active", "superseded", "retracted", "rejected")


def said_then(reader: Reader, handle: Handle, plan: Plan, episodes: Sequence[str]) -> dict[str, Qualifier]:
    """Episodes whose cited claims all ended or were corrected: what was said then, and where to look since (09.23)."""
    bearing = reader.bearing_on_any({citing_key(record_id) for record_id in episodes})
    told = {r: _since(reader, handle, plan, r, bearing.get(citing_key(r), [])) for r in episodes}
    return {record_id: qualifier for record_id, qualifier in told.items() if qualifier is not None}


def _since(reader: Reader, handle: Handle, plan: Plan, record_id: str, entries: Sequence[Entry]) -> Qualifier | None:
    """Told by claims that the caller may see; what is hidden says nothing here."""
    said = [s for e in entries for s in said_by(e) if s.evidence == record_id and handle.reads(s.scope)]
    over: list[tuple[int, str]] = []
    for unit, claim in sorted({(unit_of(s.scope, s.claim), claim_digest(s.claim)) for s in said}, key=str):
        open_now = [r for r in reader.open_rows(unit) if r.claim == claim]
        if plan.known_at is not None:
            docs = {d.vid for r in {r.record_id for r in open_now} for d in reader.docs_of_record(r)}
            locked = reader.locked({r.record_id for r in open_now}, plan.clearance)
            then = [r for r in reader.beliefs(docs, plan.known_at) if r.unit == unit and r.claim == claim]
            open_now = [r for r in then if r.record_id not in locked]
        rows = [r for r in open_now if unlocked(shown_row(r, _own(r)), plan.clearance)]
        if any(r.status in STILL_SAID and r.valid_to > plan.now for r in rows):
            return None
        over += [(_ended_at(r), _successor(reader, handle, plan, r)) for r in rows if r.status in NO_LONGER_SAID]
    if not over:
        return None
    since, see = max(over)
    return Qualifier(code="said_then", text=f"said then; since {to_date(since)} see {see[:9]}", since=since, see=see)


def _ended_at(row: BeliefRow) -> int:
    """When a claim stopped: in the world where that is known, else when this store learnt of it."""
    return row.valid_to if row.valid_to != FOREVER else row.known_from


def _successor(reader: Reader, handle: Handle, plan: Plan, row: BeliefRow) -> str:
    """The record to look at instead: that of the entry that ended it, if the caller may see it, else its own."""
    entry = reader.get(row.ended_by) if row.ended_by is not None else None
    if entry is None or not handle.reads(entry.skeleton.scope) or reader.locked([entry.record_id], plan.clearance):
        return row.record_id
    return entry.record_id


def _own(row: BeliefRow) -> frozenset[str]:
    return frozenset((row.scope_id,))
