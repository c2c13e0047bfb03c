"""Several processes work on one queue, and any may be killed: every claim is there once, and nothing is torn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import firsthand
from firsthand.learning import queue

CITIES = [f"City{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
WORKER = """
import json, sys, firsthand
from firsthand.learning import queue
queue.STRETCH_DOCUMENTS = 5
with firsthand.open(sys.argv[1], scope="project:boat", actor=sys.argv[2]) as memory:
    sys.stdin.readline()
    report = memory.jobs.run()
    print(json.dumps([report.stored, report.reinforced, report.failed, report.stretches]))
"""
KILLED = """
import os, signal, sys, firsthand
from firsthand.learning import jobs, queue
queue.STRETCH_DOCUMENTS = 20
stop_at, where = int(sys.argv[2]), sys.argv[3]
finish, propose, seen = queue.finish, jobs.LEARNERS["extract_claims"].propose, [0]
def die():
    seen[0] += 1
    if seen[0] == stop_at:
        os.kill(os.getpid(), signal.SIGKILL)
def dying_finish(writer, lease, now):
    finish(writer, lease, now)
    if where == "committing":
        die()
def dying_propose(*given):
    if where == "reading":
        die()
    return propose(*given)
queue.finish = dying_finish
jobs.LEARNERS["extract_claims"] = jobs.LEARNERS["extract_claims"]._replace(propose=dying_propose)
with firsthand.open(sys.argv[1], scope="project:boat", actor="doomed") as memory:
    memory.jobs.run()
"""


class Later:
    """The machine's clock, moved on past every lease."""

    def now(self) -> int:
        import time

        return time.time_ns() // 1_000 + 2 * queue.LEASE_MICROSECONDS


def prepared(path: Path) -> None:
    with firsthand.open(path, scope="project:boat", actor="ana", role="person") as memory:
        memory.capture_many({"text": f"Ben{n} lives in {city}.", "speaker": "Ana"} for n, city in enumerate(CITIES))


def supports(memory: firsthand.Memory) -> list[tuple[str, str]]:
    """Every (claim, evidence) that an entry of the ledger asserts."""
    found = []
    with memory._engine.store.reading(memory.space) as reader:
        for row in reader.ledger_rows(0, 100_000):
            edges = json.loads(row.skeleton)["edges"]
            found += [(str(s["claim"]), s["evidence"]) for s in edges.get("supports", ())]
    return found


def check_whole(memory: firsthand.Memory) -> None:
    made = supports(memory)
    assert len(made) == len(set(made)) == len(CITIES)
    assert memory.ledger.verify(deep=True).deep
    status = memory.jobs.status()
    assert (status.waiting, status.leased, status.dead, status.unseen) == (0, 0, 0, 0)


def test_three_processes_share_the_work_and_every_claim_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    prepared(path)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(path), f"worker{n}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for n in range(3)
    ]  # fmt: skip
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    said = [worker.communicate() for worker in workers]
    assert [error for _, error in said] == [""] * 3
    done = [json.loads(out) for out, _ in said]
    assert sum(stored for stored, *_ in done) == len(CITIES)
    assert [failed for _, _, failed, _ in done] == [0, 0, 0]
    with firsthand.open(path, scope="project:boat", clock=Later()) as memory:
        memory.jobs.run()
        check_whole(memory)


@pytest.mark.parametrize("where", ["reading", "committing"])
@pytest.mark.parametrize("stop_at", [1, 4])
def test_a_worker_killed_in_the_middle_leaves_whole_stretches_and_another_goes_on(
    tmp_path: Path, where: str, stop_at: int
) -> None:
    path = tmp_path / "m.db"
    prepared(path)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(stop_at), where], capture_output=True, check=False
    )
    assert killed.returncode == -9, killed.stderr
    with firsthand.open(path, scope="project:boat", actor="ben") as memory:
        assert memory.ledger.verify(deep=True).deep
        assert len(supports(memory)) == 20 * (stop_at - 1)
        assert memory.jobs.status().leased == 1
        memory.jobs.run()
        assert memory.jobs.status().leased == 1
    with firsthand.open(path, scope="project:boat", clock=Later()) as memory:
        memory.jobs.run()
        check_whole(memory)
