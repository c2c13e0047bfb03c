"""How much of what was asked the answer speaks to, from 0 to 1: rare words count more."""

from __future__ import annotations

import numpy as np

from firsthand.recall.arms import Found
from firsthand.recall.query import QueryFeatures
from firsthand.recall.score import IntArray


def coverage(query: QueryFeatures, found: Found, shown: IntArray) -> float:
    """The share of the question's rarity that the returned documents hold; a word found nowhere is the rarest."""
    asked = [t for t in query.terms if t not in query.faint]
    if not asked or not len(shown):
        return 0.0
    rarest = max(found.rarity.values(), default=1.0)
    weights = {t: found.rarity.get(t, rarest) for t in asked}
    total = sum(weights.values())
    held = sum(w for t, w in weights.items() if t in found.lists and np.isin(found.lists[t], shown).any())
    return round(held / total, 3) if total > 0 else 0.0
