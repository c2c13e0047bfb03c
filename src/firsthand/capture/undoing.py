"""Undo: the opposite of an entry, written as an entry; where there is none, that is said (design 05)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from firsthand.capture import cleaning
from firsthand.capture.claims import Claimed, place, prepare_saying
from firsthand.capture.current import current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.proposals import ANOTHER_OWNERS, NEEDS_PERSON, Intent, propose
from firsthand.capture.readable import Held, absent, at_scope, held, payload_of
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.capture.revise import Revision, revise
from firsthand.capture.showing import Decision, carriers_of, show
from firsthand.ledger import Appended, Words
from firsthand.ports import Reader, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import assertions_of, naming_key, tombstone_of
from firsthand.rules.evidence import granted, verdict_heads
from firsthand.rules.privacy import replaced_by
from firsthand.rules.view import View
from firsthand.rules.visibility import shown
from firsthand.rules.wording import words_of
from firsthand.vocabulary.entries import (
    Body,
    Edges,
    Entry,
    Judge,
    Lift,
    Propose,
    Reject,
    Revise,
    Settle,
    Show,
    Support,
)
from firsthand.vocabulary.errors import ConflictError, RefusedError
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Competence, PlanGraph, Semantic, Validity


class Undoing(NamedTuple):
    """What a caller asks to undo."""

    entry_id: str
    reason: str
    fingerprint: str = ""


class Place(NamedTuple):
    """Where an opposite is written: by whom, with which words, about which record."""

    gateway: Gateway
    here: Handle
    writer: Writer
    words: Words
    record: str | None

    def put(self, edges: Edges, record: str | None = None) -> Appended:
        """Append one entry."""
        return self.gateway.append(self.here, self.writer, edges, self.words, record=record or self.record)


def undo(gateway: Gateway, handle: Handle, asked: Undoing, idempotency_key: str | None) -> Write:
    """The write of the opposite of an entry, by its author or a person."""
    handle.may_write("undo")
    said, masked = cleaning.reason(asked.reason, gateway.is_ours(handle), required=True)
    with gateway.store.reading(handle.space) as reader:
        entry = known(reader, handle, asked.entry_id)
        other = _by_another_verb(gateway, handle, reader, entry, said or "")
    if other is not None:
        return other._replace(verb="undo", key=idempotency_key, fingerprint=asked.fingerprint)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        here = at_scope(writer, handle, entry.skeleton.scope)
        waits = _waits(handle, entry)
        if waits is not None:
            record = _record_of(writer, handle, entry)
            intent = Intent("undo", said or "", others=(entry.id,))
            return propose(gateway, here, writer, record, intent, waits)
        about = entry.skeleton.record if not isinstance(entry.skeleton.edges, Revise) else entry.record_id
        done = _opposite(Place(gateway, here, writer, words, about), entry)
        if about is None:
            last = done[-1]
            receipt = Receipt(
                outcome="stored", record_id=None, entry_id=last.entry.id, known_at=last.received_at, maskings=masked
            )
        else:
            receipt = receipt_for(here, writer, Placed(done[-1], about, None, False, None), maskings=masked)
        return affecting(receipt, handle, writer, done)

    return Write("undo", run, idempotency_key, asked.fingerprint, maskings=masked)


def known(reader: Reader, handle: Handle, entry_id: str) -> Entry:
    """An entry, if this handle may know of it."""
    entry = reader.get(entry_id)
    if entry is None or not handle.reads(entry.skeleton.scope):
        raise absent("entry_id")
    _record_of(reader, handle, entry)
    return entry


def _record_of(reader: Reader, handle: Handle, entry: Entry) -> Held | None:
    """The record an entry is about, if there is one."""
    if entry.skeleton.record is None and not isinstance(entry.skeleton.edges, Revise):
        return None
    return held(reader, handle, entry.record_id, "entry_id", restoring=True)


def _waits(handle: Handle, entry: Entry) -> str | None:
    """Why an undo is only proposed: it is somebody else's entry, or only a person lifts what it forbids."""
    if handle.author.role == "person":
        return None
    author = entry.skeleton.author
    if author.owner != handle.ids.owner or author.role == "person":
        return ANOTHER_OWNERS
    forbids = tombstone_of(entry) is not None or (
        isinstance(entry.skeleton.edges, Judge) and entry.skeleton.edges.verb == "retract"
    )
    return NEEDS_PERSON if forbids else None


# ---- opposites that are verbs of their own ---------------------------------------------------------------------------


def _by_another_verb(gateway: Gateway, handle: Handle, reader: Reader, entry: Entry, reason: str) -> Write | None:
    """Hiding and showing, an agent's correction of its own, and an end: their opposites are whole verbs."""
    edges, waits = entry.skeleton.edges, _waits(handle, entry)
    if isinstance(edges, Show) and waits is None:
        _check_in_force(reader, handle, entry)
        verb = "restore" if edges.verb == "withdraw" else "withdraw"
        private = bool(replaced_by(View(reader), entry))
        return show(gateway, handle, Decision(verb, entry.record_id, reason, private=private), None)
    if isinstance(edges, Revise) and edges.supersedes and tombstone_of(entry) is not None and waits == NEEDS_PERSON:
        before = payload_of(reader, edges.supersedes[0])
        if isinstance(before, Semantic | Competence | PlanGraph):
            # design 09.14: an agent may correct back its own correction.
            back = Revision("correct", entry.record_id, reason, _as(before), (), (entry.id,))
            return revise(gateway, handle, back, None)
    if isinstance(edges, Judge) and edges.verb == "end" and waits is None:
        return _again(gateway, handle, reader, entry, reason)
    return None


