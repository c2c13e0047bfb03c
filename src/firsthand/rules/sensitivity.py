"""How sensitive a record is: its own level and that of every support ever granted (design 09.26)."""

from __future__ import annotations

from firsthand.rules.view import View


def sensitivity(view: View, record: str) -> int:
    """The highest level, from 0, of a record and all it rests on, each visited once, cycles included.

    Revoked and erased supports still count: skeletons keep them.
    """
    level, seen, todo = 0, {record}, [record]
    while todo:
        current = todo.pop()
        level = max(level, own_level(view, current))
        for said in view.account(current).said:
            if said.evidence not in seen:
                seen.add(said.evidence)
                todo.append(said.evidence)
    return level


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
