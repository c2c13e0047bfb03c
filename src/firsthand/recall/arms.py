"""Arms: bounded candidate queries over the scopes of a recall, each already gated or gated next (design 04, step 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from firsthand.ports import LISTED, NOBODY, REST, SEQ_BITS, Embedding, Reader, Said, Shelf
from firsthand.recall.cache import SEQ_MASK, Cache
from firsthand.recall.plan import DEFAULT_KINDS, Place, Plan
from firsthand.recall.query import QueryFeatures
from firsthand.recall.score import ALIKE_LEAST, BoolArray, IntArray, ScoreArray, among, lexical, top
from firsthand.recall.vectors import MOST_ROWS, Meant, Unheld, Vectors, vector_of
from firsthand.rules.mentions import mentions
from firsthand.rules.normalise import name_key
from firsthand.vocabulary.kinds import KINDS, Kind
from firsthand.vocabulary.packets import ArmName

OVER_FETCH: Final = 6
FETCH_LEAST: Final = 60
ENTITY_FETCH: Final = 60
RECENT_FETCH: Final = 60
CLAIMS_FETCH: Final = 60
CLAIMS_LOOKED_AT: Final = 80
"""Among the best so many there are usually enough beliefs; if not, the kind of every document is asked for."""
ALIKE_FETCH: Final = 30
WIDEST: Final = 8_192
"""Documents that the lexical arm looks at before it gives up widening, and says so."""
EPISODIC: Final = KINDS.index("episodic")
ENTITY: Final = KINDS.index("entity")
CLAIMS: Final[tuple[Kind, ...]] = tuple(kind for kind in KINDS if kind not in ("episodic", "entity"))
FAILED: Final = "_arm_failed"
DROPPED: Final = "vector_arm_dropped"
"""Nothing was looked for by its vector: there are too many, or it does not pay; what was found is ranked by it."""
PENDING: Final = "vectors_pending"
POSTINGS_PER_RECALL: Final = 1 << 24
"""Places in posting lists that one recall looks at, with an equal share for each term; a second or two at the worst."""
_NOTHING: Final = np.zeros(0, dtype=np.int64)
_NO_SCORES: Final = np.zeros(0, dtype=np.float32)


class Found(NamedTuple):
    """Documents in each arm's order, in the recall's numbering; posting lists, scores and rarities of the terms.

    `meant`: the query among the vectors, if there are any.
    """

    arms: dict[ArmName, IntArray]
    lists: dict[str, IntArray]
    dense: ScoreArray
    rarity: dict[str, float]
    degraded: tuple[str, ...]
    meant: Meant | None = None


class Ground(NamedTuple):
    """The scopes a recall reads, one after the other in one numbering, and what may not be seen in each."""

    places: list[Place]
    over: list[IntArray]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.places[-1].offset + self.places[-1].row.next_seq if self.places else 0

    def numbers(self, vids: Sequence[int]) -> IntArray:
        """Documents in the recall's numbering."""
        shift = {p.row.scope_no: p.offset - (p.row.scope_no << SEQ_BITS) for p in self.places}
        return np.array([v + shift[v >> SEQ_BITS] for v in vids], dtype=np.int64)

    def holds(self, vid: int) -> bool:
        """Whether a document has a number here."""
        return any(p.row.scope_no == vid >> SEQ_BITS and vid & SEQ_MASK < p.row.next_seq for p in self.places)

    def vids(self, numbers: IntArray) -> list[int]:
        """Documents of the recall's numbering, by their own numbers."""
        if len(self.places) <= 1:
            return [n + (p.row.scope_no << SEQ_BITS) for p in self.places for n in numbers.tolist()]
        offsets = np.array([p.offset for p in self.places])
        shift = np.array([(p.row.scope_no << SEQ_BITS) - p.offset for p in self.places])
        return (numbers + shift[np.searchsorted(offsets, numbers, side="right") - 1]).tolist()


def ground(reader: Reader, plan: Plan, scope_ids: dict[str, str], cache: Cache) -> Ground:
    """The scopes of a recall that exist, of name → id; for the past as far as they went then."""
    places: list[Place] = []
    offset = 0
    for name, scope_id in scope_ids.items():
        whole = row = reader.scope(scope_id)
        if whole is not None and row is not None:
            if plan.known_at is not None:
                row = row._replace(next_seq=cache.size_at(reader, row, plan.known_at))
            places.append(Place(row, name, offset, whole))
            offset += row.next_seq
    return Ground(places, [_over(reader, p, plan.clearance, shelves(plan)) for p in places])


