"""Entries that another store wrote are never edited: what they and this store's own meet is told by an entry of ours.

For whoever takes entries in: call it in the same transaction, once they are in the ledger (design 09.31).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from firsthand.capture.engraving import reached_by
from firsthand.capture.gateway import NO_WORDS, Gateway
from firsthand.capture.stones import met_by
from firsthand.ledger import Appended
from firsthand.ports import LedgerRow, Reader, Writer
from firsthand.projection import body_of, entry_of
from firsthand.rules.access import Handle
from firsthand.vocabulary.entries import Entry, Met, Settle


def tell_meetings(gateway: Gateway, handle: Handle, writer: Writer, arrived: Iterable[str]) -> Appended | None:
    """One entry that says which words meet which tombstone, of entries that arrived and of those that were here."""
    rows = writer.rows_of(arrived)
    found = {met: None for entry_id in sorted(rows) for met in _meetings(handle, writer, rows[entry_id])}
    if not found:
        return None
    words = gateway.words(NO_WORDS, 0)
    return gateway.append(handle, writer, Settle(of=()), words, reaches=tuple(found))


def _meetings(handle: Handle, reader: Reader, row: LedgerRow) -> Iterator[Met]:
    entry, body = entry_of(row), body_of(row)
    theirs = _as_author(handle, reader, entry)
    at = entry.skeleton.recorded_at
    for met in reached_by(theirs, reader, entry, at):
        yield msgspec.structs.replace(met, by=entry.id)
    if body is not None:
        for met in met_by(theirs, reader, entry.skeleton.edges, body, at):
            yield msgspec.structs.replace(met, of=entry.id, by=met.of)


def _as_author(handle: Handle, reader: Reader, entry: Entry) -> Handle:
    """This store's key in the place of who wrote an entry: a tombstone binds by whose words they are."""
    ids, scope_id = entry.skeleton.author, entry.skeleton.scope
    scope = reader.scope(scope_id)
    author = msgspec.structs.replace(
        handle.author, role=ids.role, actor=reader.name("who", ids.actor) or handle.author.actor
    )
    name = scope.name if scope is not None and scope.name is not None else handle.scope
    return msgspec.structs.replace(handle, ids=ids, author=author, scope=name, scope_id=scope_id)
