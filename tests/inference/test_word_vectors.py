"""Text as a vector: whole numbers added up, so that every machine, order and way of adding gives the same bytes."""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from firsthand.inference.static import DIMENSION, LENGTH, WORDS, WORDS_READ, StaticEmbedder
from firsthand.inference.words import HEADER, MAGIC, ONE
from firsthand.ports import Said
from firsthand.rules.terms import tokens

WEIGHTS = {"boat": ONE, "harbour": ONE, "blue": ONE // 8, "##house": ONE, "##ing": ONE, "go": ONE // 64}


@pytest.fixture
def embedder(tmp_path: Path) -> StaticEmbedder:
    """An embedder that knows six words."""
    chance = random.Random(5)
    text = "\n".join(WEIGHTS).encode()
    text += b"\n" * (-len(text) % 4)
    weights = np.array(list(WEIGHTS.values()), dtype="<u2").tobytes()
    steps = np.full(len(WEIGHTS), ONE, dtype="<u2").tobytes()
    vectors = bytes(chance.randrange(256) for _ in range(DIMENSION * len(WEIGHTS)))
    file = tmp_path / "words.bin"
    file.write_bytes(HEADER.pack(MAGIC, len(WEIGHTS), DIMENSION, len(text)) + text + weights + steps + vectors)
    return StaticEmbedder(file)


def said(text: str) -> Said:
    return Said(tokens(text), text)


def of(words: list[str]) -> Said:
    return Said(words, " ".join(words))


def made(embedder: StaticEmbedder, text: str) -> bytes:
    return embedder.embed([said(text)])[0]


def likeness(one: bytes, other: bytes) -> float:
    a, b = (np.frombuffer(v, dtype=np.int8).astype(np.float64) for v in (one, other))
    return float(a @ b) / LENGTH**2


def test_a_vector_has_one_length_and_does_not_depend_on_the_order_of_words(embedder: StaticEmbedder) -> None:
    one = made(embedder, "The boat in the blue harbour")
    assert len(one) == DIMENSION
    assert likeness(one, one) == pytest.approx(1, abs=0.01)
    assert one == made(embedder, "blue harbour, BOAT!")
    assert one != made(embedder, "boat harbour")


def test_rare_words_count_for_more(embedder: StaticEmbedder) -> None:
    both = made(embedder, "blue boat")
    assert likeness(both, made(embedder, "boat")) > 0.9 > 0.5 > likeness(both, made(embedder, "blue"))


def test_stop_words_numbers_and_what_is_not_known_say_nothing(embedder: StaticEmbedder) -> None:
    assert made(embedder, "boat") == made(embedder, "the boat's 4711 x9y8 zq")
    assert embedder.embed([said(text) for text in ("", "the of and don't", "4711", "zqzqzq", "…")]) == [b""] * 5


def test_a_word_that_is_not_known_is_made_of_the_pieces_that_are(embedder: StaticEmbedder) -> None:
    boathouse = made(embedder, "boathouse")
    assert boathouse != made(embedder, "boat")
    assert likeness(boathouse, made(embedder, "boat")) > 0.5
    assert made(embedder, "boatqhouse") == boathouse  # what lies between two pieces is passed over
    assert made(embedder, "boat" * 20) == b""


def test_few_texts_are_added_up_without_numpy_to_the_very_same_bytes(tmp_path: Path) -> None:
    texts = ["I moved to Lisbon with the dog.", "boathouse Ärger naïve", "", "the", "so " * 30 + "sailing " * 700]
    script = (
        "import sys; from firsthand.inference.static import StaticEmbedder; from firsthand.rules.terms import tokens;"
        "from firsthand.ports import Said;"
        "made = StaticEmbedder().embed([Said(tokens(t), t) for t in sys.argv[1:]]); assert 'numpy' not in sys.modules;"
        "print(*(v.hex() or '-' for v in made))"
    )
    done = subprocess.run([sys.executable, "-c", script, *texts], capture_output=True, text=True, check=True)
    with_numpy = StaticEmbedder().embed([said(text) for text in texts])
    assert done.stdout.split() == [v.hex() or "-" for v in with_numpy]
    assert [len(v) for v in with_numpy] == [DIMENSION, DIMENSION, 0, 0, DIMENSION]


def test_many_texts_at_once_are_each_the_same_as_alone() -> None:
    embedder = StaticEmbedder()
    texts = [of([*("dog", "harbour")[: n % 3], w]) for n, w in enumerate(sorted(embedder_words(embedder))[:400])]
    together = embedder.embed(texts)
    assert together == [embedder.embed([text])[0] for text in texts]
    assert len(set(together)) > 300


def embedder_words(embedder: StaticEmbedder) -> list[str]:
    file, _ = embedder._words()
    return list(file.rows)


def test_a_long_text_is_read_as_far_as_its_sums_fit(embedder: StaticEmbedder) -> None:
    start = ["boat"] * WORDS_READ
    assert embedder.embed([of([*start, "harbour"])]) == embedder.embed([of(start)])
    assert embedder.embed([of([*start[1:], "harbour"])]) != embedder.embed([of(start)])


def test_words_that_mean_alike_are_closer_than_others() -> None:
    embedder = StaticEmbedder()
    pairs = ("dog puppy guitar", "lisbon portugal sailing", "doctor physician carpet", "car automobile poem")
    for alike, other, another in (text.split() for text in pairs):
        one, two, three = embedder.embed([said(alike), said(other), said(another)])
        assert likeness(one, two) > 0.5 > 0.3 > likeness(one, three), alike


def test_the_words_that_are_shipped_are_those_the_script_says_it_made() -> None:
    said = re.search(r"sha256 ([0-9a-f]{64})", (Path(__file__).parents[2] / "tools" / "distil.py").read_text())
    assert said is not None
    assert hashlib.sha256(WORDS.read_bytes()).hexdigest() == said[1]
    assert WORDS.stat().st_size < 8_000_000


def test_the_file_is_opened_by_the_first_text_and_not_before(tmp_path: Path) -> None:
    embedder = StaticEmbedder(tmp_path / "missing.bin")
    assert embedder.dimension == DIMENSION
    with pytest.raises(FileNotFoundError):
        embedder.embed([said("boat")])
    script = "import firsthand.inference.static, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "firsthand.inference.static" in loaded
    assert "numpy" not in loaded


def test_shares_of_neighbours_in_the_file_do_not_change_each_other(embedder: StaticEmbedder) -> None:
    words = [w for w in WEIGHTS if not w.startswith("##")]
    vectors = embedder.embed([said(w) for w in words])
    assert len(set(vectors)) == len(words)
    assert all(likeness(a, b) < 0.5 for a, b in pairwise(vectors))
