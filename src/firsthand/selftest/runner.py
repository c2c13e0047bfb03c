"""Running the acceptance tests: each in a folder of its own, one after the other."""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from firsthand.selftest.outcomes import (
    CHECKS,
    Check,
    CheckResult,
    FailedError,
    Outcome,
    SelfTestReport,
    UnavailableError,
)
from firsthand.selftest.telling import Connect
from firsthand.selftest.world import World
from firsthand.vocabulary.errors import FirsthandError, InvalidError

MODULES: Final = (
    "scopes",
    "evidence",
    "doors",
    "tombstones",
    "deletion",
    "steps",
    "answers",
    "contradictions",
    "lives",
)
UNFORESEEN: Final = (
    FirsthandError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a test may run into besides what it looks for; it fails then, and says what it was."""


def all_checks() -> dict[str, Check]:
    """Every acceptance test, by name."""
    for name in MODULES:
        import_module(f"firsthand.selftest.{name}")
    return CHECKS


def run_all(
    folder: Path | None = None,
    *,
    only: Iterable[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    connect: Connect | None = None,
) -> SelfTestReport:
    """Run every test, or those named, in a temporary folder, or in an empty one that is named.

    Without `connect`, the door of the agents, what is told through it is unavailable.
    """
    started = time.perf_counter()
    known = all_checks()
    wanted = [known[_known(known, name)] for name in (known if only is None else only)]
    with tempfile.TemporaryDirectory(prefix="firsthand-selftest-") as temporary:
        place = Path(temporary) if folder is None else _empty(folder)
        results: list[CheckResult] = []
        for number, check in enumerate(wanted, 1):
            results.append(run_one(check, place / check.name.replace(".", "-"), connect))
            if progress is not None:
                progress(number, len(wanted))
    return SelfTestReport(
        firsthand=_version(),
        python=platform.python_version(),
        results=tuple(results),
        passed=_count(results, "pass"),
        failed=_count(results, "fail"),
        unavailable=_count(results, "unavailable"),
        seconds=round(time.perf_counter() - started, 3),
    )


def run_one(check: Check, folder: Path, connect: Connect | None = None) -> CheckResult:
    """Run one test in a folder that it makes."""
    folder.mkdir(parents=True)
    world = World(folder, connect)
    started = time.perf_counter()
    outcome: Outcome = "fail"
    in_control = False
    try:
        proof = check.run(world)
        outcome = "pass"
        for what, times in world.seen.items():
            if not times:
                outcome, proof = "fail", f"the test looked at no {what}"
    except UnavailableError as reason:
        outcome, proof = "unavailable", str(reason)
    except FailedError as failure:
        proof, in_control = str(failure), failure.in_control
    except UNFORESEEN as error:
        proof = f"an unexpected {type(error).__name__}: {error}"
    finally:
        world.close()
    return CheckResult(
        name=check.name,
        section=check.section,
        outcome=outcome,
        given=check.given,
        when=check.when,
        then=check.then,
        control=check.control,
        proof=proof,
        in_control=in_control,
        milliseconds=round((time.perf_counter() - started) * 1000),
    )


def _known(known: dict[str, Check], name: str) -> str:
    if name not in known:
        raise InvalidError("check_unknown", "there is no acceptance test of this name", field="only")
    return name


def _empty(folder: Path) -> Path:
    """A folder that holds nothing: a self-test never touches somebody's memory."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidError("folder_not_empty", "the self-test runs only in an empty folder", field="folder")
    return folder


def _version() -> str:
    try:
        return version("firsthand")
    except PackageNotFoundError:
        return "(not installed)"


def _count(results: Iterable[CheckResult], outcome: Outcome) -> int:
    return sum(r.outcome == outcome for r in results)
