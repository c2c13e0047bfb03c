"""What an entry does to a record, in one word, from what was believed before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from firsthand.vocabulary.kinds import HiddenReason, Status, Tier, Visibility
from firsthand.vocabulary.packets import Standing
from firsthand.vocabulary.results import EffectName

HOLDS: Final = ("active", "disputed")
_WEIGHT: Final = ("active", "disputed", "needs_review", "pending_evidence", "quarantined", "superseded")


class Stands(Protocol):
    """What a standing is read from: a belief row, or one that the fold would make."""

    @property
    def tier(self) -> Tier: ...
    @property
    def status(self) -> Status: ...
    @property
    def visibility(self) -> Visibility: ...
    @property
    def hidden_reason(self) -> HiddenReason | None: ...
    @property
    def valid_to(self) -> int: ...
    @property
    def live_support(self) -> int: ...


class State(NamedTuple):
    """A record's standing, its live supports, and until when it holds in the world."""

    standing: Standing
    supports: int
    until: int


def standing_of(rows: Sequence[Stands]) -> Standing | None:
    """A record's standing in one word each: that of its best row."""
    if not rows:
        return None
    best = min(rows, key=lambda r: (_WEIGHT.index(r.status) if r.status in _WEIGHT else len(_WEIGHT), -r.valid_to))
    return Standing(
        tier=best.tier, status=best.status, visibility=best.visibility, hidden_reason=best.hidden_reason,
        shown=best.status in HOLDS and best.tier != "candidate" and best.visibility != "hidden",
    )  # fmt: skip


def state_of(rows: Iterable[Stands]) -> State | None:
    """A record's state from its rows."""
    known = list(rows)
    standing = standing_of(known)
    return (
        None
        if standing is None
        else State(standing, max(r.live_support for r in known), max(r.valid_to for r in known))
    )


def named(was: State, now: State) -> EffectName:
    """What happened, in one word."""
    held, holds = was.standing.status in HOLDS, now.standing.status in HOLDS
    hid, hides = was.standing.visibility == "hidden", now.standing.visibility == "hidden"
    if hid != hides:
        return "hidden" if hides else "shown"
    if held and not holds:
        return "ended" if now.standing.status == "superseded" else "fell"
    if holds and not held:
        return "returned"
    if now.standing.status == "disputed" != was.standing.status:
        return "disputed"
    if holds and now.until < was.until:
        return "ended"
    return "stood" if holds and now.supports <= was.supports else "changed"
