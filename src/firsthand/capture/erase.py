"""Erase: destroy a source and what rests only on it, or every body that holds a value (designs 01, 03, 09.31).

The plan is made and carried out under one append lock, in one transaction: all of it is destroyed or nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from firsthand.capture import bounds, cleaning
from firsthand.capture.certify import Proofs, finish, owe, proofs_of
from firsthand.capture.entities import resolve
from firsthand.capture.erase_plan import Found, covers, entries_of, of_source, of_value
from firsthand.capture.gateway import Gateway, request_digest
from firsthand.capture.planned import digest_of, planned
from firsthand.capture.readable import Held, held
from firsthand.capture.sieve import DOMAIN
from firsthand.ledger import Appended
from firsthand.ports import Reader, RequestRow, Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import assertions_of, value_digest
from firsthand.rules.destroying import (
    SHORTEST_BARE_VALUE,
    WHOLE_SENTENCE,
    Wanted,
    folded_body,
    texts_in,
    told_sentences,
    value_forms,
)
from firsthand.rules.identity import cardinality, typed_value
from firsthand.rules.normalise import name_key, statement_key
from firsthand.stored import body_of
from firsthand.vocabulary.entries import Body, Claim, Erase, Tombstone
from firsthand.vocabulary.erasure import Certificate, Erasure, ErasurePlan
from firsthand.vocabulary.errors import BusyError, ConflictError, DeniedError, InvalidError, RefusedError
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.limits import ERASE_TARGETS_PER_CALL, NAME_BYTES, STATEMENT_BYTES, check_bytes, check_count
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Episodic, Semantic, TypedValue

_REASON_CODE: Final = lazy_pattern(r"[a-z][a-z_]{1,31}")
_PLAN_HASH: Final = lazy_pattern(r"[0-9a-f]{40}")


class Asked(NamedTuple):
    """What a caller asks to be destroyed. `expired`: records that retention lets go, whose words may come again."""

    record_id: str | None
    value: tuple[str | None, str | None, TypedValue] | None
    reason_code: str
    reason: str | None
    plan_hash: str | None = None
    expired: tuple[str, ...] = ()


class _Aim(NamedTuple):
    """The values that are destroyed, as forms to look for and as claims to forbid; none where a source is."""

    wanted: tuple[Wanted, ...]
    claims: frozenset[Claim]
    whole_text: str = ""


class _PlannedError(Exception):
    """Rolls a dry run back, and carries its plan."""

    def __init__(self, plan: ErasurePlan) -> None:
        super().__init__()
        self.plan = plan


def check(asked: Asked) -> None:
    """Refuse a request that is not well-formed; a reason code is one plain word, since it is never erased."""
    if sum((asked.record_id is not None, asked.value is not None, bool(asked.expired))) != 1:
        raise InvalidError("target_unclear", "give record_id, target or value: one of them", field="record_id")
    if not isinstance(asked.reason_code, str) or not _REASON_CODE.fullmatch(asked.reason_code):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError("reason_code_invalid", "reason_code is one word of small letters", field="reason_code")
    bounds.check_reason(asked.reason, required=False)
    if asked.plan_hash is not None and not _PLAN_HASH.fullmatch(asked.plan_hash):
        raise InvalidError("plan_hash_invalid", "plan_hash is not one that a dry run gave", field="plan_hash")


def value_of(given: object) -> tuple[str | None, str | None, TypedValue]:
    """A (subject, predicate, object) as given by a caller, checked."""
    if not isinstance(given, tuple | list) or len(given) != 3:  # pyright: ignore[reportUnknownArgumentType]
        raise InvalidError("value_invalid", "value is a subject, a predicate and an object", field="value")
    subject, predicate, value = given  # pyright: ignore[reportUnknownVariableType]
    for part in (subject, predicate):  # pyright: ignore[reportUnknownVariableType]
        if part is not None:
            check_bytes(part, most=NAME_BYTES, field="value")  # pyright: ignore[reportUnknownArgumentType]
    typed = typed_value(value)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(typed.value, str):
        check_bytes(typed.value, most=STATEMENT_BYTES, field="value")
    if subject is None and len(str(typed.value)) < SHORTEST_BARE_VALUE:
        raise InvalidError(
            "value_too_short",
            f"a value without a subject has at least {SHORTEST_BARE_VALUE} characters; name its subject",
            field="value",
        )
    return subject, predicate, typed  # pyright: ignore[reportUnknownVariableType]


def authorise(handle: Handle) -> None:
    """Refuse whoever may not destroy: an agent may only where its grant names the verb (design 05)."""
    handle.may_write("erase")
    named = handle.grant.verbs is not None and "erase" in handle.grant.verbs
    if handle.author.role == "agent" and not named:
        raise DeniedError("erase_not_granted", "an agent erases only where its grant names the verb", field="verb")


def erase(
    gateway: Gateway, handle: Handle, asked: Asked, *, dry_run: bool = False, idempotency_key: str | None = None
) -> Erasure:
    """Plan, and unless it is a dry run carry out, an erasure; then clean the file and say what is proven of it."""
    authorise(handle)
    check(asked)
    reason, _ = cleaning.reason(asked.reason, gateway.is_ours(handle), required=False)
    fingerprint = gateway.fingerprint(handle, *asked) if idempotency_key is not None else ""
    try:
        with gateway.transaction(handle) as writer:
            known = _known(handle, writer, idempotency_key, fingerprint)
            if known is not None:
                return known
            aim = _aim(writer, handle, asked)
            found = _find(writer, handle, asked, aim)
            proofs = proofs_of(writer, handle, found, aim.wanted)
            plan, first = _carry_out(gateway, handle, writer, asked, aim, found, reason)
            _check_plan(asked, plan, dry_run=dry_run)
            writer.optimise_words()
            owe(writer, first.entry.id, first.received_at, plan)
            if idempotency_key is not None:
                _keep_request(handle, writer, idempotency_key, fingerprint, asked, first)
    except _PlannedError as dry:
        return Erasure(plan=dry.plan, executed=False)
    return Erasure(
        plan=plan, executed=True, entry_id=first.entry.id, certificate=_certified(gateway, handle, first, proofs)
    )


def _certified(gateway: Gateway, handle: Handle, first: Appended, proofs: Proofs) -> Certificate | None:
    """The certificate, unless others keep the store busy: the words are destroyed all the same, and it is owed."""
    try:
        return finish(gateway, handle, first.entry.id, proofs)
    except BusyError:
        return None


def _known(handle: Handle, reader: Reader, key: str | None, fingerprint: str) -> Erasure | None:
    """The first answer to the same request."""
    row = reader.request(request_digest(handle, "erase", key)) if key is not None else None
    if row is None or row.entry_id is None:
        return None
    if row.fingerprint != fingerprint:
        raise ConflictError(
            "idempotency_key_reused", "idempotency_key was used before for another request; take a new key",
            field="idempotency_key", next_action="fix_and_resubmit",
        )  # fmt: skip
    kept = reader.certificate(row.entry_id)
    assert kept is not None, "an erasure and its certificate are stored together"
    return msgspec.structs.replace(msgspec.json.decode(kept.report, type=Erasure), replayed=True)


def _keep_request(handle: Handle, writer: Writer, key: str, fingerprint: str, asked: Asked, first: Appended) -> None:
    row = RequestRow(fingerprint, "stored", asked.record_id, first.entry.id, None, first.received_at, None)
    writer.put_request(request_digest(handle, "erase", key), row)


def _check_plan(asked: Asked, plan: ErasurePlan, *, dry_run: bool) -> None:
    """Refuse what is not the plan that was seen, or may not be; a dry run ends here."""
    if not plan.targets:
        raise RefusedError("nothing_to_erase", "no body that is left holds this", next_action="none")
    if dry_run:
        raise _PlannedError(plan)
    if asked.plan_hash is not None and asked.plan_hash != plan.hash:
        raise ConflictError(
            "plan_stale", "the plan is no longer what would happen; make it again", field="plan_hash",
            details={"hash": plan.hash},
        )  # fmt: skip
    if plan.held:
        raise RefusedError(
            "legal_hold", "a record that would be destroyed is under legal hold", details={"held": list(plan.held)}
        )


# ---- what is aimed at ------------------------------------------------------------------------------------------------


def _aim(writer: Writer, handle: Handle, asked: Asked) -> _Aim:
    """The values of a claim's record, or the value that was named; nothing for a source."""
    if asked.value is not None:
        return _aim_at_value(writer, handle, *asked.value)
    for record_id in asked.expired:
        _within_grant(writer, handle, record_id)
    if asked.record_id is None:
        return _Aim((), frozenset())
    record = _within_grant(writer, handle, asked.record_id)
    if record.edges.record_kind == "semantic":
        return _aim_at_record(writer, record)
    body = body_of(writer.rows_of([record.root.id])[record.root.id])
    payload = body.payload if body is not None else None
    return _Aim((), frozenset(), payload.text if isinstance(payload, Episodic) else "")


