"""Capture: what was said or happened, exactly, once."""

from __future__ import annotations

from typing import NamedTuple

from firsthand.capture import cleaning
from firsthand.capture.cleaning import Cleaned
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.receipts import near_notes
from firsthand.capture.sieve import ERASED, ERASED_TEXT_CUT
from firsthand.ledger import Appended, Words
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.effects import standing_of
from firsthand.vocabulary.entries import Body, Revise
from firsthand.vocabulary.kinds import SENSITIVITIES, Sensitivity
from firsthand.vocabulary.packets import Masking, Receipt
from firsthand.vocabulary.records import Episodic
from firsthand.vocabulary.turns import TurnName


class Episode(NamedTuple):
    """An episode ready for the lock; `own_words` counts our own packets that were cut out of it."""

    edges: Revise
    words: Words
    maskings: tuple[Masking, ...]
    own_words: int
    nothing_left: bool


def prepare_episode(
    gateway: Gateway,
    handle: Handle,
    payload: Episodic,
    *,
    reason: str | None = None,
    imported: bool = False,
    utterance: bool = False,
    spotless: bool = False,
) -> Episode:
    """Check, cut, mask and hash an episode; `spotless`: it was checked, cut and masked before."""
    cleaned = Cleaned(payload) if spotless else cleaning.clean(payload, gateway.is_ours(handle))
    payload = cleaned.payload
    source = handle.attested_source(payload.speaker)
    edges = Revise(
        record_kind="episodic",
        occurred=payload.occurred_at,
        speaker=source,
        attested=source is not None,
        origin=handle.keyed.digest("origin", payload.origin) if payload.origin else None,
        imported=imported,
        utterance=utterance,
    )
    said_at = payload.occurred_at if payload.occurred_at is not None else gateway.clock.now()
    words = gateway.words(Body(payload=payload, reason=reason), said_at, indexed=not utterance)
    return Episode(edges, words, cleaned.maskings, cleaned.own_words, cleaned.nothing_left)


def write_episode(
    gateway: Gateway, handle: Handle, episode: Episode, sensitivity: Sensitivity, writer: Writer
) -> Appended:
    """Append a prepared episode."""
    level = SENSITIVITIES.index(sensitivity)
    return gateway.append(handle, writer, episode.edges, episode.words, sensitivity=level)


def capture(
    gateway: Gateway,
    handle: Handle,
    payload: Episodic,
    *,
    sensitivity: Sensitivity,
    reason: str | None,
    idempotency_key: str | None,
    imported: bool = False,
    turns: tuple[TurnName, ...] = (),
) -> Write:
    """The write that captures an episode."""
    handle.may_write("capture")
    asked = reason
    reason, masked = cleaning.reason(reason, gateway.is_ours(handle), required=False)
    episode = prepare_episode(gateway, handle, payload, reason=reason, imported=imported)

    maskings = (*episode.maskings, *masked)

    def run(writer: Writer) -> Receipt:
        if episode.nothing_left:
            return gateway.refuse_own_words(handle, writer, "capture")
        sieved = gateway.sieved(handle, writer, episode.words)
        if sieved.nothing_left:
            return gateway.refuse(handle, writer, "capture", ERASED)
        done = write_episode(gateway, handle, episode._replace(words=sieved.words), sensitivity, writer)
        notes = ("own_packet_cut",) if episode.own_words else ()
        notes += (ERASED_TEXT_CUT,) if sieved.cut else ()
        return Receipt(
            outcome="stored",
            record_id=done.entry.record_id,
            entry_id=done.entry.id,
            known_at=done.received_at,
            standing=standing_of(done.changes.opened),
            maskings=maskings,
            notes=(*notes, *near_notes(writer, done.entry)),
        )

    fingerprint = ""
    if idempotency_key is not None:
        fingerprint = gateway.fingerprint(handle, payload, sensitivity, asked, imported)
    names = episode.words.indexed.perhaps
    return Write(
        "capture", run, idempotency_key, fingerprint, names=names, maskings=maskings, turns=turns, imported=imported
    )
