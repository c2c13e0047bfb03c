"""What follows from one entry of the ledger: names, documents, beliefs, indexes; the same for a write and a replay."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from firsthand.blanking import blank
from firsthand.naming import POLICY, define, known_names, name_entity, relate
from firsthand.ports import (
    LISTED,
    REST,
    UNLISTED,
    Attention,
    BeliefRow,
    DocRow,
    LedgerRow,
    MaskRow,
    Reader,
    Shelf,
    Writer,
)
from firsthand.rules.bearing import bearings, claim_digest, keys_about
from firsthand.rules.fold import affected, fold
from firsthand.rules.gate import Shown, stands, unlocked
from firsthand.rules.masks import bears_on_masks, masks_on, touched
from firsthand.rules.policy import DEFAULT_POLICY
from firsthand.rules.salience import Anchor, penalise, reinforce
from firsthand.rules.standing import Row, settle_unit
from firsthand.rules.view import View
from firsthand.rules.wording import BLANK, UTTERANCE, Indexed, names_in
from firsthand.stored import body_of, entry_of, indexed_again
from firsthand.veil import unread
from firsthand.vocabulary.entries import Attend, Body, Define, Edges, Entry, Erase, PolicyRules, Relate, Revise
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.kinds import HIGHEST_SENSITIVITY, Kind
from firsthand.vocabulary.records import Episodic, Payload

GENERATION = 0
POLICIES_KEPT = 8
FULL_ATTENTION = 1.0
"""A record's salience when it is made."""

_UTTERED = BLANK._replace(flags=UTTERANCE)


class Changes(NamedTuple):
    """The belief rows that an entry closed, and those it opened."""

    closed: list[BeliefRow]
    opened: list[BeliefRow]


def project(
    writer: Writer,
    entry: Entry,
    row: LedgerRow,
    body: Body | None,
    indexed: Indexed,
    *,
    fresh: bool,
) -> Changes:
    """Write everything that follows from an entry. `fresh`: nothing can refer to it yet."""
    about = keys_about(entry)
    fresh = fresh or not any(writer.bearing_on(key) for key in about)
    writer.put_bearings(entry, row.position, bearings(entry), about if fresh else ())
    payload = body.payload if body is not None else None
    edges = entry.skeleton.edges
    match edges:
        case Define():
            define(writer, entry, edges, body)
        case Revise(record_kind="entity"):
            name_entity(writer, entry, payload)
        case Relate():
            relate(writer, entry, edges, body, row.position)
        case Attend():
            _attend(writer, entry.record_id, edges, row.received_at)
        case Erase() if not writer.senders(entry.id):
            # What another store erased is destroyed by who takes it in, as far as that store is believed.
            blank(writer, edges.targets)
        case _:
            pass
    step = _Step(writer, entry, row.received_at)
    others = _believed_anew(writer, edges, row.position)
    settled = _settled(writer, entry, others, fresh=fresh)
    if isinstance(edges, Revise):
        step.add_document(edges, row.position, payload, indexed, settled.values())
    for unit, rows in settled.items():
        step.believe(unit, rows, empty=fresh and unit == entry.record_id and entry.skeleton.record is None)
    step.reshelve()
    if writer.has_stones():
        _mask(writer, [entry, *filter(bears_on_masks, others)], set(settled))
    return step.changes


def _believed_anew(writer: Writer, edges: Edges, position: int) -> list[Entry]:
    """Of the entries before a position, those that may be believed otherwise by what is said here of their senders."""
    match edges:
        case Define(what="peer", id=device):
            entry_ids: Sequence[str] = writer.arrived_from(device)
        case Define(what="arrival", entries=arrived):
            entry_ids = arrived
        case _:
            return []
    writer.forget_entries()
    return [entry_of(row) for row in writer.rows_of(entry_ids).values() if row.position < position]


def _settled(writer: Writer, entry: Entry, others: Sequence[Entry], *, fresh: bool) -> dict[str, frozenset[Row]]:
    """The rows of every unit that an entry can change; `others` are believed anew by it."""
    policy, edges = policy_in_force(writer), entry.skeleton.edges
    match edges:
        case Define(policy=PolicyRules() as other) if not writer.senders(entry.id):
            return _settle_all(writer, other)
        case Define():
            return _settle_those(writer, policy, others)
        case _:
            read = writer.vouched(entry)
            return {} if read is None else fold(writer, read, policy, fresh=fresh).rows


def policy_in_force(reader: Reader) -> PolicyRules:
    """Who is believed in this space: what the newest `define` of a policy says, as every handle and replay sees it."""
    text = reader.name(POLICY, "")
    return DEFAULT_POLICY if text is None else _policy(text)


@functools.lru_cache(maxsize=POLICIES_KEPT)
def _policy(text: str) -> PolicyRules:
    return msgspec.json.decode(text, type=PolicyRules)


def _settle_all(writer: Writer, policy: PolicyRules) -> dict[str, frozenset[Row]]:
    """Every unit anew, under another policy."""
    view = View(writer)
    return {unit: settle_unit(view, unit, policy) for unit in writer.units()}


