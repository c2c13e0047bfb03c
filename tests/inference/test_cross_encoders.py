"""A cross-encoder in a folder as a reranker: the real way from two texts through tokens and model to a number."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tiny_models import judge, sentence_model

import firsthand
from firsthand.inference.choosing import reranker_of
from firsthand.inference.rerankers import CrossEncoder
from firsthand.recall.rerank import RERANKER_FAILED
from firsthand.vocabulary.errors import InvalidError

QUERY = "When is the doctor in?"
TEXTS = ("The physician was in on Tuesday.", "The boat is blue", "Bread in the oven", "zqzqzq 4711")


def test_a_score_is_the_logistic_function_of_what_the_model_makes_of_both_texts(tmp_path: Path) -> None:
    judging = CrossEncoder(judge(tmp_path))
    model = judging._model
    read = model.read("doctor", "the boat")
    assert read.types == [0, 0, 0, 1, 1, 1]
    (logit,) = model.run(read).tolist()
    assert judging.scores("doctor", ["the boat"]) == [pytest.approx(1 / (1 + math.exp(-logit)))]


def test_what_answers_scores_highest_and_nothing_beside_it_has_a_say(tmp_path: Path) -> None:
    judging = CrossEncoder(judge(tmp_path))
    scores = judging.scores(QUERY, TEXTS)
    assert scores[0] == max(scores)
    assert scores[0] > 0.6 > 0.5 > min(scores)
    assert [judging.scores(QUERY, [text])[0] for text in TEXTS] == scores
    assert judging.scores(QUERY, list(reversed(TEXTS))) == scores[::-1]
    assert judging.scores(QUERY, []) == []


def test_of_two_numbers_the_second_says_yes(tmp_path: Path) -> None:
    one, two = CrossEncoder(judge(tmp_path / "one", gain=2)), CrossEncoder(judge(tmp_path / "two", numbers=2, gain=1))
    assert two.scores(QUERY, TEXTS) == pytest.approx(one.scores(QUERY, TEXTS), abs=1e-6)
    assert one.identity != two.identity


@pytest.mark.parametrize(("gain", "nearly"), [(1e6, 1.0), (-1e6, 0.0)])
def test_a_number_of_any_size_gives_a_score(tmp_path: Path, gain: float, nearly: float) -> None:
    (score,) = CrossEncoder(judge(tmp_path, gain=gain)).scores("doctor", ["physician"])
    assert score == pytest.approx(nearly)


def test_both_texts_are_read_within_the_length_of_the_model(tmp_path: Path) -> None:
    judging = CrossEncoder(judge(tmp_path))
    read = judging._model.read("doctor " * 3_000, "boat " * 3_000)
    assert len(read.ids) == judging._model.tokens
    assert {0, 1} == set(read.types)


def test_what_is_no_judge_is_refused(tmp_path: Path) -> None:
    folders = [sentence_model(tmp_path / "sentences"), judge(tmp_path / "three", numbers=3)]
    for folder in folders:
        with pytest.raises(InvalidError) as caught:
            CrossEncoder(folder).scores(QUERY, TEXTS)
        assert (caught.value.code, caught.value.field) == ("model_unfit", "reranker")


@pytest.mark.parametrize("text", ["onnx:", "default", "", 3])
def test_a_name_that_names_no_judge_is_refused(tmp_path: Path, text: Any) -> None:
    with pytest.raises(InvalidError) as caught:
        firsthand.open(tmp_path / "m.db", reranker=text)
    assert (caught.value.code, caught.value.field) == ("reranker_unknown", "reranker")
    with pytest.raises(InvalidError) as caught:
        firsthand.open(tmp_path / "m.db", reranker=f"onnx:{tmp_path / 'nowhere'}")
    assert (caught.value.code, caught.value.field) == ("model_missing", "reranker")
    assert not (tmp_path / "m.db").exists()


def test_in_a_memory_it_decides_between_what_words_cannot(tmp_path: Path) -> None:
    setting = f"onnx:{judge(tmp_path / 'model')}"
    found = {}
    for reranker in (None, setting):
        with firsthand.open(tmp_path / f"{reranker is None}.db", embedder=None, reranker=reranker) as memory:
            memory.capture("On Tuesday the physician was in", thread="a")
            memory.capture("On Tuesday the boat was in", thread="b")
            packet = memory.recall("Was the doctor in on Tuesday?")
            assert RERANKER_FAILED not in packet.degraded
            found[reranker] = [i.text for i in packet.items]
            explained = memory.explain("Was the doctor in on Tuesday?", packet.items[0].record_id)
            assert ("reranker" in explained.contributions) is (reranker is not None)
    assert found[None][0] == "On Tuesday the boat was in"  # the newer of two that hold the same words
    assert found[setting] == found[None][::-1]


def test_a_model_that_breaks_leaves_the_answer_without_it(tmp_path: Path) -> None:
    folder = judge(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"no model at all")
    with firsthand.open(tmp_path / "m.db", reranker=f"onnx:{folder}") as memory:
        memory.capture_many({"text": text} for text in TEXTS)
        packet = memory.recall("blue boat in the oven")
        assert packet.degraded == (RERANKER_FAILED,)
        assert packet.items[0].text == "The boat is blue"


def test_handles_on_the_same_files_share_a_judge(tmp_path: Path) -> None:
    folder = judge(tmp_path)
    one = reranker_of(f"onnx:{folder}")
    assert one is not None
    assert reranker_of(f"onnx:{folder}") is one
    assert reranker_of(None) is None
