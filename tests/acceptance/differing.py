"""In which acceptance tests a mutant can be noticed at all, so that only those are run under it.

All tests are run once, unbroken, with a watch on everything that some mutant breaks. A test is run under a mutant if
the broken function would have answered one of the test's calls otherwise, or, where a function does more than answer,
if it was called. Every other test runs under that mutant as it runs without: up to the first call that is answered
otherwise the two runs are the same, and there is none.
"""

from __future__ import annotations

import functools
import inspect
import pkgutil
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from broken import MUTANTS, ONLY_ANSWERS

from firsthand.selftest import runner
from firsthand.selftest.world import HandClock
from firsthand.surfaces.through_mcp import connect

Broken = Sequence[tuple[str, Callable[..., Any]]]
"""Mutants that break one function, each with what it puts in its place."""


@functools.cache
def differing() -> dict[str, frozenset[str]]:
    """For each mutant the tests in which it differs."""
    broken: dict[str, list[tuple[str, Any]]] = {}
    for mutant in MUTANTS:
        for path, instead in mutant.patches.items():
            broken.setdefault(path, []).append((mutant.what, instead))
    found: dict[str, set[str]] = {mutant.what: set() for mutant in MUTANTS}
    names = list(runner.all_checks())
    with pytest.MonkeyPatch.context() as patch:
        watch = Watch(patch)
        for path, instead in broken.items():
            watch.put_on(path, instead)

        def after_each(done: int, of: int) -> None:
            for what in (*watch.noticed, *watch.always):
                found[what].add(names[done - 1])
            watch.noticed.clear()

        report = runner.run_all(progress=after_each, connect=connect)
    assert [r.name for r in report.results if r.outcome == "fail"] == []
    return {what: frozenset(tests) for what, tests in found.items()}


class Watch:
    """What some mutant breaks, watched while it works. `noticed`: the mutants that would have made a difference."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.noticed: set[str] = set()
        self.always: set[str] = set()
        """Mutants that break something else than a function."""
        self._patch = patch
        self._looks = 0
        now = HandClock.now

        def counted(clock: HandClock) -> int:
            self._looks += 1
            return now(clock)

        patch.setattr(HandClock, "now", counted)

    def put_on(self, path: str, broken: Broken) -> None:
        """Watch one thing by the path under which it is broken."""
        holder, _, name = path.rpartition(".")
        genuine = inspect.getattr_static(pkgutil.resolve_name(holder), name)
        if not inspect.isfunction(genuine):
            self.always.update(what for what, _ in broken)
            return

        @functools.wraps(genuine)
        def watched(*given: Any, **named: Any) -> Any:
            looks = self._looks
            answer, error = _answer(genuine, given, named)
            if path not in ONLY_ANSWERS or looks != self._looks:  # a look moves the clock on: more than an answer
                self.noticed.update(what for what, _ in broken)
            for what, instead in broken:
                if what not in self.noticed:
                    other, fault = _answer(instead, given, named)
                    if other != answer or repr(fault) != repr(error):
                        self.noticed.add(what)
            if error is not None:
                raise error
            return answer

        self._patch.setattr(path, watched)


def _answer(
    function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, Exception | None]:
    """What it returns, and what it raises."""
    try:
        return function(*given, **named), None
    except Exception as error:  # noqa: BLE001 - it is compared, and raised by whoever asked
        return None, error
