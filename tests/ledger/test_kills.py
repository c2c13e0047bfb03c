"""A process killed at any moment loses nothing that it had acknowledged, and leaves a ledger that verifies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import firsthand
import kills as bench

KILLS = 12


def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    found = bench.summary(list(bench.kills(KILLS, 7, tmp_path)))
    assert found["kills"] == KILLS
    assert found["acknowledged writes"] > KILLS
    assert found["entries in them"] >= found["acknowledged writes"]
    assert found["acknowledged writes lost"] == 0
    assert found["kills after which a file did not verify"] == 0


def test_mutant_a_child_that_acknowledges_what_it_did_not_write_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = bench.killed
    monkeypatch.setattr(bench, "killed", lambda path, choose: [*honest(path, choose), "e" + "0" * 40])
    found = bench.summary(list(bench.kills(1, 7, tmp_path)))
    assert found["acknowledged writes lost"] == 1


def test_a_file_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    assert list(bench.kills(2, 3, tmp_path))
    with firsthand.open(tmp_path / "killed0.db", scope=bench.SCOPE) as memory:
        before = memory.ledger.head().position
        assert memory.capture("The next morning.").outcome == "stored"
        assert memory.ledger.head().position > before
        assert memory.ledger.verify(deep=True).deep