def _as(payload: Claimed) -> Callable[[Claimed], Claimed]:
    """The payload that was there before, whatever is there now."""

    def renew(_: Claimed) -> Claimed:
        return payload

    return renew


def _check_in_force(reader: Reader, handle: Handle, entry: Entry) -> None:
    record = held(reader, handle, entry.record_id, "entry_id", restoring=True)
    view = View(reader)
    if entry.id not in shown(view, carriers_of(view, record)).heads:
        raise ConflictError("decided_since", "another decision has replaced this one since", field="entry_id")


def _again(gateway: Gateway, handle: Handle, reader: Reader, entry: Entry, reason: str) -> Write:
    """A claim that was ended is said again from that end on: an end told for its own sake has no other opposite."""
    current = current_claim(reader, handle, entry.record_id)
    edges = entry.skeleton.edges
    assert isinstance(edges, Judge)
    ending = edges.consequences.ending if edges.consequences is not None else None
    payload = current.payload
    holds_back = ending is not None and any(r.valid_to == ending.since for r in current.record.rows)
    if ending is None or not holds_back or ending.claim != current.claim or not isinstance(payload, Semantic):
        raise ConflictError("revised_since", "the record says something else since", field="entry_id")
    window = Validity(mode=payload.validity.mode, conditions=payload.validity.conditions, from_=ending.since, to=None)
    payload = msgspec.structs.replace(payload, validity=window)
    text = f"{words_of(payload)} ({reason})"
    saying = prepare_saying(gateway, handle, payload, "stated", "public", (), reason, utterance_text=text)
    saying = saying._replace(sensitivity=current.row.sensitivity)

    def run(writer: Writer) -> Receipt:
        here = at_scope(writer, handle, entry.skeleton.scope)
        placed = place(gateway, here, writer, saying, current.claim, ())
        return affecting(receipt_for(here, writer, placed), handle, writer, [placed.done])

    return Write("undo", run)


# ---- opposites that are entries --------------------------------------------------------------------------------------


def _opposite(at: Place, entry: Entry) -> list[Appended]:
    """The entries that undo one."""
    match entry.skeleton.edges:
        case Judge(verb="contest") | Propose():
            _check_unnamed(at.writer, entry)
            return [at.put(Settle(of=(entry.id,)))]
        case Judge(verb="retract") | Reject():
            return [_lifted(at, entry)]
        case Lift(of=of):
            return [_forbidden_again(at, of)]
        case Support(verb="revoke" | "reinstate") as edges:
            return [_verdict_turned(at, entry, edges)]
        case Revise() | Support() if assertions_of(entry) and _is_outcome(entry):
            return _taken_back(at, entry)
        case _:
            raise RefusedError(
                "no_opposite", "this entry has no opposite; retract, correct or change what it says instead",
                field="entry_id", next_action="fix_and_resubmit",
            )  # fmt: skip


def _is_outcome(entry: Entry) -> bool:
    """Whether an entry revised, shared or supported; a record's first word is taken back by `retract`."""
    edges = entry.skeleton.edges
    if isinstance(edges, Support):
        return True
    shares = any(a.shares for a in assertions_of(entry))
    return isinstance(edges, Revise) and (edges.consequences is not None or shares)


def _taken_back(at: Place, entry: Entry) -> list[Appended]:
    """The words of a correct, change, fork, merge or share no longer count: what they ended or replaced is back."""
    view = View(at.writer)
    edges = entry.skeleton.edges
    if isinstance(edges, Revise) and entry.id not in view.content_heads(entry.record_id):
        raise ConflictError("revised_since", "the record was revised since; undo that first", field="entry_id")
    standing = [s for s in view.said_in(entry) if granted(view, s)]
    if not standing:
        raise RefusedError("already_undone", "it was undone already", field="entry_id", next_action="none")
    done = [
        at.put(Support(verb="revoke", of=s.id, replaces=verdict_heads(view, s.record, s.id)), s.record)
        for s in standing
    ]
    if tombstone_of(entry) is not None and not view.is_lifted(entry.id):
        done.append(at.put(Lift(of=entry.id)))
    return done


def _lifted(at: Place, entry: Entry) -> Appended:
    if View(at.writer).is_lifted(entry.id):
        raise RefusedError("already_undone", "it was undone already", field="entry_id", next_action="none")
    return at.put(Lift(of=entry.id))


def _forbidden_again(at: Place, of: str) -> Appended:
    stone = at.writer.get(of)
    tombstone = tombstone_of(stone) if stone is not None else None
    if tombstone is None or not tombstone.absolute:
        raise RefusedError(
            "no_opposite", "what was lifted is taken back again by retract or correct", field="entry_id",
            next_action="fix_and_resubmit",
        )  # fmt: skip
    return at.put(Reject(tombstone=tombstone))


def _verdict_turned(at: Place, entry: Entry, edges: Support) -> Appended:
    assert edges.of is not None
    heads: Sequence[str] = verdict_heads(View(at.writer), entry.record_id, edges.of)
    if entry.id not in heads:
        raise ConflictError("decided_since", "another decision has replaced this one since", field="entry_id")
    verb = "reinstate" if edges.verb == "revoke" else "revoke"
    return at.put(Support(verb=verb, of=edges.of, replaces=tuple(heads)))


def _check_unnamed(reader: Reader, entry: Entry) -> None:
    if any(isinstance(e.skeleton.edges, Settle) for e in reader.bearing_on(naming_key(entry.id))):
        raise RefusedError("already_undone", "it was settled already", field="entry_id", next_action="none")
