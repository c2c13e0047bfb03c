"""What a recall was asked for, checked: scopes within the grant, limits, the two clocks (design 04, step 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from firsthand.ports import SEQ_BITS, ScopeRow
from firsthand.rules.access import Handle
from firsthand.rules.gate import Include, check_include
from firsthand.vocabulary import limits
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.instants import Instant, to_micros
from firsthand.vocabulary.kinds import KINDS, SENSITIVITIES, Kind, Sensitivity
from firsthand.vocabulary.tokens import CountTokens, estimate_tokens

Conditions = Mapping[str, str | int | float | bool]
DEFAULT_KINDS: tuple[Kind, ...] = ("episodic", "working", "semantic", "competence", "plan_graph")
"""Entity records are items only when asked for by kind (design 09.24)."""


class Plan(NamedTuple):
    """A checked recall. Instants in microseconds; unset clocks are now."""

    query: str
    scopes: tuple[str, ...]
    kinds: tuple[Kind, ...]
    limit: int
    max_bytes: int
    max_tokens: int | None
    valid_at: int | None
    known_at: int | None
    conditions: Conditions
    include: frozenset[Include]
    expand: int
    min_salience: float | None
    clearance: int
    now: int
    count_tokens: CountTokens = estimate_tokens

    @property
    def at(self) -> int:
        """The instant of the world the answer is about."""
        return self.now if self.valid_at is None else self.valid_at


class Place(NamedTuple):
    """A scope read by a recall, and where its documents begin in the recall's own numbering."""

    row: ScopeRow
    name: str
    offset: int
    whole: ScopeRow
    """The scope as it is now; `row` goes as far as it went at the time asked about."""

    @property
    def end(self) -> int:
        """The document number at which it ends."""
        return (self.row.scope_no << SEQ_BITS) + self.row.next_seq


def plan(
    handle: Handle,
    now: int,
    query: str,
    *,
    scopes: Sequence[str] | None = None,
    kinds: Sequence[Kind] | None = None,
    limit: int = limits.RECALL_LIMIT_DEFAULT,
    max_bytes: int = limits.PACKET_BYTES_DEFAULT,
    max_tokens: int | None = None,
    valid_at: Instant | None = None,
    known_at: Instant | None = None,
    conditions: Conditions | None = None,
    include: Sequence[str] = (),
    expand: int = 0,
    min_salience: float | None = None,
    clearance: Sensitivity | None = None,
    count_tokens: CountTokens = estimate_tokens,
) -> Plan:
    """The checked plan, or the first thing wrong with what was asked."""
    limits.check_bytes(query, most=limits.QUERY_BYTES, least=0, field="query")
    limits.check_range(limit, least=limits.RECALL_LIMIT_MIN, most=limits.RECALL_LIMIT_MAX, field="limit")
    limits.check_range(max_bytes, least=limits.PACKET_BYTES_MIN, most=limits.PACKET_BYTES_MAX, field="max_bytes")
    if max_tokens is not None:
        limits.check_range(max_tokens, least=limits.PACKET_TOKENS_MIN, most=limits.PACKET_BYTES_MAX, field="max_tokens")
    limits.check_range(expand, least=0, most=limits.GRAPH_HOPS_MAX, field="expand")
    return Plan(
        query=query,
        scopes=handle.scopes(_scope_list(scopes)),
        kinds=check_kinds(kinds) or DEFAULT_KINDS,
        limit=limit,
        max_bytes=max_bytes,
        max_tokens=max_tokens,
        valid_at=None if valid_at is None else to_micros(valid_at, "valid_at"),
        known_at=None if known_at is None else to_micros(known_at, "known_at"),
        conditions=_conditions(conditions),
        include=check_include(_include(include)),
        expand=expand,
        min_salience=_salience(min_salience),
        clearance=handle.level(_sensitivity(clearance)),
        now=now,
        count_tokens=count_tokens,
    )


def check_kinds(kinds: Sequence[Kind] | None) -> tuple[Kind, ...] | None:
    """Kinds that exist."""
    if kinds is None:
        return None
    if not isinstance(kinds, list | tuple | set | frozenset) or any(k not in KINDS for k in kinds):
        raise InvalidError("kind_unknown", f"kinds is a list of {', '.join(KINDS)}", field="kinds")
    return tuple(dict.fromkeys(kinds))


def _conditions(given: object) -> Conditions:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(
        isinstance(k, str) and isinstance(v, str | int | float)
        for k, v in cast("Mapping[object, object]", given).items()
    ):
        raise InvalidError("shape_invalid", "conditions is a mapping of names to values", field="conditions")
    return dict(cast("Conditions", given))


def _include(names: object) -> tuple[str, ...]:
    given = tuple(cast("list[object]", names)) if isinstance(names, list | tuple | set | frozenset) else (names,)
    if isinstance(names, str) or not all(isinstance(n, str) for n in given):
        raise InvalidError("include_unknown", "include is a list of names", field="include")
    return cast("tuple[str, ...]", given)


def _scope_list(scopes: Sequence[str] | None) -> Sequence[str] | None:
    if scopes is not None and not isinstance(scopes, list | tuple | set | frozenset):
        raise InvalidError("scope_invalid", "scopes is a list of scopes such as project:orion", field="scopes")
    return None if scopes is None else list(scopes)


def _sensitivity(value: Sensitivity | None) -> Sensitivity | None:
    if value is not None and value not in SENSITIVITIES:
        raise InvalidError("sensitivity_unknown", f"clearance is one of {', '.join(SENSITIVITIES)}", field="clearance")
    return value


def _salience(value: float | None) -> float | None:
    if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError("out_of_range", "min_salience is between 0 and 1", field="min_salience")
    return value
