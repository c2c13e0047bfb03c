"""Arms: bounded candidate queries over the scopes of a recall, each already gated or gated next (design 04, step 2)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np

from firsthand.ports import LISTED, REST, SEQ_BITS, Candidate, Reader, ScopeRow, Shelf
from firsthand.recall.gated import Gate
from firsthand.recall.plan import Place, Plan
from firsthand.recall.query import QueryFeatures, likely
from firsthand.recall.score import IntArray, ScoreArray, lexical, top
from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import name_key
from firsthand.vocabulary.packets import ArmName

OVER_FETCH: Final = 6
FETCH_LEAST: Final = 120
ENTITY_FETCH: Final = 60
RECENT_FETCH: Final = 60
SHORT_QUERY_TERMS: Final = 1
WIDEST: Final = 8_192
"""Documents that an arm looks at before it gives up widening, and says so."""
FAILED: Final = "_failed"
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
    """Documents in each arm's order and for ranking, every lexical score, each term's rarity, what went wrong."""

    arms: dict[ArmName, list[int]]
    rows: dict[int, Candidate]
    dense: ScoreArray
    rarity: dict[str, float]
    places: list[Place]
    degraded: tuple[str, ...]
    named: tuple[str, ...]
    """Speakers whom the query names."""
    about: frozenset[int]
    """Claims about one of them."""


class Speakers(NamedTuple):
    """Whom a query may name of those who spoke in these scopes: one number per name, whatever each scope gave."""

    known: dict[str, int]
    numbers: dict[tuple[int, int], int]


def speakers_of(reader: Reader, places: list[Place], query: str, clearance: int) -> Speakers:
    """The speakers of the scopes read who may be named; one who is heard only in what is locked is not known."""
    known: dict[str, int] = {}
    numbers: dict[tuple[int, int], int] = {}
    for place in places:
        row = place.row
        locked = row.next_seq > row.listed + row.rest or bool(reader.over(row.scope_no, clearance))
        for name, speaker_no in likely(query, reader.speakers(row.scope_id)).items():
            if not locked or reader.has_spoken(row.scope_no, speaker_no, clearance):
                numbers[row.scope_no, speaker_no] = known.setdefault(name, len(known))
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


def search(
    reader: Reader,
    plan: Plan,
    places: list[Place],
    query: QueryFeatures,
    speakers: Speakers,
    postings: Postings,
    gate: Gate,
) -> Found:
    """Run every arm through the gate; one that fails says so in a code, and the others still answer."""
    size = places[-1].offset + places[-1].row.next_seq if places else 0
    dense, rarity = np.zeros(size, dtype=np.float32), dict[str, float]()
    # The vector arm comes with an embedder; until then every recall says that it ran without.
    degraded = ["vector_arm_unavailable"]
    named = [n for n, number_ in speakers.known.items() if number_ in query.speakers]

    def lexical_arm() -> list[int]:
        nonlocal dense, rarity
        dense, rarity = _lexical(reader, plan, places, query, postings)
        fetch = max(FETCH_LEAST, OVER_FETCH * plan.limit)
        return _widened(gate, lambda n: [vid_of(places, int(x)) for x in top(dense, n)], fetch, "lexical", degraded)

    def entity_arm() -> list[int]:
        return _entity(reader, plan, places, named, gate, degraded)

    def recent_arm() -> list[int]:
        return _recent(reader, plan, places, gate, degraded)

    wanted: dict[ArmName, Callable[[], list[int]]] = {"lexical": lexical_arm, "entity": entity_arm}
    if len(query.terms) <= SHORT_QUERY_TERMS or plan.kinds == ("working",):
        wanted["recent"] = recent_arm
    arms: dict[ArmName, list[int]] = {}
    for name, arm in wanted.items():
        try:
            arms[name] = arm()
        except Exception:  # noqa: BLE001 - whatever broke in one arm, the answer of the others is worth having
            degraded.append(f"{name}_arm{FAILED}")
    rows = _rows(reader, plan, (v for found in arms.values() for v in found))
    arms["thread"] = gate.admit(_beside(rows))
    rows |= _rows(reader, plan, arms["thread"])
    about = _about(reader, places, named, gate)
    return Found(arms, rows, dense, rarity, places, tuple(degraded), tuple(named), about)


def _widened(gate: Gate, fetch: Callable[[int], list[int]], first: int, arm: ArmName, degraded: list[str]) -> list[int]:
    """What an arm finds and the gate lets through; the search widens while the gate keeps most of it back."""
    asked = first
    while True:
        vids = fetch(asked)
        kept = gate.admit(vids)
        if len(kept) * 2 >= first or len(vids) < asked:
            return kept
        if asked >= WIDEST:
            degraded.append(f"{arm}_arm_capped")
            return kept
        asked *= 4


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
    over = [_over(reader, p, plan.clearance, asked) for p in places]
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


def _over(reader: Reader, place: Place, clearance: int, asked: tuple[Shelf, ...]) -> IntArray | None:
    """Documents above the clearance: they count in no rarity and no number (design 04)."""
    found = [vid for vid, shelf in reader.over(place.row.scope_no, clearance) if shelf in asked]
    return np.array(found, dtype=np.int64) & _SEQ_MASK if found else None


def _visible(found: IntArray, hidden: IntArray | None) -> IntArray:
    return found if hidden is None else found[~np.isin(found, hidden)]


def _entity(
    reader: Reader, plan: Plan, places: list[Place], named: list[str], gate: Gate, degraded: list[str]
) -> list[int]:
    """Documents that mention what the query names, by any name of the entity it stands for.

    Of whoever is known as a speaker only claims: what others say of them is what everybody says most often.
    """
    asked = {name_key(m.text) for m in mentions(plan.query)}
    asked |= {name_key(word) for word in plan.query.split() if len(word) > 2}
    spoken = {name_key(name) for name in named}
    found: dict[int, None] = {}
    for place in places:
        for name in sorted(n for n in asked if n):
            for other in sorted(_names(reader, place.row.scope_id, name, plan.clearance)):

                def fetch(n: int, scope_id: str = place.row.scope_id, other: str = other) -> list[int]:
                    return reader.mentioning(scope_id, other, n, plan.clearance)

                kept = _widened(gate, fetch, ENTITY_FETCH, "entity", degraded)
                if other in spoken:
                    kept = [v for v in kept if gate.passed[v][0].kind != "episodic"]
                found |= dict.fromkeys(kept)
    return list(found)


def _names(reader: Reader, scope_id: str, name: str, clearance: int) -> set[str]:
    """A name, and every name of the entities it stands for that may be known here."""
    names = {name}
    entities = reader.entities_named(scope_id, name)
    locked = reader.locked(entities, clearance) if entities else set[str]()
    for entity in entities:
        if entity not in locked:
            names |= {n for n, _ in reader.names_of_entity(entity)}
    return names


def _recent(reader: Reader, plan: Plan, places: list[Place], gate: Gate, degraded: list[str]) -> list[int]:
    """The newest documents of the kinds asked for, by when they were first believed."""
    shown_only = plan.known_at is None and not plan.include
    found: list[int] = []
    for place in places:

        def fetch(n: int, scope_no: int = place.row.scope_no) -> list[int]:
            return reader.newest(scope_no, plan.kinds, None, n, shown_only, plan.clearance)

        found += _widened(gate, fetch, RECENT_FETCH, "recent", degraded)
    return sorted(found, key=lambda v: (-gate.passed[v][0].known_from, -v))[:RECENT_FETCH]


def _rows(reader: Reader, plan: Plan, vids: Iterable[int]) -> dict[int, Candidate]:
    """Documents as ranking sees them, in their order."""
    wanted = dict.fromkeys(vids)
    found = {c.vid: c for c in reader.candidates(wanted, plan.clearance)}
    return {vid: found[vid] for vid in wanted}


def _beside(rows: dict[int, Candidate]) -> list[int]:
    """The turns before and after what was found: an answer often shares no word with its question."""
    beside = (v for c in rows.values() for v in (c.prev_vid, c.next_vid) if v is not None)
    return [v for v in dict.fromkeys(beside) if v not in rows]


def _about(reader: Reader, places: list[Place], named: list[str], gate: Gate) -> frozenset[int]:
    """Claims that speak of a person the query names: a claim has no speaker, but it is about somebody."""
    claims = [v for v, rows in gate.passed.items() if rows[0].kind != "episodic"]
    if not named or not claims:
        return frozenset()
    return frozenset(
        vid for p in places for name in named for vid in reader.mentioned_in(p.row.scope_id, name_key(name), claims)
    )
