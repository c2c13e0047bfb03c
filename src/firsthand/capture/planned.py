"""The plan of an erasure as its caller sees it: content-free, with a hash that names exactly this plan."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from firsthand.capture.erase_plan import Found, entries_of
from firsthand.capture.holds import held_records
from firsthand.ports import BeliefRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.identity import ID_HEX
from firsthand.vocabulary.entries import Define, Entry, Revise
from firsthand.vocabulary.erasure import ErasurePlan, Ground, PlannedRecord

HOLDS = ("active", "disputed")
FELL = ("pending_evidence", "needs_review", "superseded")


def planned(reader: Reader, handle: Handle, found: Found, fingerprints: int, tombstones: int) -> ErasurePlan:
    """What would be destroyed, asked before anything is."""
    by_record: dict[str, list[tuple[Entry, Ground]]] = {}
    for entry_id, ground in sorted(found.gone.items()):
        entry = reader.get(entry_id)
        assert entry is not None
        by_record.setdefault(entry.record_id, []).append((entry, ground))
    records = tuple(_record(reader, i, own, found) for i, own in sorted(by_record.items()))
    return ErasurePlan(
        hash="",
        targets=tuple(sorted(found.gone)),
        records=records,
        kinds=dict(sorted(Counter(r.kind for r in records).items())),
        scopes=dict(sorted(Counter(r.scope or "" for r in records).items())),
        pending=(),
        stands=tuple(sorted(_readable(reader, handle, found.stands))),
        held=tuple(sorted(held_records(reader, by_record))),
        fingerprints=fingerprints,
        tombstones=tombstones,
    )


def _record(reader: Reader, record_id: str, own: Sequence[tuple[Entry, Ground]], found: Found) -> PlannedRecord:
    entry, ground = own[0]
    scope = reader.scope(entry.skeleton.scope)
    content = [e for e in entries_of(reader, record_id) if isinstance(e.skeleton.edges, Revise)]
    return PlannedRecord(
        record_id=record_id,
        kind=_kind(entry, content),
        scope=scope.name if scope is not None else None,
        ground=ground,
        bodies=len(own),
        whole=all(e.id in found.gone for e in content),
    )


def _kind(entry: Entry, content: Sequence[Entry]) -> str:
    if isinstance(entry.skeleton.edges, Define) and entry.skeleton.edges.what != "hold":
        return "name"
    kinds = [e.skeleton.edges.record_kind for e in content if isinstance(e.skeleton.edges, Revise)]
    return kinds[0] if kinds else entry.kind


def _readable(reader: Reader, handle: Handle, record_ids: Iterable[str]) -> list[str]:
    rows = reader.beliefs_of_records(record_ids)
    return [r.record_id for r in rows if handle.reads(r.scope_id) and r.sensitivity <= handle.clearance]


def digest_of(
    reader: Reader, handle: Handle, plan: ErasurePlan, found: Found, opened: Sequence[BeliefRow], prints: Sequence[str]
) -> ErasurePlan:
    """The plan with what fell by it, and its hash over all of it."""
    fell = {r.record_id for r in opened if r.status in FELL}
    fell -= {r.record_id for r in reader.beliefs_of_records(fell) if r.status in HOLDS}
    pending = tuple(sorted(set(_readable(reader, handle, fell))))
    stands = tuple(sorted(set(plan.stands) - set(pending)))
    plan = msgspec.structs.replace(plan, pending=pending, stands=stands)
    text = msgspec.json.encode(
        (handle.space, plan.targets, sorted(found.gone.items()), pending, stands, plan.held, prints)
    )
    return msgspec.structs.replace(plan, hash=hashlib.sha256(text).hexdigest()[:ID_HEX])
