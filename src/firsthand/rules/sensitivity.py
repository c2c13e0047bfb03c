"""How sensitive a record is: its own level and that of every support ever granted (design 09.26)."""

from __future__ import annotations

from firsthand.rules.view import View


def sensitivity(view: View, record: str, _seen: frozenset[str] = frozenset()) -> int:
    """The level of a record, from 0. Revoked and erased supports still count: skeletons keep them."""
    if record in _seen:
        return 0
    evidence = {s.evidence for s in view.account(record).said}
    levels = (sensitivity(view, e, _seen | {record}) for e in evidence)
    return max((own_level(view, record), *levels))


def own_level(view: View, record: str) -> int:
    """The level of the current `classify` heads, else the highest any revision was written with."""
    heads = classify_heads(view, record)
    return max(heads.values()) if heads else view.account(record).level


def classify_heads(view: View, record: str) -> dict[str, int]:
    """The current `classify` entries of a record, with their levels."""
    classified = view.account(record).levels
    if not classified:
        return {}
    replaced = {x for edges in classified.values() for x in edges.replaces}
    return {i: edges.level for i, edges in classified.items() if i not in replaced}
