"""How sensitive a record is: its own level and that of every support ever granted (design 09.26)."""

from __future__ import annotations

from firsthand.rules.view import View
from firsthand.vocabulary.entries import Classify, Revise


def sensitivity(view: View, record: str, _seen: frozenset[str] = frozenset()) -> int:
    """The level of a record, from 0. Revoked and erased supports still count: skeletons keep them."""
    if record in _seen:
        return 0
    evidence = {s.evidence for s in view.said_of_record(record)}
    levels = (sensitivity(view, e, _seen | {record}) for e in sorted(evidence))
    return max((own_level(view, record), *levels))


def own_level(view: View, record: str) -> int:
    """The level of the current `classify` heads, else the highest any revision was written with."""
    entries = view.of_record(record)
    classified = {e.id: e.skeleton.edges for e in entries if isinstance(e.skeleton.edges, Classify)}
    replaced = {x for edges in classified.values() for x in edges.replaces}
    heads = [edges.level for i, edges in classified.items() if i not in replaced]
    written = [e.skeleton.sensitivity for e in entries if isinstance(e.skeleton.edges, Revise)]
    return max(heads or written or [0])


def classify_heads(view: View, record: str) -> dict[str, int]:
    """The current `classify` entries of a record, with their levels."""
    classified = {e.id: e.skeleton.edges for e in view.of_record(record) if isinstance(e.skeleton.edges, Classify)}
    replaced = {x for edges in classified.values() for x in edges.replaces}
    return {i: edges.level for i, edges in classified.items() if i not in replaced}
