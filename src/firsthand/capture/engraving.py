"""What a new tombstone carries besides the value: how to find it in running text, and which stored words it reaches.

A withdrawal as private carries the same, of a value that it does not forbid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from firsthand.capture.sighting import Scene, looks_at, seen
from firsthand.capture.stones import joined, own_words, said_of, voices_of
from firsthand.ports import LISTED, REST, DocRow, LedgerRow, Reader, ScopeRow
from firsthand.rules.access import Handle
from firsthand.rules.bearing import CLAIMED, assertions_of, unit_of, value_digest
from firsthand.rules.normalise import folded
from firsthand.rules.terms import terms
from firsthand.rules.tombstones import covers
from firsthand.rules.traces import SENTENCE_CHARACTERS, beginning_of, is_telling
from firsthand.rules.view import Said, View
from firsthand.rules.wording import value_words
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
    Skeleton,
    Support,
    Tombstone,
    root_of,
)
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.records import Episodic, Payload, Semantic

WORDINGS: Final = 32
"""How many ways a value was put that a tombstone knows again."""
SENTENCES: Final = 64
TOGETHER: Final = 500
TOO_MANY: Final = 2_000
"""Documents that hold a value, past which only those that name its subject as well are looked at."""

NO_BODY: Final = Body()

_bodies = msgspec.json.Decoder(Body)
_skeletons = msgspec.json.Decoder(Skeleton)


class _Laid(NamedTuple):
    """A stone where it was laid: whose earlier words it reaches (everybody's if unset), and whether it only masks."""

    stone: Tombstone
    scope_id: str
    reach: Reach | None
    only_masks: bool


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
    laid = _Laid(stone, scope_id, _reach(edges), isinstance(edges, Show))
    gone = edges.targets if isinstance(edges, Erase) else ()
    return Engraved(
        _with(edges, stone),
        own_words(looks_at(body, handle.keyed), handle, _with(edges, stone)),
        tuple(m for m in _reached(handle, reader, laid, wordings, now) if m.of not in gone),
    )


def reached_by(handle: Handle, reader: Reader, entry: Entry, now: int) -> Iterator[Met]:
    """Which words here a tombstone reaches that another store set."""
    edges, scope_id = entry.skeleton.edges, entry.skeleton.scope
    stone = stone_in(edges)
    if stone is not None:
        wordings = _wordings(reader, stone, scope_id, edges, NO_BODY)
        known = {met.of for met in entry.skeleton.reaches} | set(edges.targets if isinstance(edges, Erase) else ())
        laid = _Laid(stone, scope_id, _reach(edges), isinstance(edges, Show))
        for met in _reached(handle, reader, laid, wordings, now):
            if met.of not in known:
                yield met


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
    return _bodies.decode(row.body).payload if row.body is not None else None


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


# ---- which stored words it reaches -----------------------------------------------------------------------------------


def _reached(handle: Handle, reader: Reader, laid: _Laid, wordings: list[Semantic], now: int) -> Iterator[Met]:
    """Entries with words that say what is forbidden or private, found through the word index and then looked at."""
    by_person = handle.author.role == "person"
    for scope in _scopes(reader, laid.scope_id):
        docs = sorted(reader.docs(_candidates(reader, scope, wordings)).values())
        for some in (docs[at : at + TOGETHER] for at in range(0, len(docs), TOGETHER)):
            stored = reader.rows_of({entry for doc in some for entry in _texts_of(reader, doc)})
            for entry_id in sorted(stored):
                row = stored[entry_id]
                entry = Entry(id=entry_id, skeleton=_skeletons.decode(row.skeleton))
                if not _is_covered(entry, laid, by_person=by_person, now=now):
                    continue
                met = _meets(handle, reader, laid, entry, row)
                if met is not None:
                    yield met


def _candidates(reader: Reader, scope: ScopeRow, wordings: list[Semantic]) -> set[int]:
    """Documents of a scope that hold every word of the value, or of the sentence."""
    low = scope.scope_no << 32
    found: set[int] = set()
    for payload in wordings:
        value = terms(value_words(payload.object)) if payload.object is not None else []
        holding = _holding(reader, scope, value or terms(payload.statement))
        if len(holding) > TOO_MANY and payload.subject is not None:
            holding &= _holding(reader, scope, terms(payload.subject))
        found |= {low + place for place in holding}
    return found


def _holding(reader: Reader, scope: ScopeRow, words: Iterable[str]) -> set[int]:
    """Places of the documents of a scope that hold all of some terms."""
    found: set[int] | None = None
    for term in words:
        lists = [reader.postings(scope.scope_no, term, shelf) for shelf in (LISTED, REST)]
        here = {int(place) for text in lists if text for place in text.split(",")}
        found = here if found is None else found & here
    return found or set()


def _texts_of(reader: Reader, doc: DocRow) -> list[str]:
    """The entry of a document; of a claim also what was stored to be cited for it, which no index holds."""
    if doc.kind not in CLAIMED:
        return [doc.revision_id]
    entry = reader.get(doc.revision_id)
    assert entry is not None
    return [doc.revision_id, *(root_of(a.evidence) for a in assertions_of(entry))]


def _is_covered(entry: Entry, laid: _Laid, *, by_person: bool, now: int) -> bool:
    """Whether what is taken back includes what an entry says: a claim of its own is left to its own tombstone."""
    if laid.reach is None:
        return True
    edges = entry.skeleton.edges
    if not isinstance(edges, Revise) or edges.record_kind in CLAIMED:
        return False
    author = entry.skeleton.author
    (voice,) = voices_of(author, edges, min(now, entry.skeleton.recorded_at))
    said = said_of(laid.stone, voice, author, entry.skeleton.scope)
    return covers(laid.reach, said, by_person=by_person, approved=False)


def _meets(handle: Handle, reader: Reader, laid: _Laid, entry: Entry, row: LedgerRow) -> Met | None:
    body = _bodies.decode(row.body) if row.body is not None else None
    edges = entry.skeleton.edges
    if body is None or not isinstance(edges, Revise | Support):
        return None
    claims = assertions_of(entry)
    if any(value_digest(a.claim) == value_digest(laid.stone) for a in claims):
        return None  # the claim itself: the fold rejects it, or its record is hidden
    episode = body.payload if isinstance(body.payload, Episodic) else None
    looks = looks_at(body, handle.keyed, utterance=isinstance(edges, Revise) and edges.utterance)
    scene = Scene(handle, reader, looks, episode.speaker if episode else None)
    met = [look for look in looks if seen(scene.named(look), laid.stone, handle.keyed, scene) is not None]
    if not met:
        return None
    waits = bool(claims) and not laid.only_masks
    doubt = waits and any(not look.leaf.is_reason for look in met)
    spans = [look.span for look in met if not waits or look.leaf.is_reason]
    return Met(of=entry.id, spans=joined(spans), doubt=doubt)
