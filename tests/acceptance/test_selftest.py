"""The packaged acceptance tests: they pass or say why they cannot look, count themselves right, and touch nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import firsthand.selftest
from firsthand.selftest import outcomes, runner
from firsthand.selftest.outcomes import Check, FailedError, UnavailableError
from firsthand.selftest.probes import PROBES, probe_all
from firsthand.selftest.world import World
from firsthand.surfaces.cli import app
from firsthand.surfaces.through_mcp import connect
from firsthand.vocabulary.errors import InvalidError

OPEN: dict[str, str] = {}
"""Acceptance tests that may fail today, and why."""
CHECKS = runner.all_checks()


@pytest.mark.parametrize("name", CHECKS)
def test_it_passes_or_says_why_it_could_not_look(name: str, tmp_path: Path) -> None:
    result = runner.run_one(CHECKS[name], tmp_path / "world", connect)
    assert result.proof
    assert result.outcome != "fail" or name in OPEN, result.proof
    assert not result.in_control, result.proof


def test_every_check_says_what_is_given_done_and_expected_and_has_a_control() -> None:
    assert len(CHECKS) >= 40
    for check in CHECKS.values():
        assert all((check.given, check.when, check.then, check.control)), check.name
        assert check.section in outcomes.SECTIONS


def made(run: object) -> Check:
    assert callable(run)
    return Check("made.up", "A", "g", "w", "t", "c", run)


def test_a_check_without_its_control_or_without_a_property_fails(tmp_path: Path) -> None:
    def no_control(world: World) -> str:
        world.expect(True, "")
        return "fine"

    def no_property(world: World) -> str:
        world.control(True, "")
        return "fine"

    for n, run in enumerate((no_control, no_property)):
        assert runner.run_one(made(run), tmp_path / str(n)).outcome == "fail"


def test_each_way_to_end_is_told_apart(tmp_path: Path) -> None:
    def fails(world: World) -> str:
        raise FailedError("no")

    def fails_in_control(world: World) -> str:
        world.control(False, "empty")
        return ""

    def cannot(world: World) -> str:
        raise UnavailableError("no model")

    def breaks(world: World) -> str:
        raise KeyError("x")

    ends = [runner.run_one(made(run), tmp_path / run.__name__) for run in (fails, fails_in_control, cannot, breaks)]
    assert [(e.outcome, e.in_control) for e in ends] == [
        ("fail", False), ("fail", True), ("unavailable", False), ("fail", False),
    ]  # fmt: skip
    assert "KeyError" in ends[3].proof


def test_it_runs_only_in_an_empty_folder_and_leaves_what_is_there_alone(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "memory.db").write_text("mine")
    with pytest.raises(InvalidError) as refused:
        runner.run_all(full)
    assert refused.value.code == "folder_not_empty"
    assert [p.name for p in full.iterdir()] == ["memory.db"]
    assert (full / "memory.db").read_text() == "mine"
    assert runner.run_all(tmp_path / "new", only=["life.contradicting_condition"]).passed == 1


def test_the_command_prints_a_table_or_json_and_leaves_by_whether_any_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    few = ("--only", "life.contradicting_condition", "--only", "prompt.model_ignores_embedded_instructions")
    told = CliRunner().invoke(app, ("selftest", *few))
    assert told.exit_code == 0
    assert "1 passed, 0 failed, 1 could not be run" in told.stdout
    report = json.loads(CliRunner().invoke(app, ("selftest", *few, "--json")).stdout)
    assert [(r["name"], r["outcome"]) for r in report["results"]] == [
        ("life.contradicting_condition", "pass"),
        ("prompt.model_ignores_embedded_instructions", "unavailable"),
    ]
    monkeypatch.setattr("firsthand.recall.fill.contradicted", lambda conditions, given: False)
    broken = CliRunner().invoke(app, ("selftest", *few))
    assert broken.exit_code == 10
    assert "a condition was not heeded" in broken.stdout
    assert CliRunner().invoke(app, ("selftest", "--only", "no.such")).exit_code == 2


def test_what_is_told_through_mcp_is_unavailable_where_no_server_is_handed_in(tmp_path: Path) -> None:
    plain, structured = (f"contradiction.replacement.{mode}" for mode in ("plain", "structured"))
    without, other, handed = (
        runner.run_one(CHECKS[name], tmp_path / str(number), given)
        for number, (name, given) in enumerate(((plain, None), (structured, None), (plain, connect)))
    )
    assert (without.outcome, other.outcome, handed.outcome) == ("unavailable", "pass", "pass")
    assert "server" in without.proof
    told = json.loads(CliRunner().invoke(app, ("selftest", "--json", "--only", plain)).stdout)
    assert [r["outcome"] for r in told["results"]] == ["pass"], "the command hands it in"


def test_the_doctor_probes_each_capability() -> None:
    probes = {probe.capability: probe for probe in probe_all()}
    assert list(probes) == list(PROBES)
    assert {p.outcome for p in probes.values()} <= {"pass", "unavailable"}
    assert sum(p.outcome == "pass" for p in probes.values()) >= 6
    assert all(p.proof for p in probes.values())


def test_it_needs_nothing_but_the_package_itself() -> None:
    """It is shipped: no tool of the tests, and nothing of the tests, is imported anywhere in it."""
    folder = Path(firsthand.selftest.__file__).parent
    imported = {
        name.partition(".")[0]
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [a.name for a in node.names] if isinstance(node, ast.Import)
            else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    assert imported <= {"firsthand", "msgspec", *sys.stdlib_module_names}
    loaded = "import sys, firsthand.selftest.runner as r; r.all_checks(); print('pytest' in sys.modules)"
    done = subprocess.run((sys.executable, "-c", loaded), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
