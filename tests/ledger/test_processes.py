"""Several processes and threads on one file: nothing is lost, nobody is told that the database is locked."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

from histories import positions

import firsthand

WORKERS = 4
ROUNDS = 7
THREADS = 8
WORKER = """
import json, sys, firsthand
path, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
made = []
with firsthand.open(path, actor=name, role="person", scope="project:boat") as memory:
    sys.stdin.readline()
    for number in range(rounds):
        made.append(memory.capture(f"{name} saw a gull at buoy {number}.", speaker=name).entry_id)
        made.append(memory.remember(subject=f"{name} {number}", predicate="uses", object="tar").entry_id)
        told = memory.remember(subject=name, predicate="lives_in", object=f"harbour {number}")
        made.append(told.entry_id)
        if number % 3 == 0:
            made.append(memory.correct(told.record_id, object=f"port {number}", reason="a slip").entry_id)
        found = memory.recall(f"What does {name} {number} use?").items
        assert any(item.record_id == "r" + made[3 * number + (number + 2) // 3 + 1][1:] for item in found), found
    print(json.dumps(made))
"""


def together(path: Path, names: list[str]) -> list[str]:
    """What every worker acknowledged, when all of them started at once."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(path), name, str(ROUNDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for name in names
    ]  # fmt: skip
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said = [worker.communicate() for worker in workers]
    assert [error for _, error in said] == [""] * len(names)
    return [entry for out, _ in said for entry in json.loads(out)]


def ledger_ids(memory: firsthand.Memory) -> list[str]:
    with memory._engine.store.reading(memory.space) as reader:
        return [row.entry_id for row in reader.ledger_rows(0, 1_000_000)]


def test_four_processes_write_and_recall_on_one_file_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    acknowledged = together(path, [f"worker{n}" for n in range(WORKERS)])
    assert len(acknowledged) == WORKERS * (3 * ROUNDS + (ROUNDS + 2) // 3)
    with firsthand.open(path, scope="project:boat") as memory:
        assert set(acknowledged) <= set(ledger_ids(memory))
        assert positions(memory) == list(range(1, len(ledger_ids(memory)) + 1))
        assert memory.ledger.verify(deep=True).deep
        assert memory.ledger.rebuild().same


def test_eight_threads_write_and_recall_through_one_memory_and_nothing_is_lost(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    failures: list[BaseException] = []
    gate = threading.Barrier(THREADS)

    def work(memory: firsthand.Memory, name: str) -> None:
        try:
            gate.wait()
            for number in range(ROUNDS):
                first = memory.capture(f"{name} saw a gull at buoy {number}.")
                second = memory.remember(subject=name, predicate="lives_in", object=f"harbour {number}")
                assert first.entry_id
                assert second.entry_id
                acknowledged.extend((first.entry_id, second.entry_id))
                found = memory.recall(f"Where does {name} live?").items
                assert any(item.record_id == second.record_id for item in found)
        except BaseException as error:  # noqa: BLE001 - reported by the test, in its own thread
            failures.append(error)

    with firsthand.open(tmp_path / "m.db", scope="project:boat") as memory:
        threads = [threading.Thread(target=work, args=(memory, f"walker{n}")) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert len(acknowledged) == len(set(acknowledged)) == THREADS * ROUNDS * 2
        assert set(acknowledged) <= set(ledger_ids(memory))
        assert positions(memory) == list(range(1, len(ledger_ids(memory)) + 1))
        assert memory.ledger.verify(deep=True).deep


def test_a_deep_verify_and_a_rebuild_stand_in_line_with_writers(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    stop, checked = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def check() -> None:
        try:
            with firsthand.open(path, scope="project:boat") as checker:
                while not stop.is_set():
                    checker.ledger.verify(deep=True)
                    assert checker.ledger.rebuild().same
                    checked.set()
        except BaseException as error:  # noqa: BLE001 - reported by the test, in its own thread
            failures.append(error)
            checked.set()

    with firsthand.open(path, scope="project:boat") as memory:
        memory.capture("The hull is dry.")
        checker = threading.Thread(target=check)
        checker.start()
        made = [memory.remember(subject="Ana", predicate="lives_in", object=f"harbour {n}").entry_id for n in range(20)]
        checked.wait()
        stop.set()
        checker.join()
        assert failures == []
        assert {str(m) for m in made} <= set(ledger_ids(memory))
        assert memory.ledger.verify(deep=True).deep
