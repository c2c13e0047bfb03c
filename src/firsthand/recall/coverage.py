"""How much of what was asked the answer speaks to, from 0 to 1: rare words count more, and whose words they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from firsthand.recall.arms import Found
from firsthand.recall.query import QueryFeatures
from firsthand.recall.score import BoolArray, FloatArray, IntArray, among
from firsthand.rules.mentions import mentions
from firsthand.rules.terms import terms
from firsthand.vocabulary.packets import Item

HEARSAY: Final = 0.5
"""What others say of whoever is asked about counts half."""
LIKELIHOODS: Final = (
    (0.0, 0.2), (0.05, 0.37), (0.15, 0.51), (0.25, 0.59), (0.4, 0.64), (0.5, 0.71), (0.65, 0.83), (0.8, 0.88),
    (1.0, 0.9),
)  # fmt: skip
"""How often a packet of so much coverage held an answer, in conversations of which some questions have none."""
ELSEWHERE: Final = 0.5
"""Half of what somebody else's words hold is taken off: the question may be about the wrong person."""


def likelihood(query: QueryFeatures, covered: float) -> float | None:
    """How likely a packet of so much coverage is to hold an answer; unset for a query that asks for nothing."""
    if not any(t not in query.faint for t in query.terms):
        return None
    at, share = zip(*LIKELIHOODS, strict=True)
    return round(float(np.interp(covered, at, share)), 2)


def coverage(
    query: QueryFeatures, found: Found, numbers: IntArray, shown: Sequence[Item], named: Collection[str]
) -> float:
    """The share of the question's rarity that the returned documents hold; a word found nowhere is the rarest.

    Where the question names people who speak here, the share that one document of theirs holds, against the others'
    best; where it names only what no document holds, nothing is about it. `numbers` are the documents of the items
    `shown`, in their order.
    """
    asked = [t for t in query.terms if t not in query.faint]
    if not asked or not len(numbers) or (not named and _is_of_nobody(query, found)):
        return 0.0
    rarest = max(found.rarity.values(), default=1.0)
    weights = np.array([found.rarity.get(t, rarest) for t in asked])
    total = float(weights.sum())
    if total <= 0:
        return 0.0
    held = np.array([_holds(found, numbers, t) for t in asked])
    if not named:
        return round(float(weights[held.any(axis=1)].sum()) / total, 3)
    shares: FloatArray = (weights @ held) / total
    mentioned = np.zeros(len(numbers), dtype=np.bool_)
    for term in query.faint:
        mentioned |= _holds(found, numbers, term)
    claims = np.array([i.kind != "episodic" for i in shown], dtype=np.bool_)
    theirs = np.array([i.speaker in named for i in shown], dtype=np.bool_) | (mentioned & claims)
    own, of_them, other = (
        float(shares[which].max(initial=0.0)) for which in (theirs, mentioned & ~theirs, ~mentioned & ~theirs)
    )
    heard = HEARSAY * max(own, of_them) - ELSEWHERE * other
    return round(max(0.0, own - ELSEWHERE * max(of_them, other), heard), 3)


def _is_of_nobody(query: QueryFeatures, found: Found) -> bool:
    """Whether a question names something, and no document holds any of what it names; who speaks here is somebody."""
    named = [terms(mention.text) for mention in mentions(query.text)]
    return any(named) and not any(term in found.lists for name in named for term in name)


def _holds(found: Found, numbers: IntArray, term: str) -> BoolArray:
    """Which documents have a term."""
    rows = found.lists.get(term)
    if rows is None:
        return np.zeros(len(numbers), dtype=np.bool_)
    return among(numbers, rows, len(found.dense))
