"""How far a belief can be relied on, in a code for programs and a sentence for people (design 04)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, Protocol

import msgspec

from firsthand.rules.values import value_key
from firsthand.vocabulary.instants import BEGINNING, FOREVER, MICROSECONDS_PER_DAY, to_date
from firsthand.vocabulary.kinds import Status, Tier, Volatility
from firsthand.vocabulary.packets import Excepted, Qualifier

DRIFT_DAYS: Final[dict[Volatility, int | None]] = {"stable": None, "drift_prone": 90, "ephemeral": 7}
"""Days since last verified after which a belief may have drifted (design 02)."""

EXCEPTIONS_TOLD: Final = 3

Conditions = Mapping[str, str | int | float | bool]
Code = Literal["current", "ended", "future", "disputed", "superseded", "unverified", "candidate", "said_then"]


class Drift(NamedTuple):
    """How fast a belief goes stale, when it was last said or seen, and now; instants in microseconds."""

    volatility: Volatility
    verified: int
    now: int


class Standing(Protocol):
    """What qualifying reads of a belief row."""

    @property
    def tier(self) -> Tier: ...
    @property
    def status(self) -> Status: ...
    @property
    def valid_from(self) -> int: ...
    @property
    def valid_to(self) -> int: ...


def qualify(
    row: Standing,
    *,
    at: int,
    conditions: Conditions,
    given: Conditions,
    drift: Drift,
    challenged_by: tuple[str, ...] = (),
    denied_by: tuple[str, ...] = (),
    denies: str | None = None,
) -> Qualifier:
    """The qualifier of a row, at an instant of the world. `denies`: what a negative claim says is not so, in words."""
    unmet = tuple(sorted(k for k in conditions if k not in given))
    drifted = has_drifted(drift)
    code = _code(row, at)
    parts = [_words(row, code)]
    if denies is not None:
        parts.append(f"denies that {denies}")
    if conditions:
        parts.append(_on(sorted(conditions.items())))
        parts += ["not known whether that holds"] if unmet else []
    if drifted:
        parts.append(f"not verified since {to_date(drift.verified)}, may have drifted")
    if challenged_by:
        parts.append("challenged by " + ", ".join(c[:9] for c in challenged_by))
    if denied_by:
        parts.append("denied by " + ", ".join(denied_by))
    return Qualifier(
        code=code,
        text="; ".join(parts),
        until=None if row.valid_to == FOREVER else row.valid_to,
        since=None if row.valid_from == BEGINNING else row.valid_from,
        conditions=dict(conditions),
        unmet=unmet,
        drifted=drifted,
        last_verified=drift.verified,
        challenged_by=challenged_by,
        denied_by=denied_by,
    )


def excepting(qualifier: Qualifier, more: Sequence[Excepted]) -> Qualifier:
    """The qualifier of a claim that is the default where something else holds under conditions; only of what holds."""
    excepted = tuple(sorted({*qualifier.excepted, *more}, key=lambda e: e.record_id))
    if qualifier.code != "current" or excepted == qualifier.excepted:
        return qualifier
    first, *others = qualifier.text.split("; ")
    if qualifier.excepted:
        first, others = (first, others[1:]) if first != _default(qualifier.excepted) else ("current", others)
    parts = [_default(excepted)] if first == "current" else [first, _default(excepted)]
    return msgspec.structs.replace(qualifier, text="; ".join((*parts, *others)), excepted=excepted)


def _default(excepted: tuple[Excepted, ...]) -> str:
    return f"default, except {_exceptions(excepted)}"


def _on(conditions: Iterable[tuple[str, object]]) -> str:
    return "on " + ", ".join(f"{k} = {v}" for k, v in conditions)


def _exceptions(excepted: tuple[Excepted, ...]) -> str:
    """The first exceptions, each with its conditions and where to look, and how many more there are."""
    told = [f"{_on(e.conditions)} (see {e.record_id[:9]})" for e in excepted[:EXCEPTIONS_TOLD]]
    more = len(excepted) - len(told)
    return " and ".join([*told, f"{more} more"] if more else told)


def has_drifted(drift: Drift) -> bool:
    """Whether it was last verified longer ago than its volatility allows."""
    days = DRIFT_DAYS[drift.volatility]
    return days is not None and drift.now - drift.verified > days * MICROSECONDS_PER_DAY


def contradicted(conditions: Conditions, given: Conditions) -> bool:
    """Whether a given condition speaks against one that a claim needs (design 04: only then is it left out)."""
    return any(k in given and value_key(given[k]) != value_key(v) for k, v in conditions.items())


def _code(row: Standing, at: int) -> Code:
    if row.status == "disputed":
        return "disputed"
    if row.status in ("superseded", "retracted", "rejected"):
        return "superseded"
    if row.status in ("needs_review", "pending_evidence", "quarantined") or row.tier == "candidate":
        return "candidate" if row.tier == "candidate" else "unverified"
    if row.valid_to <= at:
        return "ended"
    return "future" if row.valid_from > at else "current"


def _words(row: Standing, code: Code) -> str:
    match code:
        case "ended":
            return f"true until {to_date(row.valid_to)}"
        case "future":
            return f"true from {to_date(row.valid_from)}"
        case "candidate":
            return "a guess, not yet supported"
        case "unverified":
            return "waits for review"
        case "current":
            return "current" if row.valid_to == FOREVER else f"current, until {to_date(row.valid_to)}"
        case _:
            return code.replace("_", " ")
