"""A sentence model in a folder as an embedder: found, named by its bytes, refused with a reason, and run by itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import DIMENSION, sentence_model

import firsthand
from firsthand.inference import choosing, onnx, sentences
from firsthand.inference.choosing import embedder_of
from firsthand.inference.onnx import CHARACTERS_A_TOKEN
from firsthand.inference.scaling import UNALIKE, measured
from firsthand.inference.sentences import SentenceEmbedder
from firsthand.inference.static import StaticEmbedder
from firsthand.ports import Embedder, Said
from firsthand.rules.terms import tokens
from firsthand.vocabulary.errors import InvalidError

TEXTS = ("The doctor was in on Tuesday.", "A boat", "The harbour is blue", "Music in the harbour when the boat is in")


def said(*texts: str) -> list[Said]:
    return [Said(tokens(text), text) for text in texts]


def cosine(embedder: Embedder, one: str, other: str) -> float:
    a, b = (np.frombuffer(v, dtype=np.int8).astype(np.float64) for v in embedder.embed(said(one, other)))
    return float(a @ b) / embedder.length**2


def test_a_vector_is_the_mean_of_what_the_model_makes_of_the_tokens(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(sentence_model(tmp_path))
    rows = embedder._model.run(embedder._model.read(TEXTS[0])).astype(np.float64)
    assert len(rows) == len(["[CLS]", "the", "doctor", "was", "in", "on", "tuesday", ".", "[SEP]"])
    mean = rows.mean(axis=0) / np.linalg.norm(rows.mean(axis=0))
    (packed,) = embedder.embed(said(TEXTS[0]))
    made = np.frombuffer(packed, dtype=np.int8).astype(np.float64) / embedder.length
    assert len(packed) == embedder.dimension == 64
    np.testing.assert_allclose(made[:DIMENSION], mean, atol=0.51 / embedder.length)
    assert not made[DIMENSION:].any()
    assert np.linalg.norm(made) == pytest.approx(1, abs=0.02)


def test_products_of_vectors_of_any_size_stay_whole_in_single_precision(tmp_path: Path) -> None:
    for dimension, stored in ((24, 64), (64, 64), (65, 128), (1024, 1024)):
        embedder = SentenceEmbedder(sentence_model(tmp_path / str(dimension), dimension=dimension))
        assert (embedder.dimension, embedder.dimension % 64) == (stored, 0)
        assert embedder.length**2 < 2**24
    too_many = SentenceEmbedder(sentence_model(tmp_path / "wide", dimension=sentences.DIMENSIONS_MOST + 1))
    assert refused(lambda: too_many.dimension).code == "model_unfit"


def test_a_vector_depends_on_nothing_beside_it(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(sentence_model(tmp_path))
    alone = [embedder.embed([one])[0] for one in said(*TEXTS)]
    assert len(set(alone)) == len(TEXTS)
    assert embedder.embed(said(*TEXTS)) == alone
    assert embedder.embed(said(*reversed(TEXTS))) == alone[::-1]


def test_what_means_the_same_is_alike(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(sentence_model(tmp_path))
    same, other = cosine(embedder, "the doctor", "a physician"), cosine(embedder, "the doctor", "a boat")
    assert same > 0.8 > 0.5 > other


def test_a_text_of_which_the_model_knows_nothing_has_no_vector(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(sentence_model(tmp_path))
    assert embedder.embed(said("zqzqzq 4711", "", "   ")) == [b"", b"", b""]
    assert embedder.embed([Said((), "the boat")]) == [b""]
    assert all(embedder.embed(said("zqzqzq boat")))


def test_a_long_text_is_read_as_far_as_the_model_goes(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(sentence_model(tmp_path, settings={"sentence_bert_config.json": {"max_seq_length": 8}}))
    begins = "doctor boat music bread oven ship "  # eight tokens with the two marks
    assert len(embedder._model.read(begins * 50).ids) == 8
    one, other, short = embedder.embed(said(begins * 50, begins + "harbour " * 9_000, "doctor boat"))
    assert one == other != short
    seen = embedder._model.tokens * CHARACTERS_A_TOKEN
    near, far = embedder.embed([Said(("boat",), " " * blanks + "boat") for blanks in (seen - len("boat"), seen)])
    assert near == embedder.embed(said("boat"))[0]
    assert far == b""


@pytest.mark.parametrize("settings", [{"pooling_mode_cls_token": True}, {"pooling_mode": "cls"}])
def test_where_the_folder_says_so_the_first_token_speaks_for_all(tmp_path: Path, settings: dict[str, Any]) -> None:
    first = SentenceEmbedder(sentence_model(tmp_path / "a", settings={"1_Pooling/config.json": settings}))
    rows = first._model.run(first._model.read(TEXTS[1])).astype(np.float64)
    made = np.frombuffer(first.embed(said(TEXTS[1]))[0], dtype=np.int8)[:DIMENSION] / first.length
    np.testing.assert_allclose(made, rows[0] / np.linalg.norm(rows[0]), atol=0.51 / first.length)
    mean = SentenceEmbedder(
        sentence_model(tmp_path / "b", settings={"1_Pooling/config.json": {"pooling_mode_mean_tokens": True}})
    )
    assert mean.embed(said(TEXTS[1])) != first.embed(said(TEXTS[1]))
    assert mean.identity != first.identity


def test_the_model_may_lie_in_a_folder_of_its_own(tmp_path: Path) -> None:
    top = SentenceEmbedder(sentence_model(tmp_path / "top"))
    below = SentenceEmbedder(sentence_model(tmp_path / "below", place="onnx/model.onnx"))
    other = SentenceEmbedder(sentence_model(tmp_path / "other", output="token_embeddings", place="any.onnx"))
    (tmp_path / "below" / "onnx" / "model_O4.onnx").write_bytes(b"another copy")
    assert below.identity == top.identity
    assert below.embed(said(*TEXTS)) == top.embed(said(*TEXTS)) == other.embed(said(*TEXTS))


def test_other_weights_tokens_or_lengths_are_another_embedder(tmp_path: Path) -> None:
    names = {
        "same": SentenceEmbedder(sentence_model(tmp_path / "a")).identity,
        "weights": SentenceEmbedder(sentence_model(tmp_path / "b", seed=4)).identity,
        "length": SentenceEmbedder(
            sentence_model(tmp_path / "c", settings={"config.json": {"max_position_embeddings": 99}})
        ).identity,
    }
    folder = sentence_model(tmp_path / "d")
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text().replace("bakery", "Bakery"))
    names["tokens"] = SentenceEmbedder(folder).identity
    folder = sentence_model(tmp_path / "e")
    (folder / "model.onnx_data").write_bytes(b"weights beside it")
    names["data"] = SentenceEmbedder(folder).identity
    assert len(set(names.values())) == len(names)
    assert SentenceEmbedder(sentence_model(tmp_path / "again")).identity == names["same"]
    assert names["same"].startswith("onnx-")


def test_likeness_means_the_same_whoever_made_the_vectors() -> None:
    own = measured(StaticEmbedder())
    assert own.zero == pytest.approx(0, abs=0.05)
    assert own.gain == pytest.approx(1, abs=0.15)
    embedder = Narrow()
    scale = measured(embedder)
    pairs = [cosine(embedder, f"question {n}", f"saying {n}") for n in range(40)]
    assert min(pairs) > 0.6  # as of some models, whatever the texts
    assert np.mean([(pair - scale.zero) * scale.gain for pair in pairs]) == pytest.approx(UNALIKE, abs=0.1)
    assert (1 - scale.zero) * scale.gain > 0.7


class Narrow:
    """An embedder whose vectors all point in much the same direction."""

    identity, dimension, length = "narrow", 64, 400

    def embed(self, texts: list[Said]) -> list[bytes]:
        made = []
        for text in texts:
            own = np.random.default_rng(sum(text.text.encode())).standard_normal(self.dimension)
            whole = 2.2 + own
            made.append(np.rint(whole * self.length / np.linalg.norm(whole)).astype(np.int8).tobytes())
        return made


# ---- refused ---------------------------------------------------------------------------------------------------------


def refused(call: Callable[[], object]) -> InvalidError:
    with pytest.raises(InvalidError) as caught:
        call()
    assert caught.value.next_action == "fix_and_resubmit"
    assert caught.value.field == "embedder"
    return caught.value


def test_what_is_no_folder_of_a_model_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    empty, both = tmp_path / "empty", sentence_model(tmp_path / "both", place="one.onnx")
    empty.mkdir()
    (both / "two.onnx").write_bytes(b"")
    bare = sentence_model(tmp_path / "bare")
    (bare / "tokenizer.json").unlink()
    broken = {
        "sentence_bert_config.json": "{", "1_Pooling/config.json": {"pooling_mode_max_tokens": True},
        "modules.json": [{"type": "sentence_transformers.models.Dense"}], "config.json": "[]",
    }  # fmt: skip
    folders = {"model_missing": [tmp_path / "nowhere", bare / "model.onnx"], "model_unfit": [empty, both, bare]}
    folders["model_unfit"] += [
        sentence_model(tmp_path / f"b{at}", settings={name: text}) for at, (name, text) in enumerate(broken.items())
    ]
    for code, those in folders.items():
        for folder in those:
            error = refused(lambda folder=folder: firsthand.open(tmp_path / "m.db", embedder=f"onnx:{folder}"))
            assert error.code == code, folder
            assert str(tmp_path) not in error.message
    assert not (tmp_path / "m.db").exists()
    firsthand.open(tmp_path / "m.db", embedder=f"onnx:{sentence_model(tmp_path / 'good')}").close()
    assert (tmp_path / "m.db").exists()


@pytest.mark.parametrize("text", ["onnx:", "onnx", "word2vec", "", "onnx:a\0b", 3])
def test_a_name_that_names_nothing_is_refused(tmp_path: Path, text: Any) -> None:
    assert refused(lambda: firsthand.open(tmp_path / "m.db", embedder=text)).code == "embedder_unknown"


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sentence_model(tmp_path)
    monkeypatch.setattr(onnx, "NEEDS", ("onnxruntime", "no_such_library"))
    error = refused(lambda: firsthand.open(tmp_path / "m.db", embedder=f"onnx:{folder}"))
    assert error.code == "extra_missing"
    assert "firsthand[onnx]" in error.message


def test_a_file_that_is_no_model_writes_nothing(tmp_path: Path) -> None:
    folder = sentence_model(tmp_path)
    (folder / "model.onnx").write_bytes(b"no model at all")
    with firsthand.open(tmp_path / "m.db", embedder=f"onnx:{folder}") as memory:
        assert refused(lambda: memory.capture("The boat is blue")).code == "model_unfit"
        assert memory.stats().records == {}


def test_a_model_that_breaks_leaves_the_other_arms(tmp_path: Path) -> None:
    with firsthand.open(tmp_path / "m.db", embedder=f"onnx:{sentence_model(tmp_path / 'model')}") as memory:
        memory.capture("The boat is blue")
        assert memory.recall("boat").degraded == ()
        embedder: Any = memory._engine.store.embedder
        embedder._model._loaded = embedder._model._loaded._replace(session=None)
        packet = memory.recall("boat")
        assert packet.degraded == ("vector_arm_failed",)
        assert packet.items[0].text == "The boat is blue"


def test_a_model_that_makes_no_numbers_is_refused(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(sentence_model(tmp_path))
    assert all(embedder.embed(said("boat")))
    loaded = embedder._model._load()
    broken = type("Session", (), {"run": lambda *_: [np.full((1, 3, DIMENSION), np.nan, dtype=np.float32)]})()
    embedder._model._loaded = loaded._replace(session=broken)
    assert refused(lambda: embedder.embed(said("boat"))).code == "model_unfit"


def test_a_model_that_asks_for_other_things_than_tokens_is_refused(tmp_path: Path) -> None:
    folder = sentence_model(tmp_path, inputs=("input_ids", "pixels"))
    assert refused(lambda: SentenceEmbedder(folder).embed(said("boat"))).code == "model_unfit"


# ---- in a memory -----------------------------------------------------------------------------------------------------


def test_a_memory_finds_by_the_model_what_shares_no_word(tmp_path: Path) -> None:
    setting = f"onnx:{sentence_model(tmp_path / 'model')}"
    with firsthand.open(tmp_path / "m.db", embedder=setting) as memory:
        memory.capture_many({"text": text} for text in ("The boat is blue", "Bread is in the oven"))
        memory.capture("The physician was in")
        found = memory.recall("When is the doctor in?", limit=1)
        assert [i.text for i in found.items] == ["The physician was in"]
        assert "vector" in {w.arm for w in found.items[0].why}
        assert memory.recall("nurse").items[0].text == "The physician was in"
        assert found.degraded == ()
        assert memory.ledger.rebuild().same
        assert memory.stats().records == {"episodic": 3}
    with firsthand.open(tmp_path / "m.db", embedder=setting) as memory:
        assert memory.recall("nurse").items[0].text == "The physician was in"


def test_handles_on_the_same_files_share_a_model_and_changed_files_are_read_anew(tmp_path: Path) -> None:
    folder = sentence_model(tmp_path)
    one = embedder_of(f"onnx:{folder}")
    assert embedder_of(f"onnx:{folder}/../{folder.name}/.") is not None
    assert embedder_of(f"onnx:{folder}") is one
    sentence_model(tmp_path, seed=9)
    other = embedder_of(f"onnx:{folder}")
    assert other is not one
    assert other is not None
    assert one is not None
    assert other.identity != one.identity
    assert embedder_of(None) is None
    assert choosing.embedder_of("default") is choosing.embedder_of("default")


def test_the_libraries_are_loaded_by_the_first_text_and_never_by_default(tmp_path: Path) -> None:
    folder = sentence_model(tmp_path / "model")
    script = (
        "import sys, firsthand; m = firsthand.open(sys.argv[1], embedder=sys.argv[2]); "
        "before = 'onnxruntime' in sys.modules or 'tokenizers' in sys.modules; m.capture('The boat is blue'); "
        "m.recall('ship'); print(before, 'onnxruntime' in sys.modules)"
    )
    for embedder, loads in ((f"onnx:{folder}", "False True"), ("default", "False False")):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / f"{embedder[:4]}.db"), embedder],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.split() == loads.split()


def test_an_erasure_leaves_no_vector_of_a_model_and_no_byte_of_one(tmp_path: Path) -> None:
    setting = f"onnx:{sentence_model(tmp_path / 'model', dimension=64)}"
    gone, stays = "The doctor was at the harbour on Tuesday", "Bread is in the oven"
    embedder = embedder_of(setting)
    assert embedder is not None
    vectors = dict(zip((gone, stays), embedder.embed(said(gone, stays)), strict=True))
    with firsthand.open(tmp_path / "m.db", embedder=setting, role="person", actor="ana") as memory:
        record = memory.capture(gone).record_id
        memory.capture(stays)
        done = memory.erase(record, reason_code="privacy")
        assert done.certificate is not None
        assert done.certificate.clean
        assert memory.erasure.sweep(gone).clean
        held = b"".join(p.read_bytes() for p in tmp_path.iterdir() if p.is_file())
        assert vectors[gone] not in held
        assert vectors[stays] in held
