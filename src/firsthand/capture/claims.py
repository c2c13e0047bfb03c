"""Remember: a claim or another record, with what it rests on; the same claim again is one more support of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from firsthand.capture import cleaning
from firsthand.capture.admitting import Asked, refusal
from firsthand.capture.effects import affecting
from firsthand.capture.entities import Subject, make, resolve
from firsthand.capture.episodes import Episode, prepare_episode, write_episode
from firsthand.capture.gateway import Gateway, Write
from firsthand.capture.ground import Ground, ground, source_of
from firsthand.capture.plain import remember_plain
from firsthand.capture.receipts import Placed, receipt_for
from firsthand.ledger import Appended, Words
from firsthand.ports import BeliefRow, Reader, Writer
from firsthand.projection import policy_in_force
from firsthand.rules.access import Handle
from firsthand.rules.bearing import claim_digest, unit_of
from firsthand.rules.identity import cardinality
from firsthand.rules.normalise import name_key
from firsthand.rules.view import View
from firsthand.rules.wording import words_of
from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.entries import Assertion, Body, Claim, Consequences, Revise, Support
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import SENSITIVITIES, Basis, Kind, Sensitivity
from firsthand.vocabulary.packets import Masking, Receipt
from firsthand.vocabulary.records import (
    Competence,
    Entity,
    Episodic,
    Payload,
    PlanGraph,
    Semantic,
    Validity,
    Working,
)

Claimed = Semantic | Competence | PlanGraph
_KIND_OF: dict[type[Claimed], Kind] = {Semantic: "semantic", Competence: "competence", PlanGraph: "plan_graph"}


class Saying(NamedTuple):
    """A claim about to be written. An `echo` adds no voice of its own; `windows` its stretches of time, if several."""

    payload: Claimed
    words: Words
    basis: Basis
    sensitivity: int
    evidence: tuple[Cite, ...]
    utterance: Episode | None
    maskings: tuple[Masking, ...]
    own_words: int = 0
    nothing_left: bool = False
    echo: bool = False
    windows: tuple[tuple[int, int | None], ...] = ()


def remember(
    gateway: Gateway,
    handle: Handle,
    payload: Payload,
    *,
    basis: Basis,
    sensitivity: Sensitivity,
    evidence: Sequence[Cite],
    reason: str | None,
    idempotency_key: str | None,
) -> Write:
    """The write that remembers a record of any kind but an episode."""
    handle.may_write("remember")
    asked = reason
    reason, masked = cleaning.reason(reason, gateway.is_ours(handle), required=False)
    match payload:
        case Episodic():
            raise InvalidError("use_capture", "an episode is captured, not remembered", field="payload")
        case Working() | Entity():
            if evidence:
                raise InvalidError(
                    "evidence_not_taken", "working memory and entities rest on no evidence; leave it out",
                    field="evidence",
                )  # fmt: skip
            run, maskings = remember_plain(gateway, handle, payload, sensitivity, reason, masked)
            names = ()
        case _:
            saying = prepare_saying(gateway, handle, payload, basis, sensitivity, evidence, reason)
            saying = saying._replace(maskings=(*saying.maskings, *masked))
            run, maskings = remember_claim(gateway, handle, saying), maskings_of(saying)
            names = _names_in(saying)
    fingerprint = ""
    if idempotency_key is not None:
        fingerprint = gateway.fingerprint(handle, payload, basis, sensitivity, list(evidence), asked)
    return Write("remember", run, idempotency_key, fingerprint, names=names, maskings=maskings)


def _names_in(saying: Saying) -> tuple[str, ...]:
    """What a claim looks up as names of entities: its subject, an object that may be one, and words of its sentence."""
    payload, names = saying.payload, saying.words.indexed.perhaps
    if isinstance(payload, Semantic) and payload.subject is not None and payload.object is not None:
        names = (name_key(payload.subject), name_key(str(payload.object.value)), *names)
    return names


# ---- claims ----------------------------------------------------------------------------------------------------------


def prepare_saying(
    gateway: Gateway,
    handle: Handle,
    payload: Claimed,
    basis: Basis,
    sensitivity: Sensitivity,
    evidence: Sequence[Cite],
    reason: str | None,
    utterance_text: str | None = None,
) -> Saying:
    """Pure work: mask, hash, and, where nothing is cited, the utterance that will be stored and cited whole."""
    cleaned = cleaning.clean(payload, gateway.is_ours(handle))
    payload = cleaned.payload
    words = gateway.words(Body(payload=payload, reason=reason), gateway.clock.now())
    utterance = None
    if not evidence:
        text = utterance_text if utterance_text is not None else words_of(payload)
        said = Episodic(text=text, event_kind="utterance", speaker=handle.author.actor)
        spotless = utterance_text is None and isinstance(payload, Semantic)
        utterance = prepare_episode(gateway, handle, said, utterance=True, spotless=spotless)
    level = SENSITIVITIES.index(sensitivity)
    return Saying(
        payload, words, basis, level, tuple(evidence), utterance, cleaned.maskings, cleaned.own_words,
        cleaned.nothing_left,
    )  # fmt: skip


def remember_claim(gateway: Gateway, handle: Handle, saying: Saying) -> Callable[[Writer], Receipt]:
    """What to run under the lock for a claim: gateway steps 6 to 9."""

    def run(writer: Writer) -> Receipt:
        if saying.nothing_left:
            return gateway.refuse_own_words(handle, writer, "remember")
        grounds = [ground(writer, handle, c) for c in saying.evidence]
        subject, claim = claim_of(handle, writer, saying.payload)
        asked = Asked("remember", saying.words, claim, saying.basis, grounds)
        refused = refusal(gateway, handle, writer, asked)
        if refused is not None:
            return refused
        name_subject(gateway, handle, writer, saying.payload, subject)
        placed = place(gateway, handle, writer, saying, claim, grounds)
        text = saying.payload.statement if isinstance(saying.payload, Semantic) and subject is None else None
        candidates = subject.candidates if subject else ()
        receipt = receipt_for(
            handle, writer, placed, maskings=maskings_of(saying), candidates=candidates, plain_text=text,
            notes=("own_packet_cut",) if saying.own_words else (),
        )  # fmt: skip
        return affecting(receipt, handle, writer, [placed.done])

    return run


def maskings_of(saying: Saying) -> tuple[Masking, ...]:
    """What was masked in the claim; its own utterance repeats the same words."""
    return saying.maskings or (saying.utterance.maskings if saying.utterance else ())


def claim_of(handle: Handle, reader: Reader, payload: Claimed) -> tuple[Subject | None, Claim]:
    """What a payload claims, as digests. Its subject is not made yet: a refused claim leaves no name behind."""
    match payload:
        case Semantic(subject=None):
            conditions = handle.keyed.conditions(payload.validity.conditions)
            return None, handle.keyed.plain_claim(payload.statement, payload.polarity, conditions)
        case Semantic():
            assert payload.subject is not None
            subject = resolve(reader, handle, payload.subject)
            return subject, structured_claim(reader, handle, payload, subject)
        case Competence(skill_name=name):
            return None, _skill_claim(handle, "competence", name)
        case PlanGraph(plan_id=name):
            return None, _skill_claim(handle, "plan_graph", name)


def name_subject(gateway: Gateway, handle: Handle, writer: Writer, payload: Claimed, subject: Subject | None) -> None:
    """Make the entity of a subject that is new."""
    if subject is not None and subject.entity_id is None and not subject.ambiguous:
        assert isinstance(payload, Semantic)
        assert payload.subject is not None
        make(gateway, handle, writer, payload.subject, subject)


def structured_claim(reader: Reader, handle: Handle, payload: Semantic, subject: Subject) -> Claim:
    """The claim of a structured payload about a resolved subject."""
    assert payload.predicate is not None
    assert payload.object is not None
    one = cardinality(payload.predicate, payload.object) == "one"
    return Claim(
        subject=subject.digest,
        predicate=handle.keyed.predicate(payload.predicate, "one" if one else "many"),
        value=_object_digest(reader, handle, payload),
        polarity=payload.polarity,
        conditions=handle.keyed.conditions(payload.validity.conditions),
        one=one and not subject.ambiguous,
        ambiguous=subject.ambiguous,
    )


def _object_digest(reader: Reader, handle: Handle, payload: Semantic) -> str:
    """An object's digest; one that names an entity by an alias is that entity's own name."""
    value = payload.object
    assert value is not None
    if value.type in ("entity", "string") and value.unit is None:
        found = resolve(reader, handle, str(value.value))
        if found.entity_id is not None:
            names = [n for n, role in reader.names_of_entity(found.entity_id) if role == "canonical"]
            if names:
                value = msgspec.structs.replace(value, value=names[0])
    return handle.keyed.value(value)


def _skill_claim(handle: Handle, kind: str, name: str) -> Claim:
    """A skill or plan is one claim by its name: its versions succeed each other as revisions of one record."""
    return Claim(value=handle.keyed.digest("skill", name), predicate=handle.keyed.digest("kind", kind))


def place(
    gateway: Gateway,
    handle: Handle,
    writer: Writer,
    saying: Saying,
    claim: Claim,
    grounds: Sequence[Ground],
    *,
    record: str | None = None,
    supersedes: tuple[str, ...] = (),
    saw: tuple[str, ...] = (),
    consequences: Consequences | None = None,
) -> Placed:
    """Gateway step 8: the same claim again is a support of its record, a skill again its next revision, else a root.

    With `record` it is a revision of that record whatever it claims.
    """
    carriers = live_records(writer, handle.scope_id, claim)
    home = record if record is not None else carriers[0] if carriers else None
    if (
        home is not None
        and record is None
        and consequences is None
        and _says_nothing_new(gateway, handle, writer, home, claim, grounds)
    ):
        done = gateway.append(handle, writer, Support(verb="grant"), saying.words, record=home)
        return Placed(done, home, claim, True, None, counted=True)
    evidence_id = None
    if saying.utterance is not None:
        stored = write_episode(gateway, handle, saying.utterance, SENSITIVITIES[saying.sensitivity], writer)
        evidence_id = stored.entry.record_id
        grounds = [_utterance_ground(saying, saying.utterance, stored)]
    check_not_itself(saying.evidence, carriers if record is None else [record])
    # design 09.33: what was just delivered is brought back by `change`, not by saying it again.
    says_again = handle.author.role != "person" and bool(carriers) and consequences is None
    echo = saying.echo or (says_again and writer.delivered_to(carriers, handle.ids.actor))
    supports = assertions(gateway, handle, writer, saying, claim, grounds, echo)
    if home is not None and record is None and isinstance(saying.payload, Semantic):
        edges = Support(verb="grant", supports=supports, saw=saw, consequences=consequences)
        done = gateway.append(handle, writer, edges, saying.words, record=home, sensitivity=saying.sensitivity)
        return Placed(done, home, claim, True, evidence_id)
    if home is not None and record is None:
        supersedes = View(writer).content_heads(home)
    edges = Revise(
        record_kind=_KIND_OF[type(saying.payload)],
        supersedes=supersedes,
        saw=saw,
        supports=supports,
        consequences=consequences,
    )
    done = gateway.append(handle, writer, edges, saying.words, record=home, sensitivity=saying.sensitivity)
    return Placed(done, done.entry.record_id, claim, False, evidence_id)


def check_not_itself(evidence: Sequence[Cite], records: Sequence[str]) -> None:
    """A memory is never evidence for itself, however often it is read back."""
    if any(c.record_id in records for c in evidence):
        raise InvalidError(
            "evidence_circular", "evidence cites the very record it would support; cite what was said", field="evidence"
        )


def assertions(
    gateway: Gateway,
    handle: Handle,
    writer: Writer,
    saying: Saying,
    claim: Claim,
    grounds: Sequence[Ground],
    echo: bool,
) -> tuple[Assertion, ...]:
    """One assertion per cited ground, for each window of world time."""
    now = gateway.clock.now()
    trusted = policy_in_force(writer).trusted_tools
    validity = saying.payload.validity if isinstance(saying.payload, Semantic) else Validity()
    return tuple(
        Assertion(
            claim=claim,
            evidence=g.record_id,
            source=source_of(handle, g),
            # design 09.4: spoken time is never later than the gateway's clock.
            spoken=min(now, max(x.spoken for x in grounds)),
            basis=saying.basis,
            span=g.span,
            from_=start,
            to=end,
            said=handle.keyed.words(g.quote),
            attested=g.attested and handle.author.role != "person",
            trusted=g.origin is not None and g.origin in trusted,
            echo=echo and not g.attested,
            imported=g.imported,
        )
        for g in grounds
        for start, end in saying.windows or ((validity.from_, validity.to),)
    )


def rows_of_claim(reader: Reader, scope_id: str, claim: Claim) -> list[BeliefRow]:
    """What is believed now of a claim."""
    digest = claim_digest(claim)
    return [r for r in reader.open_rows(unit_of(scope_id, claim)) if r.claim == digest]


def live_records(reader: Reader, scope_id: str, claim: Claim) -> list[str]:
    """Records that carry a claim and can take another support.

    One whose claim was superseded is among them: the fold shows a claim in one record, and that may stay the old one.
    """
    return sorted({r.record_id for r in rows_of_claim(reader, scope_id, claim) if r.status != "erased"})


def _utterance_ground(saying: Saying, utterance: Episode, stored: Appended) -> Ground:
    """The claim's own words in its utterance; a reason that follows them is kept there, and is no quote of it."""
    payload = utterance.words.body.payload
    assert isinstance(payload, Episodic)
    edges = utterance.edges
    spoken = stored.entry.skeleton.recorded_at
    words = words_of(saying.payload)
    quote = words if payload.text.startswith(words) else payload.text
    return Ground(stored.entry.record_id, (0, len(quote)), quote, edges.speaker, edges.attested, None, spoken, False)


def _says_nothing_new(
    gateway: Gateway, handle: Handle, writer: Writer, home: str, claim: Claim, grounds: Sequence[Ground]
) -> bool:
    """Whether a restatement past the limit of supports is only counted (design 09.1).

    A word that brings a value back, or comes from a new source, is still stored: succession and lift need it.
    """
    said = View(writer).account(home).said
    if len(said) < limits.SUPPORTS_PER_RECORD:
        return False
    now = gateway.clock.now()
    holds = any(
        r.status == "active" and r.valid_from <= now < r.valid_to for r in rows_of_claim(writer, handle.scope_id, claim)
    )
    heard = {s.source for s in said if s.claim == claim}
    sources = {source_of(handle, g) for g in grounds} or {handle.ids.owner}
    return holds and sources <= heard
