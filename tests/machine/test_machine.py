"""Random lives of a memory, held against a small model that knows nothing of how it is built.

`python tests/machine/long_run.py 200000` runs as many steps as it is told, under seeds that it prints.
"""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import life
import plain_model
import pytest
import world_machine
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

SEEDS, SHARE = range(1, 11), 2_000
"""Each seed runs at least so many verbs."""
LIVES, LENGTH = 6, 120
"""Few lives at a time, so that a seed stops soon after its share."""


def run(seed: int, lives: int, patch: pytest.MonkeyPatch, phases: tuple[Phase, ...] = (Phase.generate,)) -> int:
    """Run machines under a seed; how many verbs they ran. Shrinking takes minutes: it is asked for by hand."""
    before = life.steps_taken[0]
    how = settings(
        max_examples=lives, stateful_step_count=LENGTH, deadline=None, database=None, print_blob=True, phases=phases,
        derandomize=False,  # where `CI` is set it is on, and every seed would be the same lives
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip
    patch.setattr("hypothesis.core.global_force_seed", seed)
    patch.setattr("os.urandom", life.salts.randbytes)
    try:
        run_state_machine_as_test(world_machine.Machine, settings=how)
    except BaseException:
        print(f"under seed {seed}")
        raise
    return life.steps_taken[0] - before


def run_steps(seed: int, steps: int, patch: pytest.MonkeyPatch) -> int:
    """As many lives under a seed, and under those derived from it, as so many verbs take."""
    done = 0
    for number in itertools.count():
        if done >= steps:
            return done
        done += run(seed * 1_000 + number, LIVES, patch)
    raise AssertionError("numbers do not end")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_lives_agree_with_the_model_after_each_step(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_steps(seed, SHARE, monkeypatch) >= SHARE


def test_ten_seeds_are_twenty_thousand_steps() -> None:
    assert len(SEEDS) * SHARE >= 20_000


def test_the_model_imports_nothing_of_what_it_is_held_against() -> None:
    tree = ast.parse(Path(plain_model.__file__).read_text())
    names = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert names == {"__future__", "collections.abc", "dataclasses", "itertools", "typing"}
