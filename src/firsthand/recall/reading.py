"""Reads by id and in pages: the same gate as recall, history included."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Mapping, Sequence
from typing import Final

import msgspec

from firsthand.ports import SEQ_BITS, BeliefRow, LedgerRow, Reader
from firsthand.recall.fuse import current_row, salience_of
from firsthand.recall.gated import gated
from firsthand.recall.hydrate import Chosen, items, withdrawn
from firsthand.recall.originals import spoken_first
from firsthand.recall.plan import Plan
from firsthand.recall.rejections import Hindsight, Looked
from firsthand.rules.access import Handle
from firsthand.rules.bearing import record_key
from firsthand.rules.evidence import grade
from firsthand.rules.leaves import Veiled
from firsthand.rules.view import View
from firsthand.rules.visibility import show_heads
from firsthand.rules.wording import names_in, words_of
from firsthand.veil import WITHHELD, Veil, says_only_what_is_hidden
from firsthand.vocabulary.decoding import decode_body
from firsthand.vocabulary.entries import Attend, Edges, Entry, Relate, Skeleton, root_of
from firsthand.vocabulary.errors import AbsentError, InvalidError
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.kinds import SENSITIVITIES
from firsthand.vocabulary.packets import (
    BeliefView,
    Citation,
    EntryView,
    History,
    Item,
    RecordPage,
    RecordView,
    RelationView,
    SupportView,
)
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Episodic
from firsthand.vocabulary.stubs import Stub

PAGE_OVER_FETCH: Final = 4
_CURSOR: Final = lazy_pattern(r"[0-9]{1,18}")


def readable_rows(reader: Reader, handle: Handle, record_id: str) -> list[BeliefRow]:
    """The rows believed now of a record that may be read here; what is absent and what is hidden are one answer."""
    docs = reader.docs_of_record(record_id)
    rows = reader.beliefs([d.vid for d in docs], None)
    seen = [r for r in rows if may_read(handle, r)]
    root = reader.get(root_of(record_id)) if seen else None
    if root is None or says_only_what_is_hidden(reader, root):
        raise AbsentError("record_absent", "record_id names no record that can be read here", field="record_id")
    return seen


def may_read(handle: Handle, row: BeliefRow) -> bool:
    """Whether nothing locks a row for this caller."""
    return (
        handle.reads(row.scope_id)
        and row.sensitivity <= handle.clearance
        and row.visibility != "hidden"
        and row.status not in ("erased", "rejected")
    )


def read(reader: Reader, handle: Handle, plan: Plan, looked: Looked, record_id: str) -> RecordView:
    """One record with its standing, supports, relations and heads."""
    rows = readable_rows(reader, handle, record_id)
    row = max(rows, key=_best(plan.now))
    attention = reader.attention([record_id])
    chosen = Chosen(row, salience_of(row, attention, plan.now), ())
    hindsight = Hindsight(reader, handle, looked)
    made = items(reader, handle, plan, [chosen], beside=hindsight)
    if not made:
        raise AbsentError("record_absent", "record_id names no record that can be read here", field="record_id")
    view = View(reader)
    return RecordView(
        item=made[0],
        visibility=row.visibility,
        supports=_supports(reader, handle, hindsight, view, record_id),
        relations=_relations(reader, handle, record_id, row),
        heads=view.content_heads(record_id),
        visibility_heads=show_heads(view, [record_id]),
    )


def stub(reader: Reader, handle: Handle, now: int, record_id: str) -> Stub:
    """That a record is there and how it stands: of what may be read, and with the grant of what is one level above."""
    above = msgspec.structs.replace(handle.grant, clearance=SENSITIVITIES[_level_of_stubs(handle)])
    rows = readable_rows(reader, msgspec.structs.replace(handle, grant=above), record_id)
    row = max(rows, key=_best(now))
    root = reader.get(root_of(record_id))
    assert root is not None, "a record that has rows has a root"
    return Stub(
        record_id=record_id, kind=row.kind, tier=row.tier, status=row.status,
        sensitivity=SENSITIVITIES[max(r.sensitivity for r in rows)], recorded_at=root.skeleton.recorded_at,
        believed_since=row.known_from,
    )  # fmt: skip


def _level_of_stubs(handle: Handle) -> int:
    return min(handle.clearance + handle.grant.stubs, len(SENSITIVITIES) - 1)


def _best(now: int):
    order = ("retracted", "superseded", "pending_evidence", "needs_review", "disputed", "active")

    def key(row: BeliefRow) -> tuple[int, bool, int, int]:
        rank = order.index(row.status) if row.status in order else -1
        return rank, row.valid_from <= now < row.valid_to, row.valid_to, row.vid

    return key


def page(
    reader: Reader, handle: Handle, plan: Plan, limit: int, cursor: str | None, scope_ids: dict[str, str]
) -> RecordPage:
    """Records of the plan's scopes, newest first."""
    before = position_in(cursor)
    rows = [r for r in (reader.scope(i) for i in scope_ids.values()) if r is not None]
    allowed = frozenset(r.scope_id for r in rows)
    shown_only = not plan.include
    found: list[Item] = []
    last: int | None = None
    for scope in sorted(rows, key=lambda r: -r.scope_no):
        low, high = scope.scope_no << SEQ_BITS, (scope.scope_no + 1) << SEQ_BITS
        if before is not None and before <= low:
            continue
        at = min(before, high) if before is not None else None
        while len(found) < limit:
            vids = reader.newest(scope.scope_no, plan.kinds, at, limit * PAGE_OVER_FETCH, shown_only, plan.clearance)
            if not vids:
                break
            for vid, item in _page_items(reader, handle, plan, allowed, vids):
                if len(found) < limit:
                    found.append(item)
                    last = vid
            at = vids[-1] if len(found) < limit else at
            if len(found) < limit:
                last = vids[-1]
        if len(found) >= limit:
            break
    more = len(found) >= limit and last is not None
    return RecordPage(items=tuple(found), cursor=str(last) if more else None)


