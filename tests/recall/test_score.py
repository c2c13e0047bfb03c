from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from firsthand.recall.query import QueryFeatures
from firsthand.recall.score import WEIGHTS, Candidates, lexical, order, rank, top
from firsthand.rules.timewords import Window

DAY = 86_400_000_000
PLAIN = QueryFeatures((), frozenset(), frozenset(), (), asks_when=False, is_question=False)


def candidates(count: int, **columns: object) -> Candidates:
    """Rows of one thread in order; a column that is not given is the same for every row."""
    at = np.arange(count)
    given = {name: np.asarray(column) for name, column in columns.items()}
    plain: Mapping[str, np.ndarray] = {
        "seq": at,
        "thread": np.zeros(count, dtype=np.int64),
        "prev_seq": at - 1,
        "next_seq": np.where(at + 1 < count, at + 1, -1),
        "speaker": np.zeros(count, dtype=np.int64),
        "occurred_at": np.zeros(count, dtype=np.int64),
        "is_question": np.zeros(count, dtype=np.bool_),
        "has_time_words": np.zeros(count, dtype=np.bool_),
        "told_from": np.zeros(count, dtype=np.int64),
        "told_to": np.zeros(count, dtype=np.int64),
    }
    return Candidates(**{**plain, **given})


def taken(rows: Candidates, at: np.ndarray) -> Candidates:
    columns = {field.name: getattr(rows, field.name) for field in fields(rows)}
    return Candidates(**{name: None if column is None else column[at] for name, column in columns.items()})


def dense(*scores: float) -> np.ndarray:
    return np.array(scores, dtype=np.float32)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[QueryFeatures, Candidates, np.ndarray]:
    count = draw(st.integers(1, 24))
    size = count + draw(st.integers(0, 10))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    seq = random.permutation(size)[:count]
    begin = random.integers(-40, 40, count) * DAY
    rows = Candidates(
        seq=seq,
        thread=random.integers(0, 4, count),
        prev_seq=random.integers(-1, size, count),
        next_seq=random.integers(-1, size, count),
        speaker=random.integers(0, 3, count),
        occurred_at=random.integers(-40, 40, count) * DAY,
        is_question=random.random(count) < 0.5,
        has_time_words=random.random(count) < 0.5,
        told_from=begin,
        told_to=begin + random.integers(0, 40, count) * DAY,
        similarity=random.uniform(-1, 1, count) if draw(st.booleans()) else None,
    )
    windows = tuple(
        Window(int(at) * DAY, int(at + wide) * DAY) for at, wide in random.integers(1, 45, (draw(st.integers(0, 3)), 2))
    )
    speakers = frozenset(draw(st.sets(st.integers(0, 4), max_size=2)))
    query = QueryFeatures(
        (), frozenset(), speakers, windows, asks_when=draw(st.booleans()), is_question=draw(st.booleans())
    )
    scores = np.where(random.random(size) < 0.4, 0, random.integers(0, 5, size)).astype(np.float32)
    return query, rows, scores


