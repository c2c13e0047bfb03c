"""What importing a chat file leaves behind, once, twice, stopped and resumed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

import firsthand
from firsthand.importers.chat import import_chat
from firsthand.importers.intake import PROBLEMS_KEPT
from firsthand.importers.locomo import import_locomo
from firsthand.memory import Memory
from firsthand.vocabulary.errors import AbsentError, FirsthandError, InvalidError
from firsthand.vocabulary.instants import to_micros
from firsthand.vocabulary.packets import BatchReport, Item

Turn = dict[str, object]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with firsthand.open(str(tmp_path / "memory.db"), scope="project:boat", actor="ruth") as opened:
        yield opened


def turn(number: int, **more: object) -> Turn:
    return {"id": f"m{number}", "speaker": "Ruth", "text": f"Plank number {number} is sanded.", **more}


def without_id(number: int) -> Turn:
    return {"speaker": "Ruth", "text": f"Plank number {number} is sanded."}


def jsonl(*turns: Turn | bytes) -> io.BytesIO:
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in turns]
    return io.BytesIO(b"\n".join(lines))


def episodes(memory: Memory) -> list[Item]:
    items: list[Item] = []
    cursor = None
    while True:
        page = memory.list(kinds=["episodic"], limit=100, cursor=cursor)
        items += page.items
        cursor = page.cursor
        if cursor is None:
            return items


def ids(memory: Memory) -> set[str | None]:
    return {item.source_id for item in episodes(memory)}


def test_a_turn_becomes_an_episode_with_its_words_speaker_instant_thread_and_id(memory: Memory):
    report = import_chat(memory, jsonl(turn(1, at="2026-03-09T10:00Z", thread="monday")), name="chat")
    (item,) = episodes(memory)
    assert (item.text, item.speaker, item.occurred_at, item.thread, item.source_id) == (
        "Plank number 1 is sanded.",
        "Ruth",
        to_micros("2026-03-09T10:00Z", "at"),
        "monday",
        "m1",
    )
    assert (report.source, report.read, report.added, report.known, report.refused) == ("chat", 1, 1, 0, 0)
    assert report.problems == ()


@pytest.mark.parametrize("make", [turn, without_id])
def test_importing_twice_adds_nothing(memory: Memory, make: type[Turn]):
    lines = [make(number) for number in range(7)]
    first = import_chat(memory, jsonl(*lines), name="chat", batch=3)
    before = memory.stats().entries
    again = import_chat(memory, jsonl(*lines), name="chat", batch=2)
    assert (first.added, first.known) == (7, 0)
    assert (again.added, again.known) == (0, 7)
    assert memory.stats().entries == before
    assert len(episodes(memory)) == 7


def test_a_file_that_grew_adds_only_its_new_lines(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(jsonl(turn(1), turn(2)).getvalue())
    assert import_chat(memory, path).added == 2
    path.write_bytes(jsonl(turn(1), turn(2), turn(3)).getvalue())
    monkeypatch.chdir(tmp_path)
    report = import_chat(memory, Path("chat.jsonl"))
    assert (report.source, report.added, report.known) == ("chat.jsonl", 1, 2)
    with path.open("rb") as stream:
        assert import_chat(memory, stream).known == 3


@pytest.mark.parametrize("make", [turn, without_id])
def test_files_of_one_name_in_two_folders_are_two_sources(memory: Memory, tmp_path: Path, make: type[Turn]):
    for folder, words in (("ruth", "yes"), ("omar", "no")):
        (tmp_path / folder).mkdir()
        lines = [make(1) | {"text": words}, make(2)]
        (tmp_path / folder / "chat.jsonl").write_bytes(jsonl(*lines).getvalue())
    reports = [import_chat(memory, tmp_path / folder / "chat.jsonl") for folder in ("ruth", "omar")]
    assert [(r.source, r.added, r.known, r.problems) for r in reports] == [("chat.jsonl", 2, 0, ())] * 2


def test_a_file_that_moved_is_known_by_the_name_it_was_given(memory: Memory, tmp_path: Path):
    here, there = tmp_path / "chat.jsonl", tmp_path / "moved.jsonl"
    here.write_bytes(jsonl(turn(1), without_id(2)).getvalue())
    assert import_chat(memory, here, name="boat chat").added == 2
    here.rename(there)
    assert import_chat(memory, there, name="boat chat").known == 2


YES: Turn = {"speaker": "Ruth", "text": "yes"}


@pytest.mark.parametrize("batch", [1, 2, 500])
@pytest.mark.parametrize("more", [{}, {"at": "2026-03-09T10:00Z"}])
def test_what_somebody_says_twice_without_an_id_is_two_turns(memory: Memory, batch: int, more: Turn):
    lines = [YES | more, turn(1), YES | more, YES | more | {"speaker": "Omar"}]
    first = import_chat(memory, jsonl(*lines), name="chat", batch=batch)
    assert (first.added, first.known) == (4, 0)
    again = import_chat(memory, jsonl(*lines, YES | more), name="chat", batch=2)
    assert (again.added, again.known) == (1, 4)


def test_a_stream_that_is_no_file_needs_a_name(memory: Memory):
    source = jsonl(turn(1))
    with pytest.raises(InvalidError) as caught:
        import_chat(memory, source)
    assert (caught.value.code, caught.value.field, caught.value.next_action) == (
        "name_missing", "name", "fix_and_resubmit",
    )  # fmt: skip
    assert source.tell() == 0


def test_problems_are_in_the_order_of_their_lines(memory: Memory):
    source = jsonl(turn(1), turn(1, text="It was never sanded."), turn(3), b"{")
    report = import_chat(memory, source, name="chat")
    assert [(p.line, p.code) for p in report.problems] == [(2, "id_reused"), (4, "json_invalid")]
    assert report.bad == 2


def test_the_same_ids_in_another_source_or_another_scope_are_other_turns(memory: Memory):
    import_chat(memory, jsonl(turn(1)), name="one")
    assert import_chat(memory, jsonl(turn(1, text="Another boat.")), name="two").added == 1
    assert import_chat(memory.at(scope="project:harbour"), jsonl(turn(1)), name="one").added == 1
    assert len(episodes(memory)) == 2


def test_bad_lines_are_reported_by_number_and_the_rest_is_imported(memory: Memory):
    source = jsonl(
        turn(1),
        b"{",
        turn(3),
        b'{"speaker": "Ruth", "text": "caf\xe9"}',
        turn(5, mood="good"),
        turn(6, at="2026-03-09T10:00"),
        turn(7, text="half \ud83d of a smile"),
        b" " * 1_048_577,
        turn(9),
    )
    report = import_chat(memory, source, name="chat", batch=2)
    assert [(problem.line, problem.code) for problem in report.problems] == [
        (2, "json_invalid"),
        (4, "utf8_invalid"),
        (5, "field_unknown"),
        (6, "instant_naive"),
        (7, "text_not_unicode"),
        (8, "line_too_long"),
    ]
    assert (report.read, report.added) == (9, 3)
    assert ids(memory) == {"m1", "m3", "m9"}


def test_an_id_used_again_for_the_same_words_is_known(memory: Memory):
    report = import_chat(memory, jsonl(turn(1), turn(2), turn(1)), name="chat")
    assert (report.added, report.known, report.problems) == (2, 1, ())


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_an_id_used_again_for_other_words_is_a_problem_with_its_number(memory: Memory, batch: int):
    lines = [turn(1), turn(2), turn(1, text="It was never sanded."), turn(4)]
    report = import_chat(memory, jsonl(*lines), name="chat", batch=batch)
    assert [(problem.line, problem.code) for problem in report.problems] == [(3, "id_reused")]
    assert report.added + report.known == 3
    assert {item.text for item in episodes(memory)} == {
        "Plank number 1 is sanded.",
        "Plank number 2 is sanded.",
        "Plank number 4 is sanded.",
    }


def test_stopping_leaves_whole_batches_and_says_how_many(memory: Memory):
    source = jsonl(turn(1), turn(2), turn(3), turn(4), turn(5), b"{", turn(7))
    with pytest.raises(InvalidError) as caught:
        import_chat(memory, source, name="chat", on_error="stop", batch=2)
    error = caught.value
    assert (error.code, error.may_have_written) == ("import_stopped", True)
    assert error.details == {"line": 6, "code": "json_invalid", "added": 4, "known": 0}
    assert "line 6" in error.message
    assert "4 lines added" in error.message
    assert ids(memory) == {"m1", "m2", "m3", "m4"}


def test_a_stopped_import_goes_on_where_it_was_once_the_line_is_mended(memory: Memory):
    with pytest.raises(InvalidError):
        import_chat(memory, jsonl(turn(1), turn(2), b"{"), name="chat", on_error="stop", batch=2)
    report = import_chat(memory, jsonl(turn(1), turn(2), turn(3)), name="chat", on_error="stop", batch=2)
    assert (report.added, report.known) == (1, 2)
    assert ids(memory) == {"m1", "m2", "m3"}


class PowerCutError(Exception):
    """The machine lost its power."""


class Fragile:
    """A memory whose process ends after some batches."""

    def __init__(self, memory: Memory, batches: int) -> None:
        self.memory = memory
        self.left = batches
        self.scope = memory.scope

    def capture_many(self, items: Iterable[Mapping[str, object]], *, batch: int = 500) -> BatchReport:
        if not self.left:
            raise PowerCutError
        self.left -= 1
        return self.memory.capture_many(items, batch=batch)


def test_an_import_that_crashed_resumes_by_running_again(memory: Memory):
    lines = [turn(number) for number in range(10)]
    with pytest.raises(PowerCutError):
        import_chat(Fragile(memory, 3), jsonl(*lines), name="chat", batch=2)
    assert len(episodes(memory)) == 6
    report = import_chat(memory, jsonl(*lines), name="chat", batch=2)
    assert (report.added, report.known) == (4, 6)
    assert len(episodes(memory)) == 10


KILLED = """
import os, signal, sys
from pathlib import Path
import firsthand
from firsthand.importers.chat import import_chat

