"""What a process keeps between recalls follows the space, reads no more than it needs, and stays within a bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stores import DAY, START, Still, opened, plain, texts, withdraw

import firsthand
from firsthand import Memory
from firsthand.recall import cache
from firsthand.store.sqlite_read import SqliteReader

QUERIES = ("quokka wombat", "Where is the quokka?", "wombat", "quokka that dug")


def as_a_new_process(folder: Path, memory: Memory) -> None:
    """Whoever asked before and whoever asks for the first time have the same answers."""
    for query in QUERIES:
        with opened(folder, Still(START)) as fresh:
            assert plain(memory.recall(query)) == plain(fresh.recall(query))


def test_what_came_and_what_went_is_in_the_lists_of_a_process_that_asked_before(tmp_path: Path) -> None:
    with opened(tmp_path, Still(START)) as memory:
        first = memory.capture("the quokka slept", thread="t")
        memory.capture("a wombat dug", thread="t")
        assert texts(memory.recall("quokka")) == ["the quokka slept", "a wombat dug"]
        memory.capture("the quokka woke", thread="t")
        assert "the quokka woke" in texts(memory.recall("quokka"))
        as_a_new_process(tmp_path, memory)
        withdraw(memory, first.record_id or "")
        assert memory.recall("slept").coverage == 0
        as_a_new_process(tmp_path, memory)
        memory.restore(first.record_id or "", reason="it did sleep")
        memory.capture("a quokka and a wombat dug", thread="u")
        as_a_new_process(tmp_path, memory)
        memory.erase(first.record_id or "", reason_code="privacy")
        memory.capture("the quokka left", thread="t")
        as_a_new_process(tmp_path, memory)


def test_a_new_document_is_all_that_is_read_of_a_word_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[int] = []
    whole = SqliteReader.postings

    def counted(self: SqliteReader, scope_no: int, term: str, shelf: Any, start: int, most: int) -> str:
        starts.append(start)
        return whole(self, scope_no, term, shelf, start, most)

    monkeypatch.setattr(SqliteReader, "postings", counted)
    with opened(tmp_path, Still(START)) as memory:
        said = memory.capture("the quokka slept").record_id or ""
        kept = memory.remember("the quokka slept", evidence=[firsthand.cite(said)])
        memory.recall("quokka")
        memory.capture("the quokka woke")
        starts.clear()
        memory.recall("quokka")
        assert starts == [2]
        memory.recall("quokka")
        assert starts == [2]
        memory.retract(kept.record_id or "", reason="it woke")
        starts.clear()
        memory.recall("quokka")
        assert starts == [0]


def test_a_turn_that_was_the_last_of_its_thread_leads_to_the_one_that_came_after(tmp_path: Path) -> None:
    with opened(tmp_path, Still(START)) as memory:
        memory.capture("Where does the lantern burn?", thread="t")
        assert texts(memory.recall("lantern")) == ["Where does the lantern burn?"]
        memory.at(scope="project:shed").capture("Somewhere else entirely.", thread="t")
        memory.capture("Upstairs, by the window.", thread="t")
        memory.capture("It rained.", thread="u")
        assert set(texts(memory.recall("lantern"))) == {"Where does the lantern burn?", "Upstairs, by the window."}


def test_documents_of_a_kind_that_came_later_are_of_that_kind(tmp_path: Path) -> None:
    with opened(tmp_path, Still(START)) as memory:
        memory.capture("a quokka slept")
        memory.remember("The quokka is small")
        assert texts(memory.recall("quokka", kinds=["semantic"])) == ["The quokka is small"]
        memory.remember("The quokka is brown")
        memory.capture("a quokka woke")
        assert set(texts(memory.recall("quokka", kinds=["semantic"]))) == {"The quokka is small", "The quokka is brown"}


def test_what_a_first_recall_reads_of_documents_does_not_grow_with_the_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []
    whole = SqliteReader.columns

    def counted(self: SqliteReader, scope_no: int, places: Any) -> Any:
        looked_at.extend(places)
        return whole(self, scope_no, places)

    monkeypatch.setattr(SqliteReader, "columns", counted)
    read: list[int] = []
    for thousands in (1, 3):
        folder = tmp_path / str(thousands)
        folder.mkdir()
        with opened(folder, Still(START)) as memory:
            # Every turn has the word and every thread two turns, so as many neighbours as there can be are looked at.
            turns = [{"text": f"quokka number {n}", "thread": f"t{n // 2}"} for n in range(thousands * 1_000)]
            memory.capture_many(turns)
            looked_at.clear()
            assert memory.recall("quokka").returned == 8
            read.append(len(set(looked_at)))
    assert read[0] == read[1]
    assert 60 <= read[0] <= 300


def test_posting_lists_are_kept_within_a_bound_and_answers_do_not_depend_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"animal{n}" for n in range(20)]
    with opened(tmp_path, Still(START)) as memory:
        memory.capture_many([{"text": " ".join((*words, f"seen {n}"))} for n in range(50)])
        whole = [plain(memory.recall(f"{word} seen 7")) for word in words]
        assert memory._cache()._kept > 1_000
    monkeypatch.setattr(cache, "CACHED_POSTINGS", 200)
    with opened(tmp_path, Still(START + DAY)) as memory, opened(tmp_path, Still(START)) as again:
        for word in words:
            assert memory.recall(f"{word} seen 7").returned == 8
            kept = memory._cache()
            assert 0 < kept._kept == sum(len(held.places) for held in kept._lists.values()) <= 200
        assert [plain(again.recall(f"{word} seen 7")) for word in words] == whole
