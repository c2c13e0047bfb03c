"""Scoring: what makes one candidate a better answer than another. Pure, and no row that is not passed has a say."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from firsthand.recall.query import QueryFeatures
from firsthand.rules.days import MICROSECONDS_PER_DAY

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
ScoreArray = NDArray[np.float32]

# Few, and rounded to quarters: see bench/locomo_retrieval.py. Length earned nothing beside these, and is left out.
WEIGHTS: Mapping[str, float] = {
    "own": 1.0,
    "near": 0.25,
    "far": 0.25,
    "answers": 0.5,
    "session": 0.5,
    "speaker": 0.75,
    "date": 1.0,
    "told": 0.5,
    "when": 0.5,
    "question": -0.25,
    "similarity": 0.25,
    "theme": 0.75,
}
FAINT_WEIGHT = 0.25
ALIKE_LEAST = 0.35
"""A similarity that says something: of two short texts about nothing in common one in twenty pairs has it."""
_DATE_DECAY_DAYS = 7.0
_LONGEST_DATED_DAYS = 32
_CONTENDING_SHARES = (0.5, 0.25)


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of the rows that passed the gate, one entry a row, in any order."""

    seq: IntArray
    thread: IntArray
    prev_seq: IntArray
    """The row before in its thread, -1 when none; it counts only where it is itself a candidate."""
    next_seq: IntArray
    speaker: IntArray
    occurred_at: IntArray
    is_question: BoolArray
    has_time_words: BoolArray
    told_from: IntArray
    """The window that the text's own time words meant; empty (to <= from) when there is none."""
    told_to: IntArray
    similarity: FloatArray | None = None


class Ranking(NamedTuple):
    """Scores aligned with the candidates, and what each feature added to them."""

    total: FloatArray
    parts: Mapping[str, FloatArray]


def lexical(
    postings: Mapping[str, IntArray], n_docs: int, size: int, faint: frozenset[str] = frozenset()
) -> ScoreArray:
    """Sum the rarity of each term over the rows that hold it, by seq; how often it holds one does not count."""
    dense = np.zeros(size, dtype=np.float32)
    for term in sorted(postings):  # float addition depends on its order
        rows = postings[term]
        rarity = np.log1p((max(n_docs, len(rows)) - len(rows) + 0.5) / (len(rows) + 0.5))
        dense[rows] += np.float32(rarity * (FAINT_WEIGHT if term in faint else 1.0))
    return dense


def among(rows: IntArray, wanted: IntArray, size: int) -> BoolArray:
    """Which rows are wanted: by a mark per row, where `np.isin` would sort them."""
    marks = np.zeros(size, dtype=np.bool_)
    marks[wanted] = True
    return marks[rows]


def distinct(rows: IntArray) -> IntArray:
    """Return each row once, ascending: what `np.unique` does, which costs ten times as much for so few."""
    ordered = np.sort(rows)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def top(dense: ScoreArray, k: int) -> IntArray:
    """Return the seqs of the k best rows that score at all, best first, the newer first among equals."""
    hits = _contenders(dense, k)[::-1]
    scores = dense[hits]
    if len(hits) > k:
        floor = np.partition(scores, len(hits) - k)[len(hits) - k]
        above, level = hits[scores > floor], hits[scores == floor]
        hits = np.concatenate((above, level[: k - len(above)]))
        scores = dense[hits]
    return hits[np.lexsort((-hits, -scores))]


def _contenders(dense: ScoreArray, k: int) -> IntArray:
    """Return rows among which the k best are, in order: any level that k rows pass leaves out none of them.

    Most rows share only a common word with the question, and a level well below the peak spares sorting those.
    """
    peak = dense.max(initial=np.float32(0.0))
    for share in _CONTENDING_SHARES:
        hits = np.flatnonzero(dense > peak * np.float32(share))
        if len(hits) >= k:
            return hits
    return np.flatnonzero(dense > 0)


def order(total: FloatArray, seq: IntArray) -> IntArray:
    """Return the positions of the candidates, best first, the newer first among equals."""
    return np.lexsort((-seq, -total))


