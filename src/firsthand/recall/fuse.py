"""From what the arms found to one order: the weighted sum of normalised scores, then small bounded factors (step 3)."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from firsthand.ports import Attention, BeliefRow, Reader, Scored
from firsthand.recall.arms import Found, Ground
from firsthand.recall.cache import NOWHERE, Cache, Columns, flag
from firsthand.recall.plan import Place, Plan
from firsthand.recall.query import QueryFeatures, likely
from firsthand.recall.score import WEIGHTS, Candidates, FloatArray, IntArray, among, distinct, order, rank
from firsthand.rules.salience import SALIENCE_CAP, SALIENCE_FLOOR, Anchor, half_life, value_at
from firsthand.rules.terms import normalise
from firsthand.rules.wording import QUESTION, TIME_WORDS
from firsthand.vocabulary.kinds import KINDS, Kind
from firsthand.vocabulary.limits import SCOPES_PER_RECALL

ENTITY_WEIGHT: Final = 0.25
ABOUT_WEIGHT: Final = WEIGHTS["speaker"]
"""A claim about what the query names, as a turn spoken by the one it names."""
ALONE_WEIGHT: Final = 0.75
"""A belief has no turns beside it that could speak for it; so its own words count for them."""
CLAIM_FACTOR: Final = 1.2
"""A belief that was made of what was said outranks the saying, which it cites."""
FACT_FACTOR: Final = 1.05
NOT_CURRENT_FACTOR: Final = 0.8
"""What ended or is yet to begin follows what holds (design 09.22)."""
SALIENCE_SPAN: Final = 0.05
WALK_STEPS: Final = 4_096
"""Turns that may not be seen, one after the other, over which a thread still holds together."""


ColumnsOf = Callable[[IntArray], Columns]
"""The columns of documents of one scope."""
Link = Literal["prev", "next"]
LINKS: Final[tuple[Link, Link]] = ("prev", "next")


class Speakers(NamedTuple):
    """Whom a query may name of those who spoke: one number per name, and each scope's own numbers as that one."""

    known: dict[str, int]
    numbers: list[NDArray[np.int32]]


class Passed(NamedTuple):
    """Documents that passed the gate, ascending, each with the row that speaks for it."""

    numbers: IntArray
    rows: list[Scored]

    def only(self, kept: NDArray[np.bool_]) -> Passed:
        """Some of them."""
        return Passed(self.numbers[kept], [r for r, keep in zip(self.rows, kept.tolist(), strict=True) if keep])


class Ranked(NamedTuple):
    """Documents that passed the gate, best first, with their scores and what each feature added."""

    numbers: IntArray
    scores: FloatArray
    parts: Mapping[str, FloatArray]
    rows: list[Scored]


def speakers_of(reader: Reader, plan: Plan, base: Ground, cache: Cache) -> Speakers:
    """The speakers of the scopes read who may be named; one heard only in what is locked, or later, is not known.

    Spellings that read alike are one speaker: a client's `ana` is the Ana of a transcript.
    """
    known: dict[str, int] = {}
    alike: dict[str, int] = {}
    numbers: list[NDArray[np.int32]] = []
    for place in base.places:
        row, own = place.row, cache.speakers(reader, place.row)
        mapped = np.full(len(own) + 1, NOWHERE, dtype=np.int32)  # the last place is for rows without a speaker
        named = likely(plan.query, own)
        past, unseen = plan.known_at is not None, row.next_seq > row.listed + row.rest
        asked = named and (past or unseen or reader.over(row.scope_no, plan.clearance))
        for name, number in named.items():
            if not asked or reader.has_spoken(row.scope_no, number, place.end, plan.clearance):
                mapped[number] = known[name] = alike.setdefault(normalise(name), len(alike))
        numbers.append(mapped)
    return Speakers(known, numbers)


def neighbours(reader: Reader, base: Ground, cache: Cache, numbers: IntArray) -> Candidates:
    """The columns of these documents and of their neighbours in the thread, which only lend their scores."""
    parts: list[Candidates] = []
    for at, place in enumerate(base.places):
        own = numbers[(numbers >= place.offset) & (numbers < place.offset + place.row.next_seq)] - place.offset
        if len(own):
            hidden = np.concatenate((cache.unlisted(reader, place.row), base.over[at]))
            parts.append(_around(partial(cache.columns, reader, place.row), place, at, own, hidden))
    return _joined(parts)