def _within_grant(reader: Reader, handle: Handle, record_id: str) -> Held:
    record = held(reader, handle, record_id)
    if not covers(handle, record.root.skeleton.scope):
        raise DeniedError("scope_not_granted", "the grant does not include the record's scope", field="scope")
    return record


def _aim_at_record(reader: Reader, record: Held) -> _Aim:
    entries = entries_of(reader, record.record_id)
    claims = frozenset(a.claim for e in entries for a in assertions_of(e))
    wanted: dict[Wanted, None] = {}
    for row in reader.rows_of([e.id for e in entries]).values():
        body = body_of(row)
        if body is not None and isinstance(body.payload, Semantic):
            wanted[_wanted(reader, record.root.skeleton.scope, body.payload)] = None
    return _Aim(tuple(wanted), claims)


def _wanted(reader: Reader, scope_id: str, payload: Semantic) -> Wanted:
    statement = statement_key(payload.statement)
    is_truth = payload.object is not None and isinstance(payload.object.value, bool)  # of which no text says "true"
    is_known_by_itself = len(statement) >= WHOLE_SENTENCE or payload.subject is None or is_truth
    told = (statement,) if is_known_by_itself else ()
    if payload.subject is None or payload.object is None:
        return Wanted((), (), told or (statement,))
    return Wanted(_names(reader, scope_id, payload.subject), value_forms(payload.object), told)


