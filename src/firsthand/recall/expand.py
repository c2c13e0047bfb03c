"""Expansion over hops 0 to 3: relations, supports, thread adjacency, under node and edge limits (design 04)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from firsthand.ports import Reader
from firsthand.recall.gated import Gate
from firsthand.recall.group import Candidate
from firsthand.recall.plan import Plan
from firsthand.rules.bearing import citing_key
from firsthand.rules.view import said_by
from firsthand.vocabulary.entries import root_of
from firsthand.vocabulary.limits import GRAPH_EDGES_MAX, GRAPH_NODES_MAX

THREAD_REACH = 1


class Reached(NamedTuple):
    """A record, through which record it was reached, with that record's score, in how many hops."""

    record_id: str
    via: str
    score: float
    hop: int


def expand(reader: Reader, plan: Plan, gate: Gate, candidates: Sequence[Candidate]) -> list[Reached]:
    """Records around the best candidates, nearest first. What the gate keeps back leads nowhere and counts nowhere."""
    seen = {c.item.record_id for c in candidates}
    edge_of = [(c.item.record_id, c.score) for c in candidates[: plan.limit]]
    reached: list[Reached] = []
    edges = 0
    for hop in range(1, plan.expand + 1):
        following: list[tuple[str, float]] = []
        for record_id, score in edge_of:
            for other in _around(reader, plan, record_id):
                if not admitted(reader, gate, other):
                    continue
                edges += 1
                if edges > GRAPH_EDGES_MAX or len(reached) >= GRAPH_NODES_MAX:
                    return reached
                if other not in seen:
                    seen.add(other)
                    following.append((other, score))
                    reached.append(Reached(other, record_id, score, hop))
        edge_of = following
    return reached


def admitted(reader: Reader, gate: Gate, record_id: str) -> list[int]:
    """The documents of a record that may be shown."""
    return gate.admit(d.vid for d in reader.docs_of_record(record_id))


def _around(reader: Reader, plan: Plan, record_id: str) -> list[str]:
    """Records one step away: related, citing, cited, next in the thread; in one fixed order."""
    found: dict[str, None] = {}
    found |= dict.fromkeys(other for _, other, _ in reader.relations_of(record_id))
    root = reader.get(root_of(record_id))
    if root is not None:
        found |= dict.fromkeys(s.evidence for s in said_by(root))
    found |= dict.fromkeys(e.record_id for e in reader.bearing_on(citing_key(record_id)))
    for doc in reader.docs_of_record(record_id)[-1:]:
        if doc.thread is not None:
            beside = reader.docs(reader.thread_around(doc.thread, doc.vid, THREAD_REACH, plan.clearance))
            found |= dict.fromkeys(d.record_id for d in beside.values())
    found.pop(record_id, None)
    return list(found)
