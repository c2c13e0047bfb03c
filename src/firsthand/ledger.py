"""The only writer of memory: append one entry with all it changes, and replay them all.

One transaction holds the entry, the fold, the belief rows and the index rows. Replaying is the same function over the
same entries, so audit and repair cannot drift from writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from firsthand.ports import BeliefRow, LedgerRow, Reader, Writer
from firsthand.projection import Changes, project
from firsthand.rules.bearing import keys_looked_under
from firsthand.rules.identity import SALT_BYTES, body_digest, body_text, chained, entry_id, skeleton_text
from firsthand.rules.wording import BLANK, Indexed, index_words
from firsthand.stored import body_of, indexed_again
from firsthand.vocabulary.decoding import decode_body, decode_skeleton
from firsthand.vocabulary.entries import FORMAT_VERSION, AuthorIds, Body, Define, Edges, Entry, Met, Skeleton
from firsthand.vocabulary.instants import FOREVER


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
    met: tuple[Met, ...] = ()
    reaches: tuple[Met, ...] = ()


class Appended(NamedTuple):
    """An entry in the ledger, and the belief rows it closed and opened."""

    entry: Entry
    position: int
    received_at: int
    changes: Changes

    @property
    def begun(self) -> list[BeliefRow] | None:
        """All that is believed of the record that the entry began; unset if it began none."""
        if self.entry.skeleton.record is not None:
            return None
        return [row for row in self.changes.opened if row.revision_id == self.entry.id]


def prepare(body: Body, salt: bytes, spoken: int, *, indexed: bool = True) -> Words:
    """Encode, salt and hash a body, and index it if it will be found. Needs `SALT_BYTES` unguessable bytes."""
    assert len(salt) == SALT_BYTES
    text, salt_hex = body_text(body), salt.hex()
    found = index_words(body.payload, spoken) if indexed and body.payload is not None else BLANK
    return Words(body, text, salt_hex, body_digest(salt_hex, text), found)


def append(writer: Writer, draft: Draft, words: Words) -> Appended:
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
        met=draft.met,
        reaches=draft.reaches,
    )
    text = skeleton_text(skeleton)
    entry = Entry(id=entry_id(text), skeleton=skeleton)
    head = writer.head()
    # design 09.21: known time is this store's own and never goes back.
    received_at = max(draft.recorded_at, head.received_at + 1)
    chain = chained(head.chain, entry.id, received_at)
    row = LedgerRow(head.position + 1, entry.id, received_at, chain, text, words.text, words.salt)
    writer.put_entry(row)
    changes = project(writer, entry, row, words.body, words.indexed, fresh=True)
    return Appended(entry, row.position, received_at, changes)


def adopt(writer: Writer, foreign: LedgerRow, skeleton: Skeleton, now: int) -> Appended:
    """Append an entry of another store, byte for byte: only its place and its time of receipt are this store's own."""
    entry = Entry(id=foreign.entry_id, skeleton=skeleton)
    head = writer.head()
    received_at = max(now, head.received_at + 1)
    chain = chained(head.chain, entry.id, received_at)
    row = foreign._replace(position=head.position + 1, received_at=received_at, chain=chain)
    writer.put_entry(row)
    body = body_of(row)
    opened = project(writer, entry, row, body, indexed_again(entry, body), fresh=False)
    return Appended(entry, row.position, received_at, opened)


def replay(writer: Writer, rows: Sequence[tuple[LedgerRow, Skeleton]]) -> None:
    """Project stored entries anew, in their order."""
    entries = [Entry(id=row.entry_id, skeleton=skeleton) for row, skeleton in rows]
    writer.foresee(key for entry in entries for key in keys_looked_under(entry))
    for (row, _), entry in zip(rows, entries, strict=True):
        body = body_of(row)
        writer.look_no_further(row.position)
        project(writer, entry, row, body, indexed_again(entry, body), fresh=False)
    writer.look_no_further(FOREVER)


def first_names(reader: Reader, what: str, entries: int) -> list[tuple[str, str]]:
    """(opaque id, words) that the first entries of a ledger define; one that cannot be read defines nothing."""
    found: list[tuple[str, str]] = []
    for row in reader.ledger_rows(0, entries):
        try:
            edges = decode_skeleton(row.skeleton).edges
            name = decode_body(row.body).name if row.body is not None else None
        except msgspec.MsgspecError:
            continue
        if isinstance(edges, Define) and edges.what == what and name is not None:
            found.append((edges.id, name))
    return found