def _page_items(
    reader: Reader, handle: Handle, plan: Plan, scope_ids: frozenset[str], vids: Sequence[int]
) -> list[tuple[int, Item]]:
    passed = gated(reader, plan, scope_ids, vids)
    attention = reader.attention({rows[0].record_id for rows in passed.values()})
    chosen: list[Chosen] = []
    for vid in sorted(passed, reverse=True):
        row = current_row(passed[vid], plan.now)
        rows = reader.beliefs([d.vid for d in reader.docs_of_record(row.record_id)], None)
        if max(rows, key=_best(plan.now)).vid != vid:
            continue  # a record is listed once, by what it says now
        chosen.append(Chosen(row, salience_of(row, attention, plan.now), ()))
    vid_of = {c.row.revision_id: c.row.vid for c in chosen}
    return [(vid_of[i.revision_id], i) for i in items(reader, handle, plan, chosen)]


def position_in(cursor: str | None) -> int | None:
    """Where a page ended that gave this cursor."""
    if cursor is None:
        return None
    if not isinstance(cursor, str) or not _CURSOR.fullmatch(cursor):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError(
            "cursor_invalid", "cursor is not one that a page gave; begin again without one", field="cursor"
        )
    return int(cursor)


def history(reader: Reader, handle: Handle, looked: Looked, record_id: str, limit: int, cursor: str | None) -> History:
    """What happened to a record, oldest first: its entries and every state it was believed in."""
    readable_rows(reader, handle, record_id)
    after = position_in(cursor) or 0
    root = reader.position_of(root_of(record_id))
    positions = set(reader.positions_bearing_on(record_key(record_id)))
    if root is not None:
        positions.add(root)
    wanted = sorted(p for p in positions if p > after)
    rows = reader.rows_at(wanted[:limit])
    beliefs = tuple(_beliefs(reader, handle, looked, record_id)) if cursor is None else ()
    told = [r for r in rows if not _relates_to_hidden(reader, handle, r)]
    return History(
        record_id=record_id,
        entries=_entry_views(reader, handle, looked, told),
        beliefs=beliefs,
        causes=_causes(reader, handle, looked, beliefs, positions),
        cursor=str(rows[-1].position) if len(wanted) > limit else None,
    )


