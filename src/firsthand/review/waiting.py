"""What waits in a scope, newest first: proposals, conflicts, guesses, and what stands near a tombstone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from firsthand.capture.readable import held, readable_payload
from firsthand.capture.receipts import may_see, visible_text
from firsthand.ports import BeliefRow, LedgerRow, Reader
from firsthand.projection import body_of, entry_of
from firsthand.recall.rejections import Hindsight, Looked
from firsthand.rules.access import Handle
from firsthand.rules.bearing import naming_key, proposals_key
from firsthand.rules.wording import words_of
from firsthand.veil import Veil
from firsthand.vocabulary.entries import Body, Entry, Propose, Settle
from firsthand.vocabulary.errors import AbsentError, InvalidError
from firsthand.vocabulary.kinds import SENSITIVITIES
from firsthand.vocabulary.reviews import ReviewItem, ReviewKind, ReviewPage

OVER_FETCH: Final = 64
COUNTED: Final = 1_000
"""How far the items of a kind are counted."""
FALLEN: Final = ("retracted", "rejected", "erased", "superseded")


class Place(NamedTuple):
    """Where a page goes on: among the items of one kind, before one of them."""

    kind: ReviewKind
    before: int


def page(reader: Reader, handle: Handle, kinds: Sequence[ReviewKind], limit: int, place: Place | None) -> ReviewPage:
    """A page of what waits in the handle's scope, kind by kind, each newest first."""
    found: list[ReviewItem] = []
    last = place
    counts = _counts(reader, handle, kinds, place)
    for kind in kinds[kinds.index(place.kind) if place is not None else 0 :]:
        before = place.before if place is not None and place.kind == kind else None
        for number, item in _waiting(reader, handle, kind, before):
            if len(found) == limit and last is not None:
                return ReviewPage(
                    items=tuple(found),
                    cursor=f"{last.kind}:{last.before}",
                    counts=_counts(reader, handle, kinds, place),
                )
            found.append(item)
            last = Place(kind, number)
    return ReviewPage(items=tuple(found), counts=counts)


def _counts(reader: Reader, handle: Handle, kinds: Sequence[ReviewKind], place: Place | None) -> dict[ReviewKind, int]:
    """How many of each kind wait, up to a bound; told once, with the first page."""
    if place is not None:
        return {}
    return {k: sum(1 for _ in itertools.islice(_waiting(reader, handle, k, None), COUNTED)) for k in kinds}


def _waiting(reader: Reader, handle: Handle, kind: ReviewKind, before: int | None) -> Iterator[tuple[int, ReviewItem]]:
    """The items of one kind, newest first, each with the number to go on from."""
    if kind == "proposals":
        yield from _proposals(reader, handle, before)
        return
    scope = reader.scope(handle.scope_id)
    while scope is not None and (rows := reader.waiting(scope.scope_no, kind, before, OVER_FETCH, handle.clearance)):
        for vid in sorted({r.vid for r in rows}, reverse=True):
            yield vid, _record_item(reader, handle, kind, [r for r in rows if r.vid == vid])
            before = vid


def item_of(reader: Reader, handle: Handle, item_id: str) -> ReviewItem:
    """One item by its id; what does not wait here is absent."""
    if item_id.startswith("e"):
        entry = reader.get(item_id)
        item = _proposal_item(reader, handle, Looked(), entry) if entry is not None else None
        if item is not None:
            return item
    else:
        record = held(reader, handle, item_id, "item_id")
        for row in record.rows:
            kind = kind_of(row)
            if kind is not None and row.visibility != "hidden":
                return _record_item(reader, handle, kind, [row])
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


def place_of(cursor: str | None, kinds: Sequence[ReviewKind]) -> Place | None:
    """Where a page goes on."""
    if cursor is None:
        return None
    kind, _, number = cursor.partition(":") if isinstance(cursor, str) else ("", "", "")  # pyright: ignore[reportUnnecessaryIsInstance]
    if kind not in kinds or not number.isascii() or not number.isdigit() or len(number) > 18:
        raise InvalidError(
            "cursor_invalid", "cursor is not one that a page gave; begin again without one", field="cursor"
        )
    return Place(cast("ReviewKind", kind), int(number))


def _proposals(reader: Reader, handle: Handle, before: int | None) -> Iterator[tuple[int, ReviewItem]]:
    looked = Looked()
    for position in sorted(reader.positions_bearing_on(proposals_key(handle.scope_id)), reverse=True):
        if before is None or position < before:
            (row,) = reader.rows_at([position])
            item = _proposal_item(reader, handle, looked, entry_of(row))
            if item is not None:
                yield position, item


def _proposal_item(reader: Reader, handle: Handle, looked: Looked, entry: Entry) -> ReviewItem | None:
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
    marks = Hindsight(reader, handle, looked).marks({entry.id: row})
    body = body_of(row)
    body = Veil(reader, [entry.id], beside=marks).body(entry.id, body) if body is not None else Body()
    about = [skeleton.record, *edges.others] if skeleton.record is not None else list(edges.others)
    return ReviewItem(
        item_id=entry.id, kind="proposals", record_id=skeleton.record,
        text=words_of(body.payload) if body.payload is not None else None, since=row.received_at, verb=edges.verb,
        by=reader.name("who", skeleton.author.actor), reason=body.reason,
        sensitivity=SENSITIVITIES[skeleton.sensitivity], about=_about(reader, handle, about),
    )  # fmt: skip


def _about(reader: Reader, handle: Handle, named: Sequence[str]) -> tuple[str, ...]:
    """What records say now, of those that may be read here."""
    ids = [i for i in named if i.startswith("r")]
    texts = (visible_text(handle, reader, reader.beliefs_of_records([record])) for record in ids)
    return tuple(text for text in texts if text is not None)


def _record_item(reader: Reader, handle: Handle, kind: ReviewKind, rows: list[BeliefRow]) -> ReviewItem:
    row = max(rows, key=lambda r: r.valid_to)
    payload = readable_payload(reader, row.revision_id)
    return ReviewItem(
        item_id=row.record_id, kind=kind, record_id=row.record_id,
        text=words_of(payload) if payload is not None else None, since=row.known_from, tier=row.tier,
        status=row.status, sensitivity=SENSITIVITIES[row.sensitivity], against=_against(reader, handle, row),
    )  # fmt: skip


def _against(reader: Reader, handle: Handle, row: BeliefRow) -> str | None:
    """What speaks against it, if the caller may know."""
    if row.challenged_by is None:
        return None
    foe = reader.beliefs_of_records([row.challenged_by])
    return row.challenged_by if any(r.visibility != "hidden" for r in foe) and may_see(handle, foe) else None