def _settle_those(writer: Writer, policy: PolicyRules, entries: Sequence[Entry]) -> dict[str, frozenset[Row]]:
    """Every unit that these entries have a part in."""
    view = View(writer)
    units = {unit for entry in entries for unit in affected(view, entry)}
    return {unit: settle_unit(view, unit, policy) for unit in sorted(units)}


def shelf_of(rows: Iterable[BeliefRow] | Iterable[Row], kind: Kind) -> Shelf:
    """The index a document belongs to, from the rows believed of it now."""
    seen = [Shown(r.tier, r.status, r.visibility, r.live_support, r.sensitivity, kind) for r in rows]
    if any(unlocked(s, HIGHEST_SENSITIVITY) and stands(s) for s in seen):
        return LISTED
    return REST if all(unlocked(s, HIGHEST_SENSITIVITY) for s in seen) else UNLISTED


class _Step:
    """One entry's changes to documents and beliefs."""

    def __init__(self, writer: Writer, entry: Entry, at: int) -> None:
        self._writer = writer
        self._entry = entry
        self._at = at
        self._docs: dict[str, DocRow] = {}
        self._moved: dict[int, str] = {}
        self.changes = Changes([], [])

    def add_document(
        self, edges: Revise, position: int, payload: Payload | None, indexed: Indexed, units: Iterable[frozenset[Row]]
    ) -> None:
        """Number the entry's words, index them, and put them on the shelf their standing asks for."""
        own = [r for rows in units for r in rows if r.revision == self._entry.id]
        # A revision that nothing settles yet, such as one whose evidence has not arrived, waits with the rest.
        kind = edges.record_kind
        shelf = shelf_of(own, kind) if own else REST
        if edges.utterance:
            # It was stored only to be cited: its claim speaks for it, and nothing speaks for it once the claim fell.
            shelf, indexed = UNLISTED, _UTTERED
        self._docs[self._entry.id] = _put_document(self._writer, self._entry, kind, position, payload, indexed, shelf)

    def believe(self, unit: str, rows: frozenset[Row], *, empty: bool) -> None:
        """Close the open rows of a unit that no longer hold, open those that now do; `empty`: it had none."""
        new = sorted((b for b in map(self._belief, rows) if b is not None), key=_place)
        old = [] if empty else self._writer.open_rows(unit)
        if old:
            before, after = {_content(r) for r in old}, {_content(r) for r in new}
            for row in sorted((r for r in old if _content(r) not in after), key=_place):
                self._writer.close_belief(row, self._at)
                self.changes.closed.append(row)
                self._moved[row.vid] = row.scope_id
            new = [r for r in new if _content(r) not in before]
        for row in new:
            self._writer.put_belief(row)
            self.changes.opened.append(row)
            self._moved[row.vid] = row.scope_id

    def reshelve(self) -> None:
        """Move the words of every document whose standing changed, where the new one asks for another shelf."""
        for doc in self._docs.values():
            self._moved.pop(doc.vid, None)
        if not self._moved:
            return
        docs = self._writer.docs(self._moved)
        rows: dict[int, list[BeliefRow]] = {}
        for row in self._writer.beliefs(self._moved, None):
            rows.setdefault(row.vid, []).append(row)
        for vid, scope in sorted(self._moved.items()):
            now = UNLISTED if docs[vid].flags & UTTERANCE else shelf_of(rows.get(vid, []), docs[vid].kind)
            if now != docs[vid].shelf:
                indexed = BLANK if now == UNLISTED else _read_again(self._writer, docs[vid])
                self._writer.shelve(scope, vid, docs[vid].shelf, now, indexed)

    def _belief(self, row: Row) -> BeliefRow | None:
        """The row as it is stored; unset while no content of its record is here, only what others say of it."""
        doc = self._document(row)
        if doc is None:
            return None
        return BeliefRow(
            vid=doc.vid,
            known_from=self._at,
            valid_from=row.valid_from,
            known_to=FOREVER,
            valid_to=row.valid_to,
            unit=row.unit,
            record_id=row.record,
            revision_id=row.revision,
            kind=doc.kind,
            scope_id=row.scope,
            generation=GENERATION,
            claim=claim_digest(row.claim),
            conditions=row.claim.conditions if row.claim and row.claim.conditions else None,
            tier=row.tier,
            status=row.status,
            visibility=row.visibility,
            hidden_reason=row.hidden_reason,
            live_support=row.live_support,
            sensitivity=row.sensitivity,
            cause_entry=self._entry.id,
            ended_by=row.ended_by or None,
            challenged_by=row.challenged_by or None,
        )

    def _document(self, row: Row) -> DocRow | None:
        """The document of a belief's words; a support gets one when its words are first needed."""
        doc = self._docs.get(row.revision) or self._writer.doc(row.revision)
        if doc is not None:
            return doc
        stored = self._writer.rows_of([row.revision])[row.revision]
        entry, body = entry_of(stored), body_of(stored)
        kind = View(self._writer).account(entry.record_id).kind
        if kind is None:
            return None
        payload = body.payload if body is not None else None
        indexed = indexed_again(entry, body)
        doc = _put_document(self._writer, entry, kind, stored.position, payload, indexed, UNLISTED)
        self._moved[doc.vid] = entry.skeleton.scope
        return doc


