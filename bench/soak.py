"""Does a memory stay right while many processes write, correct, recall and delete on one file?

Each process says every acknowledged entry on a pipe, and after each of its own corrections, retractions and deletions
asks for what must not come back. Then the file is verified deeply, every acknowledged entry looked for, and every claim
that nobody took back recalled.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import firsthand
from firsthand.vocabulary.errors import BusyError
from report import circumstances

RESULTS = Path(__file__).parent / "results" / "soak.json"
SCOPES = ("project:boat", "project:shed")
SAMPLE = 200
"""Claims that are looked for at the end."""
WEIGHTS = {"capture": 4, "remember": 6, "correct": 2, "change": 2, "retract": 2, "recall": 6, "reject": 1, "erase": 1}


class Worker:
    """One process: what it said, and what it took back."""

    def __init__(self, path: Path, number: int, seed: int) -> None:
        self.choose = random.Random(f"{seed}-{number}")
        self.name = f"w{number}"
        self.memory = firsthand.open(
            path, actor=self.name, role="person", scope=SCOPES[number % len(SCOPES)], synchronous="NORMAL"
        )
        self.count = 0
        self.standing: dict[str, tuple[str, str]] = {}
        self.gone: list[str] = []
        self.done: Counter[str] = Counter()
        self.violations: list[str] = []

    def run(self, seconds: float) -> None:
        """Verbs until the time is over, then a report."""
        end = time.monotonic() + seconds
        verbs = [v for v in WEIGHTS if hasattr(self.memory, v)]
        while time.monotonic() < end:
            verb = self.choose.choices(verbs, [WEIGHTS[v] for v in verbs])[0]
            try:
                getattr(self, f"do_{verb}")()
                self.done[verb] += 1
            except BusyError:
                self.done["busy"] += 1
        for token in self.gone[-50:]:
            self.look(token)
        left = {token: record for record, (_, token) in self.standing.items()}
        print(json.dumps({"done": self.done, "violations": self.violations, "standing": left}), flush=True)
        self.memory.close()

    def told(self, receipt: Any) -> str:
        """Say that an entry was acknowledged; the id of its record."""
        if receipt.entry_id is not None:
            print(receipt.entry_id, flush=True)
        return str(receipt.record_id)

    def token(self) -> str:
        """A word of this process alone."""
        self.count += 1
        letters = "bdfgklmnprstvz"
        spelt = "".join(letters[int(d)] + "aeiou"[int(d) % 5] for d in f"{self.count:06d}")
        return f"{self.name}{spelt}"

    def do_capture(self) -> None:
        """Something is said."""
        self.told(self.memory.capture(f"The tide was low at buoy {self.choose.randrange(99)}.", thread="log"))

    def do_remember(self) -> None:
        """A claim that nobody else makes."""
        token = self.token()
        subject = f"boat {self.name} {self.count}"
        record = self.told(self.memory.remember(subject=subject, predicate="lives_in", object=token))
        self.standing[record] = (subject, token)

    def pick(self) -> tuple[str, str, str] | None:
        """One of the claims that stand."""
        if not self.standing:
            return None
        record = self.choose.choice(list(self.standing))
        return record, *self.standing[record]

    def do_correct(self) -> None:
        """It was never so."""
        if found := self.pick():
            record, subject, old = found
            token = self.token()
            self.told(self.memory.correct(record, object=token, reason="a slip"))
            self.standing[record] = (subject, token)
            self.forget(old)

    def do_change(self) -> None:
        """It is so no longer; what was stays in the past, and is no violation."""
        if found := self.pick():
            record, subject, _ = found
            token = self.token()
            new = self.told(self.memory.change(record, object=token, reason="it sailed"))
            del self.standing[record]
            self.standing[new] = (subject, token)

    def do_retract(self) -> None:
        """Taken back."""
        if found := self.pick():
            record, _, old = found
            self.told(self.memory.retract(record, reason="no"))
            del self.standing[record]
            self.forget(old)

    def do_reject(self) -> None:
        """Never again."""
        if found := self.pick():
            record, _, old = found
            self.told(self.memory.reject(record, reason="no"))
            del self.standing[record]
            self.forget(old)

    def do_erase(self) -> None:
        """Its words are destroyed."""
        if found := self.pick():
            record, _, old = found
            self.memory.erase(record, reason_code="privacy")
            del self.standing[record]
            self.forget(old)

    def do_recall(self) -> None:
        """Something that stands is there, something that is gone is not."""
        if found := self.pick():
            _, subject, token = found
            packet = self.memory.recall(f"where does {subject} live?", kinds=["semantic"])
            if not any(token in i.text for i in packet.items):
                self.violations.append("a claim that stands was not recalled")
        if self.gone:
            self.look(self.choose.choice(self.gone))

    def forget(self, token: str) -> None:
        """From now on this must not come back."""
        self.gone.append(token)
        self.look(token)

    def look(self, token: str) -> None:
        """Ask for what must not come back."""
        packet = self.memory.recall(token, kinds=["semantic"])
        shown = (*packet.items, *(i for c in packet.conflicts for i in c.items))
        if any(token in i.text for i in shown):
            self.violations.append("what was taken back was recalled")


def soak(path: Path, processes: int, seconds: float, seed: int) -> dict[str, Any]:
    """Run the workers, and look at what they left."""
    firsthand.open(path, actor="ana", role="person").close()
    command = [sys.executable, __file__, "--worker", "--db", str(path), "--seconds", str(seconds), "--seed", str(seed)]
    started = time.monotonic()
    workers = [
        subprocess.Popen([*command, "--number", str(n)], stdout=subprocess.PIPE, text=True) for n in range(processes)
    ]
    outputs = [worker.communicate()[0].splitlines() for worker in workers]
    took = time.monotonic() - started
    crashed = sum(worker.returncode != 0 for worker in workers)
    nothing = {"done": {}, "violations": [], "standing": {}}
    reports = [nothing if w.returncode else json.loads(lines[-1]) for lines, w in zip(outputs, workers, strict=True)]
    acknowledged = {line for lines in outputs for line in lines if not line.startswith("{")}
    with firsthand.open(path, actor="ana", role="person", scope=SCOPES[0]) as memory:
        with memory._engine.store.reading(memory.space) as reader:
            lost = len(acknowledged - set(reader.rows_of(acknowledged)))
        head = memory.ledger.verify(deep=True)
        standing = [(token, n) for n, r in enumerate(reports) for token in r["standing"]]
        missing = 0
        for token, number in random.Random(seed).sample(standing, min(SAMPLE, len(standing))):
            asked = memory.at(scope=SCOPES[number % len(SCOPES)]).recall(token, kinds=["semantic"])
            missing += not any(token in i.text for i in asked.items)
    done = sum((Counter(r["done"]) for r in reports), Counter[str]())
    return {
        "processes": processes, "seconds": round(took, 1), "seed": seed, "verbs": dict(done),
        "acknowledged": len(acknowledged), "lost": lost, "crashed": crashed,
        "gate_violations": sum(len(r["violations"]) for r in reports),
        "which": sorted({v for r in reports for v in r["violations"]}),
        "standing_not_recalled": missing, "entries": head.entries, "verified_deeply": head.deep,
        "bytes": os.path.getsize(path),
    }  # fmt: skip


def main() -> int:
    """Run, print and write; 1 if anything was lost or came back."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--processes", type=int, default=8)
    asked.add_argument("--seconds", type=float, default=300)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--json", type=Path, default=RESULTS)
    asked.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    asked.add_argument("--db", type=Path, help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.worker:
        Worker(options.db, options.number, options.seed).run(options.seconds)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = soak(Path(folder) / "memory.db", options.processes, options.seconds, options.seed)
    for name, value in found.items():
        print(f"{name.replace('_', ' '):>24}  {value}")
    options.json.parent.mkdir(exist_ok=True)
    options.json.write_text(json.dumps({**circumstances(), **found}, indent=1) + "\n", encoding="utf-8")
    bad = found["lost"] + found["gate_violations"] + found["standing_not_recalled"] + found["crashed"]
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
