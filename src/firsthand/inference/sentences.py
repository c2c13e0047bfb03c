"""A sentence model as an embedder: the mean of what it makes of a text's tokens, as whole numbers of one length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firsthand.inference.onnx import OnnxModel
from firsthand.inference.scaling import measured
from firsthand.ports import Said, Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPREAD: Final = 5
"""A number of a vector is seldom more than so many times as large as its numbers are on average: that much fits."""
ALIGNED: Final = 64
DIMENSIONS_MOST: Final = 4_096
MODE: Final = "pooling_mode"
_MOST: Final = 127
_FIELD: Final = "embedder"


class SentenceEmbedder:
    """Text as a vector by a model in a folder; each text runs alone, so that nothing beside it has a say."""

    is_exact = False
    is_remote = False

    def __init__(self, folder: Path) -> None:
        self._model = OnnxModel(folder, _FIELD)
        self._first = self._pooling()
        self._scale: Scale | None = None
        self.identity = f"onnx-{self._model.digest(self._first, SPREAD)}"

    def embed(self, texts: Sequence[Said]) -> list[bytes]:
        """One int8 vector per text; an empty one where the model knows nothing of it."""
        return [self._one(each) for each in texts]

    def ask(self, query: Said) -> bytes:
        """The vector of a question."""
        return self._one(query)

    def forget(self) -> None:
        """It remembers nothing of any text; the model stays for the next handle on the folder."""

    @property
    def dimension(self) -> int:
        """How many bytes a vector has: what the model makes, filled up with noughts to a whole number of words."""
        return -(-self._size // ALIGNED) * ALIGNED

    @property
    def length(self) -> int:
        """How long a vector is, in steps of its int8 numbers."""
        return round(_MOST * math.sqrt(self._size) / SPREAD)

    @property
    def scale(self) -> Scale:
        """Measured when it is first asked for, on texts about nothing in common."""
        if self._scale is None:
            self._scale = measured(self)
        return self._scale

    @cached_property
    def _size(self) -> int:
        """How many numbers the model makes, seen on one text."""
        size = int(self._model.run(self._model.read("a")).shape[-1])
        if size > DIMENSIONS_MOST:
            raise self._model.unfit(f"its vectors have more than {DIMENSIONS_MOST} numbers")
        return size

    def _one(self, said: Said) -> bytes:
        import numpy as np

        read = self._model.read(said.text)
        if not said.words or not read.own:
            return b""
        made = self._pooled(self._model.run(read).astype(np.float64))
        size = math.sqrt(float(made @ made))
        if not size:
            return b""
        steps = np.zeros(self.dimension)
        steps[: len(made)] = np.rint(made * (self.length / size))
        return np.clip(steps, -_MOST, _MOST).astype(np.int8).tobytes()

    def _pooled(self, made: NDArray[np.float64]) -> NDArray[np.float64]:
        """One row of the rows of a text's tokens; the model may have made one already."""
        if made.ndim == 1:
            return made
        return made[0] if self._first else made.mean(axis=0)

    def _pooling(self) -> bool:
        """Whether the first token speaks for all; otherwise it is their mean."""
        if any("Dense" in module for module in self._model.modules()):
            raise self._model.unfit("a layer follows it that is not in its ONNX file")
        asked = self._model.settings("1_Pooling/config.json")
        modes = {name.removeprefix(MODE + "_") for name, on in asked.items() if name.startswith(MODE) and on is True}
        modes |= {str(asked[MODE])} if MODE in asked else set()
        if not modes or modes <= {"mean_tokens", "mean"}:
            return False
        if modes <= {"cls_token", "cls"}:
            return True
        raise self._model.unfit("its tokens are pooled in another way than by their mean or their first")
