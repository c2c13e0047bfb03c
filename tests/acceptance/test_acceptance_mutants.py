"""Every guarantee seen to fail: one mechanism is broken, and exactly the committed set of acceptance tests must notice.

A set holds the test that is named after its mechanism, and no test fails because its own control does: a store that
returns nothing would be no proof. Of the tests only those are run in which the mutant differs (`differing.py`), since
the others run as they do without it. `python tests/acceptance/test_acceptance_mutants.py` runs all of them and writes
the sets anew, to be read before they are committed.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest
from broken import MUTANTS, READS, SWEPT, Mutant
from differing import differing
from test_selftest import OPEN

from firsthand.selftest.outcomes import CheckResult
from firsthand.selftest.runner import run_all
from firsthand.surfaces.through_mcp import connect

SETS = Path(__file__).with_name("must_fail.json")
WRITTEN = json.loads(SETS.read_text(encoding="utf-8"))
MUST_FAIL: dict[str, list[str]] = WRITTEN["sets"]
LOOKED: list[str] = WRITTEN["looked"]
"""The tests that passed when the sets were written: of those that could not look then, the sets say nothing yet."""


UNBROKEN: set[str] = set()
"""Tests that no mutant here fails yet. What they look at has mutants of its own in the other suites."""


def failing(mutant: Mutant, *, only: Collection[str] | None = None) -> list[CheckResult]:
    """What fails under a mutant and not without it, of all tests or of some."""
    READS.clear()
    SWEPT.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        for path, broken in mutant.patches.items():
            patch.setattr(path, broken)
        report = run_all(only=only, connect=connect)
    return [r for r in report.results if r.outcome == "fail" and r.name not in OPEN]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_mechanism_fails_exactly_its_committed_set(mutant: Mutant) -> None:
    found = [r for r in failing(mutant, only=differing()[mutant.what]) if r.name in LOOKED]
    assert [r.name for r in found if r.in_control] == []
    assert set(mutant.named) <= {r.name for r in found}
    assert sorted(r.name for r in found) == MUST_FAIL[mutant.what]


def test_every_set_belongs_to_a_mutant_and_every_acceptance_test_to_a_set() -> None:
    """A test that no mutant fails is not finished; one that could not be run, or is open, says so itself."""
    assert set(MUST_FAIL) == {m.what for m in MUTANTS}
    proven = {name for names in MUST_FAIL.values() for name in names}
    assert {n for m in MUTANTS for n in m.named} <= proven
    assert set(LOOKED) - proven == UNBROKEN


if __name__ == "__main__":
    looked = [r.name for r in run_all(connect=connect).results if r.outcome == "pass"]
    sets = {}
    for each in MUTANTS:
        results = [r for r in failing(each) if r.name in looked]
        sets[each.what] = sorted(r.name for r in results)
        print(each.what)
        for result in results:
            print(f"   {'CONTROL ' if result.in_control else ''}{result.name}: {result.proof}")
    print("in no set:", sorted(set(looked) - {name for names in sets.values() for name in names}))
    SETS.write_text(json.dumps({"looked": looked, "sets": sets}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
