"""Records that are no claims: the working memory of a task, and entities with their names."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from firsthand.capture import cleaning
from firsthand.capture.entities import entities_of, resolve
from firsthand.capture.gateway import Gateway
from firsthand.capture.readable import held, payload_of
from firsthand.capture.receipts import Placed, may_see, receipt_for, rows_now
from firsthand.capture.stones import refused_record
from firsthand.ledger import Words
from firsthand.ports import Writer
from firsthand.rules.access import Handle
from firsthand.rules.bearing import task_key
from firsthand.rules.normalise import name_key
from firsthand.rules.view import View
from firsthand.sighting import subject_digest
from firsthand.vocabulary.entries import Body, Revise
from firsthand.vocabulary.errors import ConflictError
from firsthand.vocabulary.kinds import SENSITIVITIES, Sensitivity
from firsthand.vocabulary.packets import Masking, Receipt
from firsthand.vocabulary.records import Alias, Entity, Identifier, Working


def remember_plain(
    gateway: Gateway,
    handle: Handle,
    payload: Working | Entity,
    sensitivity: Sensitivity,
    reason: str | None,
    masked: tuple[Masking, ...],
) -> tuple[Callable[[Writer], Receipt], tuple[Masking, ...]]:
    """What to run under the lock for a working record or an entity, and what was masked in its words."""
    cleaned = cleaning.clean(payload, gateway.is_ours(handle))
    payload, maskings = cleaned.payload, (*cleaned.maskings, *masked)
    words = gateway.words(Body(payload=payload, reason=reason), gateway.clock.now())
    level = SENSITIVITIES.index(sensitivity)

    def run(writer: Writer) -> Receipt:
        met = refused_record(handle, writer, words.body, gateway.clock)
        if met is not None:
            return gateway.refuse(handle, writer, "remember", met.code, cause=met.cause)
        if isinstance(payload, Entity):
            home, edges, said = _entity(gateway, handle, writer, payload, words)
        else:
            home, edges, said = _working(handle, writer, payload, words)
        if home is not None:
            edges = msgspec.structs.replace(edges, supersedes=View(writer).content_heads(home))
        done = gateway.append(handle, writer, edges, said, record=home, sensitivity=level)
        placed = Placed(done, done.entry.record_id, None, home is not None, None)
        notes = ("own_packet_cut",) if cleaned.own_words else ()
        return receipt_for(handle, writer, placed, maskings=maskings, notes=notes)

    return run, maskings


def _working(handle: Handle, writer: Writer, payload: Working, words: Words) -> tuple[str | None, Revise, Words]:
    """One record per task and scope: its newest state replaces the one before."""
    task = handle.keyed.digest("task", payload.thread_id)
    known = writer.bearing_on(task_key(handle.scope_id, task))
    home = min((e.record_id for e in known), default=None)
    return home, Revise(record_kind="working", names=(task,)), words


def _entity(
    gateway: Gateway, handle: Handle, writer: Writer, payload: Entity, words: Words
) -> tuple[str | None, Revise, Words]:
    """The entity of that name or identifier with what is new of it, or a new one."""
    home = _entity_home(handle, writer, payload)
    if home is not None:
        before = payload_of(writer, View(writer).content_heads(home)[-1])
        if isinstance(before, Entity):
            merged = _merged(before, payload)
            words = gateway.words(Body(payload=merged, reason=words.body.reason), gateway.clock.now())
        return home, Revise(record_kind="entity", names=(subject_digest(writer, home),)), words
    taken = resolve(writer, handle, payload.canonical_name)
    own = taken.digest
    if taken.entity_id is not None or taken.ambiguous:
        own = handle.keyed.digest("namesake", f"{name_key(payload.canonical_name)}\n{words.salt}")
    return None, Revise(record_kind="entity", names=(own,)), words


def _entity_home(handle: Handle, writer: Writer, payload: Entity) -> str | None:
    """The one entity this payload is about: by identifier, else by name, unless it is said to be another."""
    others = {held(writer, handle, i, "distinct_from").record_id for i in payload.distinct_from}
    known = {
        e
        for i in payload.identifiers
        for e in entities_of(writer, handle, i.value)
        if e not in others and _has_identifier(writer, e, i)
    }
    if not known:
        known = {e for e in entities_of(writer, handle, payload.canonical_name) if e not in others}
    if len(known) > 1:
        seen = sorted(e for e in known if may_see(handle, rows_now(writer, e)))
        raise ConflictError(
            "entity_ambiguous", "payload fits several entities; tell it apart by an identifier or distinct_from",
            field="payload", next_action="fix_and_resubmit", details={"candidates": seen},
        )  # fmt: skip
    return next(iter(known), None)


def _has_identifier(writer: Writer, entity_id: str, identifier: Identifier) -> bool:
    """Whether an entity has this identifier in this namespace: number 7 of one list is not number 7 of another."""
    payload = payload_of(writer, View(writer).content_heads(entity_id)[-1])
    if not isinstance(payload, Entity):
        return False
    wanted = name_key(identifier.namespace), name_key(identifier.value)
    return wanted in {(name_key(i.namespace), name_key(i.value)) for i in payload.identifiers}


def _merged(before: Entity, now: Entity) -> Entity:
    """What was known of an entity with what is said now: names add up, the rest is as said last."""
    aliases = {name_key(a.value): a for a in (Alias(value=now.canonical_name), *before.aliases, *now.aliases)}
    aliases.pop(name_key(before.canonical_name), None)
    identifiers = {(i.namespace, i.value): i for i in (*before.identifiers, *now.identifiers)}
    return Entity(
        canonical_name=before.canonical_name,
        entity_kind=now.entity_kind if now.entity_kind != "other" else before.entity_kind,
        aliases=tuple(aliases.values()),
        identifiers=tuple(identifiers.values()),
        distinct_from=tuple(dict.fromkeys((*before.distinct_from, *now.distinct_from))),
        summary=now.summary if now.summary is not None else before.summary,
        tags=tuple(dict.fromkeys((*before.tags, *now.tags))),
        metadata={**before.metadata, **now.metadata},
    )
