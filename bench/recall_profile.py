"""Where the time of a recall goes, stage by stage, warm and in a fresh process, beside bare probes of the two indexes.

python bench/recall_profile.py --folder DIR [--sizes 10000,100000] [--rounds 200] [--json FILE]

DIR holds the stores of bench/scale.py; what is not there is filled.
"""

import argparse
import functools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

import firsthand
from firsthand import handled, journal
from firsthand.recall import arms, fill, pipeline
from firsthand.rules.normalise import name_key
from firsthand.rules.terms import terms
from report import Row, Samples, circumstances, percentile, save, sizes_of, table
from scale_sizes import LIMIT, WARM_UP
from scale_stores import sized
from workload import Fact
from writes import Loaded

NOTES = (
    "Milliseconds of CPU, medians; each stage without those inside it, so that a column adds up to about the whole. "
    "first: the first recall of a process that has loaded its libraries and opened the store, read-only.",
    "Probes: the rows of the text index that hold any term of the question, unranked; the sixty newest documents that "
    "mention its subject. Nothing is gated, scored or read.",
)
STAGES: tuple[tuple[str, Sequence[tuple[Any, str]]], ...] = (
    ("plan", ((handled.Handled, "_plan"), (pipeline, "ground"), (pipeline, "speakers_of"), (pipeline, "analyse"))),
    ("postings", ((arms, "_posting_lists"),)),
    ("lexical arm", ((arms, "lexical"), (arms, "top"), (arms, "_with_claims"))),
    ("entity arm", ((arms, "_entity"),)),
    ("vector arm", ((arms, "_meant"), (arms, "_alike"))),
    ("candidate rows", ((pipeline, "neighbours"), (pipeline, "with_speakers"))),
    ("gate", ((pipeline, "_pass"), (fill.Gate, "admit"))),
    ("score", ((pipeline, "fuse"), (pipeline, "saliences"))),
    ("hydrate", ((fill, "items"),)),
    ("group", ((fill, "group"), (fill, "with_near_conflicts"), (fill, "select"), (fill, "with_exceptions_beside"))),
    ("pack", ((fill, "pack"), (pipeline, "_packet"))),
    ("receipt", ((pipeline, "receipt_of"), (journal.Journal, "add"))),
)
WHOLE, REST = "whole recall", "everything else"


class Stages:
    """CPU time of each stage of one recall, without what other stages took inside it."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys((name for name, _ in STAGES), 0)
        self._inside: list[int] = []

    def timed(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, on the clock."""

        @functools.wraps(work)
        def measured(*given: Any, **named: Any) -> Any:
            self._inside.append(0)
            began = time.process_time_ns()
            try:
                return work(*given, **named)
            finally:
                took = time.process_time_ns() - began
                self.spent[stage] += took - self._inside.pop()
                if self._inside:
                    self._inside[-1] += took

        return measured

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Every stage's functions on the clock."""
        held = [(owner, name, getattr(owner, name)) for _, parts in STAGES for owner, name in parts]
        for stage, parts in STAGES:
            for owner, name in parts:
                setattr(owner, name, self.timed(stage, getattr(owner, name)))
        try:
            yield
        finally:
            for owner, name, work in held:
                setattr(owner, name, work)

    def recall(self, memory: firsthand.Memory, query: str) -> dict[str, float]:
        """Milliseconds of one recall by stage."""
        self.spent = dict.fromkeys(self.spent, 0)
        began = time.process_time_ns()
        memory.recall(query, limit=LIMIT)
        whole = time.process_time_ns() - began
        stages = {**self.spent, REST: whole - sum(self.spent.values()), WHOLE: whole}
        return {name: spent / 1e6 for name, spent in stages.items()}


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table and write one JSON."""
    given = _arguments(arguments)
    if given.first:
        print(json.dumps(first(given.first, given.query)))
        return
    began = circumstances()
    given.folder.mkdir(parents=True, exist_ok=True)
    sections = []
    for size in given.sizes:
        loaded = sized(given.folder, size)
        sections += [warm(loaded, given.rounds), cold(loaded, min(7, given.rounds)), probes(loaded, given.rounds)]
    title = f"a recall by stage, commit {str(began['commit'])[:10]}, {began['machine']}, load {began['load'][0]:.1f}"
    table(title, sections, NOTES)
    save(given.json, began, sections, NOTES)


def warm(loaded: Loaded, rounds: int) -> list[Row]:
    """Medians over a warm process's recalls."""
    chosen = _chosen(loaded, min(WARM_UP, rounds * 2) + rounds)
    stages = Stages()
    with firsthand.open(loaded.ours, actor="bench") as ours:
        for fact in chosen[:-rounds]:
            ours.recall(fact.query, limit=LIMIT)
        with stages.watched():
            return _rows("warm", loaded.size, [stages.recall(ours, fact.query) for fact in chosen[-rounds:]])


def cold(loaded: Loaded, times: int) -> list[Row]:
    """Medians over the first recalls of fresh processes."""
    asked = [sys.executable, __file__, "--first", str(loaded.ours), "--query"]
    runs = [
        subprocess.run([*asked, fact.query], capture_output=True, text=True, check=True).stdout
        for fact in _chosen(loaded, times + 1)
    ]
    return _rows("first", loaded.size, [json.loads(run) for run in runs[1:]])


def first(store: Path, query: str) -> dict[str, float]:
    """The first recall of this process."""
    stages = Stages()
    with firsthand.open(store, actor="bench", receipts=False) as ours, stages.watched():
        return stages.recall(ours, query)


def probes(loaded: Loaded, rounds: int) -> list[Row]:
    """What the two indexes alone cost."""
    text, names = Samples(), Samples()
    connection = apsw.Connection(str(loaded.ours), flags=apsw.SQLITE_OPEN_READONLY)
    space, scope = connection.execute("SELECT space_id, scope_id FROM scope ORDER BY next_seq DESC LIMIT 1").fetchall()[
        0
    ]
    for fact in _chosen(loaded, rounds):
        match = " OR ".join(f'"{term}"' for term in terms(fact.query))
        text.measure(lambda m=match: connection.execute("SELECT count(*) FROM lex WHERE lex MATCH ?", (m,)).get)
        asked = (space, scope, name_key(fact.subject))
        names.measure(
            lambda a=asked: connection.execute(
                "SELECT vid FROM mention WHERE space_id = ? AND scope_id = ? AND name = ? ORDER BY vid DESC LIMIT 60", a
            ).fetchall()
        )
    connection.close()
    return [
        Row(f"probe: {what}", percentile(taken.cpu, 50), "ms", size=loaded.size, raw=taken.raw())
        for what, taken in (("text index", text), ("mentions", names))
    ]


def _chosen(loaded: Loaded, count: int) -> list[Fact]:
    return random.Random(loaded.size).choices(loaded.facts, k=count)


def _rows(when: str, size: int, runs: Sequence[dict[str, float]]) -> list[Row]:
    """One row a stage, the costliest first, and the whole."""
    median = {name: percentile([run[name] for run in runs], 50) for name in runs[0]}
    names = sorted((n for n in median if n != WHOLE), key=lambda n: -median[n])
    return [
        Row(
            f"{when}: {name}", median[name], "ms", size=size, p95=percentile([run[name] for run in runs], 95),
            raw={"share": median[name] / median[WHOLE]},
        )
        for name in (WHOLE, *names)
    ]  # fmt: skip


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("stores"), help="where the stores are kept")
    parser.add_argument("--sizes", type=sizes_of, default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=200, help="recalls measured in a warm process")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("results") / "profile.json")
    parser.add_argument("--first", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--query", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
