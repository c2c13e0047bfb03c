"""A decision is an entry by a person: an approval makes a fact, and nothing that is forbidden comes in by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from firsthand.capture import annotate, claims, contesting, merging, rejecting, revise, sharing, showing, undoing
from firsthand.capture.claims import Claimed
from firsthand.capture.current import current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.readable import absent, at_scope
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.ports import Reader, Writer
from firsthand.projection import body_of
from firsthand.review.waiting import is_open, stored
from firsthand.rules.access import Handle
from firsthand.rules.bearing import unit_of
from firsthand.rules.evidence import grade
from firsthand.rules.trust import approvals
from firsthand.rules.view import View
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.entries import Body, Entry, Judge, Propose, Settle
from firsthand.vocabulary.errors import ConflictError, RefusedError
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Competence, Payload, PlanGraph, Semantic
from firsthand.vocabulary.reviews import DecisionName, ReviewItem

SAYING: Final = frozenset(("correct", "change", "fork", "merge", "remember"))
"""Verbs that say something, which an approval makes a fact."""


def decision(gateway: Gateway, handle: Handle, item: ReviewItem, name: DecisionName, reason: str) -> Write:
    """The write of a decision on something that waits."""
    if item.kind == "proposals":
        return _on_proposal(gateway, handle, item, name, reason)
    record_id = item.item_id
    match name:
        case "approve":
            return _approval(gateway, handle, record_id, reason)
        case "settle":
            return contesting.settle(gateway, handle, record_id, reason, (), None, "")
        case "retract":
            return revise.retract(gateway, handle, record_id, reason, None, None, "")
        case "reject":
            return rejecting.reject(gateway, handle, rejecting.Rejection(reason, record_id), None)


# ---- on a record -----------------------------------------------------------------------------------------------------


def _approval(gateway: Gateway, handle: Handle, record_id: str, reason: str) -> Write:
    """This is so: a fact, and every doubt about it settled."""

    def run(writer: Writer) -> Receipt:
        return approve(gateway, handle, writer, record_id, reason)

    return Write("approve", run)


def approve(gateway: Gateway, handle: Handle, writer: Writer, record_id: str, reason: str) -> Receipt:
    """Approve what a record says now, as far as it may be said: an approval binds to the assertions it saw."""
    current = current_claim(writer, handle, record_id, gone=())
    here = at_scope(writer, handle, current.record.root.skeleton.scope)
    view = View(writer)
    blocks = grade(view, current.said).blocks
    forbidden = [blocks[s.id] for s in current.said if s.id in blocks]
    allowed = tuple(sorted(s.id for s in current.said if s.id not in blocks))
    if not allowed or any(b.status == "rejected" for b in forbidden):
        # A decision launders nothing: what a tombstone forbids is first lifted, by its own entry.
        block = forbidden[0]
        return gateway.refuse(here, writer, "approve", f"tombstone_{block.status}", cause=block.entry)
    words = gateway.words(Body(reason=reason), 0)
    waiting = tuple(e.id for e in contesting.contests_of(view, current))
    done = [gateway.append(here, writer, Settle(of=waiting), words, record=record_id)] if waiting else []
    fresh = tuple(i for i in allowed if i not in approvals(view, unit_of(here.scope_id, current.claim)))
    if not fresh and not waiting:
        raise RefusedError("approved_already", "it is approved already", field="item_id", next_action="none")
    edges = Judge(verb="approve", claim=current.claim, seen=allowed)
    done.append(gateway.append(here, writer, edges, gateway.words(Body(reason=reason), 0), record=record_id))
    receipt = receipt_for(here, writer, Placed(done[-1], record_id, current.claim, False, None))
    return affecting(receipt, handle, writer, done)


# ---- on a proposal ---------------------------------------------------------------------------------------------------


def _on_proposal(gateway: Gateway, handle: Handle, item: ReviewItem, name: DecisionName, reason: str) -> Write:
    with gateway.store.reading(handle.space) as reader:
        entry = reader.get(item.item_id)
        assert entry is not None, "the item was looked up"
        meant = intended(gateway, handle, reader, entry, reason) if name == "approve" else None

    def run(writer: Writer) -> Receipt:
        here = at_scope(writer, handle, entry.skeleton.scope)
        if not is_open(writer, entry):
            raise ConflictError("decided_already", "somebody decided this meanwhile", field="item_id")
        receipt = meant.run(writer) if meant is not None else None
        if receipt is not None and receipt.outcome not in ("stored", "reinforced"):
            return receipt
        words = gateway.words(Body(reason=reason), 0)
        closed = gateway.append(here, writer, Settle(of=(entry.id,)), words, record=entry.skeleton.record)
        if receipt is None:
            return Receipt(
                outcome="stored", record_id=entry.skeleton.record, entry_id=closed.entry.id,
                known_at=closed.received_at,
            )  # fmt: skip
        edges = entry.skeleton.edges
        assert isinstance(edges, Propose)
        says = edges.verb in SAYING and (edges.verb != "change" or item.text is not None)
        if says and receipt.record_id is not None:
            approved = approve(gateway, handle, writer, receipt.record_id, reason)
            receipt = msgspec.structs.replace(receipt, standing=approved.standing, known_at=approved.known_at)
        return receipt

    return Write("approve", run)


def intended(gateway: Gateway, handle: Handle, reader: Reader, entry: Entry, reason: str) -> Write:
    """The write that a proposal meant, by this handle: every check of its verb is made again."""
    edges, record = entry.skeleton.edges, entry.skeleton.record
    assert isinstance(edges, Propose)
    body = body_of(stored(reader, entry))
    if body is None:
        raise RefusedError("record_erased", "the words of the proposal were erased", field="item_id")
    _check_unrevised(reader, record, edges.heads)
    payload = body.payload
    if record is None:
        return _without_record(gateway, handle, edges, payload, reason)
    match edges.verb:
        case "correct" | "change" | "fork":
            cites = [Cite(record_id=c.record, span=c.span) for c in edges.cites]
            asked = revise.Revision(
                edges.verb, record, reason, _as(payload), cites, None, edges.since, payload is None, keeps_windows=True
            )
            return revise.revise(gateway, handle, asked, None)
        case "merge":
            return merging.merge(gateway, handle, merging.Merging((record, *edges.others), reason, _as(payload)), None)
        case "reject":
            return rejecting.reject(gateway, handle, rejecting.Rejection(reason, record), None)
        case "share":
            scope = reader.scope(edges.scope) if edges.scope is not None else None
            if scope is None or scope.name is None:
                raise absent("item_id")
            return sharing.share(gateway, handle, sharing.Sharing(record, scope.name, reason), None)
        case _:
            return _on_record(gateway, handle, edges, record, reason)


def _check_unrevised(reader: Reader, record: str | None, heads: tuple[str, ...]) -> None:
    """A proposal is about the content it was made against; one that names none is about whatever there is."""
    if record is not None and heads and heads != View(reader).content_heads(record):
        raise ConflictError(
            "record_changed", "the record was revised since this was proposed; reject it, or make it anew",
            field="item_id",
        )  # fmt: skip


def _on_record(gateway: Gateway, handle: Handle, edges: Propose, record: str, reason: str) -> Write:
    first = edges.others[0] if edges.others else None
    match edges.verb:
        case "retract":
            return revise.retract(gateway, handle, record, reason, None, None, "")
        case "withdraw" | "restore":
            return showing.show(gateway, handle, showing.Decision(edges.verb, record, reason), None)
        case showing.PRIVATELY:
            return showing.show(gateway, handle, showing.Decision("withdraw", record, reason, private=True), None)
        case "contest":
            return contesting.contest(gateway, handle, record, reason, first, None, None, "")
        case "settle":
            return contesting.settle(gateway, handle, record, reason, edges.others, None, "")
        case "undo" if first is not None:
            return undoing.undo(gateway, handle, undoing.Undoing(first, reason), None)
        case "revoke" | "reinstate":
            return annotate.support(
                gateway, handle, record, (), revoke=first if edges.verb == "revoke" else None,
                reinstate=first if edges.verb == "reinstate" else None, reason=reason, idempotency_key=None,
            )  # fmt: skip
        case _:
            raise RefusedError(
                "proposal_unknown", "this version does not know the proposed verb; reject it", field="item_id"
            )


def _without_record(gateway: Gateway, handle: Handle, edges: Propose, payload: Payload | None, reason: str) -> Write:
    """Proposals about no record yet: a value to reject, a claim to remember, an entry to undo."""
    if edges.verb == "reject" and isinstance(payload, Semantic):
        return rejecting.reject(gateway, handle, rejecting.Rejection(reason, None, payload), None)
    if edges.verb == "undo" and edges.others:
        return undoing.undo(gateway, handle, undoing.Undoing(edges.others[0], reason), None)
    if edges.verb == "remember" and payload is not None:
        cites: Sequence[Cite] = [Cite(record_id=c.record, span=c.span) for c in edges.cites]
        return claims.remember(
            gateway, handle, payload, basis="stated", sensitivity="low", evidence=cites, reason=reason,
            idempotency_key=None,
        )  # fmt: skip
    raise RefusedError("proposal_unknown", "this version does not know the proposed verb; reject it", field="item_id")


def _as(payload: Payload | None) -> Callable[[Claimed], Claimed]:
    """The words as they were proposed, whatever the record says now."""

    def renew(before: Claimed) -> Claimed:
        return payload if isinstance(payload, Semantic | Competence | PlanGraph) else before

    return renew
