"""The best of a ranking judged once more, by a model that reads the query and each text (step 3, where there is one).

It reads what would be shown: the words of documents that the gate let through, as their veil leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from firsthand.ports import Reader, Reranker
from firsthand.recall.arms import Ground
from firsthand.recall.beside import Beside
from firsthand.recall.fuse import Ranked, current_row
from firsthand.recall.gated import Gate
from firsthand.recall.hydrate import Chosen, items
from firsthand.recall.plan import Plan
from firsthand.recall.rejections import Looked
from firsthand.recall.score import order
from firsthand.rules.access import Handle
from firsthand.vocabulary.packets import Item

RERANKED: Final = 24
"""Documents that are judged: what the model takes for so many is all that it adds to a recall."""
RERANK_WEIGHT: Final = 1.0
TEXT_CHARACTERS: Final = 1_000
RERANKER_FAILED: Final = "reranker_failed"


def reranked(
    reader: Reader, handle: Handle, plan: Plan, base: Ground, ranked: Ranked, looked: Looked, reranker: Reranker
) -> tuple[Ranked, tuple[str, ...]]:
    """A ranking whose best are in the order the model gives them too, and a code where it could not tell.

    No score is taken from any of them, so the best stay before the rest.
    """
    if not plan.query.strip() or len(ranked.numbers) < 2:
        return ranked, ()
    numbers, shown = _shown(reader, handle, plan, base, ranked, looked)
    try:
        judged = _checked(reranker.scores(plan.query, [_text(item) for item in shown]), len(shown))
    except Exception:  # noqa: BLE001 - whatever broke the model, the order without it is worth having
        return ranked, (RERANKER_FAILED,)
    scores = dict(zip(numbers, judged, strict=True))
    part = RERANK_WEIGHT * np.array([scores.get(number, 0.0) for number in ranked.numbers.tolist()])
    total = ranked.scores + part * ranked.parts["factor"]
    best = order(total, ranked.numbers)
    parts = {name: column[best] for name, column in {**ranked.parts, "reranker": part}.items()}
    return Ranked(ranked.numbers[best], total[best], parts, [ranked.rows[at] for at in best.tolist()]), ()


def _shown(
    reader: Reader, handle: Handle, plan: Plan, base: Ground, ranked: Ranked, looked: Looked
) -> tuple[list[int], list[Item]]:
    """The best that may be shown, by number, as they would be: the pure gate again on every row."""
    scopes = {p.row.scope_id: p.name for p in base.places}
    gate = Gate(reader, plan, frozenset(scopes))
    admitted = gate.admit(base.vids(ranked.numbers[:RERANKED]))
    chosen = [Chosen(current_row(gate.passed[vid], plan.at), 0.0, ()) for vid in admitted]
    made = items(reader, handle, plan, chosen, scopes, Beside(reader, handle, looked, scopes))
    vids = {c.row.revision_id: c.row.vid for c in chosen}
    return base.numbers([vids[item.revision_id] for item in made]).tolist(), made


def _text(item: Item) -> str:
    said = item.text[:TEXT_CHARACTERS]
    return f"{item.speaker}: {said}" if item.speaker else said


def _checked(scores: Sequence[float], count: int) -> list[float]:
    """Scores as the port promises them."""
    if len(scores) != count or not all(0.0 <= score <= 1.0 for score in scores):
        raise ValueError("a reranker gives one score from 0 to 1 for each text")
    return list(scores)