def rank(
    query: QueryFeatures, candidates: Candidates, dense: ScoreArray, weights: Mapping[str, float] = WEIGHTS
) -> Ranking:
    """Score every candidate: a weighted sum of features, each normalised to at most one."""
    own = _normalised(dense[candidates.seq].astype(np.float64))
    beside = _beside(candidates)
    features = {
        **_thread_features(candidates, own, beside),
        "own": own,
        "speaker": _speaker(query, candidates),
        "date": _date(query, candidates),
        "told": _told(query, candidates),
        "when": (candidates.has_time_words & query.asks_when).astype(np.float64),
        "question": (candidates.is_question & query.is_question).astype(np.float64),
    }
    if candidates.similarity is not None:
        features |= _similarity_features(candidates, candidates.similarity, beside)
    parts = {name: weight * features[name] for name, weight in weights.items() if name in features}
    total = np.zeros(len(candidates.seq))
    for part in parts.values():
        total += part
    return Ranking(total, parts)


def _normalised(values: FloatArray) -> FloatArray:
    peak = values.max(initial=0.0)
    return values / peak if peak > 0.0 else values


class _Beside(NamedTuple):
    """Which rows are before and after each in its thread (-1: no such row), and which thread it is in, of how many."""

    before: IntArray
    after: IntArray
    thread: IntArray
    threads: int


def _beside(candidates: Candidates) -> _Beside:
    by_seq = np.argsort(candidates.seq)
    threads, at = np.unique(candidates.thread, return_inverse=True)
    before, after = (_row_of(link, candidates.seq, by_seq) for link in (candidates.prev_seq, candidates.next_seq))
    return _Beside(before, after, at, len(threads))


def _thread_features(candidates: Candidates, own: FloatArray, beside: _Beside) -> dict[str, FloatArray]:
    """Score a row by the rows around it: one away, two away, the question it answers, and the best of its thread."""
    before, after = beside.before, beside.after
    # Position -1 stands for "no such row": one zero at the end of a column makes it score nothing.
    padded = np.append(own, 0.0)
    questions = np.append(np.where(candidates.is_question, own, 0.0), 0.0)
    before_that, after_that = np.append(before, -1)[before], np.append(after, -1)[after]
    return {
        "near": padded[before] + padded[after],
        "far": padded[before_that] + padded[after_that],
        "answers": questions[before],
        "session": _best_of_thread(own, beside),
    }


def _best_of_thread(own: FloatArray, beside: _Beside) -> FloatArray:
    best = np.zeros(beside.threads)
    np.maximum.at(best, beside.thread, own)
    return best[beside.thread]


def _similarity_features(candidates: Candidates, similarity: FloatArray, beside: _Beside) -> dict[str, FloatArray]:
    """Score a row by how alike it is to the question, and by the best of its thread: what is talked of there.

    Where a row has no thread nothing is talked of but what it says itself, and that counts a third.
    """
    own = np.maximum(similarity, 0.0)
    own = own / max(float(own.max(initial=0.0)), ALIKE_LEAST)
    theme = _best_of_thread(own, beside)
    return {"similarity": own, "theme": np.where(candidates.thread < 0, theme / 3, theme)}


def _row_of(wanted: IntArray, seq: IntArray, by_seq: IntArray) -> IntArray:
    at = by_seq[np.minimum(np.searchsorted(seq, wanted, sorter=by_seq), len(seq) - 1)] if len(seq) else wanted
    return np.where(seq[at] == wanted, at, -1)


def _speaker(query: QueryFeatures, candidates: Candidates) -> FloatArray:
    named = np.zeros(len(candidates.seq), dtype=np.bool_)
    for speaker in query.speakers:
        named |= candidates.speaker == speaker
    return named.astype(np.float64)


def _date(query: QueryFeatures, candidates: Candidates) -> FloatArray:
    """One where it was said inside a window that is asked about, less with the days it was said before or after."""
    if not query.windows:
        return np.zeros(len(candidates.seq))
    starts, ends = np.array(query.windows, dtype=np.int64).T[:, :, None]
    said = candidates.occurred_at[None, :]
    gap = np.maximum(np.maximum(starts - said, said - (ends - 1)), 0).min(axis=0)
    return np.exp(gap / (-_DATE_DECAY_DAYS * MICROSECONDS_PER_DAY))


def _told(query: QueryFeatures, candidates: Candidates) -> FloatArray:
    """One where the time that the text tells meets a window that is asked about, neither longer than a month."""
    longest = _LONGEST_DATED_DAYS * MICROSECONDS_PER_DAY
    windows = [window for window in query.windows if window.end - window.start <= longest]
    if not windows:
        return np.zeros(len(candidates.seq))
    starts, ends = np.array(windows, dtype=np.int64).T[:, :, None]
    begin, stop = candidates.told_from, candidates.told_to
    dated = (begin < stop) & (stop - begin <= longest)
    return (dated & ((starts < stop) & (begin < ends)).any(axis=0)).astype(np.float64)
