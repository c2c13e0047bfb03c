"""Choosing between several skills or plans that answer one query (design 04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.recall.group import Candidate, Grouped
from firsthand.recall.plan import Plan
from firsthand.rules.performance import smoothed_success
from firsthand.rules.qualify import contradicted
from firsthand.rules.terms import terms
from firsthand.vocabulary.packets import Selection
from firsthand.vocabulary.records import Competence, Json, PlanGraph

TRIGGER_SHARE: Final = 0.75
"""How much of applicability is the match of a trigger; the rest, similarity, tells apart what matches alike."""
CLEAR_MARGIN: Final = 0.1
"""How far the first must be ahead of the second, as a share of its score, for the choice to be clear."""


class Selected(NamedTuple):
    """Grouped candidates with the better skill or plan first, how clear that is, and the scores by record."""

    grouped: Grouped
    selection: Selection | None
    scores: Mapping[str, float]


def select(grouped: Grouped, plan: Plan) -> Selected:
    """Skills and plans that hold take the places they have among them in the order of their own scores."""
    rivals = [c for c in grouped.items if c.item.performance is not None and c.item.qualifier.code == "current"]
    if len(rivals) < 2:
        return Selected(grouped, None, {})
    most = max(c.score for c in rivals)
    scores = {c.item.record_id: _score(c, plan, c.score / most if most > 0 else 0.0) for c in rivals}
    best = sorted(rivals, key=lambda c: (-scores[c.item.record_id], c.item.record_id))
    first, second = (scores[c.item.record_id] for c in best[:2])
    margin = round((first - second) / first, 3)
    dealt = dict(zip((c.item.revision_id for c in best), sorted((c.score for c in rivals), reverse=True), strict=True))
    items = [msgspec.structs.replace(c, score=dealt.get(c.item.revision_id, c.score)) for c in grouped.items]
    ordered = msgspec.structs.replace(grouped, items=tuple(items))
    return Selected(ordered, Selection(needs_more=margin < CLEAR_MARGIN, margin=margin), scores)


def _score(candidate: Candidate, plan: Plan, similarity: float) -> float:
    """Applicability, smoothed success, and recency of reinforcement, a third each.

    Recency is the record's salience: reinforcing raises it, and for skills and plans it halves in 30 days.
    """
    item = candidate.item
    assert item.performance is not None, "only skills and plans are chosen between"
    applicability = TRIGGER_SHARE * _trigger_match(item.payload, plan) + (1 - TRIGGER_SHARE) * similarity
    return (applicability + smoothed_success(item.performance) + item.salience) / 3


def _trigger_match(payload: object, plan: Plan) -> float:
    """The best share of a trigger's words that the query holds; a trigger whose conditions do not hold is none."""
    match payload:
        case Competence(triggers=triggers):
            signals = [t.signal for t in triggers if not contradicted(_plain(t.conditions), plan.conditions)]
        case PlanGraph(intent=str(intent)):
            signals = [intent]
        case _:
            signals = []
    asked = set(terms(plan.query))
    return max((_share(terms(signal), asked) for signal in signals), default=0.0)


def _share(words: Sequence[str], asked: set[str]) -> float:
    return len(asked.intersection(words)) / len(set(words)) if words else 0.0


def _plain(conditions: Mapping[str, Json]) -> dict[str, str | int | float | bool]:
    """Conditions that a recall can name."""
    return {key: value for key, value in conditions.items() if isinstance(value, str | int | float | bool)}
