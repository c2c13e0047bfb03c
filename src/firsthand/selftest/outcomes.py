"""What an acceptance test is, and what becomes of it: pass, fail, or unavailable with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from firsthand.selftest.world import World

Outcome = Literal["pass", "fail", "unavailable"]
Section = Literal["A", "B", "C", "D"]
SECTIONS: Final[dict[Section, str]] = {
    "A": "The portable twenty",
    "B": "Deletion in thirteen steps",
    "C": "Contradictions",
    "D": "Lives of a record",
}


class FailedError(Exception):
    """What was looked for is not so. `in_control`: not even what had to be there was there."""

    def __init__(self, sentence: str, *, in_control: bool = False) -> None:
        super().__init__(sentence)
        self.in_control = in_control


class UnavailableError(Exception):
    """The test could not look; it never counts as a pass."""


class Check(NamedTuple):
    """One acceptance test. `run` returns the sentence of what it saw."""

    name: str
    section: Section
    given: str
    when: str
    then: str
    control: str
    run: Callable[[World], str]


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one test. `proof` says what was seen, or why it failed, or why it could not look."""

    name: str
    section: Section
    outcome: Outcome
    given: str
    when: str
    then: str
    control: str
    proof: str
    in_control: bool = False
    milliseconds: int = 0


class SelfTestReport(msgspec.Struct, frozen=True, kw_only=True):
    """Every test with its outcome, and the totals."""

    firsthand: str
    python: str
    results: tuple[CheckResult, ...]
    passed: int
    failed: int
    unavailable: int
    seconds: float


CHECKS: Final[dict[str, Check]] = {}
"""Every test by name, in the order in which the modules list them."""


def check(
    name: str, *, section: Section, given: str, when: str, then: str, control: str
) -> Callable[[Callable[[World], str]], Callable[[World], str]]:
    """Enter a function into the list of acceptance tests."""

    def enter(run: Callable[[World], str]) -> Callable[[World], str]:
        assert name not in CHECKS, f"two tests are called {name}"
        CHECKS[name] = Check(name, section, given, when, then, control, run)
        return run

    return enter
