"""The job that looks for records which say the same, and proposes to merge them; a person decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firsthand.capture.current import GONE
from firsthand.capture.gateway import NO_WORDS, Gateway, Write
from firsthand.capture.readable import payload_of
from firsthand.capture.receipts import rows_now, standing_of
from firsthand.ports import BeliefRow, DocRow, Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import record_key
from firsthand.rules.near import says_the_same
from firsthand.rules.terms import terms
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Propose
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Semantic

MERGE = "merge"
LOOKED_AT = 64
TERMS_LOOKED_FOR = 24
OTHERS_MOST = 19
"""A merge joins at most twenty records."""


def propose_merges(gateway: Gateway, handle: Handle, reader: Reader, docs: Sequence[DocRow]) -> list[Write]:
    """The writes that propose a merge for each new claim that others of its scope say already."""
    writes: dict[tuple[str, ...], Write] = {}
    for doc in docs:
        same = {doc.record_id, *_same_claim(reader, doc), *_same_words(reader, handle, doc)}
        if len(same) > 1:
            records = tuple(sorted(same)[: OTHERS_MOST + 1])
            writes.setdefault(records, _proposal(gateway, handle, records))
    return list(writes.values())


def _same_claim(reader: Reader, doc: DocRow) -> set[str]:
    """Other records that carry the very claim: two stores may have made it apart."""
    found: set[str] = set()
    for row in _standing(reader, [doc.vid]):
        found |= {r.record_id for r in reader.open_rows(row.unit) if r.claim == row.claim and _stands(r)}
    return found


def _same_words(reader: Reader, handle: Handle, doc: DocRow) -> set[str]:
    """Other plain sentences of the scope that say nearly the same."""
    own = _plain_words(reader, doc)
    if own is None or not _standing(reader, [doc.vid]):
        return set()
    vids = [vid for vid in neighbours(reader, handle, own) if vid != doc.vid]
    standing = {row.vid for row in _standing(reader, vids)}
    found: set[str] = set()
    for vid, other in reader.docs(vids).items():
        words = _plain_words(reader, other) if vid in standing else None
        if words is not None and says_the_same(own, words):
            found.add(other.record_id)
    return found


def neighbours(reader: Reader, handle: Handle, text: str) -> list[int]:
    """Document numbers of claims of this scope, and of no other, that share words with a text."""
    scope = reader.scope(handle.scope_id)
    first, *others = terms(text)[:TERMS_LOOKED_FOR] or [""]
    if scope is None or not first:
        return []
    return reader.similar(scope.scope_no, first, others, LOOKED_AT)


def _plain_words(reader: Reader, doc: DocRow) -> str | None:
    payload = payload_of(reader, doc.revision_id)
    return payload.statement if isinstance(payload, Semantic) and payload.subject is None else None


def _standing(reader: Reader, vids: Iterable[int]) -> list[BeliefRow]:
    return [row for row in reader.beliefs(vids, None) if row.claim is not None and _stands(row)]


def _stands(row: BeliefRow) -> bool:
    """Whether a merge could take it: hidden or inactive sources are refused (design 03)."""
    return row.visibility != "hidden" and row.status not in (*GONE, "retracted", "rejected", "quarantined")


def _proposal(gateway: Gateway, handle: Handle, records: tuple[str, ...]) -> Write:
    """Propose to merge records as they are now, once, whatever became of it; the entry holds ids and no words."""
    first, *others = records
    words = gateway.words(NO_WORDS, 0)

    def run(writer: Writer) -> Receipt:
        asked = Propose(verb=MERGE, heads=View(writer).content_heads(first), others=tuple(others))
        known = _proposed(writer, first, asked)
        if known is None:
            level = max(row.sensitivity for record in records for row in rows_now(writer, record))
            known = gateway.append(handle, writer, asked, words, record=first, sensitivity=level).entry.id
            notes: tuple[str, ...] = ()
        else:
            notes = ("already_proposed",)
        standing = standing_of(rows_now(writer, first))
        return Receipt(
            outcome="proposed", record_id=first, entry_id=known, known_at=writer.head().received_at, standing=standing,
            code="merge_proposed", next_action="ask_person", notes=notes,
        )  # fmt: skip

    return Write(MERGE, run)


def _proposed(writer: Writer, record_id: str, asked: Propose) -> str | None:
    """The proposal that asked the same before."""
    entries = writer.bearing_on(record_key(record_id))
    return next((entry.id for entry in entries if entry.skeleton.edges == asked), None)
