"""Shape and limits of what comes in, and the masking of secrets in every text of it (gateway steps 2 and 3)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

import msgspec

from firsthand.capture import fences
from firsthand.capture.fences import MARK
from firsthand.capture.secrets import mask, may_hold
from firsthand.vocabulary import limits
from firsthand.vocabulary.citing import Cite
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES, Basis, Sensitivity
from firsthand.vocabulary.packets import Masking
from firsthand.vocabulary.records import (
    Competence,
    Entity,
    Episodic,
    Payload,
    PlanGraph,
    Semantic,
    TypedValue,
    Working,
)

T = TypeVar("T")
_RECORD_ID: Final = re.compile(r"r[0-9a-f]{40}")
_RECORD_ID_START: Final = re.compile(r"r[0-9a-f]{7,40}")
_FIRST_NAME: Final = re.compile(r"[a-z_]+")
_MISSING: Final = re.compile(r"Object missing required field `([a-z_]+)`")
_NUL_IN_JSON: Final = "\\u0000"
_TYPES: Final = re.compile(r"Expected `([a-z |]+)`, got `([a-z]+)`")
BASES: Final[tuple[Basis, ...]] = ("stated", "observed", "inferred")


class _AnyPayload(msgspec.Struct):
    """Holds a payload of any kind, so that a tagged union can be read by name."""

    payload: Payload


class _AnyEvidence(msgspec.Struct):
    """Holds citations, so that a fault in one is named by its place."""

    evidence: tuple[Cite, ...]


def convert(value: object, into: type[T], field: str) -> T:
    """A plain value as a struct; what is wrong is named by its field, never quoted."""
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as error:
        place, fault = _fault(error)
        named = _FIRST_NAME.match(place)
        raise InvalidError(
            "shape_invalid", f"{place or field} {fault}", field=named.group() if named else field
        ) from None
    except RecursionError:
        raise _too_deep() from None


def _fault(error: msgspec.ValidationError) -> tuple[str, str]:
    """Where msgspec found a fault and which: types and names of our own fields, never a word of the value."""
    said, _, path = str(error).rpartition(" - at `$")
    said, place = (said, path.rstrip("`").strip(".").removeprefix("payload.")) if said else (path, "")
    if missing := _MISSING.match(said):
        return place, f"lacks {missing[1]}; add it"
    if types := _TYPES.match(said):
        return place, f"must be {types[1]}, not {types[2]}"
    if said.startswith("Object contains unknown field"):
        return place, "has a field that is not known here; leave it out"
    return place, "has a value that is not allowed here"


def _too_deep() -> InvalidError:
    return InvalidError("json_too_deep", f"payload is nested deeper than {limits.JSON_DEPTH} levels", field="payload")


P = TypeVar("P", bound=Payload)
IsOurs = Callable[[str], bool]
"""Whether a nonce is that of a packet this memory delivered."""
OWN_PACKET_CUT: Final = "[own packet cut]"
"""What stands where a text beside the main one was nothing but a packet of ours."""


class Cleaned(NamedTuple, Generic[P]):
    """A payload fit to be stored; with `nothing_left` its main text was nothing but packets of ours."""

    payload: P
    maskings: tuple[Masking, ...] = ()
    own_words: int = 0
    nothing_left: bool = False


def clean(payload: P, is_ours: IsOurs) -> Cleaned[P]:
    """A payload within its limits, our own packets cut out and typed secrets masked in every text of it."""
    main = _main(payload)
    cut = fences.cut(main[1], is_ours) if main is not None and MARK in main[1] else None
    nothing_left = cut is not None and cut.removed > 0 and not cut.text.strip()
    reduced = payload
    if main is not None and cut is not None and cut.removed:
        reduced = msgspec.structs.replace(payload, **{main[0]: OWN_PACKET_CUT if nothing_left else cut.text})
    check(reduced)
    text = _json(reduced)
    if reduced is payload and MARK not in text and not may_hold(text):
        return Cleaned(payload)
    scrub = _Scrub(is_ours)
    scrubbed = scrub.value(msgspec.to_builtins(payload), str(payload.__struct_config__.tag))
    if not scrub.found and not scrub.cut:
        return Cleaned(payload)
    return Cleaned(convert(scrubbed, type(payload), "payload"), tuple(scrub.found), scrub.cut, nothing_left)


def _main(payload: Payload) -> tuple[str, str] | None:
    match payload:
        case Episodic(text=text):
            return "text", text
        case Semantic(statement=statement):
            return "statement", statement
        case _:
            return None


class _Scrub:
    """Masks and cuts text after text, and keeps what was found; spans are in the text as given."""

    def __init__(self, is_ours: IsOurs) -> None:
        self.found: list[Masking] = []
        self.cut = 0
        self._is_ours = is_ours

    def text(self, text: str, field: str) -> str:
        masked = mask(text)
        self.found += [Masking(type=f.type, field=field, start=f.start, end=f.end) for f in masked.findings]
        cut = fences.cut(masked.text, self._is_ours)
        self.cut += cut.removed
        return cut.text if not cut.removed or cut.text.strip() else OWN_PACKET_CUT

    def _pair(self, key: Any, value: Any, field: str) -> tuple[Any, Any]:
        named = self.value(key, field)
        return named, self.value(value, f"{field}.{named}")

    def value(self, value: Any, field: str) -> Any:
        match value:
            case str():
                return self.text(value, field)
            case dict():
                return dict(self._pair(k, v, field) for k, v in cast("dict[Any, Any]", value).items())
            case list() | tuple():
                elements = cast("list[Any]", value)
                return [self.value(v, f"{field}[{i}]") for i, v in enumerate(elements)]
            case _:
                return value


def _json(payload: Payload) -> str:
    """A payload as JSON, within the limit of a body; text that is not text is refused here for every field."""
    try:
        text = msgspec.json.encode(payload).decode()
    except UnicodeEncodeError:
        raise InvalidError(
            "text_not_unicode", "payload holds a lone surrogate, which is not text", field="payload"
        ) from None
    if len(text) > limits.BODY_BYTES:
        raise InvalidError(
            "payload_too_large", f"payload is over its limit of {limits.BODY_BYTES} bytes; split it", field="payload"
        )
    if _NUL_IN_JSON in text:
        _check_tree(msgspec.to_builtins(payload), 0)
    return text


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
        _check_tree(plain(payload, "payload"), 0)


def _is_flat(p: Episodic) -> bool:
    """Whether an episode holds no free JSON."""
    return not (p.tool_graph or p.timeline or p.artifacts) and p.environment is None


def reason(text: str | None, is_ours: IsOurs, *, required: bool) -> tuple[str | None, tuple[Masking, ...]]:
    """A reason within its limits, with its secrets masked and our own packets cut, and what was masked."""
    check_reason(text, required=required)
    if text is None:
        return None, ()
    scrub = _Scrub(is_ours)
    return scrub.text(text, "reason"), tuple(scrub.found)


def check_reason(text: str | None, *, required: bool) -> None:
    """Refuse a reason that is missing where it is required, or over a limit."""
    if text is not None:
        limits.check_bytes(text, most=limits.REASON_MAX_BYTES, least=limits.REASON_MIN_BYTES, field="reason")
    elif required:
        raise InvalidError("reason_missing", "reason is required for this verb: say why", field="reason")


def no_secret(text: str | None, field: str) -> None:
    """Refuse a secret as a name: it cannot be masked, since who and where are told apart by it."""
    if isinstance(text, str) and mask(text).findings:
        raise InvalidError("name_is_secret", f"{field} holds a secret, which no name may; use another", field=field)


def record_id(text: str, field: str = "record_id") -> str:
    """A text that has the form of a record id."""
    if not isinstance(text, str) or not _RECORD_ID.fullmatch(text):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError(
            "record_id_invalid", f"{field} does not have the form of a record id; take one from a receipt", field=field
        )
    return text


def is_record_id_start(text: object) -> bool:
    """Whether a text can be the beginning of a record id."""
    return isinstance(text, str) and _RECORD_ID_START.fullmatch(text) is not None


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
    """A payload from a struct or a plain mapping with its `kind`; a struct is checked as strictly as a mapping."""
    if isinstance(value, Mapping) and value.get("kind") not in KINDS:  # pyright: ignore[reportUnknownMemberType]
        raise InvalidError("kind_unknown", f"payload.kind is one of {', '.join(KINDS)}", field="payload")
    return convert({"payload": plain(cast("object", value), "payload")}, _AnyPayload, "payload").payload


def plain(value: object, field: str) -> Any:
    """Structs and what they hold as plain JSON values, so that a conversion checks them too."""
    try:
        return msgspec.to_builtins(value)
    except RecursionError:
        raise _too_deep() from None
    except (TypeError, ValueError):
        raise InvalidError("shape_invalid", f"{field} holds something that is not JSON", field=field) from None


def evidence(value: object) -> tuple[Cite, ...]:
    """Citations, each checked: a record id, and a quote or a span of it."""
    if not isinstance(value, list | tuple):
        raise InvalidError(
            "evidence_invalid", "evidence is a list of firsthand.cite(record_id, quote=…)", field="evidence"
        )
    given = cast("Sequence[object]", value)
    limits.check_count(len(given), most=limits.EVIDENCE_PER_WRITE, field="evidence")
    cited = convert({"evidence": plain(given, "evidence")}, _AnyEvidence, "evidence").evidence
    for c in cited:
        record_id(c.record_id, "evidence")
        if c.quote is not None and c.span is not None:
            raise InvalidError("cite_overspecified", "evidence takes a quote or a span, not both", field="evidence")
        if c.quote is not None:
            limits.check_bytes(c.quote, most=limits.EPISODE_TEXT_BYTES, field="evidence")
    return cited


def switch(value: object, field: str) -> bool:
    """A yes or no that is one."""
    if not isinstance(value, bool):
        raise InvalidError("switch_invalid", f"{field} is true or false", field=field)
    return value


def texts(value: object, field: str) -> tuple[str, ...]:
    """A list of strings; one string alone is not a list of its letters."""
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in cast("list[object]", value)):
        raise InvalidError("list_invalid", f"{field} is a list of strings", field=field)
    return tuple(cast("Sequence[str]", value))


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


def _check_tree(value: Any, depth: int) -> None:
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
                _check_tree(k, depth)
                _check_tree(v, depth + 1)
        case list() | tuple():
            for v in cast("list[Any]", value):
                _check_tree(v, depth + 1)
        case _:
            pass
