"""What a write did to other records: which fell, which stood with fewer supports, which came back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from firsthand.capture.receipts import may_see, rows_now, visible_text
from firsthand.ledger import Appended
from firsthand.ports import BeliefRow, Reader
from firsthand.rules.access import Handle
from firsthand.rules.effects import named, state_of
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.results import Effect

EFFECTS_MOST: Final = 200
"""A receipt names this many other records; the rest is to be seen in their histories."""


def affecting(receipt: Receipt, handle: Handle, reader: Reader, done: Sequence[Appended]) -> Receipt:
    """The receipt of a write with what it did to other records."""
    own = () if receipt.record_id is None else (receipt.record_id,)
    return msgspec.structs.replace(receipt, affected=effects(handle, reader, done, own))


def effects(handle: Handle, reader: Reader, done: Sequence[Appended], own: Iterable[str]) -> tuple[Effect, ...]:
    """What entries of one write changed for records other than its `own`, of those the caller may know of."""
    mine = set(own) | {d.entry.record_id for d in done}
    others = {r.record_id for d in done for r in d.changes.closed if r.record_id not in mine}
    found: list[Effect] = []
    for record_id in sorted(others):
        now = rows_now(reader, record_id)
        before = _before(now, record_id, done)
        if not may_see(handle, [*now, *before]) or all(r.visibility == "hidden" for r in (*now, *before)):
            continue
        effect = _effect(before, now, visible_text(handle, reader, now) if now else None)
        if effect is not None:
            found.append(effect)
    return tuple(found[:EFFECTS_MOST])


def _before(now: Sequence[BeliefRow], record_id: str, done: Sequence[Appended]) -> list[BeliefRow]:
    """The rows of a record as they were, from those of now and what each entry closed and opened, backwards."""
    rows = {_place(r): r for r in now}
    for d in reversed(done):
        for row in d.changes.opened:
            rows.pop(_place(row), None)
        rows |= {_place(r): r for r in d.changes.closed if r.record_id == record_id}
    return list(rows.values())


def _place(row: BeliefRow) -> tuple[int, int, int, str]:
    return row.vid, row.known_from, row.valid_from, row.unit


def _effect(before: Sequence[BeliefRow], now: Sequence[BeliefRow], text: str | None) -> Effect | None:
    was, stands = state_of(before), state_of(now)
    if was is None or stands is None:
        return None
    return Effect(
        record_id=before[0].record_id, kind=before[0].kind, what=named(was, stands), status=stands.standing.status,
        supports=stands.supports, lost=max(0, was.supports - stands.supports), text=text,
    )  # fmt: skip
