"""The first receipt of an idempotency key again: what was done then, with the standing and the conflicts of now."""

from __future__ import annotations

from firsthand.capture.readable import payload_of
from firsthand.capture.receipts import ambiguous, met, near, rows_now, standing_of, still_say
from firsthand.ports import Reader, RequestRow
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest, tombstone_of, value_digest
from firsthand.rules.normalise import name_key
from firsthand.rules.view import View, said_by
from firsthand.vocabulary.entries import Claim, Entry, Judge
from firsthand.vocabulary.errors import ConflictError, NextAction
from firsthand.vocabulary.packets import Conflict, Masking, Receipt
from firsthand.vocabulary.records import Semantic

ONLY_OWN_WORDS = "only_own_words"


def replayed(
    reader: Reader, handle: Handle, verb: str, known: RequestRow, fingerprint: str, maskings: tuple[Masking, ...]
) -> Receipt:
    """The receipt of a request that was answered before; `maskings` are those of the same words, masked again."""
    if known.fingerprint != fingerprint:
        raise ConflictError(
            "idempotency_key_reused", "idempotency_key was used before for another request; take a new key",
            field="idempotency_key", next_action="fix_and_resubmit",
        )  # fmt: skip
    standing = standing_of(rows_now(reader, known.record_id)) if known.record_id is not None else None
    erased = standing is not None and standing.status == "erased"
    wrote = known.outcome in ("stored", "reinforced") and not erased
    return Receipt(
        outcome="refused" if erased else known.outcome,  # type: ignore[arg-type]
        record_id=known.record_id,
        entry_id=known.entry_id,
        evidence_id=known.evidence_id,
        known_at=known.known_at,
        standing=standing,
        conflicts=tuple(_conflicts(reader, handle, verb, known)) if wrote else (),
        maskings=maskings if wrote else (),
        code="erased" if erased else known.code,
        next_action=_next_action("erased" if erased else known.code, known.outcome),
        replayed=True,
    )


def _next_action(code: str | None, outcome: str) -> NextAction | None:
    if code == ONLY_OWN_WORDS:
        return "none"
    return "ask_person" if code == "erased" or outcome in ("refused", "proposed") else None


def _conflicts(reader: Reader, handle: Handle, verb: str, known: RequestRow) -> list[Conflict]:
    """What the entry meets now, as far as this handle may see it: nothing of it was kept with the key."""
    entry = reader.get(known.entry_id) if known.entry_id is not None else None
    if entry is None or known.record_id is None:
        return []
    rows, claim = rows_now(reader, known.record_id), _claim_of(entry)
    found = met(handle, reader, [r for r in rows if r.claim == claim_digest(claim)] or rows)
    payload = payload_of(reader, entry.id)
    if isinstance(payload, Semantic) and payload.subject is not None and claim is not None and claim.ambiguous:
        entities = reader.standing_entities(entry.skeleton.scope, name_key(payload.subject))
        found += [c for c in (ambiguous(handle, reader, e) for e in entities) if c is not None]
    if isinstance(payload, Semantic) and payload.subject is None and verb == "remember":
        found += near(handle, reader, payload.statement, known.record_id)
    for gone in sorted(_taken_back(reader, entry), key=repr):
        found += still_say(handle, reader, entry.record_id, gone)
    return found


def _claim_of(entry: Entry) -> Claim | None:
    said, edges = said_by(entry), entry.skeleton.edges
    return said[0].claim if said else edges.claim if isinstance(edges, Judge) else None


def _taken_back(reader: Reader, entry: Entry) -> set[Claim]:
    """The claims of its record whose value an entry took back."""
    tombstone = tombstone_of(entry)
    if tombstone is None:
        return set()
    said = View(reader).account(entry.record_id).said
    return {s.claim for s in said if value_digest(s.claim) == value_digest(tombstone)}
