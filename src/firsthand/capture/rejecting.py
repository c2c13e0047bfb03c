"""Reject and lift: a value that may never come back, whoever says it, and the person who lets it (designs 01, 03)."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture import cleaning
from firsthand.capture.claims import claim_of
from firsthand.capture.current import current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.proposals import NEEDS_PERSON, Intent, propose
from firsthand.capture.readable import Held, absent, at_record, at_scope, held
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import tombstone_key, tombstone_of
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Body, Claim, Entry, Lift, Reject, Tombstone
from firsthand.vocabulary.errors import DeniedError, RefusedError
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Semantic


class Rejection(NamedTuple):
    """What a caller asks to reject: the value of a record, or a value that no record need have."""

    reason: str
    record_id: str | None = None
    value: Semantic | None = None
    fingerprint: str = ""


def reject(gateway: Gateway, handle: Handle, asked: Rejection, idempotency_key: str | None) -> Write:
    """The write that forbids a value for good. Only a person rejects; an agent proposes it."""
    handle.may_write("reject")
    ours = gateway.is_ours(handle)
    said, masked = cleaning.reason(asked.reason, ours, required=True)
    value = None
    if asked.value is not None:
        cleaned = cleaning.clean(asked.value, ours)
        value, masked = cleaned.payload, (*cleaned.maskings, *masked)
    words = gateway.words(Body(payload=value, reason=said), 0, indexed=False)

    def run(writer: Writer) -> Receipt:
        record, here, claim = _rejected(writer, handle, asked.record_id, value)
        if handle.author.role != "person":
            intent = Intent("reject", said or "", value)
            return propose(gateway, here, writer, record, intent, NEEDS_PERSON)
        tombstone = Tombstone(
            value=claim.value, subject=claim.subject, predicate=claim.predicate, polarity=claim.polarity,
            one=claim.one, absolute=True,
        )  # fmt: skip
        known = standing_rejection(View(writer), here.scope_id, tombstone)
        if known is not None:
            raise RefusedError(
                "already_rejected", "the value is rejected here already", field="value", next_action="none",
                details={"rejection_id": known.id},
            )  # fmt: skip
        done = gateway.append(here, writer, Reject(tombstone=tombstone), words, record=asked.record_id)
        if asked.record_id is None:
            receipt = Receipt(
                outcome="stored", record_id=None, entry_id=done.entry.id, known_at=done.received_at, maskings=masked
            )
        else:
            placed = Placed(done, asked.record_id, claim, False, None)
            receipt = receipt_for(here, writer, placed, maskings=masked)
        return affecting(receipt, handle, writer, [done])

    return Write("reject", run, idempotency_key, asked.fingerprint, maskings=masked)


def lift(
    gateway: Gateway, handle: Handle, rejection_id: str, reason: str, idempotency_key: str | None, fingerprint: str
) -> Write:
    """The write by which a person lets a rejected, corrected or retracted value come back."""
    handle.may_write("lift")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        stone = forbidding(writer, handle, rejection_id)
        if handle.author.role != "person":
            raise DeniedError("lifting_needs_person", "only a person lifts what was rejected", field="rejection_id")
        here = at_scope(writer, handle, stone.skeleton.scope)
        if View(writer).is_lifted(stone.id):
            raise RefusedError("already_lifted", "it was lifted already", field="rejection_id", next_action="none")
        done = gateway.append(here, writer, Lift(of=stone.id), words, record=stone.skeleton.record)
        if stone.skeleton.record is None:
            receipt = Receipt(
                outcome="stored", record_id=None, entry_id=done.entry.id, known_at=done.received_at, maskings=masked
            )
        else:
            receipt = receipt_for(here, writer, Placed(done, stone.record_id, None, False, None), maskings=masked)
        return affecting(receipt, handle, writer, [done])

    return Write("lift", run, idempotency_key, fingerprint, maskings=masked)


def forbidding(reader: Reader, handle: Handle, entry_id: str, field: str = "rejection_id") -> Entry:
    """The entry that forbids a value, if this handle may know of it."""
    entry = reader.get(entry_id)
    if entry is None or tombstone_of(entry) is None or not handle.reads(entry.skeleton.scope):
        raise absent(field)
    if entry.skeleton.record is not None:
        held(reader, handle, entry.skeleton.record, field)
    return entry


def standing_rejection(view: View, scope_id: str, tombstone: Tombstone) -> Entry | None:
    """The rejection of a value that is in force in a scope."""
    for entry in view.bearing_on(tombstone_key(tombstone)):
        stone = tombstone_of(entry)
        if stone is not None and stone.absolute and entry.skeleton.scope == scope_id and not view.is_lifted(entry.id):
            return entry
    return None


def _rejected(
    writer: Writer, handle: Handle, record_id: str | None, value: Semantic | None
) -> tuple[Held | None, Handle, Claim]:
    """What is to be rejected, and where: a record that was taken back may still be rejected."""
    if record_id is None:
        assert value is not None, "a value or a record was given"
        return None, handle, claim_of(handle, writer, value)[1]
    current = current_claim(writer, handle, record_id, gone=())
    return current.record, at_record(writer, handle, current.record), current.claim
