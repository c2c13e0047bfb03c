"""What every memory is put through in an environment of its own: filled, written, searched, and asked what is correct.

python peer_NAME.py FOLDER SIZE ROUNDS prints figures and probes as one JSON; python peer_NAME.py FOLDER --writes N only
opens the memory and writes N facts one at a time, so that what N writes cost the disk can be counted from outside.
Standard library only.
"""

import argparse
import contextlib
import itertools
import json
import math
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from workload import Fact, facts

SCOPE = "bench"
BATCH = 500
WARM_UP = 10
LIMIT = 10
BY_TICKET = 20
FILLERS = 40
FIRST_PROBE_TICKET = 900_000


class Found(NamedTuple):
    """One answer: its text, and whether it is offered as what holds now."""

    text: str
    is_current: bool = True


class Refused(Exception):  # noqa: N818
    """The memory does not take such a name for a scope."""


class Peer(Protocol):
    """A memory in a folder; what was stored is named by a key of its own."""

    version: str
    has_scopes: bool
    correction: str
    """By which means of its own it corrects, in a few words."""
    deletion: str

    def fill(self, batch: Sequence[Fact], scope: str) -> None: ...

    def write(self, fact: Fact, scope: str) -> object: ...

    def search(self, question: str, limit: int, scope: str) -> list[Found]: ...

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None: ...

    def delete(self, key: object, fact: Fact, scope: str) -> None: ...

    def processes(self) -> list[int]: ...

    def close(self) -> None: ...


Opened = Callable[[Path], Peer]


def main(opened: Opened) -> None:
    """Run one memory through all of it, as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("size", type=int, nargs="?")
    parser.add_argument("rounds", type=int, nargs="?")
    parser.add_argument("--writes", type=int)
    given = parser.parse_args()
    if given.writes is not None:
        _write_only(opened, given.folder, given.writes)
        return
    with _opening(opened, given.folder / "speed") as peer:
        version = peer.version
        figures = _figures(peer, given.size, given.rounds)
    figures["disk"] = _bytes(given.folder / "speed") / (given.size + given.rounds) / 1024
    probes = {
        "corrected": _corrected(opened, given.folder / "corrected"),
        "deleted": _deleted(opened, given.folder / "deleted"),
        "look_alike": _look_alike(opened, given.folder / "scopes"),
    }
    print(json.dumps({"version": version, "figures": figures, "probes": probes}))


@contextlib.contextmanager
def _opening(opened: Opened, folder: Path) -> Iterator[Peer]:
    folder.mkdir(parents=True, exist_ok=True)
    peer = opened(folder)
    try:
        yield peer
    finally:
        peer.close()


def _write_only(opened: Opened, folder: Path, writes: int) -> None:
    with _opening(opened, folder) as peer:
        for fact in itertools.islice(facts(), writes):
            peer.write(fact, SCOPE)


def _figures(peer: Peer, size: int, rounds: int) -> dict[str, float]:
    """Speed, hits and memory; milliseconds, and facts a second."""
    source = facts()
    held = list(itertools.islice(source, size))
    began = time.perf_counter()
    for start in range(0, size, BATCH):
        peer.fill(held[start : start + BATCH], SCOPE)
    bulk = size / (time.perf_counter() - began)
    writes = [_timed(lambda f=fact: peer.write(f, SCOPE))[0] for fact in itertools.islice(source, rounds)]
    chosen = random.Random(size).choices(held, k=WARM_UP + rounds)
    searches, hits = [], 0
    for number, fact in enumerate(chosen):
        took, found = _timed(lambda q=fact.query: peer.search(q, LIMIT, SCOPE))
        if number >= WARM_UP:
            searches.append(took)
            hits += _holds(found, str(fact.ticket))
    asked = chosen[:BY_TICKET]
    by_ticket = sum(_holds(peer.search(str(fact.ticket), LIMIT, SCOPE), str(fact.ticket)) for fact in asked)
    return {
        "write_p50": _at(writes, 0.5), "write_p95": _at(writes, 0.95), "bulk": bulk,
        "search_p50": _at(searches, 0.5), "search_p95": _at(searches, 0.95), "hit": hits / rounds,
        "hit_by_ticket": by_ticket / len(asked), "resident": sum(map(_resident, peer.processes())),
    }  # fmt: skip


def _timed(work: Callable[[], list[Found]]) -> tuple[float, list[Found]]:
    began = time.perf_counter()
    result = work()
    return (time.perf_counter() - began) * 1e3, result


def _at(values: list[float], part: float) -> float:
    return sorted(values)[max(0, math.ceil(len(values) * part) - 1)]


def _holds(found: list[Found], words: str) -> bool:
    return any(words in answer.text for answer in found[:LIMIT])


def _resident(process: int) -> float:
    """MB of memory that a process holds."""
    try:
        with Path(f"/proc/{process}/status").open(encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
    except OSError:
        asked = ["/bin/ps", "-o", "rss=", "-p", str(process)]
        return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout) / 1024


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# ---- three questions of correctness ----------------------------------------------------------------------------------


def _fillers(peer: Peer) -> None:
    peer.fill(list(itertools.islice(facts(), FILLERS)), SCOPE)


def _corrected(opened: Opened, folder: Path) -> dict[str, object]:
    """A fact is corrected by the memory's own means: is the old one still offered as what holds?"""
    old = Fact("Orla Quint", "stores", "copper astrolabe", "near the loading dock", FIRST_PROBE_TICKET)
    new = Fact("Orla Quint", "stores", "walnut harmonium", "near the loading dock", FIRST_PROBE_TICKET)
    question = "Orla Quint"
    with _opening(opened, folder) as peer:
        _fillers(peer)
        key = peer.write(old, SCOPE)
        before = peer.search(question, LIMIT, SCOPE)
        peer.correct(key, old, new, SCOPE)
        after = peer.search(question, LIMIT, SCOPE)
        means = peer.correction
    stale = [answer for answer in after if old.thing in answer.text]
    told = _holds(before, old.thing) and _holds(after, new.thing)
    outcome = (
        "cannot tell" if not told
        else "returned as current" if any(answer.is_current for answer in stale)
        else "returned as ended" if stale
        else "not returned"
    )  # fmt: skip
    return {"means": means, "outcome": outcome}


