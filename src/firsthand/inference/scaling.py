"""How alike a model finds texts that are not, so that a likeness means the same whoever made the vectors."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Final

from firsthand.ports import Said, Scale
from firsthand.rules.terms import tokens

if TYPE_CHECKING:
    from firsthand.ports import Embedder

ASKED: Final = (
    "What did she think of the doctor's advice?",
    "Where does he keep the backups now?",
    "When are they going on holiday together?",
    "Who in the family cannot eat peanuts?",
    "How long did it take to learn the violin?",
    "Which band did she see last summer?",
)
TOLD: Final = (
    "Wow, that old tractor looks great! How long have you been working on the engine?",
    "Thanks! My brother and I painted the kitchen yesterday, and it was so much fun.",
    "I know, right? They paid the invoice twice by mistake, so now we have to wait.",
    "It has been raining all week here, but the garden really loves it.",
    "I just finished that novel you told me about, I could not put it down!",
    "He says the heading should be larger, and I think he is right about that.",
)
"""About nothing that is asked."""
UNALIKE: Final = 0.16
ONE_IN_TWENTY: Final = 0.35
"""What our own vectors make of questions and sayings about other things: on average, and what one in 20 reaches."""
SPREADS: Final = 1.7
"""That one in twenty is so many standard deviations above the average: cosines lean to the right a little."""
_LEAST: Final = 1e-3


def measured(embedder: Embedder) -> Scale:
    """The scale on which the cosines of an embedder mean what those of our own do."""
    asked, told = ([v for v in embedder.embed([Said(tokens(t), t) for t in texts]) if v] for texts in (ASKED, TOLD))
    pairs = [_cosine(one, other, embedder.length) for one, other in product(asked, told)]
    if not pairs:
        return Scale()
    mean = sum(pairs) / len(pairs)
    spread = math.sqrt(sum((pair - mean) ** 2 for pair in pairs) / len(pairs))
    gain = (ONE_IN_TWENTY - UNALIKE) / max(SPREADS * spread, _LEAST)
    return Scale(zero=mean - UNALIKE / gain, gain=gain)


def _cosine(one: bytes, other: bytes, length: int) -> float:
    """Of two vectors of int8 numbers."""
    a, b = (memoryview(vector).cast("b").tolist() for vector in (one, other))
    return sum(x * y for x, y in zip(a, b, strict=True)) / length**2