def _names(reader: Reader, scope_id: str, subject: str) -> tuple[str, ...]:
    """A subject's name, and every other name of the entity it stands for."""
    names = [name_key(subject)]
    for entity in reader.entities_named(scope_id, name_key(subject)):
        names += [name for name, role in reader.names_of_entity(entity) if role != "identifier"]
    return tuple(dict.fromkeys(n for n in names if n))


def _aim_at_value(
    reader: Reader, handle: Handle, subject: str | None, predicate: str | None, value: TypedValue
) -> _Aim:
    if subject is None:
        return _Aim((Wanted((), value_forms(value)),), frozenset())
    wanted = Wanted(_names(reader, handle.scope_id, subject), value_forms(value))
    digest, key = resolve(reader, handle, subject).digest, handle.keyed.value(value)
    if predicate is None:
        return _Aim((wanted,), frozenset({Claim(value=key, subject=digest)}))
    one = cardinality(predicate, value)
    claim = Claim(value=key, subject=digest, predicate=handle.keyed.predicate(predicate, one), one=one == "one")
    return _Aim((wanted,), frozenset({claim}))


def _find(writer: Writer, handle: Handle, asked: Asked, aim: _Aim) -> Found:
    if aim.wanted:
        found = of_value(writer, handle, aim.wanted, set(aim.claims), asked.record_id)
    else:
        found = of_source(writer, handle, asked.expired or (asked.record_id or "",))
    blank = {i for i, row in writer.rows_of(found.gone).items() if row.body is None}
    gone = {i: g for i, g in found.gone.items() if i not in blank}
    check_count(len(gone), most=ERASE_TARGETS_PER_CALL, field="targets")
    return found._replace(gone=gone)


