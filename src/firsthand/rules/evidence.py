"""Which assertions stand: a least fixpoint from the episodes up (design 09.3).

Two grades: *stands* is truth (revoked, retracted or rejected evidence does not stand); *live* also asks that nothing
is erased or hidden. Hiding a source therefore reopens nothing that its words had closed.
"""

from __future__ import annotations

from typing import NamedTuple

from firsthand.rules.bearing import CLAIMED, unit_key, unit_of
from firsthand.rules.tombstones import Block, blocked
from firsthand.rules.view import Said, View
from firsthand.rules.visibility import shown
from firsthand.vocabulary.entries import Judge, Support, root_of


class Grades(NamedTuple):
    """Ids of the assertions that stand, and of those that are live; what blocks the others."""

    stands: frozenset[str]
    live: frozenset[str]
    blocks: dict[str, Block]


def grade(view: View, said: list[Said]) -> Grades:
    """Grade these assertions, following evidence that is itself a claim as far up as it goes."""
    above = _upward(view, said)
    blocks = {s.id: b for s in above if (b := blocked(view, s, approvals(view, unit_of(s.scope, s.claim))))}
    base = [s for s in above if s.id not in blocks and granted(view, s)]
    by_record: dict[str, list[str]] = {}
    for s in above:
        by_record.setdefault(s.record, []).append(s.id)
    stands: set[str] = set()
    live: set[str] = set()
    changed = True
    while changed:
        changed = False
        for s in base:
            up_stands, up_live = _source_grade(view, s.evidence, by_record, stands, live)
            if up_stands and s.id not in stands:
                stands.add(s.id)
                changed = True
            if up_live and s.id not in live and not view.erased(s.entry):
                live.add(s.id)
                changed = True
    return Grades(frozenset(stands), frozenset(live), blocks)


def approvals(view: View, unit: str) -> frozenset[str]:
    """Assertions of a unit that a person approved: an approval binds to the assertions it saw (design 09.6)."""
    return frozenset(
        seen
        for e in view.bearing_on(unit_key(unit))
        if isinstance(e.skeleton.edges, Judge)
        and e.skeleton.edges.verb == "approve"
        and e.skeleton.author.role == "person"
        for seen in e.skeleton.edges.seen
    )


def granted(view: View, said: Said) -> bool:
    """Whether a support is granted and not, at the tip of its verdicts, revoked."""
    verdicts = verdicts_on(view, said.record, said.id)
    replaced = {x for edges in verdicts.values() for x in edges.replaces}
    return not any(edges.verb == "revoke" for i, edges in verdicts.items() if i not in replaced)


def verdicts_on(view: View, record: str, support_id: str) -> dict[str, Support]:
    """The revokes and reinstates of one support."""
    return {
        e.id: e.skeleton.edges
        for e in view.of_record(record)
        if isinstance(e.skeleton.edges, Support) and e.skeleton.edges.of == support_id
    }


def verdict_heads(view: View, record: str, support_id: str) -> tuple[str, ...]:
    """The verdicts on one support that no other replaces."""
    verdicts = verdicts_on(view, record, support_id)
    replaced = {x for edges in verdicts.values() for x in edges.replaces}
    return tuple(sorted(i for i in verdicts if i not in replaced))


def taken_back(view: View, record: str) -> str | None:
    """The entry that retracted a record which is no claim, such as an episode."""
    judges = (e for e in view.of_record(record) if isinstance(e.skeleton.edges, Judge))
    return min(
        (e.id for e in judges if isinstance(e.skeleton.edges, Judge) and e.skeleton.edges.verb == "retract"),
        default=None,
    )


def _source_grade(
    view: View, record: str, by_record: dict[str, list[str]], stands: set[str], live: set[str]
) -> tuple[bool, bool]:
    """Whether a cited record stands, and is live."""
    kind = view.kind_of(record)
    if kind is None:
        return False, False
    visible = shown(view, [record]).hidden is None
    if kind in CLAIMED:
        own = by_record.get(record, [])
        return any(i in stands for i in own), visible and any(i in live for i in own)
    good = taken_back(view, record) is None
    return good, good and visible and not view.erased(root_of(record))


def _upward(view: View, said: list[Said]) -> list[Said]:
    """These assertions and those of every claim they rest on."""
    found = {s.id: s for s in said}
    todo = [s.evidence for s in said]
    seen: set[str] = set()
    while todo:
        record = todo.pop()
        if record in seen:
            continue
        seen.add(record)
        for s in view.said_of_record(record):
            if s.id not in found:
                found[s.id] = s
                todo.append(s.evidence)
    return [found[i] for i in sorted(found)]
