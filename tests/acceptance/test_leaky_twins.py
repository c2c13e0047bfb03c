"""Five memories that delete, but for one leak each: the thirteen steps find it at exactly the step where it leaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from broken import genuine, taking_no_erasure

from firsthand.memory import Memory
from firsthand.selftest.steps import STEPS, How, thirteen
from firsthand.selftest.world import World

LENGTHS = (8, 13)
ASIDE: list[str] = []
"""The values that a leaky twin keeps where no deletion reaches."""
remember, refusals = Memory.remember, Memory.refusals
jobs: Any = Memory.jobs


class Twin(NamedTuple):
    """What leaks, how it is deleted, at which step it must be found, and what is put in whose place."""

    what: str
    how: How
    step: int
    patches: dict[str, object]


def only_what_was_said_before(entry: Any, said: Any) -> bool:
    return said.spoken <= entry.skeleton.recorded_at and genuine["binds"](entry, said)


def remembering_aside(self: Memory, *given: Any, **fields: Any) -> Any:
    ASIDE.append(str(fields.get("object")))
    return remember(self, *given, **fields)


class Nightly:
    """Runs the jobs, then derives again what it has kept aside."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def run(self) -> Any:
        report = jobs.fget(self._memory).run()
        for value in ASIDE:
            self._memory.capture(f"As far as I recall it was {value}.")
        return report


def remembering_with_a_summary(self: Memory, *given: Any, **fields: Any) -> Any:
    remember(self, f"In short, {fields['object']} was mentioned", basis="inferred")
    return remember(self, *given, **fields)


def quoting_refusals(self: Memory, **asked: Any) -> Any:
    page = refusals(self, **asked)
    quoting = tuple(msgspec.structs.replace(r, actor=f"{r.actor}: {ASIDE}") for r in page.refusals)
    return msgspec.structs.replace(page, refusals=quoting)


TWINS = [
    Twin("no tombstone", "reject", 6,
         {"firsthand.rules.tombstones._binds": only_what_was_said_before,
          "firsthand.capture.gateway.met_by": lambda *given: ()}),
    Twin("what was heard is derived from again every night", "erase", 8,
         {"firsthand.memory.Memory.remember": remembering_aside, "firsthand.memory.Memory.jobs": property(Nightly)}),
    Twin("a summary without its sources", "erase", 9,
         {"firsthand.memory.Memory.remember": remembering_with_a_summary}),
    Twin("the audit quotes the value", "reject", 10,
         {"firsthand.memory.Memory.remember": remembering_aside, "firsthand.memory.Memory.refusals": quoting_refusals}),
    Twin("an erasure is not passed on", "erase", 13,
         {"firsthand.moving.surveying.Survey.taken": taking_no_erasure}),
]  # fmt: skip


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("twin", TWINS, ids=lambda t: t.what)
def test_a_leaky_twin_fails_at_exactly_its_step(
    twin: Twin, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ASIDE.clear()
    for path, leaky in twin.patches.items():
        monkeypatch.setattr(path, leaky)
    world = World(tmp_path)
    steps = thirteen(world, twin.how, length)
    world.close()
    assert sorted(s.number for s in steps) == sorted(STEPS)
    assert [(s.number, s.outcome) for s in steps if s.outcome == "fail"] == [(twin.step, "fail")], steps
    assert {s.outcome for s in steps if s.number < twin.step} == {"pass"}


@pytest.mark.parametrize("how", ["reject", "erase"])
def test_without_a_leak_every_step_passes(how: How, tmp_path: Path) -> None:
    world = World(tmp_path)
    assert {s.outcome for s in thirteen(world, how, LENGTHS[0])} == {"pass"}
    world.close()
