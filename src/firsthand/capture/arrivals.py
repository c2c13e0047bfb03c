"""Entries that another store wrote are never edited: what they and this store's own meet is told by an entry of ours.

For whoever takes entries in: call it in the same transaction, once they are in the ledger (design 09.31).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from firsthand.capture.engraving import near
from firsthand.capture.gateway import NO_WORDS, Gateway
from firsthand.capture.stones import met_by
from firsthand.ledger import Appended
from firsthand.ports import LedgerRow, Reader, Writer
from firsthand.projection import body_of, entry_of
from firsthand.rules.access import Handle
from firsthand.rules.bearing import assertions_of, claims_of, consequences_of, tombstone_of, value_digest
from firsthand.rules.masks import met_with
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Entry, Erase, Met, Revise, Settle, Support
from firsthand.vocabulary.grants import SPACE_WIDE


def near_erasures(reader: Reader, erasures: Iterable[Entry]) -> frozenset[str]:
    """Entries here whose words may say what erasures that arrive keep out; asked while its claims still have words."""
    of_values = [e for e in erasures if isinstance(e.skeleton.edges, Erase) and tombstone_of(e) is not None]
    return frozenset(row.entry_id for erasure in of_values for row in near(reader, erasure, None))


def tell_meetings(
    gateway: Gateway, handle: Handle, writer: Writer, arrived: Iterable[str], near_erased: Collection[str] = ()
) -> Appended | None:
    """One entry that says which words meet which tombstone, of entries that arrived and of those that were here.

    What the entries say of it themselves, or another store told of them, is not told again; nor what is between two
    that arrived, if their sender is believed as it says. `near_erased`: what was near an erasure before it destroyed
    the claims that said where to look.
    """
    if not writer.has_stones():
        return None
    rows = writer.rows_of(arrived)
    told = _Told(writer, rows.keys())
    found: dict[Met, None] = {}
    for entry_id in sorted(rows):
        entry = writer.vouched(entry_of(rows[entry_id]))
        if entry is not None:
            found |= {met: None for met in _meetings(handle, writer, entry, rows[entry_id]) if not told.of(met)}
    for row in writer.rows_of(near_erased).values():
        entry = writer.vouched(entry_of(row))
        if entry is not None:
            found |= {met: None for met in _met(handle, writer, entry, row) if met.by in rows and not told.of(met)}
    if not found:
        return None
    words = gateway.words(NO_WORDS, 0)
    return gateway.append(handle, writer, Settle(of=()), words, scope_id=SPACE_WIDE, reaches=tuple(found))


class _Told:
    """What is told of tombstones already, by whoever wrote them, by the words, or by another store."""

    def __init__(self, reader: Reader, arrived: Collection[str]) -> None:
        self._reader = reader
        self._arrived = arrived
        self._view = View(reader)
        self._known: dict[str, set[str]] = {}

    def of(self, met: Met) -> bool:
        """Whether a meeting is told, or its tombstone forbids nothing here."""
        if met.by not in self._known:
            stone = self._view.get(met.by)
            self._known[met.by] = {met.of} if stone is None else met_with(self._view, stone)
        return met.of in self._known[met.by] or self._is_theirs(met)

    def _is_theirs(self, met: Met) -> bool:
        both = met.by in self._arrived and met.of in self._arrived
        return both and self._reader.trust_in(met.by) == "person"


def _meetings(handle: Handle, reader: Reader, entry: Entry, row: LedgerRow) -> Iterator[Met]:
    """Tombstones that words which arrived meet, and words here that a tombstone which arrived meets."""
    yield from _met(handle, reader, entry, row)
    for other in near(reader, entry, body_of(row)):
        words = reader.vouched(entry_of(other))
        if words is not None:
            yield from (met for met in _met(handle, reader, words, other) if met.by == entry.id)


def _met(handle: Handle, reader: Reader, entry: Entry, row: LedgerRow) -> Iterator[Met]:
    """What an entry's words meet, whoever came first: what its author would be told if they were written here now."""
    body, edges = body_of(row), entry.skeleton.edges
    if body is None or not isinstance(edges, Revise | Support):
        return
    author, actor = _as_author(handle, reader, entry), reader.name("who", entry.skeleton.author.actor)
    for met in met_by(author, reader, edges, body, entry.skeleton.recorded_at, actor):
        stone = reader.get(met.of)
        if stone is None or stone.id == entry.id or _is_its_own_claim(entry, stone):
            continue  # the fold speaks of the claim itself
        doubt = met.doubt and not _is_older(entry, stone)
        if met.spans or doubt:
            yield Met(of=entry.id, by=stone.id, spans=met.spans, doubt=doubt)


def _is_its_own_claim(entry: Entry, stone: Entry) -> bool:
    forbidden = tombstone_of(stone)
    return forbidden is not None and any(value_digest(c) == value_digest(forbidden) for c in claims_of(entry))


def _is_older(entry: Entry, stone: Entry) -> bool:
    """Whether all that an entry claims was said before its value was taken back: such a claim does not wait."""
    consequences = consequences_of(stone)
    said = assertions_of(entry)
    return consequences is not None and all(a.spoken <= consequences.reach.spoken for a in said)


def _as_author(handle: Handle, reader: Reader, entry: Entry) -> Handle:
    """This store's key in the place of who wrote an entry: a tombstone binds by whose words they are."""
    scope_id = entry.skeleton.scope
    scope = reader.scope(scope_id)
    name = scope.name if scope is not None and scope.name is not None else ""
    return msgspec.structs.replace(handle, ids=entry.skeleton.author, scope=name, scope_id=scope_id)
