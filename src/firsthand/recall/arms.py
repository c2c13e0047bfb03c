"""Arms: bounded candidate queries over the scopes of a recall, each already gated or gated next (design 04, step 2)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, NamedTuple

import numpy as np

from firsthand.ports import LISTED, REST, SEQ_BITS, Reader, ScopeRow, Shelf
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
CACHED_LISTS: Final = 4_096
_SEQ_MASK: Final = (1 << SEQ_BITS) - 1


class Postings:
    """Posting lists of one space, kept while the scope they belong to has not changed.

    A list is dropped as soon as any document of its scope comes or goes, so a ranking never depends on what this
    process happened to read before (design 04).
    """

    def __init__(self) -> None:
        self._lists: OrderedDict[tuple[int, str, Shelf], tuple[int, IntArray]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, reader: Reader, scope: ScopeRow, term: str, shelf: Shelf) -> IntArray:
        """Places in the scope of the documents with a term."""
        key = (scope.scope_no, term, shelf)
        with self._lock:
            held = self._lists.get(key)
            if held is not None and held[0] == scope.changed:
                self._lists.move_to_end(key)
                return held[1]
        text = reader.postings(scope.scope_no, term, shelf)
        found = np.fromstring(text, dtype=np.int64, sep=",") if text else np.zeros(0, dtype=np.int64)
        with self._lock:
            self._lists[key] = (scope.changed, found)
            while len(self._lists) > CACHED_LISTS:
                self._lists.popitem(last=False)
        return found


class Found(NamedTuple):
    """Documents in each arm's order, every document's lexical score, each term's rarity, and the scopes read."""

    arms: dict[ArmName, list[int]]
    dense: ScoreArray
    rarity: dict[str, float]
    places: list[Place]
    degraded: tuple[str, ...]


class Speakers(NamedTuple):
    """Who spoke in these scopes: one number per name, whatever number each scope gave."""

    known: dict[str, int]
    numbers: dict[tuple[int, int], int]


def speakers_of(reader: Reader, places: list[Place]) -> Speakers:
    """The speakers of the scopes read."""
    known: dict[str, int] = {}
    numbers: dict[tuple[int, int], int] = {}
    for place in places:
        for name, speaker_no in reader.speakers(place.row.scope_id).items():
            numbers[place.row.scope_no, speaker_no] = known.setdefault(name, len(known))
    return Speakers(known, numbers)


def places_of(reader: Reader, scope_ids: dict[str, str]) -> list[Place]:
    """The scopes of a recall that exist, of name → id, one after the other in one numbering."""
    found: list[Place] = []
    offset = 0
    for name, scope_id in scope_ids.items():
        row = reader.scope(scope_id)
        if row is not None:
            found.append(Place(row, name, offset))
            offset += row.next_seq
    return found


def number(place: Place, vid: int) -> int:
    """A document in the recall's own numbering."""
    return place.offset + (vid & _SEQ_MASK)


def vid_of(places: list[Place], number_: int) -> int:
    """A document of the recall's own numbering, by its real number."""
    for place in reversed(places):
        if number_ >= place.offset:
            return (place.row.scope_no << SEQ_BITS) | (number_ - place.offset)
    raise AssertionError("a number below every scope")


def search(reader: Reader, plan: Plan, places: list[Place], query: QueryFeatures, postings: Postings) -> Found:
    """Run every arm."""
    dense, rarity = _lexical(reader, plan, places, query, postings)
    fetch = max(FETCH_LEAST, OVER_FETCH * plan.limit)
    arms: dict[ArmName, list[int]] = {"lexical": [vid_of(places, int(n)) for n in top(dense, fetch)]}
    arms["entity"] = _entity(reader, plan, places)
    if len(query.terms) <= SHORT_QUERY_TERMS or plan.kinds == ("working",):
        arms["recent"] = _recent(reader, plan, places, shown_only=plan.known_at is None and not plan.include)
    # The vector arm comes with an embedder; until then every recall says that it ran without.
    return Found(arms, dense, rarity, places, ("vector_arm_unavailable",))


def shelves(plan: Plan) -> tuple[Shelf, ...]:
    """The past, and what the default gate keeps back, are on the second shelf."""
    return (LISTED, REST) if plan.known_at is not None or plan.include else (LISTED,)


def _lexical(
    reader: Reader, plan: Plan, places: list[Place], query: QueryFeatures, postings: Postings
) -> tuple[ScoreArray, dict[str, float]]:
    """Own words: every posting list of every scope in one numbering, scored with these scopes' own counts."""
    asked = shelves(plan)
    size = places[-1].offset + places[-1].row.next_seq if places else 0
    documents = sum(p.row.listed + (p.row.rest if REST in asked else 0) for p in places)
    over = [_over(reader, p, plan.clearance) for p in places]
    lists: dict[str, IntArray] = {}
    for term in query.terms:
        parts = [
            _visible(postings.get(reader, p.row, term, shelf), hidden) + p.offset
            for p, hidden in zip(places, over, strict=True)
            for shelf in asked
        ]
        joined = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        if len(joined):
            lists[term] = joined
    documents -= sum(len(h) for h in over if h is not None)
    rarity = {t: float(np.log1p((documents - len(r) + 0.5) / (len(r) + 0.5))) for t, r in lists.items()}
    return lexical(lists, documents, size, query.faint), rarity


def _over(reader: Reader, place: Place, clearance: int) -> IntArray | None:
    """Documents above the clearance: they count in no rarity and no number (design 04)."""
    found = reader.over(place.row.scope_no, clearance)
    return np.array(found, dtype=np.int64) & _SEQ_MASK if found else None


def _visible(found: IntArray, hidden: IntArray | None) -> IntArray:
    return found if hidden is None else found[~np.isin(found, hidden)]


def _entity(reader: Reader, plan: Plan, places: list[Place]) -> list[int]:
    """Documents that mention what the query names, by any name of the entity it stands for."""
    asked = {name_key(m.text) for m in mentions(plan.query)}
    asked |= {name_key(word) for word in plan.query.split() if len(word) > 2}
    found: dict[int, None] = {}
    for place in places:
        for name in sorted(n for n in asked if n):
            names = {name}
            for entity in reader.entities_named(place.row.scope_id, name):
                names |= {n for n, _ in reader.names_of_entity(entity)}
            if len(names) == 1 and not reader.mentioning(place.row.scope_id, name, 1):
                continue
            for other in sorted(names):
                found |= dict.fromkeys(reader.mentioning(place.row.scope_id, other, ENTITY_FETCH))
    return list(found)


def _recent(reader: Reader, plan: Plan, places: list[Place], *, shown_only: bool) -> list[int]:
    """The newest documents of the kinds asked for."""
    found = [v for p in places for v in reader.newest(p.row.scope_no, plan.kinds, None, RECENT_FETCH, shown_only)]
    return sorted(found, key=lambda v: -(v & _SEQ_MASK))[:RECENT_FETCH]
