"""Contest and settle: a doubt that holds until somebody settles it (designs 01, 09.32)."""

from __future__ import annotations

from collections.abc import Sequence

from firsthand.capture import cleaning
from firsthand.capture.current import Current, check_heads, current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.proposals import ANOTHER_OWNERS, Intent, propose, propose_if_foreign
from firsthand.capture.readable import absent, at_record, held
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import naming_key, unit_key
from firsthand.rules.view import View
from firsthand.vocabulary.entries import Body, Entry, Judge, Settle
from firsthand.vocabulary.errors import InvalidError, RefusedError
from firsthand.vocabulary.packets import Receipt


def contest(
    gateway: Gateway,
    handle: Handle,
    record_id: str,
    reason: str,
    against: str | None,
    expected_heads: Sequence[str] | None,
    idempotency_key: str | None,
    fingerprint: str,
) -> Write:
    """The write that doubts a record; `against` is the record that speaks against it."""
    handle.may_write("contest")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        current = current_claim(writer, handle, record_id)
        here = at_record(writer, handle, current.record)
        if against is not None:
            _check_against(writer, handle, current, against)
        others = () if against is None else (against,)
        proposal = propose_if_foreign(
            gateway, here, writer, current.record, Intent("contest", said or "", others=others)
        )
        if proposal is not None:
            return proposal
        check_heads(writer, record_id, expected_heads)
        edges = Judge(verb="contest", claim=current.claim, against=against)
        done = gateway.append(here, writer, edges, words, record=record_id)
        receipt = receipt_for(here, writer, Placed(done, record_id, current.claim, False, None), maskings=masked)
        return affecting(receipt, handle, writer, [done])

    return Write("contest", run, idempotency_key, fingerprint, maskings=masked)


def settle(
    gateway: Gateway,
    handle: Handle,
    record_id: str,
    reason: str,
    contests: Sequence[str],
    idempotency_key: str | None,
    fingerprint: str,
) -> Write:
    """The write that ends the contests of a record: those named, or all that wait."""
    handle.may_write("settle")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        current = current_claim(writer, handle, record_id)
        here = at_record(writer, handle, current.record)
        waiting = {e.id: e for e in contests_of(View(writer), current)}
        if any(c not in waiting for c in contests):
            raise absent("contests")
        if not waiting:
            raise RefusedError(
                "nothing_contested", "nothing is contested here, so there is nothing to settle", field="record_id",
                next_action="none",
            )  # fmt: skip
        named = tuple(sorted(contests or waiting))
        if _is_anothers(handle, [waiting[c] for c in named]):
            intent = Intent("settle", said or "", others=named)
            return propose(gateway, here, writer, current.record, intent, ANOTHER_OWNERS)
        done = gateway.append(here, writer, Settle(of=named), words, record=record_id)
        receipt = receipt_for(here, writer, Placed(done, record_id, current.claim, False, None), maskings=masked)
        return affecting(receipt, handle, writer, [done])

    return Write("settle", run, idempotency_key, fingerprint, maskings=masked)


def _is_anothers(handle: Handle, contests: Sequence[Entry]) -> bool:
    """Whether an agent would settle what another owner doubts."""
    return handle.author.role != "person" and any(c.skeleton.author.owner != handle.ids.owner for c in contests)


def contests_of(view: View, current: Current) -> list[Entry]:
    """The contests of a claim that no settle names yet."""
    return [
        entry
        for entry in view.bearing_on(unit_key(current.row.unit))
        if isinstance(entry.skeleton.edges, Judge)
        and entry.skeleton.edges.verb == "contest"
        and entry.skeleton.edges.claim == current.claim
        and not any(isinstance(e.skeleton.edges, Settle) for e in view.bearing_on(naming_key(entry.id)))
    ]


def _check_against(writer: Writer, handle: Handle, current: Current, against: str) -> None:
    """What speaks against a record is another record, readable here and in the same scope."""
    other = held(writer, handle, against, "against")
    if against == current.record_id or other.root.skeleton.scope != current.record.root.skeleton.scope:
        raise InvalidError("against_invalid", "against names another record of the same scope", field="against")
