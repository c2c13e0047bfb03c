"""Tiny ONNX models made here: a table of word vectors as a sentence model, and how alike two texts are as a judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
MEANINGS = (
    ("doctor", "physician", "surgery", "nurse"),
    ("boat", "ship", "harbour", "sails"),
    ("violin", "music", "concert", "orchestra"),
    ("bread", "oven", "bakery", "rye"),
)
"""Words that mean much the same have much the same vector."""
PLAIN = (
    "the", "is", "a", "in", "on", "when", "where", "was", "at", "who", "of", "did", "to", "tuesday", "blue", "?", ".",
)  # fmt: skip
VOCABULARY = (*MARKS, *(word for meaning in MEANINGS for word in meaning), *PLAIN)
DIMENSION = 24


def sentence_model(
    folder: Path,
    *,
    dimension: int = DIMENSION,
    output: str = "last_hidden_state",
    place: str = "model.onnx",
    settings: Mapping[str, Any] | None = None,
    seed: int = 3,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
) -> Path:
    """A folder with a sentence model: each token is its word's vector, and a little of the mean of all."""
    table = numpy_helper.from_array(_table(dimension, seed), "table")
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("ReduceMean", ["words"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Add", ["words", "mean"], [output]),
    ]
    _write(folder, place, nodes, [table], inputs, output, ["b", "s", dimension])
    _tokenizer().save(str(folder / "tokenizer.json"))
    _settings(folder, settings or {})
    return folder


def judge(folder: Path, *, numbers: int = 1, gain: float = 8.0) -> Path:
    """A folder with a cross-encoder: how much alike are the words of two texts."""
    table = numpy_helper.from_array(_table(DIMENSION, 3), "table")
    constants = [
        table,
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array(1, dtype=np.float32), "one"),
        numpy_helper.from_array(np.array(gain, dtype=np.float32), "gain"),
        numpy_helper.from_array(np.array(gain / 8, dtype=np.float32), "bias"),
    ]
    make = helper.make_node
    nodes = [
        make("Gather", ["table", "input_ids"], ["words"]),
        make("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        make("Unsqueeze", ["second", "last"], ["of_text"]),
        make("Sub", ["one", "of_text"], ["of_query"]),
        make("Mul", ["words", "of_query"], ["asked"]),
        make("Mul", ["words", "of_text"], ["told"]),
        make("ReduceMean", ["asked"], ["query"], axes=[1], keepdims=0),
        make("ReduceMean", ["told"], ["text"], axes=[1], keepdims=0),
        make("Mul", ["query", "text"], ["both"]),
        make("ReduceSum", ["both", "axis"], ["alike"], keepdims=1),
        make("Mul", ["alike", "gain"], ["stretched"]),
        make("Sub", ["stretched", "bias"], ["yes"]),
    ]
    constants.append(numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"))
    if numbers > 1:
        nodes += [make("Neg", ["yes"], ["no"]), make("Concat", ["no", *["yes"] * (numbers - 1)], ["logits"], axis=1)]
    else:
        nodes.append(make("Identity", ["yes"], ["logits"]))
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    _write(folder, "model.onnx", nodes, constants, inputs, "logits", ["b", numbers])
    _tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def _write(
    folder: Path,
    place: str,
    nodes: Sequence[Any],
    constants: Sequence[Any],
    inputs: Sequence[str],
    output: str,
    shape: Sequence[str | int],
) -> None:
    graph = helper.make_graph(
        list(nodes),
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, list(shape))],
        list(constants),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    file = folder / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(model.SerializeToString())


def _table(dimension: int, seed: int) -> np.ndarray:
    """A vector for each word; marks have a small one, and words of one meaning differ a little."""
    chance = np.random.default_rng(seed)
    rows = {word: 0.5 * chance.standard_normal(dimension) for word in VOCABULARY}
    rows |= {mark: 0.05 * chance.standard_normal(dimension) for mark in MARKS}
    for meaning in MEANINGS:
        shared = 2 * chance.standard_normal(dimension)
        rows |= {word: shared + 0.3 * chance.standard_normal(dimension) for word in meaning}
    return np.array([rows[word] for word in VOCABULARY], dtype=np.float32)


def _tokenizer() -> Tokenizer:
    made = Tokenizer(WordLevel({word: at for at, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    marks = [(mark, VOCABULARY.index(mark)) for mark in ("[CLS]", "[SEP]")]
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=marks
    )
    made.enable_padding(length=64)  # as many folders say: nobody is to heed it
    return made


def _settings(folder: Path, settings: Mapping[str, Any]) -> None:
    for name, content in settings.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
