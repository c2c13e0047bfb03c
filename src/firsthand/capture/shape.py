"""Shape and limits of what comes in, and the masking of secrets in every text of it (gateway steps 2 and 3)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

import msgspec

from firsthand.capture.secrets import mask, may_hold
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import SENSITIVITIES, Basis, Sensitivity
from firsthand.vocabulary.packets import Masking
from firsthand.vocabulary.records import (
    Competence,
    Entity,
    Episodic,
    Payload,
    PlanGraph,
    Semantic,
    Working,
)

T = TypeVar("T")
_RECORD_ID: Final = re.compile(r"r[0-9a-f]{40}")
BASES: Final[tuple[Basis, ...]] = ("stated", "observed", "inferred")


class _AnyPayload(msgspec.Struct):
    """Holds a payload of any kind, so that a tagged union can be read by name."""

    payload: Payload


def convert(value: object, into: type[T], field: str) -> T:
    """A plain value as a struct; what is wrong is named by its field, never quoted."""
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as error:
        raise InvalidError("shape_invalid", f"{field} is not well-formed{_place(error)}", field=field) from None


def _place(error: msgspec.ValidationError) -> str:
    """Where msgspec found the fault, without the words around it."""
    _, mark, path = str(error).rpartition(" - at `$")
    return f" at {path.rstrip('`')}" if mark else ""


P = TypeVar("P", bound=Payload)


def clean(payload: P) -> tuple[P, tuple[Masking, ...]]:
    """A payload within its limits, with typed secrets masked, and what was masked."""
    check(payload)
    if not may_hold(_json(payload)):
        return payload, ()
    found: list[Masking] = []
    masked = _mask(msgspec.to_builtins(payload), str(payload.__struct_config__.tag), found)
    if not found:
        return payload, ()
    return convert(masked, type(payload), "payload"), tuple(found)


def _json(payload: Payload) -> str:
    try:
        return msgspec.json.encode(payload).decode()
    except UnicodeEncodeError:
        raise InvalidError(
            "text_not_unicode", "payload holds a lone surrogate, which is not text", field="payload"
        ) from None


def mask_text(text: str, field: str, found: list[Masking]) -> str:
    """One text with its secrets masked."""
    masked = mask(text)
    found += [Masking(type=f.type, field=field, start=f.start, end=f.end) for f in masked.findings]
    return masked.text


def _mask(value: Any, field: str, found: list[Masking]) -> Any:
    match value:
        case str():
            return mask_text(value, field, found)
        case dict():
            items = cast("dict[str, Any]", value)
            return {mask_text(k, field, found): _mask(v, f"{field}.{k}", found) for k, v in items.items()}
        case list() | tuple():
            elements = cast("list[Any]", value)
            return [_mask(v, f"{field}[{i}]", found) for i, v in enumerate(elements)]
        case _:
            return value


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
        case Competence():
            _check_competence(payload)
        case PlanGraph():
            _check_plan(payload)
        case Entity():
            _check_entity(payload)
    if not isinstance(payload, Semantic) and not (isinstance(payload, Episodic) and _is_flat(payload)):
        _check_tree(msgspec.to_builtins(payload), 0)


def _is_flat(p: Episodic) -> bool:
    """Whether an episode holds no free JSON."""
    return not (p.tool_graph or p.timeline or p.artifacts) and p.environment is None


def reason(text: str | None, *, required: bool) -> str | None:
    """A reason within its limits."""
    if text is None:
        if required:
            raise InvalidError("reason_missing", "reason is required for this verb", field="reason")
        return None
    return limits.check_bytes(text, most=limits.REASON_MAX_BYTES, least=limits.REASON_MIN_BYTES, field="reason")


def record_id(text: str, field: str = "record_id") -> str:
    """A text that has the form of a record id."""
    if not _RECORD_ID.fullmatch(text):
        raise InvalidError("record_id_invalid", f"{field} does not have the form of a record id", field=field)
    return text


def sensitivity(value: object) -> Sensitivity:
    """A sensitivity by its name."""
    if value not in SENSITIVITIES:
        allowed = ", ".join(SENSITIVITIES)
        raise InvalidError("sensitivity_unknown", f"sensitivity is one of {allowed}", field="sensitivity")
    return value


def basis(value: object) -> Basis:
    """What a caller may say a claim is based on."""
    if value not in BASES:
        raise InvalidError("basis_unknown", f"basis is one of {', '.join(BASES)}", field="basis")
    return cast("Basis", value)


def payload(value: object) -> Payload:
    """A payload from a struct or a plain mapping with its `kind`."""
    if isinstance(value, Payload):
        return value
    return convert({"payload": value}, _AnyPayload, "payload").payload


def _check_name(text: str, field: str) -> None:
    limits.check_bytes(text, most=limits.NAME_BYTES, field=field)


def _check_tags(tags: tuple[str, ...], metadata: Mapping[str, str]) -> None:
    limits.check_count(len(tags), most=limits.TAGS_PER_RECORD, field="tags")
    for tag in tags:
        if not 0 < len(tag) <= limits.TAG_CHARACTERS or not tag.strip():
            raise InvalidError("tag_invalid", f"tags are 1 to {limits.TAG_CHARACTERS} characters", field="tags")
    limits.check_count(len(metadata), most=limits.METADATA_ENTRIES, field="metadata")
    for key, value in metadata.items():
        _check_name(key, "metadata")
        limits.check_bytes(value, most=limits.METADATA_VALUE_BYTES, least=0, field="metadata")


def _check_episode(p: Episodic) -> None:
    limits.check_bytes(p.text, most=limits.EPISODE_TEXT_BYTES, field="text")
    for field in ("speaker", "thread", "source_id", "origin", "event_kind"):
        value: str | None = getattr(p, field)
        if value is not None:
            _check_name(value, field)
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
    limits.check_count(len(p.validity.conditions), most=limits.METADATA_ENTRIES, field="conditions")
    start, end = p.validity.from_, p.validity.to
    if start is not None and end is not None and start >= end:
        raise InvalidError("window_empty", "valid_to is not after valid_from", field="valid_to")


def _check_competence(p: Competence) -> None:
    _check_name(p.skill_name, "skill_name")
    if not p.triggers or not p.recipe:
        raise InvalidError("competence_incomplete", "a competence needs triggers and a recipe", field="recipe")
    limits.check_count(len(p.recipe), most=limits.LIST_ITEMS, field="recipe")


def _check_entity(p: Entity) -> None:
    _check_name(p.canonical_name, "canonical_name")
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


def _check_tree(value: Any, depth: int) -> None:
    """Depth, finite numbers and valid Unicode, everywhere."""
    if depth > limits.JSON_DEPTH:
        raise InvalidError(
            "json_too_deep", f"payload is nested deeper than {limits.JSON_DEPTH} levels", field="payload"
        )
    match value:
        case str():
            if not value.isascii():
                limits.check_bytes(value, most=limits.BODY_BYTES, least=0, field="payload")
        case float():
            if not math.isfinite(value):
                raise InvalidError("number_not_finite", "payload holds a number that is not finite", field="payload")
        case dict():
            items = cast("dict[str, Any]", value)
            for k, v in items.items():
                _check_tree(k, depth)
                _check_tree(v, depth + 1)
        case list() | tuple():
            for v in cast("list[Any]", value):
                _check_tree(v, depth + 1)
        case _:
            pass
