"""Arms: bounded candidate queries over the scopes of a recall, each already gated or gated next (design 04, step 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from firsthand.ports import LISTED, REST, SEQ_BITS, Reader, Shelf
from firsthand.recall.cache import SEQ_MASK, Cache
from firsthand.recall.plan import Place, Plan
from firsthand.recall.query import QueryFeatures
from firsthand.recall.score import IntArray, ScoreArray, lexical, top
from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import name_key
from firsthand.vocabulary.packets import ArmName

OVER_FETCH: Final = 6
FETCH_LEAST: Final = 120
ENTITY_FETCH: Final = 60
RECENT_FETCH: Final = 60
SHORT_QUERY_TERMS: Final = 1
_NOTHING: Final = np.zeros(0, dtype=np.int64)


class Found(NamedTuple):
    """Documents in each arm's order, in the recall's numbering; posting lists, scores and rarities of the terms."""

    arms: dict[ArmName, IntArray]
    lists: dict[str, IntArray]
    dense: ScoreArray
    rarity: dict[str, float]
    degraded: tuple[str, ...]


class Ground(NamedTuple):
    """The scopes a recall reads, one after the other in one numbering, and what may not be seen in each."""

    places: list[Place]
    over: list[IntArray]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.places[-1].offset + self.places[-1].row.next_seq if self.places else 0

    def numbers(self, vids: Sequence[int]) -> list[int]:
        """Documents in the recall's numbering."""
        shift = {p.row.scope_no: p.offset - (p.row.scope_no << SEQ_BITS) for p in self.places}
        return [v + shift[v >> SEQ_BITS] for v in vids]

    def vids(self, numbers: IntArray) -> list[int]:
        """Documents of the recall's numbering, by their own numbers."""
        if not self.places:
            return []
        offsets = np.array([p.offset for p in self.places])
        shift = np.array([(p.row.scope_no << SEQ_BITS) - p.offset for p in self.places])
        return (numbers + shift[np.searchsorted(offsets, numbers, side="right") - 1]).tolist()


def ground(reader: Reader, plan: Plan, scope_ids: dict[str, str]) -> Ground:
    """The scopes of a recall that exist, of name → id."""
    places: list[Place] = []
    offset = 0
    for name, scope_id in scope_ids.items():
        row = reader.scope(scope_id)
        if row is not None:
            places.append(Place(row, name, offset))
            offset += row.next_seq
    return Ground(places, [_over(reader, p, plan.clearance) for p in places])


def search(reader: Reader, plan: Plan, base: Ground, query: QueryFeatures, cache: Cache) -> Found:
    """Run every arm."""
    lists, rarity, documents = _posting_lists(reader, plan, base, query, cache)
    dense = lexical(lists, documents, base.size, query.faint)
    fetch = max(FETCH_LEAST, OVER_FETCH * plan.limit)
    arms: dict[ArmName, IntArray] = {"lexical": top(dense, fetch), "entity": _entity(reader, plan, base)}
    if len(query.terms) <= SHORT_QUERY_TERMS or plan.kinds == ("working",):
        arms["recent"] = _recent(reader, plan, base)
    # The vector arm comes with an embedder; until then every recall says that it ran without.
    return Found(arms, lists, dense, rarity, ("vector_arm_unavailable",))


def shelves(plan: Plan) -> tuple[Shelf, ...]:
    """The past, and what the default gate keeps back, are on the second shelf."""
    return (LISTED, REST) if plan.known_at is not None or plan.include else (LISTED,)


def _posting_lists(
    reader: Reader, plan: Plan, base: Ground, query: QueryFeatures, cache: Cache
) -> tuple[dict[str, IntArray], dict[str, float], int]:
    """Every term's documents in one numbering, its rarity by these scopes' own counts, and how many documents count."""
    asked = shelves(plan)
    documents = sum(p.row.listed + (p.row.rest if REST in asked else 0) for p in base.places)
    documents -= sum(map(len, base.over))
    lists: dict[str, IntArray] = {}
    for term in query.terms:
        parts = [
            _visible(cache.postings(reader, p.row, term, shelf), hidden) + p.offset
            for p, hidden in zip(base.places, base.over, strict=True)
            for shelf in asked
        ]
        joined = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else _NOTHING
        if len(joined):
            lists[term] = joined
    counts = {t: len(rows) for t, rows in lists.items()}
    rarity = {t: float(np.log1p((max(documents, n) - n + 0.5) / (n + 0.5))) for t, n in counts.items()}
    return lists, rarity, documents


def _over(reader: Reader, place: Place, clearance: int) -> IntArray:
    """Documents above the clearance: they count in no rarity and no number (design 04)."""
    found = reader.over(place.row.scope_no, clearance)
    return np.array(found, dtype=np.int64) & SEQ_MASK if found else _NOTHING


def _visible(found: IntArray, hidden: IntArray) -> IntArray:
    return found if not len(hidden) else found[~np.isin(found, hidden)]


def _entity(reader: Reader, plan: Plan, base: Ground) -> IntArray:
    """Documents that mention what the query names, by any name of the entity it stands for."""
    asked = {name_key(m.text) for m in mentions(plan.query)}
    asked |= {name_key(word) for word in plan.query.split() if len(word) > 2}
    asked.discard("")
    found: dict[int, None] = {}
    for place in base.places if asked else ():
        scope_id = place.row.scope_id
        for name in reader.known_names(scope_id, sorted(asked)):
            names = {name}
            for entity in reader.entities_named(scope_id, name):
                names |= {n for n, _ in reader.names_of_entity(entity)}
            for other in sorted(names):
                vids = reader.mentioning(scope_id, other, ENTITY_FETCH)
                found |= dict.fromkeys(place.offset + (v & SEQ_MASK) for v in vids)
    return np.array(list(found), dtype=np.int64)


def _recent(reader: Reader, plan: Plan, base: Ground) -> IntArray:
    """The newest documents of the kinds asked for."""
    shown_only = plan.known_at is None and not plan.include
    found = [
        (v & SEQ_MASK, p.offset + (v & SEQ_MASK))
        for p in base.places
        for v in reader.newest(p.row.scope_no, plan.kinds, None, RECENT_FETCH, shown_only)
    ]
    return np.array([n for _, n in sorted(found, reverse=True)[:RECENT_FETCH]], dtype=np.int64)
