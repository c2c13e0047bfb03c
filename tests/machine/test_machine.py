"""Random lives of a memory, held against a small model that knows nothing of how it is built.

`python tests/machine/long_run.py 200000` runs as many steps as it is told, under seeds that it prints.
"""

from __future__ import annotations

import ast
from pathlib import Path

import life
import plain_model
import pytest
import world_machine
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

SEEDS = (1, 2, 3, 4)
EXAMPLES, STEPS = 25, 120


def run(seed: int, examples: int, patch: pytest.MonkeyPatch, phases: tuple[Phase, ...] = (Phase.generate,)) -> int:
    """Run machines under a seed; how many verbs they ran. Shrinking takes minutes: it is asked for by hand."""
    before = life.steps_taken[0]
    how = settings(
        max_examples=examples, stateful_step_count=STEPS, deadline=None, database=None, print_blob=True, phases=phases,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    patch.setattr("hypothesis.core.global_force_seed", seed)
    try:
        run_state_machine_as_test(world_machine.Machine, settings=how)
    except BaseException:
        print(f"under seed {seed}")
        raise
    return life.steps_taken[0] - before


@pytest.mark.parametrize("seed", SEEDS)
def test_random_lives_agree_with_the_model_after_each_step(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(seed, EXAMPLES, monkeypatch) > 100


def test_the_model_imports_nothing_of_what_it_is_held_against() -> None:
    tree = ast.parse(Path(plain_model.__file__).read_text())
    names = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert names == {"__future__", "dataclasses", "itertools"}
