"""What a newcomer tripped over, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import firsthand
from firsthand.surfaces.cli import app


@pytest.fixture
def memory(tmp_path: Path) -> firsthand.Memory:
    return firsthand.open(tmp_path / "m.db", scope="project:orion", actor="ana", role="person")


def run(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["--db", str(folder / "m.db"), "--scope", "project:orion", *words])
    return result.exit_code, result.output


def retracted(memory: firsthand.Memory) -> str:
    fact = memory.remember(subject="staging", predicate="port", object=8080)
    memory.retract(fact.record_id, reason="wrong host")
    return fact.record_id or ""


def test_explain_and_history_tell_of_a_retracted_record_by_a_short_id(memory: firsthand.Memory, tmp_path: Path) -> None:
    record_id = retracted(memory)
    assert memory.explain("staging port", record_id).reason != "returned"
    code, said = run(tmp_path, "explain", "staging port", record_id[:13])
    assert (code, "KeyError" in said) == (0, False)
    code, said = run(tmp_path, "history", record_id[:8])
    assert (code, "wrong host" in said) == (0, True)


def test_reading_where_there_is_no_memory_makes_none(tmp_path: Path) -> None:
    code, _ = run(tmp_path, "recall", "anything")
    assert code == 10
    assert list(tmp_path.iterdir()) == []
    assert run(tmp_path, "remember", "the door is red")[0] == 0
    assert (tmp_path / "m.db").exists()


def test_a_word_that_nothing_holds_finds_nothing_and_no_word_the_newest(memory: firsthand.Memory) -> None:
    memory.capture("the door is red")
    assert memory.recall("zebra").items == ()
    assert [i.text for i in memory.recall("").items] == ["the door is red"]
