"""How much attention a record deserves now: computed when read, from an anchor and a half-life (design 04).

No sweep ever runs. Attention never decides truth: it orders results and hides nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY
from firsthand.vocabulary.kinds import Kind

SALIENCE_FLOOR: Final = 0.05
"""Salience decays towards this and never below it."""
SALIENCE_CAP: Final = 1.0
SALIENCE_GAIN: Final = 0.1
"""What one useful recall adds, and one useless recall takes."""

HALF_LIFE_DAYS: Final[dict[Kind, int | None]] = {
    "episodic": 1,
    "working": 1,
    "competence": 30,
    "plan_graph": 30,
    "semantic": 90,
    "entity": None,
}
"""Days in which what lies above the floor halves; unset: it never decays."""


class Anchor(NamedTuple):
    """A salience in `[SALIENCE_FLOOR, SALIENCE_CAP]` and the instant, in microseconds, at which it held."""

    value: float
    at: int


def half_life(kind: Kind) -> int | None:
    """The half-life of a kind in microseconds; unset for what never decays."""
    days = HALF_LIFE_DAYS[kind]
    return None if days is None else days * MICROSECONDS_PER_DAY


def value_at(anchor: Anchor, kind: Kind, now: int) -> float:
    """The salience at `now`; before its anchor it is the anchor's, so a clock set back raises nothing."""
    start = _bounded(anchor.value)
    halving = half_life(kind)
    if halving is None or now <= anchor.at:
        return start
    # Never re-anchored by a read: asked at n instants or once, the same number.
    return _bounded(SALIENCE_FLOOR + (start - SALIENCE_FLOOR) * 2.0 ** (-(now - anchor.at) / halving))


def reinforce(anchor: Anchor, kind: Kind, now: int, gain: float = SALIENCE_GAIN) -> Anchor:
    """A new anchor: the current value plus `gain`."""
    assert gain >= 0, "a gain is not negative; use penalise"
    return _moved(anchor, kind, now, gain)


def penalise(anchor: Anchor, kind: Kind, now: int, loss: float = SALIENCE_GAIN) -> Anchor:
    """A new anchor: the current value less `loss`."""
    assert loss >= 0, "a loss is not negative; use reinforce"
    return _moved(anchor, kind, now, -loss)


def _moved(anchor: Anchor, kind: Kind, now: int, by: float) -> Anchor:
    return Anchor(_bounded(value_at(anchor, kind, now) + by), max(now, anchor.at))


def _bounded(value: float) -> float:
    return min(SALIENCE_CAP, max(SALIENCE_FLOOR, value))
