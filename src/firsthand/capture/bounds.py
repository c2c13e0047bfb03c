"""The limits of what comes in, and the rules of each kind (gateway step 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from firsthand.capture.shape import plain
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.records import Competence, Entity, Episodic, Payload, PlanGraph, Semantic, TypedValue, Working


def check(payload: Payload) -> None:
    """Refuse a payload over a limit or against its kind's rules."""
    _check_tags(payload.tags, payload.metadata)
    match payload:
        case Episodic():
            _check_episode(payload)
        case Semantic():
            _check_claim(payload)
        case Working():
            _check_name(payload.thread_id, "thread_id")
            for field in ("next_actions", "open_questions", "constraints"):
                limits.check_count(len(getattr(payload, field)), most=limits.LIST_ITEMS, field=field)
        case Competence():
            _check_competence(payload)
        case PlanGraph():
            _check_plan(payload)
        case Entity():
            _check_entity(payload)
    if not isinstance(payload, Semantic) and not (isinstance(payload, Episodic) and _is_flat(payload)):
        check_tree(plain(payload, "payload"), 0)


def _is_flat(p: Episodic) -> bool:
    """Whether an episode holds no free JSON."""
    return not (p.tool_graph or p.timeline or p.artifacts) and p.environment is None


def check_reason(text: str | None, *, required: bool) -> None:
    """Refuse a reason that is missing where it is required, or over a limit."""
    if text is not None:
        limits.check_bytes(text, most=limits.REASON_MAX_BYTES, least=limits.REASON_MIN_BYTES, field="reason")
    elif required:
        raise InvalidError("reason_missing", "reason is required for this verb: say why", field="reason")


def _check_name(text: str, field: str) -> None:
    limits.check_bytes(text, most=limits.NAME_BYTES, field=field)


def _check_tags(tags: tuple[str, ...], metadata: Mapping[str, str]) -> None:
    limits.check_count(len(tags), most=limits.TAGS_PER_RECORD, field="tags")
    for tag in tags:
        if len(tag) > limits.TAG_CHARACTERS or limits.says_nothing(tag):
            raise InvalidError("tag_invalid", f"tags are 1 to {limits.TAG_CHARACTERS} characters", field="tags")
    limits.check_count(len(metadata), most=limits.METADATA_ENTRIES, field="metadata")
    for key, value in metadata.items():
        _check_name(key, "metadata")
        limits.check_bytes(value, most=limits.METADATA_VALUE_BYTES, least=0, field="metadata")


def _check_episode(p: Episodic) -> None:
    limits.check_bytes(p.text, most=limits.EPISODE_TEXT_BYTES, field="text")
    names = (("speaker", p.speaker), ("thread", p.thread), ("source_id", p.source_id), ("origin", p.origin))
    for field, value in (*names, ("event_kind", p.event_kind)):
        if value is not None:
            _check_name(value, field)
    if _is_flat(p):
        return
    for field in ("timeline", "tool_graph", "artifacts"):
        limits.check_count(len(getattr(p, field)), most=limits.LIST_ITEMS, field=field)
    known = {call.id for call in p.tool_graph}
    if len(known) != len(p.tool_graph):
        raise InvalidError("tool_graph_invalid", "tool_graph has two calls with one id", field="tool_graph")
    if any(d not in known for call in p.tool_graph for d in call.depends_on):
        raise InvalidError("tool_graph_invalid", "tool_graph depends on a call that is not in it", field="tool_graph")


def _check_claim(p: Semantic) -> None:
    limits.check_bytes(p.statement, most=limits.STATEMENT_BYTES, field="statement")
    for field in ("subject", "predicate"):
        value: str | None = getattr(p, field)
        if value is not None:
            _check_name(value, field)
    if (p.subject is None) != (p.predicate is None) or (p.subject is None and p.object is not None):
        raise InvalidError(
            "claim_incomplete", "a structured claim needs subject, predicate and object together", field="subject"
        )
    if p.subject is not None and p.object is None:
        raise InvalidError("claim_incomplete", "a structured claim needs an object", field="object")
    if p.object is not None and isinstance(p.object.value, str):
        limits.check_bytes(p.object.value, most=limits.STATEMENT_BYTES, field="object")
    if p.object is not None and p.object.unit is not None:
        _check_name(p.object.unit, "unit")
    if p.object is not None:
        _check_typed(p.object)
    limits.check_count(len(p.validity.conditions), most=limits.METADATA_ENTRIES, field="conditions")
    for key, condition in p.validity.conditions.items():
        _check_name(key, "conditions")
        if isinstance(condition, str):
            limits.check_bytes(condition, most=limits.METADATA_VALUE_BYTES, field="conditions")
        else:
            _check_number(condition, "conditions")
    start, end = p.validity.from_, p.validity.to
    if start is not None and end is not None and start >= end:
        raise InvalidError("window_empty", "valid_to is not after valid_from", field="valid_to")


