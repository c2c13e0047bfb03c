"""What waits in a scope, newest first: proposals, conflicts, guesses, and what stands near a tombstone."""

from __future__ import annotations

from typing import Final

from firsthand.capture.readable import held, payload_of
from firsthand.capture.receipts import may_see
from firsthand.ports import BeliefRow, LedgerRow, Reader
from firsthand.projection import body_of, entry_of
from firsthand.rules.access import Handle
from firsthand.rules.bearing import naming_key, proposals_key
from firsthand.rules.wording import words_of
from firsthand.vocabulary.entries import Entry, Propose, Settle
from firsthand.vocabulary.errors import AbsentError, InvalidError
from firsthand.vocabulary.kinds import SENSITIVITIES
from firsthand.vocabulary.reviews import ReviewItem, ReviewKind, ReviewPage

OVER_FETCH: Final = 64
FALLEN: Final = ("retracted", "rejected", "erased", "superseded")


def page(reader: Reader, handle: Handle, kind: ReviewKind, limit: int, before: int | None) -> ReviewPage:
    """A page of one kind of item in the handle's scope."""
    if kind == "proposals":
        return _proposals(reader, handle, limit, before)
    scope = reader.scope(handle.scope_id)
    found: list[ReviewItem] = []
    while scope is not None and len(found) < limit:
        rows = reader.waiting(scope.scope_no, kind, before, OVER_FETCH, handle.clearance)
        for vid in sorted({r.vid for r in rows}, reverse=True):
            found += _record_item(reader, handle, kind, [r for r in rows if r.vid == vid])
            before = vid
            if len(found) == limit:
                return ReviewPage(items=tuple(found), cursor=str(vid))
        if not rows:
            break
    return ReviewPage(items=tuple(found))


def item_of(reader: Reader, handle: Handle, item_id: str) -> ReviewItem:
    """One item by its id; what does not wait here is absent."""
    if item_id.startswith("e"):
        entry = reader.get(item_id)
        item = _proposal_item(reader, handle, entry) if entry is not None else None
        if item is not None:
            return item
    else:
        record = held(reader, handle, item_id, "item_id")
        for row in record.rows:
            kind = kind_of(row)
            if kind is not None and row.visibility != "hidden":
                return _record_item(reader, handle, kind, [row])[0]
    raise AbsentError("item_absent", "item_id names nothing that waits here", field="item_id")


def kind_of(row: BeliefRow) -> ReviewKind | None:
    """As what a belief waits, if it does; the store's `waiting` says the same."""
    if row.status == "disputed" or (row.visibility == "content_conflict" and row.status not in FALLEN):
        return "conflicts"
    if row.status == "needs_review":
        return "conflicts" if row.challenged_by is not None else "near_tombstones"
    waits = row.status == "pending_evidence" and row.tier == "candidate" and row.live_support > 0
    return "candidates" if waits else None


def is_open(reader: Reader, entry: Entry) -> bool:
    """Whether nobody decided a proposal."""
    return not any(isinstance(e.skeleton.edges, Settle) for e in reader.bearing_on(naming_key(entry.id)))


def stored(reader: Reader, entry: Entry) -> LedgerRow:
    """The row of an entry that is known to be there."""
    return reader.rows_of([entry.id])[entry.id]


def cursor_of(cursor: str | None) -> int | None:
    """Where a page goes on."""
    if cursor is None:
        return None
    if not isinstance(cursor, str) or not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError(
            "cursor_invalid", "cursor is not one that a page gave; begin again without one", field="cursor"
        )
    return int(cursor)


def _proposals(reader: Reader, handle: Handle, limit: int, before: int | None) -> ReviewPage:
    positions = sorted(reader.positions_bearing_on(proposals_key(handle.scope_id)), reverse=True)
    found: list[ReviewItem] = []
    for position in positions:
        if before is not None and position >= before:
            continue
        (row,) = reader.rows_at([position])
        item = _proposal_item(reader, handle, entry_of(row))
        if item is not None:
            found.append(item)
        if len(found) == limit:
            return ReviewPage(items=tuple(found), cursor=str(position))
    return ReviewPage(items=tuple(found))


def _proposal_item(reader: Reader, handle: Handle, entry: Entry) -> ReviewItem | None:
    """A proposal that waits, if the caller may know of it and of the record it is about."""
    edges, skeleton = entry.skeleton.edges, entry.skeleton
    if not isinstance(edges, Propose) or not handle.reads(skeleton.scope) or skeleton.sensitivity > handle.clearance:
        return None
    if not is_open(reader, entry):
        return None
    if skeleton.record is not None:
        try:
            held(reader, handle, skeleton.record, restoring=True)
        except AbsentError:
            return None
    row = stored(reader, entry)
    body = body_of(row)
    payload = body.payload if body is not None else None
    return ReviewItem(
        item_id=entry.id, kind="proposals", record_id=skeleton.record,
        text=words_of(payload) if payload is not None else None, since=row.received_at, verb=edges.verb,
        by=reader.name("who", skeleton.author.actor), reason=body.reason if body is not None else None,
        sensitivity=SENSITIVITIES[skeleton.sensitivity],
    )  # fmt: skip


def _record_item(reader: Reader, handle: Handle, kind: ReviewKind, rows: list[BeliefRow]) -> list[ReviewItem]:
    row = max(rows, key=lambda r: r.valid_to)
    payload = payload_of(reader, row.revision_id)
    return [
        ReviewItem(
            item_id=row.record_id, kind=kind, record_id=row.record_id,
            text=words_of(payload) if payload is not None else None, since=row.known_from, tier=row.tier,
            status=row.status, sensitivity=SENSITIVITIES[row.sensitivity],
            against=_against(reader, handle, row),
        )
    ]  # fmt: skip


def _against(reader: Reader, handle: Handle, row: BeliefRow) -> str | None:
    """What speaks against it, if the caller may know."""
    if row.challenged_by is None:
        return None
    foe = reader.beliefs_of_records([row.challenged_by])
    return row.challenged_by if any(r.visibility != "hidden" for r in foe) and may_see(handle, foe) else None
