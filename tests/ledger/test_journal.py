"""Receipts of recalls wait while the database is busy, up to a bound, and no recall fails for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from histories import store_of

import firsthand
from firsthand import journal
from firsthand.store import sqlite


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
        receipts(memory)._on_timer()
    second = receipts(memory)._timer
    assert second is not None
    assert second is not first
    receipts(memory)._on_timer()
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


@pytest.mark.parametrize("flush", [journal.Journal.flush, journal.Journal._on_timer], ids=["asked", "by timer"])
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