@given(scenes(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_score_and_no_place(scene, random) -> None:
    query, rows, scores = scene
    mixed = np.array(random.sample(range(len(rows.seq)), len(rows.seq)))
    first, second = rank(query, rows, scores), rank(query, taken(rows, mixed), scores)
    assert np.array_equal(first.total[mixed], second.total)
    assert np.array_equal(rows.seq[order(first.total, rows.seq)], rows.seq[mixed][order(second.total, rows.seq[mixed])])


@given(scenes())
def test_what_is_not_passed_has_no_say(scene) -> None:
    query, rows, scores = scene
    hidden = np.ones(len(scores), dtype=np.bool_)
    hidden[rows.seq] = False
    loud = np.where(hidden, np.float32(1000), scores)
    assert np.array_equal(rank(query, rows, scores).total, rank(query, rows, loud).total)


def test_what_is_passed_does_have_a_say() -> None:
    quiet, loud = rank(PLAIN, candidates(3), dense(0, 1, 0)), rank(PLAIN, candidates(3), dense(0, 1, 1))
    assert not np.array_equal(quiet.total, loud.total)


@given(scenes())
def test_the_parts_add_up_and_each_stays_within_its_weight(scene) -> None:
    query, rows, scores = scene
    ranking = rank(query, rows, scores)
    assert np.array_equal(sum(ranking.parts.values()), ranking.total)
    most = {"near": 2, "far": 2}
    for name, part in ranking.parts.items():
        assert np.all(np.abs(part) <= abs(WEIGHTS[name]) * most.get(name, 1) + 1e-12), name
    assert ("similarity" in ranking.parts) == (rows.similarity is not None)


def test_no_candidates_have_no_scores() -> None:
    assert rank(PLAIN, candidates(0), dense()).total.shape == (0,)
    assert rank(PLAIN, candidates(1), dense(1)).total.shape == (1,)


def features(query: QueryFeatures, rows: Candidates, scores: np.ndarray, name: str) -> list[float]:
    return (rank(query, rows, scores, {name: 1.0}).parts[name]).tolist()


def test_a_row_is_lifted_by_rows_one_and_two_away_in_its_thread() -> None:
    scores = dense(0, 0, 2, 0, 0)
    assert features(PLAIN, candidates(5), scores, "own") == [0, 0, 1, 0, 0]
    assert features(PLAIN, candidates(5), scores, "near") == [0, 1, 0, 1, 0]
    assert features(PLAIN, candidates(5), scores, "far") == [1, 0, 0, 0, 1]


def test_a_neighbour_that_is_no_candidate_lifts_nobody() -> None:
    rows = taken(candidates(5), np.array([1, 3, 4]))
    assert features(PLAIN, rows, dense(0, 0, 2, 1, 0), "near") == [0, 0, 1]


def test_the_turn_after_a_fitting_question_is_its_answer() -> None:
    rows = candidates(4, is_question=[False, True, False, False])
    assert features(PLAIN, rows, dense(4, 3, 0, 0), "answers") == [0, 0, 0.75, 0]


def test_a_thread_scores_by_its_best_row() -> None:
    rows = candidates(4, thread=[7, 7, 9, 9])
    assert features(PLAIN, rows, dense(4, 0, 1, 0), "session") == [1, 1, 0.25, 0.25]


def test_whoever_is_named_is_preferred_and_nobody_when_nobody_is() -> None:
    rows = candidates(3, speaker=[1, 2, 3])
    assert features(replace(PLAIN, speakers=frozenset({1, 3})), rows, dense(0, 0, 0), "speaker") == [1, 0, 1]
    assert features(PLAIN, rows, dense(0, 0, 0), "speaker") == [0, 0, 0]


def test_a_date_prefers_what_was_said_inside_its_window_and_fades_over_days_on_both_sides() -> None:
    rows = candidates(5, occurred_at=np.array([9, 10, 11, 12, 400]) * DAY)
    dated = replace(PLAIN, windows=(Window(10 * DAY, 12 * DAY),))
    before, first, last, after, long_after = features(dated, rows, dense(0, 0, 0, 0, 0), "date")
    assert first == last == 1.0
    assert before == pytest.approx(np.exp(-1 / 7))
    assert 0.99 < after < 1.0
    assert 0.0 <= long_after < 1e-12
    assert features(PLAIN, rows, dense(0, 0, 0, 0, 0), "date") == [0, 0, 0, 0, 0]


def test_the_time_that_a_text_tells_meets_the_window_asked_about_if_neither_is_longer_than_a_month() -> None:
    told = {"told_from": np.array([5, 8, 0, 0]) * DAY, "told_to": np.array([10, 11, 0, 365]) * DAY}
    asked = replace(PLAIN, windows=(Window(10 * DAY, 12 * DAY),))
    assert features(asked, candidates(4, **told), dense(0, 0, 0, 0), "told") == [0, 1, 0, 0]
    year = replace(PLAIN, windows=(Window(0, 365 * DAY),))
    assert features(year, candidates(4, **told), dense(0, 0, 0, 0), "told") == [0, 0, 0, 0]


def test_time_words_count_only_for_a_query_that_asks_when() -> None:
    rows = candidates(2, has_time_words=[True, False])
    assert features(replace(PLAIN, asks_when=True), rows, dense(0, 0), "when") == [1, 0]
    assert features(PLAIN, rows, dense(0, 0), "when") == [0, 0]


def test_a_question_is_a_poor_answer_to_a_question_only() -> None:
    rows = candidates(2, is_question=[True, False])
    assert features(replace(PLAIN, is_question=True), rows, dense(0, 0), "question") == [1, 0]
    assert features(PLAIN, rows, dense(0, 0), "question") == [0, 0]


def test_similarity_is_a_column_that_may_be_missing() -> None:
    rows = candidates(3, similarity=np.array([-0.5, 0.2, 0.4]))
    assert features(PLAIN, rows, dense(0, 0, 0), "similarity") == [0, 0.5, 1]
    assert "similarity" not in rank(PLAIN, candidates(3), dense(0, 0, 0)).parts


def test_rarer_terms_weigh_more_and_names_of_speakers_a_quarter() -> None:
    postings = {"rare": np.array([0]), "common": np.array([0, 1, 2]), "mel": np.array([3])}
    scores = lexical(postings, 6, 6, frozenset({"mel"}))
    assert scores.dtype == np.float32
    assert scores[0] > scores[1] == scores[2] > 0
    assert scores[4] == scores[5] == 0
    assert scores[3] == pytest.approx(float(lexical(postings, 6, 6)[3]) / 4)


def test_the_order_of_the_terms_changes_no_bit_of_a_score() -> None:
    random = np.random.default_rng(3)
    postings = {f"t{at}": np.unique(random.integers(0, 200, 1 + at * 7)) for at in range(20)}
    assert np.array_equal(lexical(postings, 200, 200), lexical(dict(reversed(postings.items())), 200, 200))
    assert lexical(postings, 200, 200).max() > 0


def test_a_term_in_every_row_still_scores_and_a_stale_count_never_breaks() -> None:
    assert lexical({"all": np.arange(4)}, 4, 4).min() > 0
    assert np.isfinite(lexical({"all": np.arange(4)}, 2, 4)).all()


@given(st.lists(st.integers(0, 4), max_size=40), st.integers(1, 12))
def test_the_top_is_the_start_of_the_whole_order(scores: list[int], k: int) -> None:
    expected = sorted((seq for seq, score in enumerate(scores) if score), key=lambda seq: (-scores[seq], -seq))
    assert top(dense(*scores), k).tolist() == expected[:k]


def test_equal_scores_put_the_newer_first() -> None:
    assert order(np.array([1.0, 2.0, 1.0]), np.array([5, 6, 7])).tolist() == [1, 2, 0]