def search(reader: Reader, plan: Plan, base: Ground, query: QueryFeatures, named: Sequence[str], cache: Cache) -> Found:
    """Run every arm; one that fails says so in a code, and the others still answer."""
    held = reader.embedding()
    lacking = _lacking(held, base, cache)
    degraded = [lacking] if lacking is not None else _waiting(reader, plan, base)
    meant: Meant | None = None
    arms: dict[ArmName, IntArray] = {}
    lists, rarity, dense = dict[str, IntArray](), dict[str, float](), _NO_SCORES

    def lexical_arm() -> IntArray:
        nonlocal lists, rarity, dense
        lists, rarity, documents, cut = _posting_lists(reader, plan, base, query, cache)
        if cut:
            degraded.append("lexical_terms_capped")
        dense = lexical(lists, documents, base.size, query.faint)
        found = top(_of_kinds(reader, plan, base, dense, cache), fetch_of(plan))
        return found if len(found) < fetch_of(plan) else _with_claims(reader, base, dense, found, cache)

    def vector_arm() -> IntArray:
        nonlocal meant
        meant = _meant(reader, base, query, cache, held)
        return _alike(reader, plan, base, meant, cache) if meant is not None and lacking is None else _NOTHING

    wanted: dict[ArmName, Callable[[], IntArray]] = {
        "lexical": lexical_arm,
        "entity": lambda: _entity(reader, plan, base, named, arms.get("lexical", _NOTHING), cache),
    }
    if lacking in (None, DROPPED):
        wanted["vector"] = vector_arm
    if not query.terms or plan.kinds == ("working",):
        wanted["recent"] = lambda: _recent(reader, plan, base)
    for name, arm in wanted.items():
        try:
            arms[name] = arm()
        except Exception:  # noqa: BLE001 - whatever broke one arm, what the others find is worth having
            degraded.append(f"{name}{FAILED}")
    if len(dense) < base.size:  # made here only then: a second array as long as the scope costs more than its scores
        dense = np.zeros(base.size, dtype=np.float32)
    return Found(arms, lists, dense, rarity, tuple(degraded), meant)


def _lacking(held: Embedding | None, base: Ground, cache: Cache) -> str | None:
    """Why a recall has no vectors to look at, as a code; unset where it has."""
    if cache.embedder is None:
        return "vector_arm_unavailable"
    if held is not None and held.identity != cache.embedder.identity:
        return PENDING if held.identity == NOBODY else "vectors_outdated"
    return None if _is_searched(base, cache) else DROPPED


def _is_searched(base: Ground, cache: Cache) -> bool:
    """Whether every vector of the scopes is looked at."""
    return not cache.one_shot and base.size <= MOST_ROWS


def _waiting(reader: Reader, plan: Plan, base: Ground) -> list[str]:
    """Says so where any document that this recall may find has no vector yet."""
    asked = shelves(plan)
    seen = (reader.is_pending(p.row.scope_no, p.row.next_seq, asked, plan.clearance) for p in base.places)
    return [PENDING] if any(seen) else []


def _meant(reader: Reader, base: Ground, query: QueryFeatures, cache: Cache, held: Embedding | None) -> Meant | None:
    """A query among the vectors of the scopes, unless there are none or nothing of it is known."""
    assert cache.embedder is not None
    if held is None or held.dimension is None or not query.words:
        return None
    vector = vector_of(cache.embedder, Said(query.words, query.text))
    if vector is None:
        return None
    own = cache.embedder
    if held.dimension != own.dimension:
        raise ValueError("the vectors of the space have another dimension than the query's")
    is_held = _is_searched(base, cache)
    return Meant(vector, [
        (p.offset, p.row.next_seq,
         cache.vectors(reader, p.row, held) if is_held
         else Unheld(reader, p.row.scope_no, own.dimension, own.length**2, own.scale))
        for p in base.places
    ])  # fmt: skip


