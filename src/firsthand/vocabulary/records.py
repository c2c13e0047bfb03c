"""The six payload kinds as tagged structs, with the limits of design 02."""

from __future__ import annotations

from typing import Any

import msgspec

from firsthand.vocabulary.kinds import (
    Outcome,
    Polarity,
    TaskState,
    ValidityMode,
    ValueType,
    Volatility,
)

Json = str | int | float | bool | None | list[Any] | dict[str, Any]
"""A JSON value, at most 32 levels deep; no rule ever reads it as authority."""


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value inside a payload."""


class TimelineEvent(Part, frozen=True):
    """One event of an episode."""

    at: int
    event_kind: str
    ref: str | None = None
    summary: str | None = None


class ToolCall(Part, frozen=True):
    """One node of an episode's tool graph."""

    id: str
    tool: str
    args: dict[str, Json] = {}
    result: Json = None
    at: int | None = None
    depends_on: tuple[str, ...] = ()


class Environment(Part, frozen=True):
    """Where an episode happened."""

    os: str | None = None
    os_version: str | None = None
    tool_versions: dict[str, str] = {}
    working_directory: str | None = None
    context: dict[str, Json] = {}


class Artifact(Part, frozen=True):
    """A content-addressed thing an episode made or used."""

    digest: str
    name: str | None = None
    media_type: str | None = None
    size_bytes: int | None = None


class Constraint(Part, frozen=True):
    """A constraint on a task."""

    type: str
    key: str
    value: Json
    required: bool = False


class TypedValue(Part, frozen=True):
    """The object of a claim: an entity reference or a typed value."""

    type: ValueType
    value: str | int | float | bool
    unit: str | None = None


class Validity(Part, frozen=True):
    """When, or under what conditions, a claim holds. `from_`/`to` in microseconds; unset is open."""

    mode: ValidityMode = "global"
    conditions: dict[str, str | int | float | bool] = {}
    from_: int | None = msgspec.field(default=None, name="from")
    to: int | None = None


class Trigger(Part, frozen=True):
    """A signal that calls for a skill."""

    signal: str
    conditions: dict[str, Json] = {}


class RecipeStep(Part, frozen=True):
    """One step of a skill."""

    step: str
    tool: str | None = None
    args_schema: dict[str, Json] = {}
    validation: str | None = None


class Performance(Part, frozen=True):
    """The seed of a skill's record; later outcomes are folded from `attend` entries (design 09.18)."""

    success_count: int = 0
    failure_count: int = 0
    success_rate: float | None = None
    avg_latency_ms: float | None = None
    last_used_at: int | None = None


class PlanNode(Part, frozen=True):
    """A node of a plan."""

    id: str
    op: str
    params: dict[str, Json] = {}
    guards: tuple[str, ...] = ()


class PlanEdge(Part, frozen=True):
    """An edge of a plan; control edges are acyclic."""

    from_: str = msgspec.field(name="from")
    to: str
    kind: str = "control"


class PlanMetrics(Part, frozen=True):
    """The seed of a plan's record."""

    avg_latency_ms: float | None = None
    failure_rate: float | None = None
    execution_count: int = 0
    last_executed_at: int | None = None


class Alias(Part, frozen=True):
    """Another name of an entity."""

    value: str
    kind: str = "alias"
    locale: str | None = None


class Identifier(Part, frozen=True):
    """An entity's id in some namespace."""

    namespace: str
    value: str


class _Payload(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind"
):
    """What every payload has."""

    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}


class Episodic(_Payload, frozen=True, tag="episodic"):
    """What was said or happened: exact, never revised."""

    text: str
    occurred_at: int | None = None
    speaker: str | None = None
    event_kind: str | None = None
    timeline: tuple[TimelineEvent, ...] = ()
    tool_graph: tuple[ToolCall, ...] = ()
    environment: Environment | None = None
    outcome: Outcome | None = None
    artifacts: tuple[Artifact, ...] = ()
    thread: str | None = None
    source_id: str | None = None
    origin: str | None = None


class Working(_Payload, frozen=True, tag="working"):
    """The state of a task in one thread."""

    thread_id: str
    state: TaskState
    next_actions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    context_summary: str | None = None


class Semantic(_Payload, frozen=True, tag="semantic"):
    """A claim: a sentence, and its structure where there is one."""

    statement: str
    subject: str | None = None
    predicate: str | None = None
    object: TypedValue | None = None
    polarity: Polarity = "+"
    validity: Validity = Validity()
    volatility: Volatility = "drift_prone"


class Competence(_Payload, frozen=True, tag="competence"):
    """A skill: when it applies and how it goes."""

    skill_name: str
    triggers: tuple[Trigger, ...]
    recipe: tuple[RecipeStep, ...]
    required_tools: tuple[str, ...] = ()
    failure_modes: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    version: str | None = None
    performance: Performance | None = None


class PlanGraph(_Payload, frozen=True, tag="plan_graph"):
    """A plan as a graph."""

    plan_id: str
    version: str
    nodes: tuple[PlanNode, ...]
    edges: tuple[PlanEdge, ...]
    intent: str | None = None
    constraints: dict[str, Json] = {}
    inputs_schema: dict[str, Json] = {}
    outputs_schema: dict[str, Json] = {}
    metrics: PlanMetrics | None = None


class Entity(_Payload, frozen=True, tag="entity"):
    """A person, thing or idea that claims are about.

    `distinct_from` names entities of the same name that this one is not: the explicit way to a second (design 09.13).
    """

    canonical_name: str
    entity_kind: str = "other"
    aliases: tuple[Alias, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    distinct_from: tuple[str, ...] = ()
    summary: str | None = None


Payload = Episodic | Working | Semantic | Competence | PlanGraph | Entity