def with_speakers(candidates: Candidates, base: Ground, speakers: Speakers) -> Candidates:
    """Each scope's own speaker numbers as the recall's."""
    mapped = candidates.speaker.copy()
    for place, numbers in zip(base.places, speakers.numbers, strict=True):
        inside = (candidates.seq >= place.offset) & (candidates.seq < place.offset + place.row.next_seq)
        mapped[inside] = numbers[candidates.speaker[inside]]
    return msgspec.structs.replace(candidates, speaker=mapped)


def fuse(
    plan: Plan,
    query: QueryFeatures,
    found: Found,
    candidates: Candidates,
    passed: Passed,
    attention: Mapping[str, Attention],
) -> Ranked:
    """The documents that passed, best first; the order is total, the newer first among equals."""
    numbers, rows = passed
    if found.meant is not None:
        alike = found.meant.similarity(candidates.seq)
        if plan.include or plan.known_at is not None:
            # What was not known then, or is locked now, lends its neighbours nothing.
            alike[~among(candidates.seq, numbers, len(found.dense))] = 0
        candidates = msgspec.structs.replace(candidates, similarity=alike)
    ranking = rank(query, candidates, found.dense)
    at = np.searchsorted(candidates.seq, numbers)
    parts: dict[str, FloatArray] = {n: v[at] for n, v in ranking.parts.items()}
    claims = np.array([r.kind != "episodic" for r in rows], dtype=np.bool_)
    parts |= _arm_parts(found, numbers, claims)
    total = ranking.total[at]
    if claims.any():
        parts["alone"] = np.where(claims, ALONE_WEIGHT * parts["own"], 0.0)
    for name in ("entity", "recent", "alone"):
        if name in parts:
            total = total + parts[name]
    factors = _factors(plan, rows, claims, attention)
    parts["factor"] = factors
    total = total * factors
    best = order(total, numbers)
    return Ranked(numbers[best], total[best], {n: v[best] for n, v in parts.items()}, [rows[i] for i in best.tolist()])


def salience_of(row: BeliefRow | Scored, attention: Mapping[str, Attention], now: int) -> float:
    """A record's salience: from its anchor, or from when it was first believed."""
    held = attention.get(row.record_id) if attention else None
    anchor = Anchor(held.anchor, held.anchored_at) if held is not None else Anchor(1.0, row.known_from)
    return value_at(anchor, row.kind, now)


def _factors(
    plan: Plan, rows: Sequence[Scored], claims: NDArray[np.bool_], attention: Mapping[str, Attention]
) -> FloatArray:
    """Standing, salience and time of each row as one small bounded factor."""
    made = np.where(claims, CLAIM_FACTOR, 1.0)
    begins = np.array([r.valid_from for r in rows], dtype=np.int64)
    ends = np.array([r.valid_to for r in rows], dtype=np.int64)
    made[np.array([r.tier == "fact" for r in rows], dtype=np.bool_)] *= FACT_FACTOR
    made[(plan.at < begins) | (plan.at >= ends)] *= NOT_CURRENT_FACTOR
    return made * (1 - SALIENCE_SPAN / 2 + SALIENCE_SPAN * saliences(rows, attention, plan.now))


def saliences(rows: Sequence[Scored], attention: Mapping[str, Attention], now: int) -> FloatArray:
    """`salience_of` for many rows at once."""
    value, since = np.ones(len(rows)), np.array([r.known_from for r in rows], dtype=np.int64)
    for i, row in enumerate(rows) if attention else ():
        held = attention.get(row.record_id)
        if held is not None:
            value[i], since[i] = held.anchor, held.anchored_at
    halving = np.array([_HALVING[r.kind] for r in rows], dtype=np.float64)
    decay = np.exp2(-np.maximum(now - since, 0) / halving)
    return np.clip(SALIENCE_FLOOR + (value - SALIENCE_FLOOR) * decay, SALIENCE_FLOOR, SALIENCE_CAP)


