"""How sensitive a record is: its own level and that of every support ever granted (design 09.26)."""

from __future__ import annotations

from firsthand.rules.view import View


def sensitivity(view: View, record: str) -> int:
    """The highest level, from 0, of a record and all it rests on, each visited once, cycles included.

    Revoked and erased supports still count: skeletons keep them. Asked for every unit that a record has a part in.
    """
    if record not in view.sensitivities:
        view.sensitivities[record] = _highest(view, record)
    return view.sensitivities[record]


def _highest(view: View, record: str) -> int:
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
    """The level of the current `classify` heads; as long as no person set one, also that of its revisions."""
    account = view.account(record)
    heads = classify_heads(view, record).values()
    written = [] if any(c.by_person for c in account.levels.values()) else [account.level]
    return max((*heads, *written))


def classify_heads(view: View, record: str) -> dict[str, int]:
    """The current `classify` entries of a record, with their levels."""
    levels = view.account(record).levels
    if not levels:
        return {}
    # Held here too, not only at the gateway: another store's agent may not lower it either (design 03).
    replaced = {
        x for c in levels.values() for x in c.replaces if c.by_person or x not in levels or levels[x].level <= c.level
    }
    return {i: c.level for i, c in levels.items() if i not in replaced}
