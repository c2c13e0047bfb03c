"""Receipts: what a write did, what it met, and the verbs that would settle it."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture.readable import readable_payload
from firsthand.ledger import Appended
from firsthand.ports import BeliefRow, Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest
from firsthand.rules.effects import standing_of
from firsthand.rules.near import is_near
from firsthand.rules.privacy import is_private
from firsthand.rules.terms import terms
from firsthand.rules.view import View
from firsthand.rules.wording import words_of
from firsthand.vocabulary.entries import Claim, Entry
from firsthand.vocabulary.packets import Conflict, Masking, Receipt

NEAR_TERMS = 24
NEAR_LOOKED_AT = 64
NEAR_MOST = 12
SETTLE_DISPUTE = ("correct", "change", "retract", "contest", "support")
SETTLE_NEAR = ("correct", "change", "retract")


class Placed(NamedTuple):
    """Where a write went. `claim` is unset for records that claim nothing; `counted`: no support was added."""

    done: Appended
    record_id: str
    claim: Claim | None
    reinforced: bool
    evidence_id: str | None
    counted: bool = False


def receipt_for(
    handle: Handle,
    writer: Writer,
    placed: Placed,
    *,
    maskings: tuple[Masking, ...] = (),
    candidates: tuple[str, ...] = (),
    plain_text: str | None = None,
    notes: tuple[str, ...] = (),
    extra: tuple[Conflict, ...] = (),
) -> Receipt:
    """The receipt of a write that was stored."""
    begun = placed.done.begun
    rows = rows_now(writer, placed.record_id) if begun is None else begun
    digest = claim_digest(placed.claim)
    own = [r for r in rows if r.claim == digest] or rows
    conflicts = list(met(handle, writer, own))
    conflicts += [c for c in (ambiguous(handle, writer, e) for e in candidates) if c is not None]
    if plain_text is not None:
        conflicts += near(handle, writer, plain_text, placed.record_id)
    # design 03: a writer who may not see what it met gets plain `stored`.
    reinforced = placed.reinforced and may_see(handle, own)
    counted = ("support_counted",) if placed.counted else ()
    return Receipt(
        outcome="reinforced" if reinforced else "stored",
        record_id=placed.record_id,
        entry_id=placed.done.entry.id,
        known_at=placed.done.received_at,
        standing=standing_of(own),
        conflicts=(*conflicts, *extra),
        maskings=maskings,
        evidence_id=placed.evidence_id,
        notes=(*notes, *counted, *near_notes(writer, placed.done.entry), *_hidden_notes(handle, placed, own)),
    )


def near_notes(reader: Reader, entry: Entry) -> tuple[str, ...]:
    """Told to the writer of words that meet a tombstone, and wait or are masked, or that are private, and masked."""
    stones = [stone for met in entry.skeleton.met if met.of and (stone := reader.get(met.of)) is not None]
    notes = {"private_masked" if is_private(stone) else "tombstone_near" for stone in stones}
    return tuple(sorted(notes))


def _hidden_notes(handle: Handle, placed: Placed, own: list[BeliefRow]) -> tuple[str, ...]:
    """Told to who says what was withdrawn from view: it is stored, and hidden until a restore (design 09.17)."""
    hidden = placed.claim is not None and bool(own) and all(r.hidden_reason == "withdrawn" for r in own)
    return ("hidden_until_restored",) if hidden and may_see(handle, own) else ()


def may_see(handle: Handle, rows: list[BeliefRow]) -> bool:
    """Whether a record lies within what this handle may read."""
    return all(handle.reads(r.scope_id) and r.sensitivity <= handle.clearance for r in rows)


def visible_text(handle: Handle, reader: Reader, rows: list[BeliefRow]) -> str | None:
    """A record's words, if this handle may see them: who may not see what it met gets a plain receipt (design 03)."""
    seen = [r for r in rows if r.visibility != "hidden"]
    if not seen or not may_see(handle, rows):
        return None
    payload = readable_payload(reader, seen[-1].revision_id)
    return words_of(payload) if payload is not None else None


def rows_now(reader: Reader, record_id: str) -> list[BeliefRow]:
    """What is believed now of a record."""
    return reader.beliefs([d.vid for d in reader.docs_of_record(record_id)], None)


def met(handle: Handle, reader: Reader, own: list[BeliefRow]) -> list[Conflict]:
    """Disputes and stronger claims in the same slot."""
    found: dict[str, Conflict] = {}
    for row in own:
        if row.challenged_by is None or row.status not in ("disputed", "needs_review"):
            continue
        text = visible_text(handle, reader, rows_now(reader, row.challenged_by))
        if text is not None:
            code = "disputed" if row.status == "disputed" else "challenged"
            found[row.challenged_by] = Conflict(
                code=code, record_id=row.challenged_by, text=text, settle_with=SETTLE_DISPUTE
            )
    return list(found.values())


def ambiguous(handle: Handle, reader: Reader, entity_id: str) -> Conflict | None:
    """One of the entities that a name may stand for."""
    text = visible_text(handle, reader, rows_now(reader, entity_id))
    if text is None:
        return None
    return Conflict(code="ambiguous", record_id=entity_id, text=text, settle_with=("retract", "remember"))


def near(handle: Handle, reader: Reader, statement: str, record_id: str) -> list[Conflict]:
    """Sentences that may contradict this one, by shared words on the current shelf of its scope."""
    scope = reader.scope(handle.scope_id)
    if scope is None:
        return []
    first, *others = terms(statement)[:NEAR_TERMS] or [""]
    if not first:
        return []
    vids = reader.similar(scope.scope_no, first, others, NEAR_LOOKED_AT)
    docs = reader.docs(vids)
    found: list[Conflict] = []
    for vid in vids:
        doc = docs[vid]
        if doc.kind != "semantic" or doc.record_id == record_id:
            continue
        rows = [r for r in reader.beliefs([vid], None) if r.unit.startswith("u")]
        text = visible_text(handle, reader, rows)
        if text is not None and is_near(statement, text):
            found.append(
                Conflict(code="possible_conflict", record_id=doc.record_id, text=text, settle_with=SETTLE_NEAR)
            )
        if len(found) >= NEAR_MOST:
            break
    return found


def still_say(handle: Handle, reader: Reader, record_id: str, claim: Claim) -> tuple[Conflict, ...]:
    """Who else still says what was taken back, by name."""
    rows = [r for r in rows_now(reader, record_id) if r.claim == claim_digest(claim)]
    if not any(r.status in ("active", "disputed") for r in rows):
        return ()
    text = visible_text(handle, reader, rows)
    if text is None:
        return ()
    others = {s.source for s in View(reader).said_in_unit(rows[0].unit) if s.claim == claim}
    names = [reader.name("who", source) for source in sorted(others - {handle.ids.owner})]
    who = ", ".join(sorted(n for n in names if n is not None))
    return (
        Conflict(
            code="also_said_by", record_id=record_id, text=f"{who}: {text}" if who else text,
            settle_with=("correct", "contest"),
        ),
    )  # fmt: skip
