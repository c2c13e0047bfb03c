"""How much of what was asked the answer speaks to, from 0 to 1: rare words count more, and whose words they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from firsthand.recall.query import QueryFeatures
from firsthand.rules.terms import terms
from firsthand.vocabulary.packets import Item

HEARSAY: Final = 0.5
"""What others say of whoever is asked about counts half."""
ELSEWHERE: Final = 0.5
"""Half of what somebody else's words hold is taken off: the question may be about the wrong person."""


def coverage(
    query: QueryFeatures, rarity: Mapping[str, float], shown: Sequence[Item], named: Collection[str] = ()
) -> float:
    """The share of the question's rarity that the returned items hold; a word found nowhere counts as the rarest.

    Where the question names people who speak here, the share that one item of theirs holds, against the others' best.
    """
    asked = [t for t in query.terms if t not in query.faint]
    if not asked or not shown:
        return 0.0
    rarest = max(rarity.values(), default=1.0)
    weights = {t: rarity.get(t, rarest) for t in asked}
    total = sum(weights.values())
    held = [frozenset(terms(item.text)) for item in shown]

    def share(words: frozenset[str]) -> float:
        return sum(w for t, w in weights.items() if t in words) / total if total > 0 else 0.0

    if not named:
        return round(share(frozenset(t for words in held for t in words)), 3)
    best = {"theirs": 0.0, "of them": 0.0, "other": 0.0}
    for item, words in zip(shown, held, strict=True):
        whose = _whose(item, words, query, named)
        best[whose] = max(best[whose], share(words))
    others = max(best["of them"], best["other"])
    heard = HEARSAY * max(best["theirs"], best["of them"]) - ELSEWHERE * best["other"]
    return round(max(0.0, best["theirs"] - ELSEWHERE * others, heard), 3)


def _whose(item: Item, words: frozenset[str], query: QueryFeatures, named: Collection[str]) -> str:
    """Whose words an item is: what they said or a claim about them, what others say of them, or neither."""
    mentioned = not words.isdisjoint(query.faint)
    if item.speaker in named or (mentioned and item.kind != "episodic"):
        return "theirs"
    return "of them" if mentioned else "other"
