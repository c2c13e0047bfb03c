"""Support, relate, classify, feedback: what is said about a record without changing what it claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from firsthand.capture import cleaning, shape
from firsthand.capture.claims import Saying, assertions, check_not_itself
from firsthand.capture.current import current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.ground import ground
from firsthand.capture.proposals import Intent, propose_if_foreign
from firsthand.capture.readable import at_record, held
from firsthand.capture.receipts import Placed, receipt_for, rows_now
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.effects import standing_of
from firsthand.rules.evidence import verdict_heads
from firsthand.rules.predicates import definition
from firsthand.rules.salience import SALIENCE_GAIN
from firsthand.rules.sensitivity import classify_heads
from firsthand.rules.view import View
from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.entries import Attend, Body, Classify, Relate, Support
from firsthand.vocabulary.errors import AbsentError, DeniedError, InvalidError, RefusedError
from firsthand.vocabulary.kinds import SENSITIVITIES, FeedbackOutcome, Sensitivity
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Competence, PlanGraph, Semantic

GAIN_THOUSANDTHS: Final[dict[FeedbackOutcome, int]] = {
    "helped": round(SALIENCE_GAIN * 1000),
    "failed": -round(SALIENCE_GAIN * 1000),
    "unused": 0,
}


def support(
    gateway: Gateway,
    handle: Handle,
    record_id: str,
    evidence: Sequence[Cite],
    *,
    revoke: str | None,
    reinstate: str | None,
    reason: str,
    idempotency_key: str | None,
) -> Write:
    """The write that grants more evidence to a record's claim, or revokes or reinstates one support."""
    handle.may_write("support")
    asked = reason
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    reason = said or ""
    if sum((bool(evidence), revoke is not None, reinstate is not None)) != 1:
        raise InvalidError("support_unclear", "give evidence, or revoke, or reinstate: one of them", field="evidence")

    def run(writer: Writer) -> Receipt:
        if evidence:
            receipt = _grant(gateway, handle, writer, record_id, evidence, reason)
        else:
            receipt = _verdict(gateway, handle, writer, record_id, revoke, reinstate, reason)
        return msgspec.structs.replace(receipt, maskings=masked)

    fingerprint = ""
    if idempotency_key is not None:
        fingerprint = gateway.fingerprint(handle, record_id, list(evidence), revoke, reinstate, asked)
    return Write("support", run, idempotency_key, fingerprint, maskings=masked)


def _grant(
    gateway: Gateway, handle: Handle, writer: Writer, record_id: str, evidence: Sequence[Cite], reason: str
) -> Receipt:
    current = current_claim(writer, handle, record_id)
    handle = at_record(writer, handle, current.record)
    check_not_itself(evidence, [record_id])
    grounds = [ground(writer, handle, c) for c in evidence]
    if len(View(writer).account(record_id).said) + len(grounds) > limits.SUPPORTS_PER_RECORD:
        raise RefusedError("supports_full", "the record has all the supports it can have", field="evidence")
    payload = current.payload
    assert isinstance(payload, Semantic | Competence | PlanGraph)
    words = gateway.words(Body(payload=payload, reason=reason), gateway.clock.now())
    saying = Saying(payload, words, "stated", current.row.sensitivity, tuple(evidence), None, ())
    echo = handle.author.role != "person" and writer.delivered_to([record_id], handle.ids.actor)
    supports = assertions(gateway, handle, writer, saying, current.claim, grounds, echo)
    edges = Support(verb="grant", supports=supports)
    done = gateway.append(handle, writer, edges, words, record=record_id, sensitivity=current.row.sensitivity)
    return receipt_for(handle, writer, Placed(done, record_id, current.claim, True, None))


def _verdict(
    gateway: Gateway,
    handle: Handle,
    writer: Writer,
    record_id: str,
    revoke: str | None,
    reinstate: str | None,
    reason: str,
) -> Receipt:
    record = held(writer, handle, record_id)
    handle = at_record(writer, handle, record)
    verb = "revoke" if revoke is not None else "reinstate"
    of = revoke if revoke is not None else reinstate
    intent = Intent(verb, reason, others=(of,) if of is not None else ())
    proposal = propose_if_foreign(gateway, handle, writer, record, intent)
    if proposal is not None:
        return proposal
    view = View(writer)
    if of is None or of not in [s.id for s in view.account(record_id).said]:
        raise AbsentError("support_absent", f"{verb} names no support of this record", field=verb)
    edges = Support(verb=verb, of=of, replaces=verdict_heads(view, record_id, of))
    done = gateway.append(handle, writer, edges, gateway.words(Body(reason=reason), 0), record=record_id)
    receipt = receipt_for(handle, writer, Placed(done, record_id, None, False, None))
    return affecting(receipt, handle, writer, [done])


