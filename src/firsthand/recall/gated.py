"""The gate on rows that came back: standing of the time asked about, locks the stricter of then and now (design 03)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from firsthand.ports import BeliefRow, Reader, Scored
from firsthand.recall.plan import Plan
from firsthand.rules.gate import Shown, may_show, unlocked
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.kinds import Kind, Status

GENERATION = 0


class Gate:
    """The gate of one recall: every document is asked about once, whichever arm found it."""

    def __init__(self, reader: Reader, plan: Plan, scope_ids: frozenset[str]) -> None:
        self._reader = reader
        self._plan = plan
        self._scope_ids = scope_ids
        self._asked: set[int] = set()
        self.passed: dict[int, list[BeliefRow]] = {}

    def admit(self, vids: Iterable[int]) -> list[int]:
        """Those of some documents that may be shown, in their order."""
        wanted = list(vids)
        new = set(wanted) - self._asked
        if new:
            self.passed |= gated(self._reader, self._plan, self._scope_ids, new)
            self._asked |= new
        return [v for v in wanted if v in self.passed]

    def stopped(self, vid: int) -> bool:
        """Whether a document was found and kept back."""
        return vid in self._asked and vid not in self.passed


def gated(reader: Reader, plan: Plan, scope_ids: frozenset[str], vids: Iterable[int]) -> dict[int, list[BeliefRow]]:
    """Rows of documents that may be shown, by document; a document without one is not in the answer."""
    wanted = sorted(set(vids))
    asked = reader.beliefs(wanted, plan.known_at)
    locked = locks(reader, asked) if plan.known_at is not None else {}
    passed: dict[int, list[BeliefRow]] = {}
    beaten = {(r.vid, r.valid_from) for r in asked if r.status == "needs_review" and r.challenged_by is not None}
    for row in asked:
        if row.kind not in plan.kinds or not _at(row, plan):
            continue
        then = shown_row(row, scope_ids)
        now = locked.get(row.vid)
        shown = may_show(then if now is None else now, None if now is None else then, clearance=plan.clearance,
                         include=plan.include)  # fmt: skip
        if shown and not (plan.valid_at is None and _is_remnant(row, beaten)):
            passed.setdefault(row.vid, []).append(row)
    return passed


def _is_remnant(row: BeliefRow, beaten: Container[tuple[int, int]]) -> bool:
    """Whether a row is what a better claim left of one that never said when it began, which nobody stated (09.4).

    Asked about an instant of that time, it is the answer all the same. `beaten`: documents, and from when on.
    """
    return row.valid_from == BEGINNING and row.ended_by is None and (row.vid, row.valid_to) in beaten


def shown(reader: Reader, plan: Plan, vids: Sequence[int]) -> list[Scored]:
    """Rows that ranking reads of documents that may be shown, by the default gate, in the order of documents."""
    rows = [r for r in reader.shown(vids, plan.clearance, plan.known_at) if r.kind in plan.kinds and _at(r, plan)]
    locked = locks(reader, rows) if plan.known_at is not None else {}
    return [r for r in rows if r.vid not in locked or unlocked(locked[r.vid], plan.clearance)] if locked else rows


def shown_row(row: BeliefRow, scope_ids: frozenset[str]) -> Shown:
    """A row as the gate reads it."""
    return Shown(
        tier=row.tier,
        status=row.status,
        visibility=row.visibility,
        live_support=row.live_support,
        sensitivity=row.sensitivity,
        kind=row.kind,
        in_scope=row.scope_id in scope_ids,
        current_generation=row.generation == GENERATION,
    )


def _at(row: BeliefRow | Scored, plan: Plan) -> bool:
    """A stated `valid_at` is strict (design 09.22)."""
    return plan.valid_at is None or row.valid_from <= plan.valid_at < row.valid_to


def locks(reader: Reader, asked: Sequence[BeliefRow | Scored]) -> dict[int, Shown]:
    """What locks now the documents of rows that have ended since; a row that is still open tells its own locks."""
    ended = [r for r in asked if r.known_to != FOREVER]
    if not ended:
        return {}
    own: dict[int, list[BeliefRow]] = {}
    of_record: dict[str, list[BeliefRow]] = {}
    for row in reader.beliefs_of_records({r.record_id for r in ended}):
        own.setdefault(row.vid, []).append(row)
        of_record.setdefault(row.record_id, []).append(row)
    return {r.vid: _lock(r.kind, own.get(r.vid, []), of_record.get(r.record_id, [])) for r in ended}


def _lock(kind: Kind, own: Sequence[BeliefRow], record: Sequence[BeliefRow]) -> Shown:
    """The strictest of what is said now of a document, or, for a head that was replaced, of its record."""
    status: Status = "active"
    if record and all(r.status == "erased" for r in record):
        status = "erased"
    elif any(r.status == "rejected" for r in own):
        status = "rejected"
    return Shown(
        tier="fact",
        status=status,
        visibility="hidden" if not record or any(r.visibility == "hidden" for r in record) else "visible",
        live_support=1,
        sensitivity=max((r.sensitivity for r in record), default=0),
        kind=kind,
        in_scope=True,
        current_generation=all(r.generation == GENERATION for r in record),
    )