def _check_typed(value: TypedValue) -> None:
    """Whether a value is of the type it says."""
    match value.type:
        case "number":
            fits = isinstance(value.value, int | float) and not isinstance(value.value, bool)
        case "boolean":
            fits = isinstance(value.value, bool)
        case _:
            fits = isinstance(value.value, str)
    if not fits:
        raise InvalidError("object_invalid", "object is not of the type it states", field="object")
    if not isinstance(value.value, str):
        _check_number(value.value, "object")


def _check_number(value: float, field: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidError("number_not_finite", f"{field} holds a number that is not finite", field=field)
    if isinstance(value, int):
        _check_whole(value, field)


def _check_competence(p: Competence) -> None:
    _check_name(p.skill_name, "skill_name")
    if not p.triggers or not p.recipe:
        raise InvalidError("competence_incomplete", "a competence needs triggers and a recipe", field="recipe")
    for field in ("triggers", "recipe", "required_tools", "failure_modes", "fallbacks"):
        limits.check_count(len(getattr(p, field)), most=limits.LIST_ITEMS, field=field)


def _check_entity(p: Entity) -> None:
    _check_name(p.canonical_name, "canonical_name")
    for field in ("aliases", "identifiers", "distinct_from"):
        limits.check_count(len(getattr(p, field)), most=limits.LIST_ITEMS, field=field)
    for identifier in p.identifiers:
        _check_name(identifier.namespace, "identifiers")
        _check_name(identifier.value, "identifiers")
    for alias in p.aliases:
        _check_name(alias.value, "aliases")
        if alias.kind not in ("alias", "former"):
            raise InvalidError("alias_kind_unknown", "aliases are of kind alias or former", field="aliases")


def _check_plan(p: PlanGraph) -> None:
    _check_name(p.plan_id, "plan_id")
    limits.check_count(len(p.nodes), most=limits.PLAN_NODES, field="nodes")
    limits.check_count(len(p.edges), most=limits.PLAN_NODES * 4, field="edges")
    ids = {n.id for n in p.nodes}
    if not p.nodes or len(ids) != len(p.nodes):
        raise InvalidError("plan_invalid", "nodes need ids of their own, and at least one", field="nodes")
    if any(e.from_ not in ids or e.to not in ids for e in p.edges):
        raise InvalidError("plan_invalid", "edges name a node that does not exist", field="edges")
    if any(e.kind not in ("data", "control") for e in p.edges):
        raise InvalidError("plan_invalid", "edges are of kind data or control", field="edges")
    if _cyclic(ids, [(e.from_, e.to) for e in p.edges if e.kind == "control"]):
        raise InvalidError("plan_cyclic", "control edges form a cycle", field="edges")


def _cyclic(ids: set[str], edges: list[tuple[str, str]]) -> bool:
    """Whether taking away nodes without predecessors leaves some."""
    incoming = dict.fromkeys(ids, 0)
    for _, to in edges:
        incoming[to] += 1
    ready = [i for i, n in incoming.items() if n == 0]
    taken = 0
    while ready:
        node = ready.pop()
        taken += 1
        for start, to in edges:
            if start == node:
                incoming[to] -= 1
                if incoming[to] == 0:
                    ready.append(to)
    return taken < len(ids)


def _check_whole(value: int, field: str) -> None:
    if not -(2**63) <= value < 2**63:
        raise InvalidError("number_too_large", f"{field} holds a whole number beyond 64 bits", field=field)


def check_tree(value: Any, depth: int) -> None:
    """Depth, finite numbers within 64 bits, and text without NUL, everywhere."""
    if depth > limits.JSON_DEPTH:
        raise InvalidError(
            "json_too_deep", f"payload is nested deeper than {limits.JSON_DEPTH} levels", field="payload"
        )
    match value:
        case str():
            limits.check_bytes(value, most=limits.BODY_BYTES, least=0, field="payload")
        case bool():
            pass
        case int():
            _check_whole(value, "payload")
        case float():
            if not math.isfinite(value):
                raise InvalidError("number_not_finite", "payload holds a number that is not finite", field="payload")
        case dict():
            items = cast("dict[str, Any]", value)
            for k, v in items.items():
                check_tree(k, depth)
                check_tree(v, depth + 1)
        case list() | tuple():
            for v in cast("list[Any]", value):
                check_tree(v, depth + 1)
        case _:
            pass
