"""The only writer of memory: append one entry with all it changes, and replay them all.

One transaction holds the entry, the fold, the belief rows and the index rows. Replaying is the same function over the
same entries, so audit and repair cannot drift from writing.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from firsthand.ports import LISTED, REST, UNLISTED, Attention, BeliefRow, DocRow, LedgerRow, Shelf, Writer
from firsthand.rules.bearing import bearings, claim_digest
from firsthand.rules.fold import fold
from firsthand.rules.gate import Shown, stands, unlocked
from firsthand.rules.identity import SALT_BYTES, body_digest, body_text, chained, entry_id, skeleton_text
from firsthand.rules.normalise import name_key
from firsthand.rules.salience import Anchor, penalise, reinforce
from firsthand.rules.standing import Row
from firsthand.rules.view import View
from firsthand.rules.wording import BLANK, Indexed, index_words
from firsthand.vocabulary.entries import (
    FORMAT_VERSION,
    Attend,
    AuthorIds,
    Body,
    Define,
    Edges,
    Entry,
    PolicyRules,
    Relate,
    Revise,
    Skeleton,
)
from firsthand.vocabulary.instants import FOREVER
from firsthand.vocabulary.kinds import HIGHEST_SENSITIVITY, Kind
from firsthand.vocabulary.records import Entity, Episodic, Payload

GENERATION = 0
FULL_ATTENTION = 1.0
"""A record's salience when it is made."""

_bodies = msgspec.json.Decoder(Body)


class Words(NamedTuple):
    """A body ready to be hashed into an entry: the pure work that is done before the append lock."""

    body: Body
    text: str
    salt: str
    digest: str
    indexed: Indexed


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An entry without its body. `record` is unset in a root."""

    scope: str
    author: AuthorIds
    edges: Edges
    recorded_at: int
    record: str | None = None
    sensitivity: int = 0
    request: str | None = None


class Appended(NamedTuple):
    """An entry in the ledger, and the rows of every unit it touched."""

    entry: Entry
    position: int
    received_at: int
    rows: dict[str, frozenset[Row]]


def prepare(body: Body, salt: bytes, said_at: int) -> Words:
    """Encode, salt, hash and index a body. Needs `SALT_BYTES` unguessable bytes."""
    assert len(salt) == SALT_BYTES
    text, salt_hex = body_text(body), salt.hex()
    indexed = index_words(body.payload, said_at) if body.payload is not None else BLANK
    return Words(body, text, salt_hex, body_digest(salt_hex, text), indexed)


def append(writer: Writer, draft: Draft, words: Words, policy: PolicyRules) -> Appended:
    """Append an entry and everything it changes. The caller holds the append lock and commits."""
    skeleton = Skeleton(
        format=FORMAT_VERSION,
        space=writer.space,
        scope=draft.scope,
        author=draft.author,
        recorded_at=draft.recorded_at,
        body=words.digest,
        edges=draft.edges,
        sensitivity=draft.sensitivity,
        record=draft.record,
        request=draft.request,
    )
    text = skeleton_text(skeleton)
    entry = Entry(id=entry_id(text), skeleton=skeleton)
    head = writer.head()
    # design 09.21: known time is this store's own and never goes back.
    received_at = max(draft.recorded_at, head.received_at + 1)
    chain = chained(head.chain, entry.id, received_at)
    row = LedgerRow(head.position + 1, entry.id, received_at, chain, text, words.text, words.salt)
    writer.put_entry(row)
    rows = project(writer, entry, row, words.body, words.indexed, policy, fresh=True)
    return Appended(entry, row.position, received_at, rows)


def project(
    writer: Writer,
    entry: Entry,
    row: LedgerRow,
    body: Body | None,
    indexed: Indexed,
    policy: PolicyRules,
    *,
    fresh: bool,
) -> dict[str, frozenset[Row]]:
    """Everything that follows from one entry of the ledger: the same for a write and for a replay."""
    keys = bearings(entry)
    if keys:
        writer.put_bearings(row.position, keys)
    edges = entry.skeleton.edges
    match edges:
        case Define():
            _define(writer, edges, body)
        case Revise():
            payload = body.payload if body else None
            _put_document(writer, entry, edges.record_kind, row.position, payload, indexed)
            if edges.record_kind == "entity":
                _name_entity(writer, entry, payload)
        case Relate():
            relation = (body.name if body else None) or edges.relation
            if edges.verb == "begin":
                writer.put_relation(entry.record_id, relation, edges.target, row.position)
            else:
                writer.drop_relation(entry.record_id, relation, edges.target)
        case Attend():
            _attend(writer, entry.record_id, edges, row.received_at)
        case _:
            pass
    change = fold(writer, entry, policy, fresh=fresh)
    moved: dict[int, str] = {}
    for unit, rows in change.rows.items():
        _believe(writer, entry, row.received_at, unit, rows, moved)
    for vid, scope in sorted(moved.items()):
        _shelve(writer, scope, vid, {entry.id: indexed})
    return change.rows


def replay(writer: Writer, row: LedgerRow, policy: PolicyRules) -> None:
    """Project one stored entry anew."""
    entry = _entry(row)
    body = _bodies.decode(row.body) if row.body is not None else None
    project(writer, entry, row, body, indexed_again(entry, body), policy, fresh=False)


def indexed_again(entry: Entry, body: Body | None) -> Indexed:
    """What the indexes hold of a stored entry."""
    if body is None or body.payload is None:
        return BLANK
    return index_words(body.payload, said_at(entry, body.payload))


def said_at(entry: Entry, payload: Payload) -> int:
    """The instant against which a payload's relative time words are read."""
    if isinstance(payload, Episodic) and payload.occurred_at is not None:
        return payload.occurred_at
    return entry.skeleton.recorded_at


