"""Share: a linked copy of a claim in another scope, which stands only as long as its original does."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture import cleaning
from firsthand.capture.admitting import Asked, refusal
from firsthand.capture.claims import Claimed, claim_of, live_records, name_subject
from firsthand.capture.current import Current, check_heads, check_source, current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.proposals import Intent, propose_if_foreign
from firsthand.capture.readable import at_record
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.capture.showing import carriers_of
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle, handle
from firsthand.rules.bearing import claim_digest
from firsthand.rules.view import View
from firsthand.rules.visibility import show_heads, shown
from firsthand.rules.wording import words_of
from firsthand.vocabulary.entries import Assertion, Body, Claim, Consequences, Edges, Reach, Revise, Support
from firsthand.vocabulary.errors import ConflictError, DeniedError, InvalidError, RefusedError
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Competence, PlanGraph, Semantic


class Sharing(NamedTuple):
    """What a caller asks to share, and where."""

    record_id: str
    scope: str
    reason: str
    expected_heads: tuple[str, ...] | None = None
    fingerprint: str = ""


def share(gateway: Gateway, caller: Handle, asked: Sharing, idempotency_key: str | None) -> Write:
    """The write that copies a claim into another scope of the grant, linked to its original."""
    caller.may_write("share")
    there = handle(space=caller.space, scope=asked.scope, author=caller.author, grant=caller.grant, keyed=caller.keyed)
    if not caller.grant.may_write(asked.scope):
        raise DeniedError("scope_not_granted", "the grant does not include writing to that scope", field="scope")
    said, masked = cleaning.reason(asked.reason, gateway.is_ours(caller), required=True)
    with gateway.store.reading(caller.space) as reader:
        before = _payload(current_claim(reader, caller, asked.record_id))
    words = gateway.words(Body(payload=before, reason=said), gateway.clock.now())

    def run(writer: Writer) -> Receipt:
        current = current_claim(writer, caller, asked.record_id)
        if current.record.root.skeleton.scope == there.scope_id:
            raise InvalidError("scope_same", "the record is in that scope already", field="scope")
        check_heads(writer, asked.record_id, asked.expected_heads)
        if words_of(_payload(current)) != words_of(before):
            raise ConflictError("record_changed", "the record was revised meanwhile; read it again", field="record_id")
        check_source(current, "record_id")
        _check_original(writer, current)
        here = at_record(writer, caller, current.record)
        gateway.define_names(there, writer)
        proposal = propose_if_foreign(
            gateway, here, writer, current.record, Intent("share", said or "", scope=there.scope_id)
        )
        if proposal is not None:
            return proposal
        subject, claim = claim_of(there, writer, before)
        refused = refusal(gateway, there, writer, Asked("share", words, claim))
        if refused is not None:
            return refused
        name_subject(gateway, there, writer, before, subject)
        home, edges = _copy(gateway, there, writer, current, claim)
        done = gateway.append(there, writer, edges, words, record=home, sensitivity=current.row.sensitivity)
        placed = Placed(done, done.entry.record_id, claim, home is not None, None)
        receipt = receipt_for(there, writer, placed, maskings=masked)
        return affecting(receipt, caller, writer, [done])

    return Write("share", run, idempotency_key, asked.fingerprint, maskings=masked)


def _payload(current: Current) -> Claimed:
    if not isinstance(current.payload, Semantic | Competence | PlanGraph):
        raise InvalidError("share_kind", "only claims, skills and plans are shared", field="record_id")
    return current.payload


def _check_original(reader: Reader, current: Current) -> None:
    """A copy is not shared on: who withdraws its original could not reach the copy's copies."""
    root = current.record.root
    if any(s.shares and s.entry == root.id for s in View(reader).account(current.record_id).said):
        raise RefusedError(
            "share_of_copy", "the record is a linked copy; share its original", field="record_id", next_action="none"
        )


def _copy(gateway: Gateway, there: Handle, writer: Writer, current: Current, claim: Claim) -> tuple[str | None, Edges]:
    """The copy rests on its original, and inherits its withdrawals; a claim that lives there gets one more support."""
    supports = (_linked(gateway, there, current, claim),)
    carriers = live_records(writer, there.scope_id, claim)
    if carriers:
        return carriers[0], Support(verb="grant", supports=supports, saw=show_heads(View(writer), carriers))
    reach = Reach(source=there.ids.owner, spoken=supports[0].spoken)
    consequences = Consequences(reach=reach, inherits=current.record_id)
    # Content that does not name the decisions in force on its original would wait for a restore that looks at it.
    saw = shown(View(writer), carriers_of(View(writer), current.record)).heads
    kind = current.record.edges.record_kind
    return None, Revise(record_kind=kind, saw=saw, supports=supports, consequences=consequences)


def _linked(gateway: Gateway, there: Handle, current: Current, claim: Claim) -> Assertion:
    row = current.row
    return Assertion(
        claim=claim,
        evidence=current.record_id,
        source=there.ids.owner,
        spoken=min(gateway.clock.now(), max(s.spoken for s in current.said)),
        from_=row.valid_from if row.valid_from != BEGINNING else None,
        to=row.valid_to if row.valid_to != FOREVER else None,
        shares=claim_digest(current.claim) or "",
    )
