"""The gate on rows that came back: standing of the time asked about, locks the stricter of then and now (design 03)."""

from __future__ import annotations

from collections.abc import Iterable

from firsthand.ports import BeliefRow, Reader
from firsthand.recall.plan import Plan
from firsthand.rules.gate import Shown, may_show
from firsthand.vocabulary.kinds import Status

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
    locks = _locks(reader, asked) if plan.known_at is not None else {}
    passed: dict[int, list[BeliefRow]] = {}
    for row in asked:
        if row.kind not in plan.kinds or not _at(row, plan.valid_at):
            continue
        then = shown_row(row, scope_ids)
        now = locks.get(row.vid)
        shown = may_show(then if now is None else now, None if now is None else then, clearance=plan.clearance,
                         include=plan.include)  # fmt: skip
        if shown:
            passed.setdefault(row.vid, []).append(row)
    return passed


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


def _at(row: BeliefRow, valid_at: int | None) -> bool:
    """A stated `valid_at` is strict (design 09.22)."""
    return valid_at is None or row.valid_from <= valid_at < row.valid_to


def _locks(reader: Reader, asked: list[BeliefRow]) -> dict[int, Shown]:
    """What locks each document now: its own open rows, or, for a head that was replaced, those of its record."""
    open_rows: dict[int, list[BeliefRow]] = {}
    for row in reader.beliefs({r.vid for r in asked}, None):
        open_rows.setdefault(row.vid, []).append(row)
    by_record: dict[str, list[BeliefRow]] = {}
    found: dict[int, Shown] = {}
    for row in asked:
        if row.vid in found:
            continue
        if row.record_id not in by_record:
            docs = reader.docs_of_record(row.record_id)
            by_record[row.record_id] = reader.beliefs([d.vid for d in docs], None)
        found[row.vid] = _lock(row, open_rows.get(row.vid, []), by_record[row.record_id])
    return found


def _lock(row: BeliefRow, own: list[BeliefRow], record: list[BeliefRow]) -> Shown:
    """The strictest of what is said now of a document and of its record."""
    status: Status = "active"
    if record and all(r.status == "erased" for r in record):
        status = "erased"
    elif any(r.status == "rejected" for r in own):
        status = "rejected"
    return Shown(
        tier="fact",
        status=status,
        visibility="hidden" if any(r.visibility == "hidden" for r in (*own, *record)) else "visible",
        live_support=1,
        sensitivity=max((r.sensitivity for r in (*own, *record)), default=row.sensitivity),
        kind=row.kind,
        in_scope=True,
        current_generation=row.generation == GENERATION,
    )
