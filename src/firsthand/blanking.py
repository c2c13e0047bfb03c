"""What an erase entry destroys: the bodies it names, and everything that was ever made of their words.

Replayed, the same function finds the bodies blank already. Both ways end in the same rows, so a projection that lived
through an erasure is the one a rebuild makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from firsthand.naming import names_in, relate
from firsthand.ports import BeliefRow, DocRow, LedgerRow, Writer
from firsthand.rules.bearing import record_key
from firsthand.stored import body_of, entry_of, indexed_again
from firsthand.vocabulary.entries import Body, Define, Entry, Relate, Revise, Support
from firsthand.vocabulary.kinds import HIGHEST_SENSITIVITY


class _Target(NamedTuple):
    """An entry whose body is destroyed, with the body as it was; none in a replay."""

    row: LedgerRow
    entry: Entry
    body: Body | None


def blank(writer: Writer, entry_ids: Sequence[str]) -> None:
    """Destroy the bodies of entries, and what the projections hold of them."""
    rows = sorted(writer.rows_of(entry_ids).values())
    targets = [_Target(row, entry_of(row), body_of(row)) for row in rows]
    for target in targets:
        writer.blank_body(target.row.entry_id)
        if writer.has_stones():
            writer.put_masks(target.row.entry_id, [])
        doc = writer.doc(target.row.entry_id)
        if doc is not None:
            writer.blank_doc(target.entry.skeleton.scope, doc)
            indexed = indexed_again(target.entry, target.body)
            for name in (*indexed.mentions, *indexed.perhaps):
                writer.drop_mention(target.entry.skeleton.scope, name, doc.vid)
    _forget_names(writer, targets)
    for record_id in _distinct(t.entry.record_id for t in targets if isinstance(t.entry.skeleton.edges, Relate)):
        _relate_again(writer, record_id)
    for scope_id in _distinct(t.entry.skeleton.scope for t in targets):
        writer.renumber_speakers(scope_id)
    writer.drop_deliveries(_distinct(t.entry.record_id for t in targets))


def _distinct(ids: Iterable[str]) -> list[str]:
    return sorted(set(ids))


def _forget_names(writer: Writer, targets: Sequence[_Target]) -> None:
    """Names that ids stood for, and names of entities, with what other documents mention only by them."""
    for target in targets:
        match target.entry.skeleton.edges:
            case Define(what=what, id=name_id, policy=None) if what != "hold":
                writer.drop_name(what, name_id)
            case Revise(record_kind="entity"):
                _unname(writer, target)
            case _:
                pass


def _unname(writer: Writer, target: _Target) -> None:
    """An entity whose newest revision lost its words has no names; what was called so goes back to its own words."""
    scope_id, record_id = target.entry.skeleton.scope, target.entry.record_id
    newest = max(writer.docs_of_record(record_id))
    if newest.revision_id == target.entry.id:
        writer.put_entity_names(scope_id, record_id, [])
    names = {name for name, _ in names_in(target.body.payload)} if target.body is not None else set[str]()
    known = writer.doc(target.entry.id)
    if not names or known is None:
        return
    past = _Entities(writer, scope_id)
    for name in sorted(names):
        for vid, doc in writer.docs(writer.all_mentioning(scope_id, name)).items():
            # Documents are numbered as they are indexed: that of a support long after its entry, when first needed.
            if vid > known.vid and not _still_mentions(writer, past, doc, name):
                writer.drop_mention(scope_id, name, vid)


def _still_mentions(writer: Writer, past: _Entities, doc: DocRow, name: str) -> bool:
    """Whether a document mentions a name by its own words, or by an entity that was known when that was indexed."""
    (row,) = writer.rows_at([doc.position])
    entry = entry_of(row)
    if name in indexed_again(entry, body_of(row)).mentions:
        return True
    at = row.received_at
    if isinstance(entry.skeleton.edges, Support):
        at = min(b.known_from for b in writer.beliefs_of_record(doc.record_id) if b.vid == doc.vid)
    return past.knew(name, doc.vid, at, entry.skeleton.sensitivity)


class _Entities:
    """The entities of a scope as they were at any time, with the words that are left of them."""

    def __init__(self, writer: Writer, scope_id: str) -> None:
        self._writer = writer
        scope = writer.scope(scope_id)
        docs = writer.docs_of_kind(scope.scope_no, "entity") if scope is not None else []
        stored = {row.position: row for row in writer.rows_at([d.position for d in docs])}
        self._revisions: dict[str, list[tuple[DocRow, frozenset[str]]]] = {}
        for doc in docs:
            body = body_of(stored[doc.position])
            names = frozenset(name for name, _ in names_in(body.payload if body is not None else None))
            self._revisions.setdefault(doc.record_id, []).append((doc, names))

    def knew(self, name: str, vid: int, at: int, level: int) -> bool:
        """Whether an entity had this name when a document was indexed, and was open to readers of that level before."""
        for revisions in self._revisions.values():
            # An entity knows its own name when it is indexed.
            before = [names for known, names in revisions if known.vid <= vid]
            if before and name in before[-1]:
                then = self._writer.beliefs([known.vid for known, _ in revisions], at - 1)
                if not any(_locks(belief, level) for belief in then):
                    return True
        return False


def _locks(belief: BeliefRow, level: int) -> bool:
    assert level <= HIGHEST_SENSITIVITY
    return belief.sensitivity > level or belief.visibility == "hidden" or belief.status in ("rejected", "erased")


def _relate_again(writer: Writer, record_id: str) -> None:
    """The edges of a record from its entries, by the names that are left of them."""
    writer.drop_relations(record_id)
    for row in writer.rows_at(writer.positions_bearing_on(record_key(record_id))):
        entry = entry_of(row)
        if isinstance(entry.skeleton.edges, Relate):
            relate(writer, entry, entry.skeleton.edges, body_of(row), row.position)
