"""Memories with a canary in every place that an engine may keep words in, for the tests of erasure."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from histories import Ticking, store_of

import firsthand
from firsthand.memory import Memory
from firsthand.rules.residue import needles
from firsthand.rules.terms import terms

LETTERS = "ghjkmnpqrstvwxyz"
"""No hexadecimal digits, so that no id or digest holds a canary by chance."""
SCOPE = "project:boat"


def canary(length: int, seed: int = 1) -> str:
    choose = random.Random(f"{length} {seed}")
    return "".join(choose.choice(LETTERS) for _ in range(length))


def opened(folder: Path, **given: Any) -> Memory:
    asked: dict[str, Any] = {"actor": "ana", "role": "person", "scope": SCOPE, "clock": Ticking()}
    return firsthand.open(folder / "m.db", **{**asked, **given})


def furnished(memory: Memory, word: str) -> dict[str, str]:
    """A value in every kind and field, as a subject and as an object, among neighbours that share its beginning."""
    source = memory.capture(
        f"Noor says the anchor word is {word}, after {word[:2]} in the index. The sea was calm.",
        speaker=f"Noor {word}", thread=f"thread {word}", tags=(f"tag-{word}",), metadata={"anchor": word},
        reason=f"anchor {word}", occurred_at="2026-05-01T10:00Z",
    )  # fmt: skip
    quote = firsthand.cite(source.record_id, quote=f"anchor word is {word}")
    claim = memory.remember(subject="anchor", predicate="password", object=word, evidence=[quote])
    told = memory.remember(subject="anchor", predicate="password", object=word, reason=f"the anchor has {word}")
    memory.relate(claim.record_id, "about", source.record_id, reason=f"anchor, {word}")
    memory.remember(
        payload=firsthand.Competence(
            skill_name=f"raise the anchor with {word}", triggers=(firsthand.Trigger(signal="anchor"),),
            recipe=(firsthand.RecipeStep(step=f"say {word}"),),
        )
    )  # fmt: skip
    memory.remember(payload=firsthand.Entity(canonical_name=f"Anchor {word}", aliases=(firsthand.Alias(value=word),)))
    memory.remember(payload=firsthand.Working(thread_id=f"anchor {word}", state="executing"))
    memory.capture(f'anchor "{word}" in quotes')
    sibling = memory.capture("Ben says the mast is oak. The sea was calm.", speaker="Ben", thread="t")
    kept = memory.remember(
        subject="mast", predicate="made_of", object="oak", evidence=[firsthand.cite(sibling.record_id)]
    )
    found = memory.recall(f"which anchor word? {word}")
    memory.feedback(found.recall_id, outcome="helped", reason=f"anchor {word}")
    return {k: str(v) for k, v in {
        "source": source.record_id, "claim": claim.record_id, "told": told.record_id, "sibling": sibling.record_id,
        "kept": kept.record_id, "recall": found.recall_id,
    }.items()}  # fmt: skip


def left(memory: Memory, word: str) -> dict[tuple[str, str], int]:
    """What a sweep finds of a word, its keyed digests aside."""
    memory._engine.gateway.journal.flush()
    found = store_of(memory).sweep(needles(word), terms(word))
    return {(r.where, r.form): r.times for r in found}
