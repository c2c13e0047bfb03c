"""Plain sentences have no slot; a near match is at least a possible conflict, never a second equal truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import statement_key
from firsthand.rules.terms import terms
from firsthand.vocabulary.patterns import lazy_pattern

NEAR_SHARE: Final = 0.5
"""How much of two sentences' words must be the same."""
SAME_SHARE: Final = 0.75
"""How much of them where they are taken for one sentence said twice."""
_WORDS_OF_WEIGHT: Final = """
    not no never none nobody nothing cannot hardly neither nor without with up down on off in out before after over
    under above below more less fewer most least all some any only each every either both can could may might must
    should shall would will until since my your his her its our their ever again once
"""
_WEIGHTY: Final = frozenset(_WORDS_OF_WEIGHT.split())
"""Words too common to index that turn a sentence round, or make it about something else."""
_SMALL: Final = lazy_pattern(r"[a-z]+(?:['’]t)?")


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


def says_the_same(one: str, other: str) -> bool:
    """Whether two sentences very likely say one thing in other words: a person may want to merge them.

    Nearly all words are the same and in the same order, and what differs is no name, no number, and no small word that
    carries weight, such as `not` or `off`.
    """
    a, b = terms(one), terms(other)
    shared = set(a) & set(b)
    differing = set(a) ^ set(b)
    if not shared or len(shared) / (len(shared) + len(differing)) < SAME_SHARE:
        return False
    if [t for t in a if t in shared] != [t for t in b if t in shared] or _weighty(one) != _weighty(other):
        return False
    named = {word for text in (one, other) for m in mentions(text) for word in terms(m.text)}
    return not any(term in named or any(map(str.isdigit, term)) for term in differing)


def _weighty(text: str) -> list[str]:
    """The small words that carry weight, in order; every `n't` is a `not`."""
    words = ("not" if word.endswith(("'t", "’t")) else word for word in _SMALL.findall(text.lower()))
    return [word for word in words if word in _WEIGHTY]