def _causes(
    reader: Reader, handle: Handle, looked: Looked, beliefs: Sequence[BeliefView], own: Container[int]
) -> tuple[EntryView, ...]:
    """What happened elsewhere and changed these beliefs. A cause that may not be read here is not told (09.30)."""
    told: list[LedgerRow] = []
    stored = reader.rows_of({b.cause_entry for b in beliefs})
    for row in sorted(stored.values(), key=lambda r: r.position):
        if row.position in own:
            continue
        skeleton = msgspec.json.decode(row.skeleton, type=Skeleton)
        with contextlib.suppress(AbsentError):
            readable_rows(reader, handle, Entry(id=row.entry_id, skeleton=skeleton).record_id)
            told.append(row)
    return _entry_views(reader, handle, looked, told)


def _relates_to_hidden(reader: Reader, handle: Handle, row: LedgerRow) -> bool:
    """Whether an entry is an edge to a record that may not be read here: its reason would tell of it."""
    edges = msgspec.json.decode(row.skeleton, type=Skeleton).edges
    if not isinstance(edges, Relate):
        return False
    return not any(may_read(handle, r) for r in reader.beliefs_of_records([edges.target]))


def _entry_views(reader: Reader, handle: Handle, looked: Looked, rows: Sequence[LedgerRow]) -> tuple[EntryView, ...]:
    marks = Hindsight(reader, handle, looked).marks({r.entry_id: r for r in rows})
    return tuple(_entry_view(reader, row, marks) for row in rows)


def _entry_view(reader: Reader, row: LedgerRow, marks: Mapping[str, Sequence[Veiled]]) -> EntryView:
    """An entry as it was known when it came: what was only taken back later is still its history."""
    skeleton = msgspec.json.decode(row.skeleton, type=Skeleton)
    body = decode_body(row.body) if row.body is not None else None
    if body is not None:
        body = Veil(reader, [row.entry_id], row.received_at, _of(row, marks)).body(row.entry_id, body)
    payload = body.payload if body is not None else None
    return EntryView(
        position=row.position,
        entry_id=row.entry_id,
        kind=Entry(id=row.entry_id, skeleton=skeleton).kind,
        verb=_verb(skeleton.edges),
        actor=reader.name("who", skeleton.author.actor),
        role=skeleton.author.role,
        harness=skeleton.author.harness,
        recorded_at=skeleton.recorded_at,
        received_at=row.received_at,
        text=words_of(payload) if payload is not None else None,
        reason=body.reason if body is not None else None,
        erased=row.body is None,
    )


def _of(row: LedgerRow, marks: Mapping[str, Sequence[Veiled]]) -> dict[str, Sequence[Veiled]]:
    return {row.entry_id: marks.get(row.entry_id, ())}


def _verb(edges: Edges) -> str | None:
    """What an entry does; of feedback, what came of it."""
    return edges.outcome if isinstance(edges, Attend) else getattr(edges, "verb", None)


