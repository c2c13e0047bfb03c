"""What does a `kill -9` leave of an erase, an import, a restore or a backup? Whole or nothing, and no erased byte.

A child does one deed after another and says what is done; the parent kills it at a random moment, opens the file again,
verifies it, looks for every entry it was told of, and sweeps every file for every value that was said to be erased.
"""

import argparse
import json
import os
import random
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import firsthand
from kills import circumstances

SCOPE = "project:boat"
DEEDS = ("erase", "import", "restore", "backup")
MOST_DELAY = 0.15
FACTS = 30
LETTERS = 16


class Kill(NamedTuple):
    """One kill: the entries the child had said, how many are gone, the values it had erased, how many are left."""

    deed: str
    said: int
    missing: int
    erased: int
    left: int
    fault: str | None


def opened(path: Path) -> firsthand.Memory:
    return firsthand.open(path, actor="ana", role="person", scope=SCOPE)


def tell(*words: object) -> None:
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


def fact(memory: firsthand.Memory, choose: random.Random) -> tuple[str, str]:
    """A value nobody could guess, said and claimed; its record."""
    value = "".join(choose.choice(string.ascii_lowercase) for _ in range(LETTERS))
    memory.capture(f"Noor says that the anchor word is {value}.")
    made = memory.remember(subject="anchor", predicate="password", object=value)
    tell("said", made.entry_id)
    return value, str(made.record_id)


def child(deed: str, folder: Path, seed: int) -> None:
    """Do one deed after another until killed."""
    choose = random.Random(seed)
    with opened(folder / "m.db") as memory, opened(folder / "other.db") as other:
        number = 0
        while True:
            number += 1
            value, record = fact(memory, choose)
            if deed == "import":
                other.capture(f"Noor says that the anchor word is {value}.")
                other.erase(value=("anchor", None, value), reason_code="privacy")
                other.ledger.export(folder / f"export {seed} {number}")
                memory.ledger.take_in(folder / f"export {seed} {number}")
                tell("erased", value)
                continue
            copy = folder / f"backup {seed} {number}"
            if deed != "erase":
                memory.ledger.backup(copy)
            memory.erase(record, reason_code="privacy")
            tell("erased", value)
            if deed == "restore":
                memory.close()
                firsthand.restore(copy, folder / "m.db")
                memory = opened(folder / "m.db")
            shutil.rmtree(copy, ignore_errors=True)


def killed(deed: str, folder: Path, choose: random.Random) -> list[list[str]]:
    """Run a child, kill it at a random moment after its first words; what it had said."""
    command = [
        sys.executable,
        __file__,
        "--child",
        deed,
        "--folder",
        str(folder),
        "--seed",
        str(choose.randrange(1 << 30)),
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert running.stdout is not None
    wanted, told = choose.randint(1, 4), b""
    while told.count(b"\n") < wanted and (more := os.read(running.stdout.fileno(), 65_536)):
        told += more
    time.sleep(choose.random() * MOST_DELAY)
    running.send_signal(signal.SIGKILL)
    told += running.stdout.read()
    running.stdout.close()
    if running.wait() != -signal.SIGKILL:
        raise RuntimeError("the child ended by itself")
    return [line.split() for line in told.decode().split("\n")[:-1]]


def prepared(folder: Path) -> None:
    """A memory with some facts, and another store of its space that it believes."""
    with opened(folder / "m.db") as memory:
        firsthand.join(folder / "other.db", memory.peers.share_key(folder / "space.key"))
        with opened(folder / "other.db") as other:
            memory.peers.register(other.peers.own().key, trust="person")
        memory.remember_many({"statement": f"boat {n} has berth {n}"} for n in range(FACTS))


def looked_after(deed: str, folder: Path, told: Sequence[list[str]]) -> Kill:
    """Open the file again and look."""
    fault = None
    said = [words[1] for words in told if words[0] == "said"]
    erased = [words[1] for words in told if words[0] == "erased"]
    with opened(folder / "m.db") as memory:
        try:
            memory.ledger.verify(deep=True)
        except firsthand.BrokenError as error:
            fault = f"{error.code}: {error.message}"
        with memory._engine.store.reading(memory.space) as reader:
            missing = [entry for entry in said if reader.position_of(entry) is None]
            if reader.unfinished_erasures():
                fault = fault or "an erasure is owed its cleaning after the memory was opened"
    held = b"".join(path.read_bytes() for path in folder.glob("m.db*"))
    left = [value for value in erased if value.encode() in held]
    return Kill(deed, len(said), len(missing), len(erased), len(left), fault)


def kills(deeds: Sequence[str], count: int, seed: int, folder: Path) -> Iterator[Kill]:
    choose = random.Random(seed)
    for number in range(count):
        deed, place = deeds[number % len(deeds)], folder / str(number)
        place.mkdir()
        prepared(place)
        yield looked_after(deed, place, killed(deed, place, choose))
        shutil.rmtree(place)


def summary(found: Sequence[Kill]) -> dict[str, int]:
    return {
        "kills": len(found),
        **{f"kills while one of the deeds was {d}": sum(kill.deed == d for kill in found) for d in DEEDS},
        "acknowledged writes": sum(kill.said for kill in found),
        "acknowledged writes lost": sum(kill.missing for kill in found),
        "acknowledged erasures": sum(kill.erased for kill in found),
        "of these, values left in a file": sum(kill.left for kill in found),
        "kills after which a file did not verify": sum(kill.fault is not None for kill in found),
    }


def main(arguments: Sequence[str]) -> int:
    """Kill, print one table, and write one JSON when asked; 1 if anything was lost or left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deeds", nargs="+", choices=DEEDS, default=DEEDS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=DEEDS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child is not None:
        child(given.child, given.folder, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        found = list(kills(given.deeds, given.kills, given.seed, Path(folder)))
    table = summary(found)
    for label, value in table.items():
        print(f"{label:48} {value:8,}")
    faults = sorted({kill.fault for kill in found if kill.fault is not None})
    print(*faults, sep="\n", end="\n" if faults else "")
    if given.json:
        given.json.write_text(
            json.dumps({**circumstances(), "seed": given.seed, **table, "faults": faults}, indent=1) + "\n"
        )
    lost = ("acknowledged writes lost", "of these, values left in a file", "kills after which a file did not verify")
    return int(any(table[label] for label in lost))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
