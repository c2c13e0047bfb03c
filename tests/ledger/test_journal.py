"""Receipts of recalls wait while the database is busy, up to a bound, and no recall fails for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner
from histories import store_of
from read_only_vfs import read_only_disk

import firsthand
from firsthand import journal
from firsthand.store import sqlite
from firsthand.surfaces.cli import app


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[firsthand.Memory]:
    """A memory that does not wait long for a lock, and whose timer does not run out."""
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 10)
    monkeypatch.setattr(journal, "FLUSH_SECONDS", 3_600.0)
    with firsthand.open(tmp_path / "m.db", actor="ana", role="person") as opened:
        opened.capture("the door is red")
        yield opened


@contextmanager
def locked(memory: firsthand.Memory) -> Iterator[None]:
    """Another process holds the append lock."""
    connection = apsw.Connection(str(store_of(memory).facts()["path"]))
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def known(memory: firsthand.Memory, recall_id: str) -> bool:
    with store_of(memory).reading(memory.space) as reader:
        return reader.delivery(recall_id) is not None


def receipts(memory: firsthand.Memory) -> journal.Journal:
    return memory._engine.gateway.journal


def test_receipts_wait_while_the_database_is_busy_and_are_written_by_the_next_flush(memory: firsthand.Memory) -> None:
    first = memory.recall("door").recall_id
    with locked(memory):
        with pytest.raises(firsthand.BusyError):
            receipts(memory).flush()
        second = memory.recall("red").recall_id
    receipts(memory).flush()
    assert known(memory, first)
    assert known(memory, second)
    assert receipts(memory).lost == 0


def test_a_recall_answers_though_its_receipt_cannot_be_written_yet(
    memory: firsthand.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "FLUSH_ROWS", 2)
    with locked(memory):
        answered = [memory.recall("door") for _ in range(5)]
    assert all(packet.items for packet in answered)
    receipts(memory).flush()
    assert all(known(memory, packet.recall_id) for packet in answered)


def test_a_timer_that_finds_the_database_busy_tries_again(memory: firsthand.Memory) -> None:
    recall_id = memory.recall("door").recall_id
    first = receipts(memory)._timer
    with locked(memory):
        receipts(memory).flush_if_can()
    second = receipts(memory)._timer
    assert second is not None
    assert second is not first
    receipts(memory).flush_if_can()
    assert known(memory, recall_id)
    assert receipts(memory)._timer is None


def test_only_so_many_receipts_wait_and_the_others_are_counted(
    memory: firsthand.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "KEPT_ROWS", 3)
    asked = [memory.recall("door").recall_id for _ in range(5)]
    with locked(memory), pytest.raises(firsthand.BusyError):
        receipts(memory).flush()
    receipts(memory).flush()
    assert [known(memory, recall_id) for recall_id in asked] == [False, False, True, True, True]
    assert receipts(memory).lost == 2


@pytest.mark.parametrize("flush", [journal.Journal.flush, journal.Journal.flush_if_can], ids=["asked", "by timer"])
def test_what_a_broken_database_does_not_take_is_counted_as_lost(
    flush: Callable[[journal.Journal], None], memory: firsthand.Memory
) -> None:
    memory.recall("door")
    store_of(memory)._journal.close()
    if flush is journal.Journal.flush:
        with pytest.raises(firsthand.BrokenError):
            flush(receipts(memory))
    else:
        flush(receipts(memory))
    assert receipts(memory).lost == 1
    receipts(memory).flush()


def test_a_memory_that_cannot_be_written_answers_closes_and_counts_its_receipts_as_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "FLUSH_ROWS", 2)
    with firsthand.open(tmp_path / "m.db") as memory:
        memory.capture("the door is red")
    with read_only_disk():
        with firsthand.open(tmp_path / "m.db") as memory:
            assert [memory.recall("door").items[0].text for _ in range(3)] == ["the door is red"] * 3
            facts = memory.facts()
            assert (facts["read_only"], facts["receipts"], facts["receipts_lost"]) == (True, 0, 3)
            with pytest.raises(firsthand.BrokenError) as caught:
                memory.capture("the door is green")
            assert caught.value.code == "store_read_only"
            memory.recall("door")
        assert receipts(memory).lost == 4


def test_a_memory_that_is_busy_to_the_end_closes_and_counts_what_waited_as_lost(memory: firsthand.Memory) -> None:
    memory.recall("door")
    with locked(memory):
        memory.close()
    assert receipts(memory).lost == 1


def test_a_recall_from_a_read_only_file_is_a_success_and_the_doctor_says_what_is_wrong(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["--db", str(tmp_path / "m.db"), *words])
        return done.exit_code, done.stdout, done.stderr

    run("capture", "the door is red")
    with read_only_disk():
        code, said, wrong = run("recall", "door")
        assert (code, wrong) == (0, "")
        assert "the door is red" in said
        code, said, _ = run("doctor")
        assert code == 10
        assert "PROBLEM: the database file is read-only" in said
    assert run("doctor")[0] == 0
