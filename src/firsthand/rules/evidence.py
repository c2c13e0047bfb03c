"""Which assertions stand: a least fixpoint from the episodes up (design 09.3).

Two grades: *stands* is truth (revoked, retracted or rejected evidence does not stand); *live* also asks that its
words are not erased. Hiding or erasing a source reopens nothing that its words had closed.
"""

from __future__ import annotations

from typing import NamedTuple

from firsthand.rules.bearing import CLAIMED, claim_digest, unit_of
from firsthand.rules.tombstones import Block, blocked
from firsthand.rules.trust import approvals
from firsthand.rules.view import Said, View
from firsthand.vocabulary.entries import Support, root_of


class Grades(NamedTuple):
    """Ids of the assertions that stand, and of those that are live; what blocks the others; all that were looked at."""

    stands: frozenset[str]
    live: frozenset[str]
    blocks: dict[str, Block]
    graded: frozenset[str] = frozenset()


def grade(view: View, said: list[Said]) -> Grades:
    """Grade these assertions, following evidence that is itself a claim as far up as it goes."""
    above = _upward(view, said)
    approved = {u: approvals(view, u) for u in {unit_of(s.scope, s.claim) for s in above}}
    blocks = {s.id: b for s in above if (b := blocked(view, s, approved[unit_of(s.scope, s.claim)]))}
    sources = {key: _source(view, *key) for key in {(s.evidence, s.shares) for s in above}}
    base = [
        (s, sources[s.evidence, s.shares], view.erased(s.entry))
        for s in above
        if s.id not in blocks and granted(view, s)
    ]
    stands: set[str] = set()
    live: set[str] = set()
    changed = True
    while changed:
        before = len(stands) + len(live)
        for s, source, erased in base:
            if source.stands or not stands.isdisjoint(source.said):
                stands.add(s.id)
            if source.kept and not erased and (source.stands or not live.isdisjoint(source.said)):
                live.add(s.id)
        changed = len(stands) + len(live) > before
    return Grades(frozenset(stands), frozenset(live), blocks, frozenset(s.id for s in above))


def granted(view: View, said: Said) -> bool:
    """Whether a support is granted and not, at the tip of its verdicts, revoked."""
    verdicts = verdicts_on(view, said.record, said.id)
    replaced = {x for edges in verdicts.values() for x in edges.replaces}
    return not any(edges.verb == "revoke" for i, edges in verdicts.items() if i not in replaced)


def verdicts_on(view: View, record: str, support_id: str) -> dict[str, Support]:
    """The revokes and reinstates of one support."""
    return view.account(record).verdicts.get(support_id, {})


def verdict_heads(view: View, record: str, support_id: str) -> tuple[str, ...]:
    """The verdicts on one support that no other replaces."""
    verdicts = verdicts_on(view, record, support_id)
    replaced = {x for edges in verdicts.values() for x in edges.replaces}
    return tuple(sorted(i for i in verdicts if i not in replaced))


class _Source(NamedTuple):
    """A cited record: whether it stands by itself, still has its words, or stands as one of its own assertions does."""

    stands: bool
    kept: bool
    said: tuple[str, ...]


def _of_record(view: View, record: str) -> _Source:
    account = view.account(record)
    # design 03: withdrawal does not touch truth, so withdrawn evidence still supports.
    if account.kind is None:
        return _Source(False, False, ())
    if account.kind in CLAIMED:
        return _Source(False, True, tuple(s.id for s in account.said))
    return _Source(account.taken_back is None, not view.erased(root_of(record)), ())


def _source(view: View, record: str, shares: str) -> _Source:
    """What a cited record is worth to what cites it; a linked copy rests only on what says the same as it does."""
    source = _of_record(view, record)
    if not shares:
        return source
    return source._replace(said=tuple(s.id for s in view.account(record).said if claim_digest(s.claim) == shares))


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
        for s in view.account(record).said:
            if s.id not in found:
                found[s.id] = s
                todo.append(s.evidence)
    return [found[i] for i in sorted(found)]