def _beliefs(reader: Reader, handle: Handle, looked: Looked, record_id: str) -> list[BeliefView]:
    rows = reader.beliefs_of_record(record_id)
    docs = reader.docs({r.vid for r in rows})
    stored = {r.position: r for r in reader.rows_at([d.position for d in docs.values()])}
    marks = Hindsight(reader, handle, looked).marks({r.entry_id: r for r in stored.values()})
    views: list[BeliefView] = []
    for row in rows:
        if row.sensitivity > handle.clearance:
            continue
        own = stored[docs[row.vid].position]
        body = decode_body(own.body) if own.body is not None else None
        if body is not None:
            body = Veil(reader, [own.entry_id], row.known_from, _of(own, marks)).body(own.entry_id, body)
        payload = body.payload if body is not None else None
        views.append(
            BeliefView(
                record_id=record_id,
                revision_id=row.revision_id,
                text=words_of(payload) if payload is not None else None,
                tier=row.tier,
                status=row.status,
                visibility=row.visibility,
                hidden_reason=row.hidden_reason,
                valid_from=None if row.valid_from == BEGINNING else row.valid_from,
                valid_to=None if row.valid_to == FOREVER else row.valid_to,
                known_from=row.known_from,
                known_to=None if row.known_to == FOREVER else row.known_to,
                live_support=row.live_support,
                sensitivity=SENSITIVITIES[row.sensitivity],
                cause_entry=row.cause_entry,
                ended_by=row.ended_by,
                challenged_by=row.challenged_by,
            )
        )
    return views


def _supports(
    reader: Reader, handle: Handle, hindsight: Hindsight, view: View, record_id: str
) -> tuple[SupportView, ...]:
    said = view.account(record_id).said
    live = grade(view, said).live if said else frozenset[str]()
    locked = reader.locked({s.evidence for s in said}, handle.clearance)
    withheld = withdrawn(reader, handle, locked, handle.clearance)
    stored = reader.rows_of({root_of(s.evidence) for s in said if s.evidence not in locked or s.evidence in withheld})
    veil = Veil(reader, stored, beside=hindsight.marks(stored))
    spoken = spoken_first(reader, handle, handle.clearance, said)
    views: list[SupportView] = []
    for s in said:
        row = stored.get(root_of(s.evidence))
        payload = decode_body(row.body).payload if row is not None and row.body is not None else None
        citation = None
        if payload is not None:
            text = words_of(payload)
            start, end = s.span if s.span is not None else (0, len(text))
            hidden = s.evidence in withheld
            episode = payload if isinstance(payload, Episodic) and not hidden else None
            citation = Citation(
                record_id=s.evidence,
                quote=WITHHELD if hidden else veil.quote(root_of(s.evidence), text, start, end),
                span=(start, end),
                speaker=spoken[s.id].speaker if s.id in spoken else episode.speaker if episode else None,
                occurred_at=episode.occurred_at if episode else None,
            )
        source = reader.name("who", s.source)
        views.append(
            SupportView(
                support_id=s.id, citation=citation, source=source, basis=s.basis, live=s.id in live, spoken=s.spoken
            )
        )
    return tuple(views)


def _mentioned(reader: Reader, row: BeliefRow) -> list[str]:
    """Names that a revision's document mentions: of all that its words may name, those it was indexed under."""
    stored = reader.rows_of([row.revision_id]).get(row.revision_id)
    payload = decode_body(stored.body).payload if stored is not None and stored.body is not None else None
    return reader.mentions_among(row.scope_id, row.vid, names_in(payload)) if payload is not None else []


def _relations(reader: Reader, handle: Handle, record_id: str, row: BeliefRow) -> tuple[RelationView, ...]:
    """Edges to what may be read here; `mentions` is computed from the names a document holds."""
    edges = list(reader.relations_of(record_id))
    for name in _mentioned(reader, row):
        edges += [("mentions", e, "out") for e in reader.entities_named(row.scope_id, name) if e != record_id]
    if row.kind == "entity":
        for name, _ in reader.names_of_entity(record_id):
            docs = reader.docs(reader.mentioning(row.scope_id, name, None, PAGE_OVER_FETCH * 10, handle.clearance))
            edges += [("mentions", d.record_id, "in") for d in docs.values() if d.record_id != record_id]
    views: dict[RelationView, None] = {}
    for relation, other, direction in edges:
        rows = reader.beliefs([d.vid for d in reader.docs_of_record(other)], None)
        if any(may_read(handle, r) for r in rows):
            way = "out" if direction == "out" else "in"
            views[RelationView(relation=relation, record_id=other, direction=way)] = None
    return tuple(views)
