"""What a new tombstone carries besides the value: how to find it in running text, and which stored words it reaches.

A withdrawal as private carries the same, of a value that it does not forbid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from firsthand.capture.reaching import Laid, reached, stored_near
from firsthand.capture.stones import own_words
from firsthand.ports import LedgerRow, Reader, ScopeRow
from firsthand.rules.access import Handle
from firsthand.rules.bearing import unit_of, value_digest
from firsthand.rules.normalise import folded
from firsthand.rules.traces import SENTENCE_CHARACTERS, beginning_of, is_telling
from firsthand.rules.view import Said, View
from firsthand.sighting import looks_at
from firsthand.vocabulary.decoding import decode_body
from firsthand.vocabulary.entries import (
    Body,
    Edges,
    Entry,
    Erase,
    Judge,
    Met,
    Reach,
    Reject,
    Revise,
    Show,
    Support,
    Tombstone,
)
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.records import Payload, Semantic

WORDINGS: Final = 32
"""How many ways a value was put that a tombstone knows again."""
SENTENCES: Final = 64
NO_BODY: Final = Body()


class Engraved(NamedTuple):
    """The edges with their tombstone complete, and the words it meets: its own entry's, and those of others."""

    edges: Edges
    own: tuple[Met, ...] = ()
    reaches: tuple[Met, ...] = ()


def engraved(handle: Handle, reader: Reader, edges: Edges, scope_id: str, body: Body, now: int) -> Engraved:
    """An entry's edges with what its tombstone needs, if it has one."""
    stone = stone_in(edges)
    if stone is None:
        return Engraved(edges)
    wordings = _wordings(reader, stone, scope_id, edges, body)
    stone = _complete(handle, reader, stone, scope_id, wordings)
    laid = Laid(stone, _reach(edges), isinstance(edges, Show))
    gone = edges.targets if isinstance(edges, Erase) else ()
    return Engraved(
        _with(edges, stone),
        own_words(looks_at(body, handle.keyed), handle, _with(edges, stone)),
        tuple(m for m in reached(handle, reader, laid, _scopes(reader, scope_id), wordings, now) if m.of not in gone),
    )


def near(reader: Reader, entry: Entry, body: Body | None) -> Iterator[LedgerRow]:
    """Entries here whose words may say what a tombstone that arrived forbids; they are still to be looked at."""
    edges, scope_id = entry.skeleton.edges, entry.skeleton.scope
    stone = stone_in(edges)
    if stone is not None:
        wordings = _wordings(reader, stone, scope_id, edges, body or NO_BODY)
        yield from stored_near(reader, _scopes(reader, scope_id), wordings)


def stone_in(edges: Edges) -> Tombstone | None:
    """The tombstone in an entry's edges, or the value they withdraw as private."""
    if isinstance(edges, Show):
        return edges.hides
    if isinstance(edges, Reject | Erase):
        return edges.tombstone
    if isinstance(edges, Revise | Support | Judge) and edges.consequences is not None:
        return edges.consequences.tombstone
    return None


def _with(edges: Edges, stone: Tombstone) -> Edges:
    if isinstance(edges, Show):
        return msgspec.structs.replace(edges, hides=stone)
    if isinstance(edges, Reject | Erase):
        return msgspec.structs.replace(edges, tombstone=stone)
    assert isinstance(edges, Revise | Support | Judge)
    assert edges.consequences is not None
    return msgspec.structs.replace(edges, consequences=msgspec.structs.replace(edges.consequences, tombstone=stone))


def _reach(edges: Edges) -> Reach | None:
    """Whose earlier words a provisional tombstone reaches; unset for an absolute one, and for what is private."""
    if isinstance(edges, Revise | Support | Judge) and edges.consequences is not None:
        return edges.consequences.reach
    return None


# ---- how the value was put -------------------------------------------------------------------------------------------


def _scopes(reader: Reader, scope_id: str) -> list[ScopeRow]:
    rows = reader.scope_rows()
    return rows if scope_id == SPACE_WIDE else [row for row in rows if row.scope_id == scope_id]


def _saying(reader: Reader, stone: Tombstone, scope_id: str) -> list[Said]:
    """Everything that was said of the value where the tombstone binds."""
    view, digest = View(reader), value_digest(stone)
    scopes = [row.scope_id for row in _scopes(reader, scope_id)]
    return [s for i in scopes for s in view.said_in_unit(unit_of(i, stone)) if value_digest(s.claim) == digest]


def _wordings(reader: Reader, stone: Tombstone, scope_id: str, edges: Edges, body: Body) -> list[Semantic]:
    """The payloads that put the value into words, each once."""
    entries = dict.fromkeys(s.entry for s in reversed(_saying(reader, stone, scope_id)))
    stored = reader.rows_of(list(entries)[:WORDINGS])
    payloads = [_payload(row) for row in stored.values()]
    if isinstance(edges, Reject):
        payloads.append(body.payload)
    return list({(p.subject, p.object, p.statement): p for p in payloads if isinstance(p, Semantic)}.values())


def _payload(row: LedgerRow) -> Payload | None:
    return decode_body(row.body).payload if row.body is not None else None


def _complete(handle: Handle, reader: Reader, stone: Tombstone, scope_id: str, wordings: list[Semantic]) -> Tombstone:
    keyed = handle.keyed
    own = [p for p in wordings if stone.subject and (is_telling(p.statement) or _names_both(p))]
    sentences = dict.fromkeys(keyed.words(p.statement) for p in own)
    for s in _saying(reader, stone, scope_id):
        if s.said and s.span is not None and s.span[1] - s.span[0] >= SENTENCE_CHARACTERS:
            sentences[s.said] = None
    begins = [beginning_of(keyed, str(p.object.value)) for p in wordings if p.object is not None]
    return msgspec.structs.replace(
        stone, begins=next((b for b in begins if b), ""), sentences=tuple(sorted(sentences)[:SENTENCES])
    )


def _names_both(payload: Semantic) -> bool:
    """Whether a short sentence at least names its subject and its value, and so is nobody else's."""
    if payload.subject is None or payload.object is None:
        return False
    text = folded(payload.statement)
    return folded(payload.subject) in text and folded(str(payload.object.value)) in text
