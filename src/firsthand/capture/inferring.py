"""Claims that a program read out of an episode: through the same door as any other, and with no voice of their own."""

from __future__ import annotations

from firsthand.capture import cleaning
from firsthand.capture.claims import claim_of, prepare_saying, remember_claim, rows_of_claim
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.receipts import standing_of
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import unit_of
from firsthand.rules.tombstones import forbidding
from firsthand.rules.view import View
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.entries import Claim
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Semantic

ALREADY_SAID = "already_said"
"""A note of receipts: this claim rests on this episode already, and nothing was written."""


def infer(gateway: Gateway, handle: Handle, payload: Semantic, evidence: Cite) -> Write | None:
    """The write that proposes a claim found in an episode, as an inference: it is no more than a candidate.

    The same claim on the same episode is written once, however often it is found. A value that was taken back and is
    not believed again is refused, whoever had said it (design 09.16). Nothing, where only our own packet was read.
    """
    handle.may_write("remember")
    cleaned = cleaning.clean(payload, gateway.is_ours(handle))
    if cleaned.nothing_left:
        return None
    clean = cleaned.payload
    # Its sensitivity is that of the episode it was found in, which the fold adds to its own.
    saying = prepare_saying(gateway, handle, clean, "inferred", "public", (evidence,), None)._replace(echo=True)
    store = remember_claim(gateway, handle, saying)

    def run(writer: Writer) -> Receipt:
        _, claim = claim_of(handle, writer, clean)
        known = _already_said(writer, handle, claim, evidence.record_id)
        if known is not None:
            return known
        rows = rows_of_claim(writer, handle.scope_id, claim)
        block = forbidding(View(writer), handle.scope_id, claim)
        if block is not None and not any(row.status == "active" for row in rows):
            return gateway.refuse(handle, writer, "remember", f"tombstone_{block.status}", cause=block.entry)
        return store(writer)

    return Write("remember", run)


def _already_said(writer: Writer, handle: Handle, claim: Claim, evidence_id: str) -> Receipt | None:
    """What is known of a claim that somebody has already rested on an episode."""
    for said in View(writer).said_in_unit(unit_of(handle.scope_id, claim)):
        if said.claim == claim and said.evidence == evidence_id:
            return Receipt(
                outcome="reinforced",
                record_id=said.record,
                entry_id=said.entry,
                known_at=writer.head().received_at,
                standing=standing_of(rows_of_claim(writer, handle.scope_id, claim)),
                notes=(ALREADY_SAID,),
            )
    return None
