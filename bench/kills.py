"""How many acknowledged writes does a `kill -9` lose? The answer has to be none.

A child process writes and says each receipt's entry id on a pipe; the parent kills it at a random moment, opens the
file again, looks for every id it was told, and verifies the ledger and its projections.
"""

import argparse
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

import firsthand

KILLS_PER_FILE = 20
MOST_WRITES = 20
MOST_DELAY = 0.02
MOST_START = 0.5
EARLY = 0.2
"""The share of kills that do not wait for a write: while the child starts, opens or makes the file."""
SCOPE = "project:boat"


class Kill(NamedTuple):
    """One kill: what the child acknowledged, how many of all acknowledged so far are gone, and whether all holds."""

    file: int
    acknowledged: int
    missing: int
    entries: int
    fault: str | None


def child(path: Path, seed: int) -> None:
    """Write until killed, and say the id of each entry once its receipt is there."""
    choose = random.Random(seed)
    claims: list[str] = []
    with firsthand.open(path, actor="ana", role="person", scope=SCOPE) as memory:
        while True:
            number = choose.randrange(1_000_000)
            verb = choose.choice(("capture", "remember", "correct", "batch"))
            if verb == "capture":
                made = [memory.capture(f"A gull at buoy {number}.", thread="log")]
            elif verb == "batch":
                made = list(memory.capture_many({"text": f"Plank {number + n}."} for n in range(5)).receipts)
            elif verb == "correct" and claims:
                made = [memory.correct(choose.choice(claims), object=f"port {number}", reason="a slip")]
            else:
                made = [memory.remember(subject=f"Boat {number}", predicate="lives_in", object=f"port {number}")]
                claims.append(str(made[0].record_id))
            os.write(sys.stdout.fileno(), "".join(f"{receipt.entry_id}\n" for receipt in made).encode())


def killed(path: Path, choose: random.Random) -> list[str]:
    """Run a child, kill it at a random moment, and return what it had acknowledged."""
    command = [sys.executable, __file__, "--child", str(path), "--seed", str(choose.randrange(1 << 30))]
    running = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert running.stdout is not None
    told = b""
    try:
        if choose.random() < EARLY:
            time.sleep(choose.random() * MOST_START)
        else:
            wanted = choose.randint(1, MOST_WRITES)
            while told.count(b"\n") < wanted and (more := os.read(running.stdout.fileno(), 65_536)):
                told += more
            time.sleep(choose.random() * MOST_DELAY)
    finally:
        running.send_signal(signal.SIGKILL)
    with suppress(OSError):
        told += running.stdout.read()
    running.stdout.close()
    if running.wait() != -signal.SIGKILL:
        raise RuntimeError("the child ended by itself")
    # What comes after the last line's end was not said to its end.
    return told.decode().split("\n")[:-1]


def kills(count: int, seed: int, folder: Path) -> Iterator[Kill]:
    """Kill so many children, several on each file, and look at the file after each."""
    choose = random.Random(seed)
    for number in range(count):
        file = number // KILLS_PER_FILE
        if number % KILLS_PER_FILE == 0:
            acknowledged: list[str] = []
        path = folder / f"killed{file}.db"
        told = killed(path, choose)
        acknowledged += told
        with firsthand.open(path, scope=SCOPE) as memory:
            missing = [each for each in acknowledged if not _holds(memory, each)]
            try:
                entries = memory.ledger.verify(deep=True).entries
            except firsthand.BrokenError as error:
                yield Kill(file, len(told), len(missing), 0, f"{error.code}: {error.message}")
            else:
                yield Kill(file, len(told), len(missing), entries, None)


def _holds(memory: firsthand.Memory, entry: str) -> bool:
    with memory._engine.store.reading(memory.space) as reader:
        return reader.position_of(entry) is not None


def circumstances() -> dict[str, object]:
    """Return commit, machine, versions and load."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    return {
        "commit": commit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "apsw": apsw.apsw_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "load": os.getloadavg(),
    }


def summary(found: Sequence[Kill]) -> dict[str, int]:
    """What all kills came to."""
    last = {kill.file: kill for kill in found}
    return {
        "kills": len(found),
        "kills before the first acknowledged write": sum(kill.acknowledged == 0 for kill in found),
        "acknowledged writes": sum(kill.acknowledged for kill in found),
        "acknowledged writes lost": sum(kill.missing for kill in found),
        "files": len(last),
        "entries in them": sum(kill.entries for kill in last.values()),
        "kills after which a file did not verify": sum(kill.fault is not None for kill in found),
    }


def main(arguments: Sequence[str]) -> int:
    """Kill, print one table, and write one JSON when asked; 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child is not None:
        child(given.child, given.seed)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for kill in kills(given.kills, given.seed, Path(folder)):
            found.append(kill)
            if sys.stderr.isatty():
                print(f"\r{len(found)}/{given.kills}", end="", file=sys.stderr)
    table = summary(found)
    for label, value in table.items():
        print(f"{label:44} {value:8,}")
    faults = sorted({kill.fault for kill in found if kill.fault is not None})
    print(*faults, sep="\n", end="\n" if faults else "")
    if given.json:
        seconds = round(time.perf_counter() - begun, 1)
        told = {**circumstances(), "seed": given.seed, "seconds": seconds, **table, "faults": faults}
        given.json.write_text(json.dumps(told, indent=1) + "\n")
    return int(table["acknowledged writes lost"] > 0 or table["kills after which a file did not verify"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