_HALVING: Final[dict[Kind, float]] = {kind: half_life(kind) or float("inf") for kind in KINDS}


R = TypeVar("R", BeliefRow, Scored)


def current_row(rows: Sequence[R], at: int) -> R:
    """The row that holds at an instant, else the one that ended last, else the one that begins first."""
    for row in rows:
        if row.valid_from <= at < row.valid_to:
            return row
    ended = [r for r in rows if r.valid_to <= at]
    return max(ended, key=lambda r: r.valid_to) if ended else min(rows, key=lambda r: r.valid_from)


def one_each(base: Ground, rows: Sequence[Scored], at: int) -> Passed:
    """One row for each document, of rows in the order of documents: the one that speaks for it at an instant."""
    speaking = list(rows)
    if len({r.vid for r in rows}) < len(rows):
        speaking = [current_row(list(of), at) for _, of in itertools.groupby(rows, key=operator.attrgetter("vid"))]
    numbers = base.numbers([r.vid for r in speaking])
    ascending = np.argsort(numbers)
    return Passed(numbers[ascending], [speaking[i] for i in ascending.tolist()])


def _around(columns: ColumnsOf, place: Place, at: int, own: IntArray, hidden: IntArray) -> Candidates:
    """Columns of documents and their neighbours, in the recall's numbering; what is hidden is stepped over."""
    size, found = place.row.next_seq, columns(own)
    near = distinct(np.concatenate((own, *(_step(columns, link, found, hidden, size) for link in LINKS))))
    near = near[near >= 0]
    found = columns(near)
    prev, following = (_step(columns, link, found, hidden, size) for link in LINKS)
    thread, flags = found.of("thread").astype(np.int64), found.of("flags")
    alone = thread == NOWHERE
    thread[alone] = -2 - near[alone]
    return Candidates(
        seq=near + place.offset,
        thread=thread * SCOPES_PER_RECALL + at,
        prev_seq=np.where(prev >= 0, prev + place.offset, NOWHERE),
        next_seq=np.where(following >= 0, following + place.offset, NOWHERE),
        speaker=found.of("speaker").astype(np.int64),
        occurred_at=found.of("occurred"),
        is_question=flag(flags, QUESTION),
        has_time_words=flag(flags, TIME_WORDS),
        told_from=found.of("told_from"),
        told_to=found.of("told_to"),
    )


def _step(columns: ColumnsOf, link: Link, start: Columns, hidden: IntArray, size: int) -> IntArray:
    """The next document along a link that this snapshot has and the caller may see."""
    at = start.of(link)
    at[at >= size] = NOWHERE
    if not len(hidden):
        return at
    for _ in range(WALK_STEPS):
        blocked = np.isin(at, hidden)
        if not blocked.any():
            return at
        at[blocked] = columns(at[blocked]).of(link)
        at[at >= size] = NOWHERE
    at[np.isin(at, hidden)] = NOWHERE
    return at


def _joined(parts: list[Candidates]) -> Candidates:
    if len(parts) == 1:
        return parts[0]

    def column(name: str) -> Any:
        return np.concatenate([getattr(p, name) for p in parts]) if parts else np.zeros(0, dtype=np.int64)

    names = [name for name in Candidates.__struct_fields__ if name != "similarity"]
    return Candidates(**{name: column(name) for name in names})


def _arm_parts(found: Found, numbers: IntArray, claims: NDArray[np.bool_]) -> dict[str, FloatArray]:
    """What the arms without a lexical score add: a fixed part for a name, a falling one for recency."""
    parts: dict[str, FloatArray] = {}
    named = found.arms.get("entity")
    if named is not None and len(named):
        inside = among(numbers, named, len(found.dense))
        parts["entity"] = np.where(inside, np.where(claims, ABOUT_WEIGHT, ENTITY_WEIGHT), 0.0)
    recent = found.arms.get("recent")
    if recent is not None and len(recent):
        places = {int(n): 1.0 / (1 + i) for i, n in enumerate(recent)}
        parts["recent"] = np.array([places.get(int(n), 0.0) for n in numbers])
    return parts
