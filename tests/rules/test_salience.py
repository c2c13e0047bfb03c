"""Salience is a number computed when read: asking changes nothing, and time only lowers it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firsthand.rules.salience import (
    HALF_LIFE_DAYS,
    SALIENCE_CAP,
    SALIENCE_FLOOR,
    SALIENCE_GAIN,
    Anchor,
    half_life,
    penalise,
    reinforce,
    value_at,
)
from firsthand.vocabulary.instants import MICROSECONDS_PER_DAY
from firsthand.vocabulary.kinds import KINDS, Kind

kinds = st.sampled_from(KINDS)
decaying = st.sampled_from([k for k in KINDS if HALF_LIFE_DAYS[k] is not None])
instants = st.integers(0, 10 * 365 * MICROSECONDS_PER_DAY)
anchors = st.builds(Anchor, st.floats(SALIENCE_FLOOR, SALIENCE_CAP), instants)
amounts = st.floats(0, 2)
property_test = settings(max_examples=150, deadline=None, derandomize=True, database=None)


@property_test
@given(anchors, kinds, st.lists(instants, min_size=1, max_size=8))
def test_asked_at_many_instants_or_once_the_same_number(anchor: Anchor, kind: Kind, asked: list[int]) -> None:
    once = value_at(anchor, kind, asked[-1])
    assert [value_at(anchor, kind, now) for now in asked][-1] == once


@property_test
@given(anchors, decaying, st.lists(instants, min_size=1, max_size=8))
def test_decay_does_not_compound(anchor: Anchor, kind: Kind, stops: list[int]) -> None:
    """A sweep that wrote every value back would come to the same: nothing is gained or lost by reading."""
    stops = sorted(anchor.at + s for s in stops)
    swept = anchor
    for now in stops:
        swept = Anchor(value_at(swept, kind, now), now)
    assert swept.value == pytest.approx(value_at(anchor, kind, stops[-1]), abs=1e-9)


@property_test
@given(anchors, kinds, st.lists(instants, min_size=2, max_size=8))
def test_it_never_rises_by_itself(anchor: Anchor, kind: Kind, asked: list[int]) -> None:
    values = [value_at(anchor, kind, now) for now in sorted(asked)]
    assert all(a >= b for a, b in pairwise(values))


@property_test
@given(anchors, kinds, instants, amounts)
def test_it_stays_between_the_floor_and_the_cap(anchor: Anchor, kind: Kind, now: int, amount: float) -> None:
    for move in (reinforce, penalise):
        after = move(anchor, kind, now, amount)
        for at in (now, now + MICROSECONDS_PER_DAY):
            assert SALIENCE_FLOOR <= value_at(after, kind, at) <= SALIENCE_CAP


@property_test
@given(anchors, kinds, instants, amounts, amounts)
def test_more_gain_never_gives_less(anchor: Anchor, kind: Kind, now: int, a: float, b: float) -> None:
    less, more = sorted((a, b))
    assert reinforce(anchor, kind, now, less).value <= reinforce(anchor, kind, now, more).value
    assert penalise(anchor, kind, now, less).value >= penalise(anchor, kind, now, more).value
    assert penalise(anchor, kind, now).value <= value_at(anchor, kind, now) <= reinforce(anchor, kind, now).value


@pytest.mark.parametrize(("kind", "days"), [("episodic", 1), ("working", 1), ("competence", 30), ("semantic", 90)])
def test_what_lies_above_the_floor_halves_in_a_half_life(kind: Kind, days: int) -> None:
    assert half_life(kind) == days * MICROSECONDS_PER_DAY
    half = value_at(Anchor(1.0, 0), kind, days * MICROSECONDS_PER_DAY)
    assert half - SALIENCE_FLOOR == pytest.approx((1.0 - SALIENCE_FLOOR) / 2)


def test_an_entity_never_decays() -> None:
    assert half_life("entity") is None
    assert value_at(Anchor(0.7, 0), "entity", 10**6 * MICROSECONDS_PER_DAY) == 0.7


def test_a_clock_set_back_raises_nothing_and_moves_no_anchor_back() -> None:
    anchor = Anchor(0.5, 10 * MICROSECONDS_PER_DAY)
    assert value_at(anchor, "semantic", 0) == 0.5
    assert reinforce(anchor, "semantic", 0) == Anchor(0.5 + SALIENCE_GAIN, anchor.at)


@pytest.mark.parametrize("move", [reinforce, penalise])
def test_a_negative_amount_is_a_programmers_mistake(move: Callable[[Anchor, Kind, int, float], Anchor]) -> None:
    with pytest.raises(AssertionError):
        move(Anchor(0.5, 0), "semantic", 0, -0.1)
