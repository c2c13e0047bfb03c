"""Plain sentences have no slot; a near match is at least a possible conflict, never a second equal truth."""

from __future__ import annotations

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
    a, b = terms(one), terms(other)
    if not a or not b or a[0] != b[0] or statement_key(one) == statement_key(other):
        return False
    shared = len(set(a) & set(b))
    return shared / len(set(a) | set(b)) >= NEAR_SHARE