def _mask(writer: Writer, entries: Iterable[Entry], units: set[str]) -> None:
    """Masks on every entry that these touch, and the words of those whose masks changed, indexed anew."""
    view = View(writer)
    asked = {entry_id for entry in entries for entry_id in touched(view, entry, units)}
    held: dict[str, list[MaskRow]] = {}
    for row in writer.masks(asked):
        held.setdefault(row.entry_id, []).append(row)
    stored = writer.rows_of(asked)
    for entry_id in sorted(stored):
        other = entry_of(stored[entry_id])
        masks = masks_on(view, other)
        stones = writer.rows_of({m.stone for m in masks if not m.absolute})
        rows = sorted(
            MaskRow(entry_id, m.low, m.high, m.stone, 0 if m.absolute else stones[m.stone].received_at) for m in masks
        )
        if rows != sorted(held.get(entry_id, [])):
            writer.put_masks(entry_id, rows)
            _index_anew(writer, other, body_of(stored[entry_id]), rows)


def _index_anew(writer: Writer, entry: Entry, body: Body | None, masks: Sequence[MaskRow]) -> None:
    """A document's words without what is masked of them; its names are marked, so that they come back exactly."""
    doc = writer.doc(entry.id)
    if doc is None:
        return
    indexed = indexed_again(entry, body, masks)
    scope = entry.skeleton.scope
    writer.reindex(scope, doc, indexed)
    if body is not None and body.payload is not None:
        masked = unread(body, masks).payload
        seen = set(names_in(masked)) if masked is not None else set[str]()
        names = names_in(body.payload)
        writer.mask_mentions(scope, doc.vid, [n for n in names if n not in seen], masked=True)
        writer.mask_mentions(scope, doc.vid, [n for n in names if n in seen], masked=False)


def _put_document(
    writer: Writer,
    entry: Entry,
    kind: Kind,
    position: int,
    payload: Payload | None,
    indexed: Indexed,
    shelf: Shelf,
) -> DocRow:
    """Number an entry's words in their scope, with what ranking needs to know of them."""
    scope = entry.skeleton.scope
    episode = payload if isinstance(payload, Episodic) else None
    doc = DocRow(
        vid=writer.next_vid(scope, shelf),
        record_id=entry.record_id,
        revision_id=entry.id,
        position=position,
        kind=kind,
        shelf=shelf,
        thread=f"{scope}/{episode.thread}" if episode and episode.thread else None,
        speaker=writer.speaker_no(scope, episode.speaker) if episode and episode.speaker else None,
        occurred_at=episode.occurred_at if episode else None,
        flags=indexed.flags,
        told_from=indexed.told_from,
        told_to=indexed.told_to,
        volatility=indexed.volatility,
    )
    writer.put_doc(doc, indexed)
    # A name this scope knows is a mention however it is written, at a sentence's start or in lower case.
    known = known_names(writer, scope, indexed.perhaps, entry.skeleton.sensitivity) if indexed.perhaps else []
    names = dict.fromkeys((*indexed.mentions, *known))
    if names:
        writer.put_mentions(scope, doc.vid, list(names))
    return doc


def _content(row: BeliefRow) -> Sequence[object]:
    """A row but for when it was known and through which entry."""
    return (row.vid, row.valid_from, *row[4:19], *row[20:])


def _place(row: BeliefRow) -> tuple[int, int]:
    return row.vid, row.valid_from


def _read_again(writer: Writer, doc: DocRow) -> Indexed:
    (row,) = writer.rows_at([doc.position])
    return indexed_again(entry_of(row), body_of(row), writer.masks([row.entry_id]) if writer.has_stones() else ())


# ---- attention -------------------------------------------------------------------------------------------------------


def _attend(writer: Writer, record_id: str, edges: Attend, at: int) -> None:
    """Move a record's salience anchor (design 04)."""
    docs = writer.docs_of_record(record_id)
    if not docs:
        return
    held = writer.attention([record_id]).get(record_id) or Attention(FULL_ATTENTION, _made_at(writer, docs[0]), 0, 0)
    gain = edges.gain_thousandths / 1000
    move = reinforce if gain >= 0 else penalise
    anchor = move(Anchor(held.anchor, held.anchored_at), docs[0].kind, at, abs(gain))
    helped, failed = held.helped + (edges.outcome == "helped"), held.failed + (edges.outcome == "failed")
    writer.put_attention(record_id, Attention(anchor.value, anchor.at, helped, failed))


def _made_at(writer: Writer, doc: DocRow) -> int:
    (row,) = writer.rows_at([doc.position])
    return row.received_at