def _alike(reader: Reader, plan: Plan, base: Ground, meant: Meant, cache: Cache) -> IntArray:
    """Documents of the kinds asked for whose words mean what the query means, whether or not they share one with it."""
    asked = shelves(plan)
    everything = set(plan.kinds) >= set(DEFAULT_KINDS)
    numbers: list[IntArray] = [_NOTHING]
    scores: list[ScoreArray] = [np.zeros(0, dtype=np.float32)]
    for place, over, (_, _, vectors) in zip(base.places, base.over, meant.parts, strict=True):
        assert isinstance(vectors, Vectors)
        seen = vectors.seen(place.row, asked, over)
        if everything:
            seen[cache.of_kinds(reader, place.row, ("entity",))] = False
        else:
            wanted = np.zeros(len(seen), dtype=np.bool_)
            wanted[cache.of_kinds(reader, place.row, plan.kinds)] = True
            seen &= wanted
        near = vectors.near(meant.query, seen, ALIKE_LEAST, ALIKE_FETCH)
        numbers.append(near.places + place.offset)
        scores.append(near.similarity)
    found, similarity = np.concatenate(numbers), np.concatenate(scores)
    return found[np.lexsort((-found, -similarity))[:ALIKE_FETCH]]


def fetch_of(plan: Plan) -> int:
    """How many documents the lexical arm finds, before any of them is gated."""
    return max(FETCH_LEAST, OVER_FETCH * plan.limit)


def wider(reader: Reader, plan: Plan, base: Ground, found: Found, cache: Cache) -> Found | None:
    """The same with four times as many lexical hits, if there are more."""
    had = len(found.arms["lexical"])
    more = top(_of_kinds(reader, plan, base, found.dense, cache), had * 4)
    return found._replace(arms=found.arms | {"lexical": more}) if len(more) > had else None


def _of_kinds(reader: Reader, plan: Plan, base: Ground, dense: ScoreArray, cache: Cache) -> ScoreArray:
    """Scores of documents of the kinds asked for; the others are no hits."""
    if set(plan.kinds) >= set(DEFAULT_KINDS):
        return dense
    return _only(reader, base, dense, plan.kinds, cache)


def _only(reader: Reader, base: Ground, dense: ScoreArray, kinds: tuple[Kind, ...], cache: Cache) -> ScoreArray:
    """Scores of documents of some kinds alone."""
    kept = np.zeros_like(dense)
    for place in base.places:
        of_kinds = cache.of_kinds(reader, place.row, kinds) + place.offset
        kept[of_kinds] = dense[of_kinds]
    return kept


def shelves(plan: Plan) -> tuple[Shelf, ...]:
    """The past, and what the default gate keeps back, are on the second shelf."""
    return (LISTED, REST) if plan.known_at is not None or plan.include else (LISTED,)


def _with_claims(reader: Reader, base: Ground, dense: ScoreArray, found: IntArray, cache: Cache) -> IntArray:
    """The best beliefs as well: a claim is one, and what was said of it may be hundreds that all say the same."""
    if _claims(reader, base, found[:CLAIMS_FETCH], cache).all():
        return found
    near = top(dense, CLAIMS_LOOKED_AT)
    best = near[_claims(reader, base, near, cache)][:CLAIMS_FETCH]
    if len(best) < CLAIMS_FETCH and len(near) == CLAIMS_LOOKED_AT:
        best = top(_only(reader, base, dense, CLAIMS, cache), CLAIMS_FETCH)
    return np.concatenate((found, best[~among(best, found, base.size)]))


def _claims(reader: Reader, base: Ground, numbers: IntArray, cache: Cache) -> BoolArray:
    """Which of some documents are beliefs."""
    found = np.zeros(len(numbers), dtype=np.bool_)
    for place in base.places:
        inside = (numbers >= place.offset) & (numbers < place.offset + place.row.next_seq)
        kinds = cache.columns(reader, place.row, numbers[inside] - place.offset).of("kind")
        found[inside] = (kinds != EPISODIC) & (kinds != ENTITY)
    return found


