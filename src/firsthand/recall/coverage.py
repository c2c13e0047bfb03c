"""How much of what was asked the answer speaks to, from 0 to 1: rare words count more, and whose words they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firsthand.recall.query import QueryFeatures
from firsthand.rules.terms import terms
from firsthand.vocabulary.packets import Item


def coverage(query: QueryFeatures, rarity: Mapping[str, float], shown: Sequence[Item]) -> float:
    """The share of the question's rarity that the returned items hold; a word found nowhere counts as the rarest."""
    asked = [t for t in query.terms if t not in query.faint]
    if not asked or not shown:
        return 0.0
    rarest = max(rarity.values(), default=1.0)
    held = {t for item in shown for t in terms(item.text)}
    weights = {t: rarity.get(t, rarest) for t in asked}
    total = sum(weights.values())
    return round(sum(w for t, w in weights.items() if t in held) / total, 3) if total > 0 else 0.0
