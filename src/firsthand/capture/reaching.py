"""Which stored words a new tombstone reaches: found by what they may hold, then looked at sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from firsthand.capture.stones import joined, said_of, voices_of
from firsthand.ports import LISTED, REST, DocRow, LedgerRow, Reader, ScopeRow
from firsthand.rules.access import Handle
from firsthand.rules.bearing import CLAIMED, assertions_of, value_digest
from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import folded, name_key
from firsthand.rules.terms import terms
from firsthand.rules.tombstones import covers
from firsthand.rules.wording import value_words
from firsthand.sighting import Scene, looks_at
from firsthand.vocabulary.decoding import decode_body, decode_skeleton
from firsthand.vocabulary.entries import Entry, Met, Reach, Revise, Support, Tombstone, root_of
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Episodic, Semantic

TOGETHER: Final = 500
TOO_MANY: Final = 2_000
"""Documents that hold a value, past which only those that name its subject as well are looked at; documents that name
a subject, past which only those that hold the value as it was put are."""
_NUMBER: Final = lazy_pattern(r"\d+")
_THOUSANDS: Final = lazy_pattern(r"(?<=\d)[,_ '](?=\d{3})")


class Laid(NamedTuple):
    """A stone as it was laid: whose earlier words it reaches (everybody's if unset), and whether it only masks."""

    stone: Tombstone
    reach: Reach | None
    only_masks: bool


class Candidates(NamedTuple):
    """Documents to look at: those that hold the value as it was put, and those that may hold it otherwise."""

    holding: set[int]
    naming: set[int]
    forms: Sequence[str]

    def may_hold(self, row: LedgerRow) -> bool:
        """Whether words may hold the value in another spelling: told cheaply, for those that only name the subject."""
        text = folded(row.body or "")
        numbers = _numbers(text)
        return any(form in text or not numbers.isdisjoint(_numbers(form)) for form in self.forms)


def reached(
    handle: Handle,
    reader: Reader,
    laid: Laid,
    scopes: Iterable[ScopeRow],
    wordings: list[Semantic],
    now: int,
) -> Iterator[Met]:
    """Entries with words that say what is forbidden or private, found through the word index and then looked at."""
    by_person = handle.author.role == "person"
    for row in stored_near(reader, scopes, wordings):
        entry = Entry(id=row.entry_id, skeleton=decode_skeleton(row.skeleton))
        if not _is_covered(entry, laid, by_person=by_person, now=now):
            continue
        met = _meets(handle, reader, laid, entry, row)
        if met is not None:
            yield met


def stored_near(reader: Reader, scopes: Iterable[ScopeRow], wordings: list[Semantic]) -> Iterator[LedgerRow]:
    """Entries of documents that may say a value, found through the word index; still to be looked at."""
    for scope in scopes:
        found = _candidates(reader, scope, wordings)
        docs = sorted(reader.docs(found.holding | found.naming).values())
        for some in (docs[at : at + TOGETHER] for at in range(0, len(docs), TOGETHER)):
            sure = {entry for doc in some if doc.vid in found.holding for entry in _texts_of(reader, doc)}
            stored = reader.rows_of(sure.union(entry for doc in some for entry in _texts_of(reader, doc)))
            yield from (row for entry_id, row in sorted(stored.items()) if entry_id in sure or found.may_hold(row))


def _candidates(reader: Reader, scope: ScopeRow, wordings: list[Semantic]) -> Candidates:
    """Documents of a scope that hold every word of the value, or of the sentence, or that name what it is said of."""
    low = scope.scope_no << 32
    holding: set[int] = set()
    naming: set[int] = set()
    forms: dict[str, None] = {}
    for payload in wordings:
        value = terms(value_words(payload.object)) if payload.object is not None else []
        found = _holding(reader, scope, value or terms(payload.statement))
        if len(found) > TOO_MANY and payload.subject is not None:
            found &= _holding(reader, scope, terms(payload.subject))
        holding |= {low + place for place in found}
        forms |= dict.fromkeys(_forms(reader, scope, payload))
        naming |= _naming(reader, scope, payload)
    return Candidates(holding, naming if len(naming) <= TOO_MANY else set(), list(forms))


def _forms(reader: Reader, scope: ScopeRow, payload: Semantic) -> Iterable[str]:
    """The value by every name of it, or the sentence, folded."""
    if payload.object is None:
        return (folded(payload.statement),)
    text = value_words(payload.object)
    return (folded(text), *_names(reader, scope, text))


def _naming(reader: Reader, scope: ScopeRow, payload: Semantic) -> set[int]:
    """Documents that name what a claim is said of, by any of its names."""
    said_of = [payload.subject] if payload.subject is not None else [m.text for m in mentions(payload.statement)]
    found: set[int] = set()
    for name in {n for text in said_of for n in _names(reader, scope, text)}:
        found.update(reader.all_mentioning(scope.scope_id, name))
        found |= {(scope.scope_no << 32) + place for place in _holding(reader, scope, terms(name))}
    return found


def _names(reader: Reader, scope: ScopeRow, text: str) -> set[str]:
    """A name, and every other name of what it stands for in a scope."""
    known = {name_key(text)}
    for entity in reader.entities_named(scope.scope_id, name_key(text)):
        known |= {name for name, _ in reader.names_of_entity(entity)}
    return known


def _numbers(text: str) -> set[int]:
    """The whole numbers in a text, however their thousands are set apart."""
    found = _NUMBER.findall(text) + _NUMBER.findall(_THOUSANDS.sub("", text))
    return {int(digits) for digits in found if len(digits) < 20}


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


def _is_covered(entry: Entry, laid: Laid, *, by_person: bool, now: int) -> bool:
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


def _meets(handle: Handle, reader: Reader, laid: Laid, entry: Entry, row: LedgerRow) -> Met | None:
    body = decode_body(row.body) if row.body is not None else None
    edges = entry.skeleton.edges
    if body is None or not isinstance(edges, Revise | Support):
        return None
    claims = assertions_of(entry)
    if any(value_digest(a.claim) == value_digest(laid.stone) for a in claims):
        return None  # the claim itself: the fold rejects it, or its record is hidden
    episode = body.payload if isinstance(body.payload, Episodic) else None
    looks = looks_at(body, handle.keyed, utterance=isinstance(edges, Revise) and edges.utterance)
    scene = Scene(handle.keyed, [handle.scope_id], reader, looks)
    speaker = episode.speaker if episode else None
    met = [look for look in looks if scene.sees(scene.named(look), laid.stone, speaker) is not None]
    if not met:
        return None
    waits = bool(claims) and not laid.only_masks
    doubt = waits and any(not look.leaf.is_reason for look in met)
    spans = [look.span for look in met if not waits or look.leaf.is_reason]
    return Met(of=entry.id, spans=joined(spans), doubt=doubt)