def relate(
    gateway: Gateway,
    handle: Handle,
    record_id: str,
    relation: str,
    target: str,
    *,
    end: bool,
    reason: str,
    idempotency_key: str | None,
) -> Write:
    """The write that begins or ends an edge between two records."""
    handle.may_write("relate")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    cleaning.no_secret(limits.check_bytes(relation, most=limits.NAME_BYTES, field="relation"), "relation")
    name = definition(relation).key
    if not name:
        raise InvalidError("relation_invalid", "relation has no letters", field="relation")
    words = gateway.words(Body(name=name, reason=said), 0)

    def run(writer: Writer) -> Receipt:
        source = held(writer, handle, record_id)
        here = at_record(writer, handle, source)
        held(writer, handle, target, "target")
        if target == record_id:
            raise InvalidError("relation_to_itself", "target is the record itself; name another record", field="target")
        edges = Relate(verb="end" if end else "begin", target=target, relation=handle.keyed.digest("relation", name))
        done = gateway.append(here, writer, edges, words, record=record_id)
        return receipt_for(handle, writer, Placed(done, record_id, None, False, None), maskings=masked)

    fingerprint = (
        gateway.fingerprint(handle, record_id, name, target, end, reason) if idempotency_key is not None else ""
    )
    return Write("relate", run, idempotency_key, fingerprint, maskings=masked)


def classify(
    gateway: Gateway,
    handle: Handle,
    record_id: str,
    sensitivity: Sensitivity,
    *,
    reason: str,
    idempotency_key: str | None,
) -> Write:
    """The write that sets a record's sensitivity: anyone who may write raises it, only a person lowers it."""
    handle.may_write("classify")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    level = SENSITIVITIES.index(shape.sensitivity(sensitivity))
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        record = held(writer, handle, record_id)
        here = at_record(writer, handle, record)
        heads = classify_heads(View(writer), record_id)
        now = max((r.sensitivity for r in record.rows), default=0)
        if level < now and handle.author.role != "person":
            raise DeniedError("lowering_needs_person", "only a person lowers a sensitivity", field="sensitivity")
        edges = Classify(level=level, replaces=tuple(sorted(heads)))
        done = gateway.append(here, writer, edges, words, record=record_id)
        receipt = receipt_for(handle, writer, Placed(done, record_id, None, False, None), maskings=masked)
        kept = max((r.sensitivity for r in rows_now(writer, record_id)), default=0)
        return receipt if kept <= level else _kept_above(receipt)

    fingerprint = gateway.fingerprint(handle, record_id, sensitivity, reason) if idempotency_key is not None else ""
    return Write("classify", run, idempotency_key, fingerprint, maskings=masked)


def _kept_above(receipt: Receipt) -> Receipt:
    """Its evidence is more sensitive than what was asked, so the record stays there (design 09.26)."""
    return msgspec.structs.replace(receipt, notes=(*receipt.notes, "kept_at_its_evidence"))


def attend(
    gateway: Gateway,
    handle: Handle,
    recall_id: str,
    record_id: str,
    outcome: FeedbackOutcome,
    *,
    reason: str | None,
    idempotency_key: str | None,
) -> Write:
    """The write that says what one delivered record was worth."""
    handle.may_write("feedback")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=False)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        record = held(writer, handle, record_id, "used")
        here = at_record(writer, handle, record)
        edges = Attend(outcome=outcome, gain_thousandths=GAIN_THOUSANDTHS[outcome], recall=recall_id)
        done = gateway.append(here, writer, edges, words, record=record_id)
        return Receipt(
            outcome="stored",
            record_id=record_id,
            entry_id=done.entry.id,
            known_at=done.received_at,
            standing=standing_of(record.rows),
            maskings=masked,
        )

    fingerprint = ""
    if idempotency_key is not None:
        fingerprint = gateway.fingerprint(handle, recall_id, record_id, outcome, reason)
    return Write("feedback", run, idempotency_key, fingerprint, record_id, maskings=masked)
