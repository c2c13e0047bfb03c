"""A change that its caller may not make is kept as a proposal, with all that is needed to make it later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from firsthand.capture.gateway import Gateway
from firsthand.capture.ground import ground
from firsthand.capture.readable import Held
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.effects import standing_of
from firsthand.rules.view import View
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.entries import Body, Cited, Propose
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Payload

ANOTHER_OWNERS = "another_owners_record"
NEEDS_PERSON = "needs_person"


class Intent(NamedTuple):
    """The verb that was meant, with what it takes: the words it would store, instants, other records, evidence."""

    verb: str
    reason: str
    payload: Payload | None = None
    since: int | None = None
    others: tuple[str, ...] = ()
    scope: str | None = None
    evidence: Sequence[Cite] = ()


def may_revise(handle: Handle, record: Held) -> bool:
    """An agent revises its owner's records (design 09.27); a person anyone's."""
    return handle.author.role == "person" or record.root.skeleton.author.owner == handle.ids.owner


def propose_if_foreign(
    gateway: Gateway, handle: Handle, writer: Writer, record: Held, intent: Intent
) -> Receipt | None:
    """On another owner's record an agent only proposes."""
    return None if may_revise(handle, record) else propose(gateway, handle, writer, record, intent, ANOTHER_OWNERS)


def propose(
    gateway: Gateway, handle: Handle, writer: Writer, record: Held | None, intent: Intent, code: str
) -> Receipt:
    """Keep the intended change for a person to decide: its words in the erasable body, the rest in the skeleton."""
    grounds = [ground(writer, handle, c) for c in intent.evidence]
    edges = Propose(
        verb=intent.verb,
        since=intent.since,
        heads=View(writer).content_heads(record.record_id) if record is not None else (),
        others=intent.others,
        scope=intent.scope,
        cites=tuple(Cited(record=g.record_id, span=g.span) for g in grounds),
    )
    words = gateway.words(Body(payload=intent.payload, reason=intent.reason), gateway.clock.now())
    level = max((r.sensitivity for r in record.rows), default=0) if record is not None else 0
    about = record.record_id if record is not None else None
    done = gateway.append(handle, writer, edges, words, record=about, sensitivity=level)
    return Receipt(
        outcome="proposed",
        record_id=about,
        entry_id=done.entry.id,
        known_at=done.received_at,
        standing=standing_of(record.rows) if record is not None else None,
        code=code,
        next_action="ask_person",
    )