def progress(read):
    if read >= 60:
        os.kill(os.getpid(), signal.SIGKILL)

with firsthand.open(sys.argv[1], scope="project:boat", actor="ruth") as memory:
    import_chat(memory, Path(sys.argv[2]), progress=progress, batch=20)
"""


def test_a_killed_process_leaves_whole_batches_and_a_second_one_finishes(tmp_path: Path):
    database, source = tmp_path / "memory.db", tmp_path / "chat.jsonl"
    source.write_bytes(jsonl(*(turn(number) for number in range(200))).getvalue())
    child = subprocess.run(
        [sys.executable, "-c", KILLED, str(database), str(source)], check=False, env=dict(os.environ), timeout=120
    )
    assert child.returncode == -signal.SIGKILL
    with firsthand.open(str(database), scope="project:boat", actor="ruth") as memory:
        assert len(episodes(memory)) == 60
        report = import_chat(memory, source)
        assert (report.added, report.known) == (140, 60)
        assert len(episodes(memory)) == 200
        memory.ledger.verify(deep=True)


def test_progress_counts_every_line_dealt_with_good_or_bad(memory: Memory):
    heard: list[int] = []
    import_chat(memory, jsonl(turn(1), b"{", turn(3), turn(4), b"{"), name="chat", progress=heard.append, batch=2)
    assert heard == [3, 5]


def test_every_line_read_is_added_known_refused_or_a_problem_even_past_the_list(memory: Memory):
    bad = [b"{"] * (PROBLEMS_KEPT + 5)
    report = import_chat(memory, jsonl(turn(1), turn(1), *bad), name="chat")
    assert len(report.problems) == PROBLEMS_KEPT
    assert report.read - report.added - report.known - report.refused == PROBLEMS_KEPT + 5
    assert (report.added, report.known) == (1, 1)


def test_an_empty_source_is_an_empty_report(memory: Memory):
    report = import_chat(memory, io.BytesIO(b"\n\n"), name="stream")
    assert (report.source, report.read, report.added, report.problems) == ("stream", 0, 0, ())


def test_a_source_that_is_not_there_is_absent(memory: Memory, tmp_path: Path):
    with pytest.raises(AbsentError) as caught:
        import_chat(memory, tmp_path / "nowhere.jsonl")
    assert caught.value.code == "source_absent"
    with pytest.raises(InvalidError) as refused:
        import_chat(memory, tmp_path)
    assert refused.value.code == "source_unreadable"


@pytest.mark.parametrize("arguments", [{"batch": 0}, {"batch": 5_001}, {"name": ""}, {"name": "n" * 600}])
def test_arguments_out_of_bounds_are_refused_before_anything_is_read(memory: Memory, arguments: dict[str, object]):
    source = jsonl(turn(1))
    with pytest.raises(FirsthandError):
        import_chat(memory, source, **{"name": "chat", **arguments})  # type: ignore[arg-type]
    assert source.tell() == 0
    assert import_chat(memory, source, name="chat").added == 1


def test_imported_words_are_found_by_recall(memory: Memory):
    import_chat(memory, jsonl(turn(1), turn(2, text="The harbour master wants the fee in cash.")), name="chat")
    packet = memory.recall("how does the harbour master want the fee?")
    assert packet.items[0].text == "The harbour master wants the fee in cash."


def test_a_locomo_file_is_imported_once_however_often(memory: Memory, tmp_path: Path):
    path = tmp_path / "boat.json"
    path.write_text(
        json.dumps(
            {
                "speaker_a": "Ruth",
                "speaker_b": "Omar",
                "session_1_date_time": "9:00 am on 2 March, 2024",
                "session_1": [
                    {"speaker": "Ruth", "dia_id": "D1:1", "text": "Look.", "blip_caption": "a photo of a boat"},
                    {"speaker": "Omar", "dia_id": "D1:2", "text": 5},
                    {"speaker": "Omar", "dia_id": "D1:3", "text": "Lovely."},
                ],
            }
        )
    )
    report = import_locomo(memory, path)
    assert (report.read, report.added, [problem.line for problem in report.problems]) == (3, 2, [2])
    assert import_locomo(memory, path).known == 2
    found = {item.source_id: item for item in episodes(memory)}
    assert set(found) == {"D1:1", "D1:3"}
    assert found["D1:1"].text == "Look.\n[image: a photo of a boat]"
    assert found["D1:1"].thread == "session_1"
    assert found["D1:1"].occurred_at == to_micros("2024-03-02T09:00Z", "at")
