"""Whether words may be claimed at all: every verb that makes a claim asks here (gateway step 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from firsthand.capture.gateway import Gateway
from firsthand.capture.ground import Ground, source_of
from firsthand.capture.sieve import ERASED
from firsthand.capture.stones import refused_words
from firsthand.ledger import Words
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import tombstone_key, unit_of
from firsthand.rules.evidence import approvals
from firsthand.rules.tombstones import Block, blocked
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Claim
from firsthand.vocabulary.kinds import Basis
from firsthand.vocabulary.packets import Receipt


class Asked(NamedTuple):
    """A claim that a verb is about to make. `heads`: the revisions that a correct replaces."""

    verb: str
    words: Words
    claim: Claim
    basis: Basis = "stated"
    grounds: Sequence[Ground] = ()
    heads: tuple[str, ...] = ()


def refusal(gateway: Gateway, handle: Handle, writer: Writer, asked: Asked) -> Receipt | None:
    """The receipt of a claim that may not be made: its value, its very words or what it comes near is forbidden."""
    block = would_block(gateway, handle, writer, asked.claim, asked.basis, asked.grounds, asked.heads)
    if block is not None:
        return gateway.refuse(handle, writer, asked.verb, f"tombstone_{block.status}", cause=block.entry)
    if gateway.sieved(handle, writer, asked.words).cut:
        return gateway.refuse(handle, writer, asked.verb, ERASED)
    body = asked.words.body
    met = refused_words(handle, writer, body, asked.grounds, asked.basis, gateway.clock, asked.heads)
    return gateway.refuse(handle, writer, asked.verb, met.code, cause=met.cause) if met is not None else None


def would_block(
    gateway: Gateway,
    handle: Handle,
    writer: Writer,
    claim: Claim,
    basis: Basis,
    grounds: Sequence[Ground],
    replacing: tuple[str, ...] = (),
) -> Block | None:
    """Gateway step 7: the fold's own rule, asked before the assertion exists. `replacing`: heads a correct names."""
    if not writer.bearing_on(tombstone_key(claim)):
        return None
    view = View(writer)
    approved = approvals(view, unit_of(handle.scope_id, claim))
    now = gateway.clock.now()
    spoken = min(now, max((g.spoken for g in grounds), default=now))
    own = Ground("", (0, 0), "", handle.ids.owner, handle.author.role == "person", None, now, False)
    for g in grounds or [own]:
        said = Said(
            "", "", "", handle.scope_id, claim, g.record_id, source_of(handle, g), handle.ids.owner,
            handle.author.role, g.attested and handle.author.role != "person", basis, False, spoken, None, None,
            False, g.imported, "",
        )  # fmt: skip
        block = blocked(view, said, approved, replacing)
        if block is not None:
            return block
    return None