# ---- the entries -----------------------------------------------------------------------------------------------------


def _carry_out(
    gateway: Gateway,
    handle: Handle,
    writer: Writer,
    asked: Asked,
    aim: _Aim,
    found: Found,
    reason: str | None,
) -> tuple[ErasurePlan, Appended]:
    """Append the erase entries, which destroy what they name; the plan says what that did."""
    prints = _fingerprints(writer, handle, aim, found)
    stones = _tombstones(aim, found)
    groups = _groups(handle, writer, found)
    draft = planned(writer, handle, found, len(prints), len(stones))
    _check_words(reason, aim)
    made: list[Appended] = []
    for scope_id, targets in groups:
        for number, stone in enumerate(stones or [None]):
            edges = Erase(
                targets=targets if number == 0 else (),
                reason_code=asked.reason_code,
                tombstone=stone,
                fingerprints=prints if number == 0 else (),
                by_value=bool(aim.wanted),
            )
            record = asked.record_id if not made else None
            words = gateway.words(Body(reason=reason), 0)
            made.append(gateway.append(handle, writer, edges, words, record=record, scope_id=scope_id))
    plan = digest_of(writer, handle, draft, found, [row for each in made for row in each.changes.opened], prints)
    return plan, made[0]


def _check_words(reason: str | None, aim: _Aim) -> None:
    """The reason stays, so it must not say what is destroyed."""
    if reason is not None and any(w.said_in(folded_body(msgspec.json.encode(reason).decode())) for w in aim.wanted):
        raise InvalidError("reason_holds_value", "reason says what is to be destroyed; it would stay", field="reason")


def _groups(handle: Handle, reader: Reader, found: Found) -> list[tuple[str, tuple[str, ...]]]:
    """Targets by the scope that says so: one entry for all where the grant is the whole space."""
    if handle.grant.write is None and handle.readable is None:
        return [(SPACE_WIDE, tuple(sorted(found.gone)))]
    groups: dict[str, list[str]] = {}
    names: list[str] = []
    for entry_id, ground in sorted(found.gone.items()):
        entry = reader.get(entry_id)
        assert entry is not None
        if ground == "name_only_used_there":
            names.append(entry_id)
        else:
            groups.setdefault(entry.skeleton.scope, []).append(entry_id)
    ordered = [(scope, tuple(ids)) for scope, ids in sorted(groups.items())] or [(handle.scope_id, ())]
    return [(ordered[0][0], (*ordered[0][1], *names)), *ordered[1:]]


def _tombstones(aim: _Aim, found: Found) -> list[Tombstone]:
    """One for each value that was aimed at, as it was claimed or as it was named."""
    said = {(c.subject, c.value) for c in aim.claims}
    claimed = [c for c in aim.claims if c.predicate or not c.subject]
    claimed += [c for _, c in found.claims if (c.subject, c.value) in said]
    # What nobody claimed is known by subject and value alone, here and wherever this erasure is taken in.
    claimed = claimed or list(aim.claims)
    stones = {
        value_digest(c): Tombstone(
            value=c.value, subject=c.subject, predicate=c.predicate, polarity=c.polarity, one=c.one, absolute=True
        )
        for c in claimed
    }
    return [stones[key] for key in sorted(stones)]


def _fingerprints(reader: Reader, handle: Handle, aim: _Aim, found: Found) -> tuple[str, ...]:
    """Keyed digests of the sentences that are cut when they come in again: those of the value, or the whole source."""
    whole = statement_key(aim.whole_text) if aim.whole_text else ""
    keys = {whole} if len(whole) >= WHOLE_SENTENCE else set[str]()
    for row in reader.rows_of(found.gone).values() if aim.wanted else ():
        if row.body is not None:
            keys |= {key for w in aim.wanted for key in told_sentences(texts_in(row.body), w)}
    return tuple(sorted(handle.keyed.digest(DOMAIN, key) for key in keys))
