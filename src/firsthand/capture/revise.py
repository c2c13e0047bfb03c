"""Correct, change, fork, retract: what a belief leaves behind when it is revised (designs 01, 09.10, 09.14, 09.15)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from firsthand.capture import cleaning
from firsthand.capture.admitting import Asked, refusal, would_block
from firsthand.capture.claims import (
    Saying,
    claim_of,
    live_records,
    maskings_of,
    name_subject,
    place,
    prepare_saying,
)
from firsthand.capture.current import GONE, TAKEN_BACK, Current, check_heads, check_source, current_claim, standing_row
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.ground import ground
from firsthand.capture.proposals import Intent, propose_if_foreign
from firsthand.capture.readable import at_record, held, payload_of
from firsthand.capture.receipts import Placed, receipt_for, still_say
from firsthand.ports import BeliefRow, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest, value_digest
from firsthand.rules.view import View
from firsthand.rules.visibility import show_heads
from firsthand.rules.wording import words_of
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.entries import (
    Body,
    Claim,
    Consequences,
    Edges,
    Ending,
    Judge,
    Reach,
    Tombstone,
)
from firsthand.vocabulary.errors import AbsentError, ConflictError, InvalidError, RefusedError
from firsthand.vocabulary.instants import BEGINNING, FOREVER
from firsthand.vocabulary.kinds import Sensitivity
from firsthand.vocabulary.packets import Masking, Receipt
from firsthand.vocabulary.records import Competence, PlanGraph, Semantic, Validity


class Revision(NamedTuple):
    """What a caller asks of a correct, change or fork. `renew` makes the new payload from the one believed now.

    `keeps_windows`: the caller chose no window, so a correction says its value of all the stretches of time there were.
    """

    verb: str
    record_id: str
    reason: str
    renew: Callable[[Semantic | Competence | PlanGraph], Semantic | Competence | PlanGraph]
    evidence: Sequence[Cite]
    expected_heads: Sequence[str] | None
    since: int | None = None
    only_end: bool = False
    keeps_windows: bool = False
    fingerprint: str = ""


def revise(gateway: Gateway, handle: Handle, asked: Revision, idempotency_key: str | None) -> Write:
    """The write that corrects, changes or forks a record."""
    handle.may_write(asked.verb)
    reason, masked = cleaning.reason(asked.reason, gateway.is_ours(handle), required=True)
    assert reason is not None
    before = _preview(gateway, handle, asked)
    saying = None
    if not asked.only_end:
        payload = asked.renew(before)
        text = f"{words_of(payload)} ({reason})"
        sensitivity: Sensitivity = "public"  # never below its evidence and what it replaces: see `_level`
        saying = prepare_saying(
            gateway, handle, payload, "stated", sensitivity, asked.evidence, reason, utterance_text=text
        )
        saying = saying._replace(maskings=(*saying.maskings, *masked))

    def run(writer: Writer) -> Receipt:
        current = current_claim(writer, handle, asked.record_id)
        here = at_record(writer, handle, current.record)
        if saying is not None and saying.nothing_left:
            return gateway.refuse_own_words(handle, writer, asked.verb)
        proposal = propose_if_foreign(gateway, here, writer, current.record, _intent(asked, saying, reason))
        if proposal is not None:
            return proposal
        check_heads(writer, current.record_id, asked.expected_heads)
        _check_since(current, asked)
        if words_of(current.payload) != words_of(before):
            raise ConflictError("record_changed", "the record was revised meanwhile; read it again", field="record_id")
        if saying is None:
            return msgspec.structs.replace(_end(gateway, here, writer, current, asked, reason), maskings=masked)
        said = _with_windows(saying, current) if asked.verb == "correct" and asked.keeps_windows else saying
        return _replace(gateway, here, writer, current, asked, _with_level(said, current))

    maskings = maskings_of(saying) if saying is not None else masked
    return Write(asked.verb, run, idempotency_key, asked.fingerprint, maskings=maskings)


def masked_again(gateway: Gateway, handle: Handle, asked: Revision) -> tuple[Masking, ...]:
    """What is masked in a request that was answered before, its words put to what the record says now.

    Once the record says nothing more, only what is masked in the reason can be told.
    """
    _, masked = cleaning.reason(asked.reason, gateway.is_ours(handle), required=True)
    if asked.only_end:
        return masked
    try:
        payload = asked.renew(_preview(gateway, handle, asked))
    except (AbsentError, InvalidError, RefusedError):
        return masked
    return (*cleaning.clean(payload, gateway.is_ours(handle)).maskings, *masked)


def retract(
    gateway: Gateway,
    handle: Handle,
    record_id: str,
    reason: str,
    expected_heads: Sequence[str] | None,
    idempotency_key: str | None,
    fingerprint: str,
) -> Write:
    """The write that takes a record back, with nothing in its place."""
    handle.may_write("retract")
    said, masked = cleaning.reason(reason, gateway.is_ours(handle), required=True)
    words = gateway.words(Body(reason=said), 0)

    def run(writer: Writer) -> Receipt:
        record = held(writer, handle, record_id)
        here = at_record(writer, handle, record)
        proposal = propose_if_foreign(gateway, here, writer, record, Intent("retract", said or ""))
        if proposal is not None:
            return proposal
        if record.edges.record_kind in ("episodic", "working", "entity"):
            edges: Edges = Judge(verb="retract")
            done = gateway.append(here, writer, edges, words, record=record_id)
            receipt = receipt_for(handle, writer, Placed(done, record_id, None, False, None), maskings=masked)
            return affecting(receipt, handle, writer, [done])
        current = current_claim(writer, handle, record_id)
        check_heads(writer, current.record_id, expected_heads)
        edges = Judge(verb="retract", claim=current.claim, consequences=_leave(gateway, here, current, "retract", None))
        done = gateway.append(here, writer, edges, words, record=record_id)
        placed = Placed(done, record_id, current.claim, False, None)
        receipt = receipt_for(
            here, writer, placed, maskings=masked, extra=still_say(here, writer, record_id, current.claim)
        )
        return affecting(receipt, handle, writer, [done])

    return Write("retract", run, idempotency_key, fingerprint, maskings=masked)


# ---- inside ----------------------------------------------------------------------------------------------------


def _preview(gateway: Gateway, handle: Handle, asked: Revision) -> Semantic | Competence | PlanGraph:
    """The payload believed now, read before the lock so that the new words can be hashed; checked again inside."""
    with gateway.store.reading(handle.space) as reader:
        record = held(reader, handle, asked.record_id)
        row = standing_row(record)
        payload = payload_of(reader, row.revision_id)
    if not isinstance(payload, Semantic | Competence | PlanGraph):
        raise InvalidError("use_remember", "this kind of record is revised by remembering it anew", field="record_id")
    if isinstance(payload, Semantic) and asked.verb == "correct":
        return msgspec.structs.replace(payload, validity=_window(payload.validity, row))
    return payload


def _window(stated: Validity, row: BeliefRow) -> Validity:
    """What was wrong is replaced for all the world time it had: correcting the past does not make it the present.

    An open start is said as one: unsaid, a later word of the same voice begins when it is spoken (design 09.4).
    """
    return msgspec.structs.replace(stated, from_=row.valid_from, to=None if row.valid_to == FOREVER else row.valid_to)


def _with_windows(saying: Saying, current: Current) -> Saying:
    """What takes the place of a value takes all of its stretches of time, where it was to take the last of them."""
    payload = saying.payload
    last = _window(Validity(), current.row)
    if not isinstance(payload, Semantic) or (payload.validity.from_, payload.validity.to) != (last.from_, last.to):
        return saying
    digest = claim_digest(current.claim)
    rows = [r for r in current.record.rows if r.claim == digest and r.status not in (*GONE, *TAKEN_BACK)]
    windows: list[tuple[int, int]] = []
    for start, end in sorted({(r.valid_from, r.valid_to) for r in rows}):
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(windows[-1][1], end))
        else:
            windows.append((start, end))
    return saying._replace(windows=tuple((start, None if end == FOREVER else end) for start, end in windows))


def _replace(
    gateway: Gateway, handle: Handle, writer: Writer, current: Current, asked: Revision, saying: Saying
) -> Receipt:
    """A new value: in the same record for a correct, in a successor for a change."""
    grounds = [ground(writer, handle, c) for c in saying.evidence]
    subject, claim = claim_of(handle, writer, saying.payload)
    if asked.verb == "fork":
        check_forkable(current, claim)
    heads = View(writer).content_heads(current.record.record_id) if asked.verb == "correct" else ()
    refused = refusal(gateway, handle, writer, Asked(asked.verb, saying.words, claim, saying.basis, grounds, heads))
    if refused is not None:
        return refused
    name_subject(gateway, handle, writer, saying.payload, subject)
    view = View(writer)
    record_id = current.record.record_id
    joined = live_records(writer, handle.scope_id, claim)
    saw = show_heads(view, [record_id, *joined])
    left = _leave(gateway, handle, current, asked.verb, asked.since, claim, bool(joined))
    # design 09.10: a correct keeps its record, unless the new value already lives in the slot: then it joins that one.
    joins = any(r != record_id for r in joined) and record_id not in joined
    if joins and asked.verb == "correct":
        joins = would_block(gateway, handle, writer, claim, "stated", grounds) is None
    if asked.verb == "correct" and not joins:
        placed = place(
            gateway, handle, writer, saying, claim, grounds,
            record=record_id, supersedes=view.content_heads(record_id), saw=saw, consequences=left,
        )  # fmt: skip
    else:
        placed = place(gateway, handle, writer, saying, claim, grounds, saw=saw, consequences=left)
    candidates = subject.candidates if subject else ()
    corrected = asked.verb == "correct" and claim != current.claim
    extra = still_say(handle, writer, record_id, current.claim) if corrected else ()
    notes = ("own_packet_cut",) if saying.own_words else ()
    receipt = receipt_for(
        handle, writer, placed, maskings=maskings_of(saying), candidates=candidates, extra=extra, notes=notes
    )
    return affecting(receipt, handle, writer, [placed.done])


def _end(gateway: Gateway, handle: Handle, writer: Writer, current: Current, asked: Revision, reason: str) -> Receipt:
    """A change with nothing new: the validity ends."""
    words = gateway.words(Body(reason=reason), 0)
    left = _leave(gateway, handle, current, "change", asked.since)
    edges = Judge(verb="end", claim=current.claim, consequences=left)
    done = gateway.append(handle, writer, edges, words, record=current.record.record_id)
    receipt = receipt_for(handle, writer, Placed(done, current.record.record_id, current.claim, False, None))
    return affecting(receipt, handle, writer, [done])


def _leave(
    gateway: Gateway,
    handle: Handle,
    current: Current,
    verb: str,
    since: int | None,
    claim: Claim | None = None,
    joined: bool = False,
) -> Consequences:
    """What happens to the claim that is left: tombstone for a correct or retract, an end for a change."""
    now = gateway.clock.now()
    # design 09.10: a person's correct or change reaches all words spoken before it, an agent's only its own owner's;
    # a retract takes back only the retractor's own.
    everyone = handle.author.role == "person" and verb not in ("retract", "fork")
    # What is here was spoken before, though it was spoken under a clock that is ahead of this one.
    heard = max((s.spoken for s in current.said), default=now)
    reach = Reach(source=handle.ids.owner, spoken=max(now, heard), everyone=everyone)
    old = current.claim
    inherits = current.record_id if claim is not None and not joined else None
    if verb == "fork":
        return Consequences(reach=reach, inherits=inherits)
    if verb == "change":
        ending = Ending(claim=old, since=since if since is not None else now)
        return Consequences(reach=reach, ending=ending, inherits=inherits)
    tombstone = Tombstone(
        subject=old.subject, predicate=old.predicate, value=old.value, polarity=old.polarity, one=old.one
    )
    same_value = claim is not None and value_digest(claim) == value_digest(old)
    # design 09.15: a typo fixed leaves none, nor do skills and plans, whose versions succeed each other.
    leaves = isinstance(current.payload, Semantic) or verb == "retract"
    if same_value and isinstance(current.payload, Semantic):
        # The value stays; the conditions and windows it was said under before do not.
        return Consequences(reach=reach, ending=Ending(claim=old, since=BEGINNING))
    return Consequences(reach=reach, tombstone=tombstone if leaves else None)


def _intent(asked: Revision, saying: Saying | None, reason: str) -> Intent:
    """What is meant, should it have to wait for its owner."""
    payload = saying.words.body.payload if saying is not None else None
    return Intent(asked.verb, reason, payload, asked.since, evidence=asked.evidence)


def check_forkable(current: Current, claim: Claim) -> None:
    """What is hidden or no longer stands has no exceptions, and an exception has conditions of its own."""
    check_source(current, "record_id")
    if claim.conditions == current.claim.conditions:
        raise InvalidError(
            "conditions_same", "a fork needs conditions that the record does not have already", field="conditions"
        )


def _check_since(current: Current, asked: Revision) -> None:
    if asked.verb == "change" and asked.since is not None and asked.since <= current.row.valid_from:
        raise InvalidError(
            "since_before_start", "since is not after the start of what it would end; use correct", field="since"
        )


def _with_level(saying: Saying, current: Current) -> Saying:
    """A successor is at least as sensitive as what it replaces."""
    level = max(saying.sensitivity, current.row.sensitivity)
    return saying._replace(sensitivity=level)
