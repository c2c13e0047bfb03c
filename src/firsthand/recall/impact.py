"""What hangs on a record: what would fall with it and what would stand, supposed and not done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firsthand.ports import BeliefRow, Reader
from firsthand.projection import policy_in_force
from firsthand.recall.reading import may_read, readable_rows
from firsthand.rules.access import Handle
from firsthand.rules.bearing import citing_key, claim_digest, heir_key
from firsthand.rules.effects import named, state_of
from firsthand.rules.evidence import grade
from firsthand.rules.fold import fold
from firsthand.rules.standing import Row
from firsthand.rules.supposed import Supposed
from firsthand.rules.trust import independent_sources
from firsthand.rules.view import View
from firsthand.rules.visibility import carriers, observable, shown
from firsthand.vocabulary.entries import (
    FORMAT_VERSION,
    Consequences,
    Edges,
    Entry,
    Erase,
    Judge,
    Reach,
    Show,
    Skeleton,
    Tombstone,
    root_of,
)
from firsthand.vocabulary.results import Effect, Impact

DEPENDANTS_MOST: Final = 1_000
STANDING: Final = ("active", "disputed", "needs_review", "pending_evidence")
NOBODYS: Final = "e" + "0" * 40
"""The id of an entry that is only supposed."""


def impact(reader: Reader, handle: Handle, record_id: str, now: int) -> Impact:
    """What would become of what rests on a record, were it withdrawn, retracted by this caller, or erased."""
    rows = readable_rows(reader, handle, record_id)
    view = View(reader)
    above = dependants(view, record_id)
    return Impact(
        record_id=record_id,
        withdrawn=_suppose(reader, handle, record_id, _withdrawal(view, record_id, rows), above, now),
        retracted=_suppose(reader, handle, record_id, _retraction(view, handle, record_id, rows, now), above, now),
        erased=_suppose(reader, handle, record_id, _erasure(view, record_id), above, now),
    )


def dependants(view: View, record_id: str) -> list[str]:
    """Records that rest on one, however far, cycles included; and those that inherit whether it is shown."""
    found: dict[str, None] = {}
    todo = [record_id]
    while todo and len(found) < DEPENDANTS_MOST:
        current = todo.pop()
        near = [*view.bearing_on(citing_key(current)), *view.bearing_on(heir_key(current))]
        fresh = sorted({e.record_id for e in near} - found.keys() - {record_id})
        found |= dict.fromkeys(fresh)
        todo += fresh
    return list(found)


def _withdrawal(view: View, record_id: str, rows: Sequence[BeliefRow]) -> Edges:
    records = carriers(view, record_id, [(r.unit, r.claim) for r in rows])
    observed = observable(view, records, rows[0].scope_id)
    return Show(verb="withdraw", observed=observed, replaces=shown(view, records).heads)


def _retraction(view: View, handle: Handle, record_id: str, rows: Sequence[BeliefRow], now: int) -> Edges:
    standing = {r.claim for r in rows if r.status in STANDING}
    for claim in {s.claim for s in view.account(record_id).said}:
        if claim_digest(claim) in standing:
            stone = Tombstone(
                value=claim.value, subject=claim.subject, predicate=claim.predicate, polarity=claim.polarity,
                one=claim.one,
            )  # fmt: skip
            reach = Reach(source=handle.ids.owner, spoken=now)
            return Judge(verb="retract", claim=claim, consequences=Consequences(reach=reach, tombstone=stone))
    return Judge(verb="retract")


def _erasure(view: View, record_id: str) -> Edges:
    return Erase(targets=tuple(e.id for e in view.of_record(record_id)), reason_code="supposed")


def _suppose(
    reader: Reader, handle: Handle, record_id: str, edges: Edges, above: Sequence[str], now: int
) -> tuple[Effect, ...]:
    """What an entry would do to the records that hang on the one it is about."""
    root = reader.get(root_of(record_id))
    assert root is not None, "the record was read"
    entry = Entry(
        id=NOBODYS,
        skeleton=Skeleton(
            format=FORMAT_VERSION, space=reader.space, scope=root.skeleton.scope, author=handle.ids, recorded_at=now,
            body="", edges=edges, record=record_id,
        ),
    )  # fmt: skip
    supposed = Supposed(reader, [entry])
    folded = fold(supposed, entry, policy_in_force(reader)).rows
    after: dict[str, list[Row]] = {}
    for row in (r for rows in folded.values() for r in rows):
        after.setdefault(row.record, []).append(row)
    view = View(supposed)
    effects = (_effect(reader, handle, view, r, after.get(r, ()), frozenset(folded)) for r in above)
    return tuple(e for e in effects if e is not None)


def _effect(
    reader: Reader, handle: Handle, view: View, record_id: str, after: Sequence[Row], folded: frozenset[str]
) -> Effect | None:
    """What would become of one record; what its units do not touch stays as it is."""
    before = reader.beliefs_of_records([record_id])
    if not any(may_read(handle, r) for r in before):
        return None
    kept = [r for r in before if r.unit not in folded]
    was, stands = state_of(before), state_of([*kept, *after])
    if was is None or stands is None:
        return None
    said = view.account(record_id).said
    live = grade(view, said).live
    return Effect(
        record_id=record_id, kind=before[0].kind, what=named(was, stands), status=stands.standing.status,
        supports=stands.supports, lost=max(0, was.supports - stands.supports),
        independent=independent_sources((s.source, s.said) for s in said if s.id in live and not s.echo),
    )  # fmt: skip