# ---- projections -----------------------------------------------------------------------------------------------------


def _define(writer: Writer, edges: Define, body: Body | None) -> None:
    name = body.name if body else None
    if edges.what == "scope":
        writer.put_scope(edges.id, name)
    else:
        writer.put_name(edges.what, edges.id, name)


def _put_document(
    writer: Writer, entry: Entry, kind: Kind, position: int, payload: Payload | None, indexed: Indexed
) -> DocRow:
    """Number an entry's words in their scope, with what ranking needs to know of them."""
    scope = entry.skeleton.scope
    episode = payload if isinstance(payload, Episodic) else None
    doc = DocRow(
        vid=writer.next_vid(scope),
        record_id=entry.record_id,
        revision_id=entry.id,
        position=position,
        kind=kind,
        shelf=UNLISTED,
        thread=f"{scope}/{episode.thread}" if episode and episode.thread else None,
        speaker=writer.speaker_no(scope, episode.speaker) if episode and episode.speaker else None,
        occurred_at=episode.occurred_at if episode else None,
        flags=indexed.flags,
        told_from=indexed.told_from,
        told_to=indexed.told_to,
        volatility=indexed.volatility,
    )
    writer.put_doc(doc)
    if indexed.mentions:
        writer.put_mentions(scope, doc.vid, indexed.mentions)
    return doc


def _document(writer: Writer, revision_id: str) -> DocRow:
    """The document of a belief's words; a support gets one when its words are first needed."""
    doc = writer.doc(revision_id)
    if doc is not None:
        return doc
    row = writer.rows_of([revision_id])[revision_id]
    entry = _entry(row)
    body = _bodies.decode(row.body) if row.body is not None else None
    kind = View(writer).account(entry.record_id).kind
    assert kind is not None, "a support is of a record with content"
    payload = body.payload if body is not None else None
    return _put_document(writer, entry, kind, row.position, payload, indexed_again(entry, body))


def _entry(row: LedgerRow) -> Entry:
    return Entry(id=row.entry_id, skeleton=msgspec.json.decode(row.skeleton, type=Skeleton))


def _name_entity(writer: Writer, entry: Entry, payload: Payload | None) -> None:
    """An entity's names are those of its newest revision: canonical, aliases, former names, identifiers."""
    names: list[tuple[str, str]] = []
    if isinstance(payload, Entity):
        names = [(name_key(payload.canonical_name), "canonical")]
        names += [(name_key(a.value), a.kind) for a in payload.aliases]
        names += [(name_key(i.value), "identifier") for i in payload.identifiers]
    writer.put_entity_names(entry.skeleton.scope, entry.record_id, names)


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


def _believe(writer: Writer, entry: Entry, at: int, unit: str, rows: frozenset[Row], moved: dict[int, str]) -> None:
    """Close the open rows of a unit that no longer hold, and open those that now do; note whose shelf may change."""
    before = {_content(r): r for r in writer.open_rows(unit)}
    after = {_content(b): b for b in (_belief(writer, entry, at, r) for r in rows)}
    for content, row in sorted(before.items(), key=lambda x: (x[1].vid, x[1].valid_from)):
        if content not in after:
            writer.close_belief(row, at)
            moved[row.vid] = row.scope_id
    for content, row in sorted(after.items(), key=lambda x: (x[1].vid, x[1].valid_from)):
        if content not in before:
            writer.put_belief(row)
            moved[row.vid] = row.scope_id


def _belief(writer: Writer, entry: Entry, at: int, row: Row) -> BeliefRow:
    doc = _document(writer, row.revision)
    return BeliefRow(
        vid=doc.vid,
        known_from=at,
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
        cause_entry=entry.id,
        ended_by=row.ended_by or None,
        challenged_by=row.challenged_by or None,
    )


def _content(row: BeliefRow) -> BeliefRow:
    """A row but for when it was known and through which entry."""
    return row._replace(known_from=0, known_to=0, cause_entry="")


def _shelve(writer: Writer, scope: str, vid: int, known: dict[str, Indexed]) -> None:
    """Put a document's words where its standing says: with what the default gate may pass, with the rest, nowhere."""
    doc = writer.docs([vid])[vid]
    now = shelf_of(writer.beliefs([vid], None))
    if now == doc.shelf:
        return
    indexed = known.get(doc.revision_id) or _read_again(writer, doc)
    writer.shelve(scope, vid, doc.shelf, now, indexed.terms)


def shelf_of(open_rows: list[BeliefRow]) -> Shelf:
    """The index a document belongs to, from the rows believed of it now."""
    seen = [
        Shown(r.tier, r.status, r.visibility, r.live_support, r.sensitivity, r.kind, True, r.generation == GENERATION)
        for r in open_rows
    ]
    if any(unlocked(s, HIGHEST_SENSITIVITY) and stands(s) for s in seen):
        return LISTED
    return REST if all(unlocked(s, HIGHEST_SENSITIVITY) for s in seen) else UNLISTED


def _read_again(writer: Writer, doc: DocRow) -> Indexed:
    (row,) = writer.rows_at([doc.position])
    entry = _entry(row)
    return indexed_again(entry, _bodies.decode(row.body) if row.body is not None else None)