def _posting_lists(
    reader: Reader, plan: Plan, base: Ground, query: QueryFeatures, cache: Cache
) -> tuple[dict[str, IntArray], dict[str, float], int, bool]:
    """Every term's documents in one numbering, its rarity by these scopes' own counts, and how many documents count.

    Also whether a term is in more documents than its share of the work allows; the newest count then.
    """
    asked = shelves(plan)
    documents = sum(min(p.row.listed + (p.row.rest if REST in asked else 0), p.row.next_seq) for p in base.places)
    documents -= sum(map(len, base.over))
    share = max(1, POSTINGS_PER_RECALL // max(1, len(query.terms) * len(base.places) * len(asked)))
    lists: dict[str, IntArray] = {}
    cut = False
    for term in query.terms:
        parts: list[IntArray] = []
        for place, hidden in zip(base.places, base.over, strict=True):
            for shelf in asked:
                found, more = cache.postings(reader, place.whole, term, shelf, share)
                parts.append(_numbered(_visible(_known(found, place), hidden), place.offset))
                cut |= more
        joined = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else _NOTHING
        if len(joined):
            lists[term] = joined
    counts = {t: len(rows) for t, rows in lists.items()}
    rarity = {t: float(np.log1p((max(documents, n) - n + 0.5) / (n + 0.5))) for t, n in counts.items()}
    return lists, rarity, documents, cut


def _over(reader: Reader, place: Place, clearance: int, asked: tuple[Shelf, ...]) -> IntArray:
    """Documents above the clearance: they count in no rarity and no number (design 04)."""
    found = [vid for vid, shelf in reader.over(place.row.scope_no, clearance) if shelf in asked]
    return np.array(found, dtype=np.int64) & SEQ_MASK if found else _NOTHING


def _known(found: IntArray, place: Place) -> IntArray:
    """Those of a posting list that the scope had by the time asked about."""
    size = place.row.next_seq
    return found if not len(found) or found[-1] < size else found[: np.searchsorted(found, size)]


def _numbered(found: IntArray, offset: int) -> IntArray:
    """Places of a scope as numbers of the recall; those of the first scope are the same, and no long list is copied."""
    return found + offset if offset else found


def _visible(found: IntArray, hidden: IntArray) -> IntArray:
    return found if not len(hidden) else found[~np.isin(found, hidden)]


def _entity(reader: Reader, plan: Plan, base: Ground, named: Sequence[str], hits: IntArray, cache: Cache) -> IntArray:
    """Documents that mention what the query names, by any name of the entity it stands for.

    Of whoever is known as a speaker only claims: what others say of them is what everybody says most often.
    """
    asked = {name_key(m.text) for m in mentions(plan.query)}
    asked |= {name_key(word) for word in plan.query.split() if len(word) > 2}
    asked.discard("")
    spoken = {name_key(name) for name in named}
    found: dict[int, None] = {}
    for place in base.places if asked else ():
        scope_id = place.row.scope_id
        own = base.vids(hits[(hits >= place.offset) & (hits < place.offset + place.row.next_seq)])
        for name in reader.known_names(scope_id, sorted(asked)):
            for other in sorted(_names(reader, scope_id, name, plan.clearance)):
                vids = reader.mentioning(scope_id, other, place.end, ENTITY_FETCH, plan.clearance)
                if len(vids) == ENTITY_FETCH:  # older ones that were found otherwise mention it no less
                    vids += reader.mentioned_in(scope_id, other, own)
                places = np.array(vids, dtype=np.int64) & SEQ_MASK
                if other in spoken:
                    places = places[cache.columns(reader, place.row, places).of("kind") != EPISODIC]
                found |= dict.fromkeys((places + place.offset).tolist())
    return np.array(list(found), dtype=np.int64)


def _names(reader: Reader, scope_id: str, name: str, clearance: int) -> set[str]:
    """A name, and every name of the entities it stands for that may be known here."""
    names = {name}
    entities = reader.entities_named(scope_id, name)
    locked = reader.locked(entities, clearance) if entities else set[str]()
    for entity in entities:
        if entity not in locked:
            names |= {n for n, _ in reader.names_of_entity(entity)}
    return names


def _recent(reader: Reader, plan: Plan, base: Ground) -> IntArray:
    """The newest documents of the kinds asked for, by when they were written."""
    shown_only = plan.known_at is None and not plan.include
    vids = [
        v
        for p in base.places
        for v in reader.newest(p.row.scope_no, plan.kinds, p.end, RECENT_FETCH, shown_only, plan.clearance)
    ]
    newest = sorted(reader.docs(vids).values(), key=lambda d: -d.position)[:RECENT_FETCH]
    return base.numbers([d.vid for d in newest])
