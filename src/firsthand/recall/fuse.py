"""From what the arms found to one order: the weighted sum of normalised scores, then small bounded factors (step 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from firsthand.ports import SEQ_BITS, Attention, BeliefRow, Candidate
from firsthand.recall.arms import Found, Speakers, number
from firsthand.recall.plan import Plan
from firsthand.recall.query import QueryFeatures
from firsthand.recall.score import Candidates, FloatArray, IntArray, rank
from firsthand.rules.salience import Anchor, value_at
from firsthand.rules.wording import QUESTION, TIME_WORDS

ENTITY_WEIGHT: Final = 0.25
CLAIM_FACTOR: Final = 1.2
"""A belief that was made of what was said outranks the saying, which it cites."""
FACT_FACTOR: Final = 1.05
NOT_CURRENT_FACTOR: Final = 0.7
"""What ended or is yet to begin follows what holds (design 09.22)."""
SALIENCE_SPAN: Final = 0.05
NOTHING: Final = 1e-9


class Ranked(NamedTuple):
    """One document that passed the gate, with its rows, its score and what the score is made of."""

    vid: int
    rows: list[BeliefRow]
    score: float
    parts: dict[str, float]


def fuse(
    plan: Plan,
    query: QueryFeatures,
    found: Found,
    passed: dict[int, list[BeliefRow]],
    attention: dict[str, Attention],
    speakers: Speakers,
) -> list[Ranked]:
    """Documents best first; the order is total, the newer first among equals."""
    rows = list(found.rows.values())
    if not rows:
        return []
    columns = _columns(query, found, rows, speakers)
    ranking = rank(query, columns, found.dense)
    parts = {name: values for name, values in ranking.parts.items() if values.any()}
    parts |= _arm_parts(found, rows)
    total = ranking.total + sum((parts[n] for n in ("entity", "recent") if n in parts), np.zeros(len(rows)))
    ranked: list[Ranked] = []
    for at, c in enumerate(rows):
        factor = _factor(plan, passed[c.vid], attention)
        contributions = {n: round(float(v[at]), 4) for n, v in parts.items() if v[at]}
        ranked.append(Ranked(c.vid, passed[c.vid], float(total[at]) * factor, contributions | {"factor": factor}))
    return sorted(ranked, key=lambda r: (-r.score, -r.vid))


def salience_of(row: BeliefRow, attention: dict[str, Attention], now: int) -> float:
    """A record's salience: from its anchor, or from when it was first believed."""
    held = attention.get(row.record_id)
    anchor = Anchor(held.anchor, held.anchored_at) if held is not None else Anchor(1.0, row.known_from)
    return value_at(anchor, row.kind, now)


def current_row(rows: Sequence[BeliefRow], at: int) -> BeliefRow:
    """The row that holds at an instant, else the one that ended last, else the one that begins first."""
    for row in rows:
        if row.valid_from <= at < row.valid_to:
            return row
    ended = [r for r in rows if r.valid_to <= at]
    return max(ended, key=lambda r: r.valid_to) if ended else min(rows, key=lambda r: r.valid_from)


def _columns(query: QueryFeatures, found: Found, rows: Sequence[Candidate], speakers: Speakers) -> Candidates:
    by_no = {p.row.scope_no: p for p in found.places}

    def place(vid: int | None) -> int:
        return -1 if vid is None else number(by_no[vid >> SEQ_BITS], vid)

    def speaker(c: Candidate) -> int:
        """Who said it; a claim about somebody named counts as theirs."""
        if c.vid in found.about:
            return min(query.speakers)
        return -1 if c.speaker is None else speakers.numbers.get((c.vid >> SEQ_BITS, c.speaker), -1)

    threads: dict[str | None, int] = {}
    thread = [threads.setdefault(c.thread if c.thread is not None else f"#{c.vid}", len(threads)) for c in rows]
    return Candidates(
        seq=_ints([place(c.vid) for c in rows]),
        thread=_ints(thread),
        prev_seq=_ints([place(c.prev_vid) for c in rows]),
        next_seq=_ints([place(c.next_vid) for c in rows]),
        speaker=_ints([speaker(c) for c in rows]),
        occurred_at=_ints([0 if c.occurred_at is None else c.occurred_at for c in rows]),
        is_question=np.array([bool(c.flags & QUESTION) for c in rows], dtype=np.bool_),
        has_time_words=np.array([bool(c.flags & TIME_WORDS) for c in rows], dtype=np.bool_),
        told_from=_ints([c.told_from or 0 for c in rows]),
        told_to=_ints([c.told_to or 0 for c in rows]),
    )


def _ints(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)


def _arm_parts(found: Found, rows: Sequence[Candidate]) -> dict[str, FloatArray]:
    """What the arms without a lexical score add: a fixed part for a name, a falling one for recency."""
    parts: dict[str, FloatArray] = {}
    named = set(found.arms.get("entity", ())) - found.about
    if named:
        parts["entity"] = np.array([ENTITY_WEIGHT * (c.vid in named) for c in rows])
    recent = {v: 1.0 / (1 + i) for i, v in enumerate(found.arms.get("recent", ()))}
    if recent:
        parts["recent"] = np.array([recent.get(c.vid, 0.0) + NOTHING * (c.vid in recent) for c in rows])
    return parts


def _factor(plan: Plan, rows: list[BeliefRow], attention: dict[str, Attention]) -> float:
    row = current_row(rows, plan.at)
    factor = 1.0 if row.kind == "episodic" else CLAIM_FACTOR
    if row.tier == "fact":
        factor *= FACT_FACTOR
    if not row.valid_from <= plan.at < row.valid_to:
        factor *= NOT_CURRENT_FACTOR
    salience = salience_of(row, attention, plan.now)
    return round(factor * (1 - SALIENCE_SPAN / 2 + SALIENCE_SPAN * salience), 6)
