"""Withdraw and restore: whether a record may be shown, by a graph of decisions and never by a clock (09.29)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from firsthand.capture import cleaning
from firsthand.capture.current import GONE, TAKEN_BACK, check_heads
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.proposals import NEEDS_PERSON, Intent, propose, propose_if_foreign
from firsthand.capture.readable import Held, at_record, held
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest
from firsthand.rules.privacy import is_private
from firsthand.rules.view import View
from firsthand.rules.visibility import Shown, carriers, observable, shown
from firsthand.vocabulary.entries import Body, Show, Tombstone
from firsthand.vocabulary.errors import ConflictError, RefusedError
from firsthand.vocabulary.packets import Receipt

PRIVATELY: Final = "forget"
"""The verb of a proposal to withdraw a record as private."""


class Decision(NamedTuple):
    """What a caller asks of a withdraw or restore, and the heads it looked at. `private`: with its sayings."""

    verb: Literal["withdraw", "restore"]
    record_id: str
    reason: str
    expected_heads: Sequence[str] | None = None
    expected_visibility_heads: Sequence[str] | None = None
    fingerprint: str = ""
    private: bool = False


def show(gateway: Gateway, handle: Handle, asked: Decision, idempotency_key: str | None) -> Write:
    """The write that withdraws a record from view, or restores it."""
    handle.may_write(asked.verb)
    said, masked = cleaning.reason(asked.reason, gateway.is_ours(handle), required=True)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        record = held(writer, handle, asked.record_id, restoring=asked.verb == "restore" or asked.private)
        here = at_record(writer, handle, record)
        view = View(writer)
        records = carriers_of(view, record)
        now = shown(view, records)
        heads = now.heads
        _check_decision(writer, asked, now)
        intent = Intent(PRIVATELY if asked.private else asked.verb, said or "")
        proposal = _proposed(gateway, here, writer, record, intent, view, heads)
        if proposal is not None:
            return proposal
        within = here.scope_id if asked.verb == "withdraw" else None
        hides = _value(view, record) if _hides(view, asked, heads) else None
        edges = Show(verb=asked.verb, observed=observable(view, records, within), replaces=heads, hides=hides)
        done = gateway.append(here, writer, edges, words, record=asked.record_id)
        receipt = receipt_for(here, writer, Placed(done, asked.record_id, None, False, None), maskings=masked)
        return affecting(receipt, handle, writer, [done])

    return Write(asked.verb, run, idempotency_key, asked.fingerprint, maskings=masked)


def carriers_of(view: View, record: Held) -> list[str]:
    """The records that carry what a record says now."""
    standing = [r for r in record.rows if r.status not in (*GONE, *TAKEN_BACK)]
    return carriers(view, record.record_id, [(r.unit, r.claim) for r in standing or record.rows])


def _hides(view: View, asked: Decision, heads: Sequence[str]) -> bool:
    """Whether sayings are masked: a withdrawal that takes the place of one as private is private, too."""
    return asked.private or (asked.verb == "withdraw" and _is_private(view, heads))


def _is_private(view: View, heads: Sequence[str]) -> bool:
    return any((entry := view.get(head)) is not None and is_private(entry) for head in heads)


def _value(view: View, record: Held) -> Tombstone | None:
    """The value that a record says, or said last; an episode, a task or an entity says none."""
    rows = [r for r in record.rows if r.claim is not None]
    if not rows:
        return None
    row = max(rows, key=lambda r: (r.status not in (*GONE, *TAKEN_BACK), r.valid_to, r.vid))
    claim = next(s.claim for s in view.said_in_unit(row.unit) if claim_digest(s.claim) == row.claim)
    return Tombstone(
        value=claim.value, subject=claim.subject, predicate=claim.predicate, polarity=claim.polarity, one=claim.one
    )


def _check_decision(reader: Reader, asked: Decision, now: Shown) -> None:
    """Heads as the caller saw them; a withdrawal of what is shown, a restore of what is not."""
    check_heads(reader, asked.record_id, asked.expected_heads)
    seen = asked.expected_visibility_heads
    if seen is not None and tuple(sorted(seen)) != now.heads:
        raise ConflictError(
            "heads_stale", "expected_visibility_heads are not the decisions in force any more",
            field="expected_visibility_heads", details={"heads": list(now.heads)},
        )  # fmt: skip
    if asked.verb == "restore" and now.hidden is None:
        raise RefusedError(
            "nothing_withdrawn", "nothing was withdrawn here, so there is nothing to restore", field="record_id",
            next_action="none",
        )  # fmt: skip
    hides_more = asked.private and not _is_private(View(reader), now.heads)
    if asked.verb == "withdraw" and now.hidden == "withdrawn" and not hides_more:
        raise RefusedError(
            "already_withdrawn", "the record is withdrawn from view already", field="record_id", next_action="none"
        )


def _proposed(
    gateway: Gateway, here: Handle, writer: Writer, record: Held, intent: Intent, view: View, heads: tuple[str, ...]
) -> Receipt | None:
    """An agent hides and shows its owner's records; what a person hid it does not show again by itself."""
    proposal = propose_if_foreign(gateway, here, writer, record, intent)
    if proposal is not None or here.author.role == "person" or intent.verb != "restore":
        return proposal
    decided = [entry.skeleton.author.role for head in heads if (entry := view.get(head)) is not None]
    return propose(gateway, here, writer, record, intent, NEEDS_PERSON) if "person" in decided else None
