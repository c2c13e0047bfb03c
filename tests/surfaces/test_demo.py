"""The demo tells its whole story, says so, and fails when something does not hold."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest
from rich.console import Console

from firsthand.importers.chat import parse
from firsthand.importers.intake import Line
from firsthand.memory import Memory
from firsthand.surfaces import demo
from firsthand.surfaces.demo_story import BACKUPS, CORRECTION, FACTS, QUESTIONS
from firsthand.vocabulary.packets import RecordPage


def told(directory: Path | None = None, *, terminal: bool = False) -> tuple[int, str]:
    output = io.StringIO()
    console = Console(file=output, width=120, force_terminal=terminal, color_system="truecolor" if terminal else None)
    return demo.run(console, directory=directory), output.getvalue()


def turns() -> list[Line]:
    with demo.conversation().open("rb") as stream:
        found = list(parse(stream))
    assert all(isinstance(turn, Line) for turn in found)
    return [turn for turn in found if isinstance(turn, Line)]


def test_the_story_holds_from_end_to_end(tmp_path: Path):
    started = time.perf_counter()
    code, output = told(tmp_path / "fresh")
    assert code == 0, output
    assert "did not hold" not in output
    assert "Is the ledger whole?" in output
    assert "in figures" in output
    assert (tmp_path / "fresh" / "demo.db").exists()
    assert time.perf_counter() - started < 30


def test_every_question_and_its_answer_is_on_the_page(tmp_path: Path):
    _, output = told(tmp_path)
    for question in (*QUESTIONS, BACKUPS):
        assert question.ask in output
        assert f"the answer is: {question.first}" in output
    assert f"the answer is: {CORRECTION.statement}" in output


def test_a_pipe_gets_plain_text_and_a_terminal_colour(tmp_path: Path):
    _, plain = told(tmp_path / "plain")
    _, colourful = told(tmp_path / "colourful", terminal=True)
    assert "\x1b[" not in plain
    assert "\x1b[" in colourful


def test_without_a_folder_it_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, output = told()
    assert code == 0, output
    assert list(tmp_path.iterdir()) == []


def test_it_refuses_a_folder_that_already_holds_a_store(tmp_path: Path):
    assert told(tmp_path)[0] == 0
    code, output = told(tmp_path)
    assert code == demo.NOT_HELD
    assert "already holds" in output


def test_it_fails_in_words_when_a_correction_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def remember_instead(self: Memory, record_id: object, statement: str, **arguments: object) -> object:
        return self.remember("The weather was fine")

    monkeypatch.setattr(Memory, "correct", remember_instead)
    code, output = told(tmp_path)
    assert code == demo.NOT_HELD
    assert f"did not hold: the answer is: {CORRECTION.statement}" in output


def test_it_fails_in_words_when_nothing_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Memory, "list", lambda *_, **__: RecordPage(items=(), cursor=None))
    code, output = told(tmp_path)
    assert code == demo.NOT_HELD
    assert "did not hold: every turn is found under the id it came with" in output


def test_every_fact_quotes_words_that_its_turn_really_holds():
    by_id = {turn.native_id: turn for turn in turns()}
    for fact in (*FACTS, CORRECTION):
        assert by_id[fact.turn].text.count(fact.quote) == 1


def test_the_conversation_has_three_voices_a_thread_a_day_and_ids_of_its_own():
    told_turns = turns()
    assert len(told_turns) == len({turn.native_id for turn in told_turns}) == 60
    assert {turn.speaker for turn in told_turns} == {"Noor", "Felix", "agent"}
    instants = [turn.occurred_at or 0 for turn in told_turns]
    assert instants == sorted(instants)
    lines = [json.loads(line) for line in demo.conversation().read_text("utf-8").splitlines()]
    assert all(line["at"].startswith(line["thread"]) for line in lines)
