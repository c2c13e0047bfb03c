"""Merge: several records that say the same become one, which carries the evidence of all (designs 01, 03)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from firsthand.capture import cleaning
from firsthand.capture.admitting import Asked, refusal
from firsthand.capture.claims import claim_of, live_records, name_subject
from firsthand.capture.current import Current, check_source, current_claim
from firsthand.capture.effects import affecting
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.proposals import ANOTHER_OWNERS, NEEDS_PERSON, Intent, may_revise, propose
from firsthand.capture.readable import at_record
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.evidence import grade
from firsthand.rules.view import Said, View
from firsthand.rules.visibility import show_heads
from firsthand.rules.wording import words_of
from firsthand.vocabulary import limits
from firsthand.vocabulary.entries import Assertion, Body, Claim, Consequences, Edges, Merged, Reach, Revise
from firsthand.vocabulary.errors import ConflictError, InvalidError, RefusedError
from firsthand.vocabulary.packets import Receipt
from firsthand.vocabulary.records import Competence, PlanGraph, Semantic

LEAST_SOURCES = 2


class Merging(NamedTuple):
    """What a caller asks to merge; `renew` makes the merged payload from that of the first record."""

    record_ids: tuple[str, ...]
    reason: str
    renew: Callable[[Semantic | Competence | PlanGraph], Semantic | Competence | PlanGraph]
    fingerprint: str = ""


def merge(gateway: Gateway, handle: Handle, asked: Merging, idempotency_key: str | None) -> Write:
    """The write that makes several records one."""
    handle.may_write("merge")
    ids = tuple(dict.fromkeys(asked.record_ids))
    limits.check_count(len(ids), most=limits.MERGE_SOURCES, field="record_ids")
    if len(ids) < LEAST_SOURCES:
        raise InvalidError("merge_of_one", "a merge needs at least two records", field="record_ids")
    ours = gateway.is_ours(handle)
    said, masked = cleaning.reason(asked.reason, ours, required=True)
    with gateway.store.reading(handle.space) as reader:
        before = _payload(current_claim(reader, handle, ids[0]))
    cleaned = cleaning.clean(asked.renew(before), ours)
    payload, maskings = cleaned.payload, (*cleaned.maskings, *masked)
    words = gateway.words(Body(payload=payload, reason=said), gateway.clock.now())

    def run(writer: Writer) -> Receipt:
        sources = [current_claim(writer, handle, i) for i in ids]
        here = _check_sources(writer, handle, sources)
        if words_of(_payload(sources[0])) != words_of(before):
            raise ConflictError("record_changed", "a record was revised meanwhile; read it again", field="record_ids")
        subject, claim = claim_of(here, writer, payload)
        code = _waits(handle, sources, claim)
        if code is not None:
            intent = Intent("merge", said or "", payload, others=ids[1:])
            return propose(gateway, here, writer, sources[0].record, intent, code)
        refused = refusal(gateway, here, writer, Asked("merge", words, claim))
        if refused is not None:
            return refused
        name_subject(gateway, here, writer, payload, subject)
        home = _survivor(writer, here, sources, claim)
        edges = _edges(gateway, here, writer, sources, home, claim)
        level = max(s.row.sensitivity for s in sources)
        done = gateway.append(here, writer, edges, words, record=home, sensitivity=level)
        receipt = receipt_for(here, writer, Placed(done, home, claim, False, None), maskings=maskings)
        return affecting(receipt, handle, writer, [done])

    return Write("merge", run, idempotency_key, asked.fingerprint, maskings=maskings)


def _payload(current: Current) -> Semantic:
    """Only claims with a sentence merge; a skill or plan has a name, and is revised under it."""
    if not isinstance(current.payload, Semantic):
        raise InvalidError("use_remember", "a skill or plan is revised by remembering it anew", field="record_ids")
    return current.payload


def _check_sources(writer: Writer, handle: Handle, sources: Sequence[Current]) -> Handle:
    """All hold, all can be seen, all live in one scope; the caller there."""
    for source in sources:
        check_source(source, "record_ids")
        _payload(source)
    if len({s.record.root.skeleton.scope for s in sources}) > 1:
        raise InvalidError("merge_across_scopes", "the records are in different scopes", field="record_ids")
    return at_record(writer, handle, sources[0].record)


def _waits(handle: Handle, sources: Sequence[Current], claim: Claim) -> str | None:
    """Why a merge is only proposed: records of others, or, from an agent, a claim that none of the records makes.

    The evidence of all backs what is merged, so an agent may not put words into it that nobody said.
    """
    if not all(may_revise(handle, s.record) for s in sources):
        return ANOTHER_OWNERS
    if handle.author.role != "person" and claim not in [s.claim for s in sources]:
        return NEEDS_PERSON
    return None


def _survivor(writer: Writer, here: Handle, sources: Sequence[Current], claim: Claim) -> str:
    """The record that makes the merged claim already, else the first that was named."""
    carriers = live_records(writer, here.scope_id, claim)
    named = [s.record_id for s in sources if s.record_id in carriers]
    return named[0] if named else carriers[0] if carriers else sources[0].record_id


def _edges(
    gateway: Gateway, here: Handle, writer: Writer, sources: Sequence[Current], home: str, claim: Claim
) -> Edges:
    """The evidence of all on the survivor, and the end of every other claim, for as long as that evidence stands."""
    view = View(writer)
    supports = _carried(view, sources, home, claim)
    if not supports:
        raise RefusedError("nothing_to_carry", "the records rest on nothing but each other", field="record_ids")
    if len(view.account(home).said) + len(supports) > limits.SUPPORTS_PER_RECORD:
        raise RefusedError("supports_full", "together the records have too many supports", field="record_ids")
    heard = max(s.spoken for source in sources for s in source.said)
    consequences = Consequences(
        # design 09.10: a person's verb reaches all words spoken before it, an agent's only its own owner's.
        reach=Reach(
            source=here.ids.owner, spoken=max(gateway.clock.now(), heard), everyone=here.author.role == "person"
        ),
        merged=tuple(Merged(record=s.record_id, claim=s.claim) for s in sources if s.claim != claim),
    )
    saw = show_heads(view, {home, *(s.record_id for s in sources)})
    return Revise(
        record_kind="semantic", supersedes=view.content_heads(home), saw=saw, supports=supports,
        consequences=consequences,
    )  # fmt: skip


def _carried(view: View, sources: Sequence[Current], home: str, claim: Claim) -> tuple[Assertion, ...]:
    """The live words of every source that said something else, each in its own time and under its own source.

    None is attested: whoever merges answers for the words being the same.
    """
    records = {s.record_id for s in sources} | {home}
    found: dict[tuple[str, tuple[int, int] | None, str], Said] = {}
    for source in sources:
        if source.claim == claim:
            continue
        live = grade(view, source.said).live
        for s in source.said:
            if s.id in live and s.evidence not in records:
                found.setdefault((s.evidence, s.span, s.source), s)
    return tuple(_as_word_for(claim, s) for s in found.values())


def _as_word_for(claim: Claim, s: Said) -> Assertion:
    return Assertion(
        claim=claim, evidence=s.evidence, source=s.source, spoken=s.spoken, basis=s.basis, span=s.span,
        from_=s.stated_from, to=s.stated_to, said=s.said, trusted=s.trusted, echo=s.echo, imported=s.imported,
        shares=s.shares,
    )  # fmt: skip
