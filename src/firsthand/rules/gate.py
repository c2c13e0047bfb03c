"""The one gate for reads: whether a belief may be shown (design 01). Written once here and once as SQL.

Two halves. *Locks* (scope, generation, sensitivity, withdrawal, rejection, erasure) bind at every time: a question
about the past passes those of then and of now. *Standing* (tier, status, support) is that of the time asked about.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, cast

from firsthand.rules.bearing import CLAIMED
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.kinds import INCLUDES, Include, Kind, Status, Tier, Visibility

NOTHING_MORE: Final[frozenset[Include]] = frozenset()

_UNLOCKED_VISIBILITY: Final = ("visible", "content_conflict")
_LOCKED_STATUS: Final = ("rejected", "erased")


class Shown(NamedTuple):
    """What the gate reads of one belief row. `sensitivity` is a level from 0."""

    tier: Tier
    status: Status
    visibility: Visibility
    live_support: int
    sensitivity: int
    kind: Kind
    in_scope: bool = True
    current_generation: bool = True


def may_show(
    now: Shown, then: Shown | None = None, *, clearance: int, include: frozenset[Include] = NOTHING_MORE
) -> bool:
    """Whether a row passes. `then`: the row as known at an earlier time, when `known_at` asks about one."""
    asked = now if then is None else then
    return unlocked(now, clearance) and unlocked(asked, clearance) and stands(asked, include)


def unlocked(row: Shown, clearance: int) -> bool:
    """Whether nothing locks a row, whatever is believed of it; time travel is never a way around a lock."""
    return (
        row.in_scope
        and row.current_generation
        and row.sensitivity <= clearance
        and row.visibility in _UNLOCKED_VISIBILITY  # anything unknown counts as hidden (design 02)
        and row.status not in _LOCKED_STATUS
    )


def stands(row: Shown, include: frozenset[Include] = NOTHING_MORE) -> bool:
    """Whether a row's tier, status and support are what a recall asks for."""
    supported = row.live_support > 0 or row.kind not in CLAIMED
    candidate = row.tier == "candidate"
    match row.status:
        case "active" | "disputed":
            return supported and (not candidate or "candidates" in include)
        case "needs_review":
            return supported and "needs_review" in include and (not candidate or "candidates" in include)
        case "pending_evidence":
            # Not yet believed is one thing to ask for, no longer supported another.
            return ("candidates" if candidate and supported else "pending") in include
        case "superseded":
            return "superseded" in include
        case _:
            return False


def is_conflict(row: Shown) -> bool:
    """Whether what passes goes to a packet's conflicts instead of its items."""
    return row.status == "disputed" or row.visibility == "content_conflict"


def check_include(names: Iterable[str]) -> frozenset[Include]:
    """`names` as a set, if each is something a recall may ask for."""
    asked = frozenset(names)
    if not asked <= set(INCLUDES):
        raise InvalidError("include_unknown", f"include holds a name other than {', '.join(INCLUDES)}", field="include")
    return cast("frozenset[Include]", asked)