SECRET = Fact("Zephyrine Quambo", "hides", "vermilion theodolite", "behind the old mill", FIRST_PROBE_TICKET + 1)
SECRET_WORDS = ("zephyrine", "quambo", "vermilion", "theodolite")


def _deleted(opened: Opened, folder: Path) -> dict[str, object]:
    """A fact is deleted by the memory's own means: are its words still in any byte of its files, once it is closed?"""
    with _opening(opened, folder) as peer:
        _fillers(peer)
        key = peer.write(SECRET, SCOPE)
    before = _swept(folder)
    with _opening(opened, folder) as peer:
        peer.delete(key, SECRET, SCOPE)
        shown = any(_holds(peer.search(SECRET.subject, LIMIT, SCOPE), word) for word in ("Zephyrine", "theodolite"))
        means = peer.deletion
    after = _swept(folder)
    outcome = "cannot tell" if not before else "still returned" if shown else "words left" if after else "no word left"
    return {"means": means, "outcome": outcome, "words_before": sorted(before), "words_after": sorted(after)}


def _swept(folder: Path) -> set[str]:
    """Which of the words stand in a file's bytes, in either of two encodings and any case of A to Z."""
    held: set[str] = set()
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes().lower()
            held |= {word for word in SECRET_WORDS for form in ("utf-8", "utf-16-le") if word.encode(form) in data}
    return held


LOOK_ALIKES = (
    ("acme-corp", "acme"), ("acme", "acme-corp"), ("teamxa", "team_a"), ("team_a", "teamxa"), ("team-x", "team%"),
    ("Acme", "acme"),
)  # fmt: skip
"""The scope a fact is stored in, and the one that is asked, whose name looks like it to a careless comparison."""


def _look_alike(opened: Opened, folder: Path) -> dict[str, object]:
    """Does a scope return what is stored in another whose name looks like its own?"""
    pairs = []
    with _opening(opened, folder) as peer:
        if not peer.has_scopes:
            return {"outcome": "has no scopes", "pairs": []}
        for number, (stored, asked) in enumerate(LOOK_ALIKES):
            fact = Fact("Bertil Odom", "guards", "silver sextant", "at the river station", 910_000 + number)
            near = Fact("Bertil Odom", "guards", "tin whistle", "at the river station", 920_000 + number)
            pairs.append({"stored": stored, "asked": asked, "outcome": _pair(peer, fact, near, stored, asked)})
    told = {pair["outcome"] for pair in pairs}
    outcome = next((o for o in ("leaked", "cannot tell") if o in told), "kept apart")
    return {"outcome": outcome, "pairs": pairs}


def _pair(peer: Peer, fact: Fact, near: Fact, stored: str, asked: str) -> str:
    try:
        peer.write(fact, stored)
        peer.write(near, asked)
        seen, there = (peer.search(fact.query, LIMIT, scope) for scope in (asked, stored))
    except Refused:
        return "name refused"
    if not _holds(there, str(fact.ticket)):
        return "cannot tell"
    return "leaked" if _holds(seen, str(fact.ticket)) else "kept apart"


def own_process() -> list[int]:
    """The processes of a memory that runs inside this one."""
    return [os.getpid()]
