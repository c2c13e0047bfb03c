"""A cross-encoder as a reranker: it reads a query and a text together, and says how well the one answers the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firsthand.inference.onnx import OnnxModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FIELD: Final = "reranker"


class CrossEncoder:
    """Texts judged by a model in a folder, each alone with the query, so that nothing beside it has a say."""

    def __init__(self, folder: Path) -> None:
        self._model = OnnxModel(folder, _FIELD)
        self.identity = f"onnx-{self._model.digest()}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """From 0 to 1 for each text."""
        return [self._probability(self._model.run(self._model.read(query, text))) for text in texts]

    def _probability(self, made: NDArray[np.float32]) -> float:
        """Of one number by the logistic function; of two, `no` and `yes`, by their difference."""
        if made.shape not in ((1,), (2,)):
            raise self._model.unfit("it does not judge pairs: it makes neither one number of a pair nor two")
        logit = float(made[-1]) - (float(made[0]) if len(made) == 2 else 0.0)
        return 1 / (1 + math.exp(-logit)) if logit > 0 else math.exp(logit) / (1 + math.exp(logit))
