"""Plain sentences have no slot; a near match is at least a possible conflict, never a second equal truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firsthand.rules.normalise import statement_key
from firsthand.rules.terms import terms

NEAR_SHARE: Final = 0.5
"""How much of two sentences' words must be the same."""


def is_near(one: str, other: str) -> bool:
    """Whether two different sentences start on the same subject and share most words.

    What is left is another polarity, number or object: `Ana lives in Berlin` and `Ana lives in Lisbon`, or `Ana likes
    tea` and `Ana does not like tea`.
    """
    return near_terms(terms(one), terms(other)) and statement_key(one) != statement_key(other)


def near_terms(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two sentences' terms start alike and are mostly the same."""
    if not one or not other or one[0] != other[0]:
        return False
    a, b = set(one), set(other)
    return len(a & b) / len(a | b) >= NEAR_SHARE
