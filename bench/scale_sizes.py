"""One size of the scale bench: recalls warm, cold, in the past and after a write; durable writes; bulk and disk."""

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import firsthand
from floor import Floor
from report import Bar, Row, Samples, row_of
from starts import asked_alone
from workload import Fact
from writes import SPEAKER, Loaded, copy_store

LIMIT = 10
WARM_UP = 300
FLOOR_ROUNDS = 25
"""Of a ranking by SQLite itself; at a million facts one takes a second."""
PAST_BAR = Bar(2, "ratio")
RECALL_BARS = ((1_000, 2.0), (10_000, 3.0), (100_000, 4.0), (1_000_000, 12.0))
GROWTH_BARS = {"durable capture": Bar(1.3, "ratio"), "durable remember": Bar(1.3, "ratio")}
_FIRST = """
import json, sys, time
import firsthand, firsthand.recall.pipeline
store, query = sys.argv[1], sys.stdin.read()
wall, cpu = time.perf_counter(), time.process_time()
with firsthand.open(store, actor="bench", receipts=False) as ours:
    opened = time.perf_counter()
    found = ours.recall(query, limit=10)
    ended, busy = time.perf_counter(), time.process_time()
print(json.dumps([(ended - wall) * 1e3, (busy - cpu) * 1e3, (ended - opened) * 1e3, len(found.items)]))
"""


@dataclass(frozen=True)
class Reads:
    """How many recalls are measured, after how many."""

    rounds: int
    warm_up: int
    floor: int

    @staticmethod
    def of(size: int, rounds: int) -> "Reads":
        """As many as a store has questions for."""
        return Reads(rounds, min(WARM_UP, rounds * 2), min(FLOOR_ROUNDS if size > 10_000 else rounds, rounds))


def reads(loaded: Loaded, given: Reads, scratch: Path) -> list[Row]:
    """Recalls now and at the middle of the store's history, the floor's own search, and recalls right after a write."""
    chosen = random.Random(loaded.size).choices(
        loaded.facts[: max(1, loaded.size // 2)], k=given.warm_up + given.rounds
    )
    now, past, floor = Samples(), Samples(), Samples()
    hits = {"now": 0, "past": 0}
    bare = Floor(loaded.floor)
    with firsthand.open(loaded.ours, actor="bench") as ours:
        for fact in chosen[: given.warm_up]:
            ours.recall(fact.query, limit=LIMIT)
            ours.recall(fact.query, limit=LIMIT, known_at=loaded.middle)
        for number, fact in enumerate(chosen[given.warm_up :]):
            found = now.measure(lambda q=fact.query: ours.recall(q, limit=LIMIT))
            then = past.measure(lambda q=fact.query: ours.recall(q, limit=LIMIT, known_at=loaded.middle))
            hits["now"] += holds(found, fact)
            hits["past"] += holds(then, fact)
            if number < given.floor:
                floor.measure(lambda q=fact.query: bare.search(q, LIMIT))
    bare.close()
    bar = next((Bar(limit) for most, limit in RECALL_BARS if loaded.size <= most), None)
    size, rounds = loaded.size, given.rounds
    return [
        row_of(
            "recall, warm", now, size=size, ratio=now.p50 / floor.p50, bar=bar, raw={"hit@10": hits["now"] / rounds}
        ),
        row_of(
            "recall at a past known_at", past, size=size, ratio=past.p50 / now.p50, bar=PAST_BAR,
            raw={"hit@10": hits["past"] / rounds},
        ),
        row_of("recall after a capture", _after_captures(loaded, rounds, scratch), size=size),
        row_of("floor: FTS5's ten best", floor, size=size),
    ]  # fmt: skip


def holds(found: firsthand.Packet, fact: Fact) -> bool:
    """Whether a fact is among the answers."""
    return any(str(fact.ticket) in item.text for item in found.items)


def _after_captures(loaded: Loaded, rounds: int, scratch: Path) -> Samples:
    taken = Samples()
    with _copy(loaded, scratch / f"after-{loaded.size}") as folder:
        chosen = random.Random(loaded.size + 1).choices(loaded.facts, k=rounds + min(WARM_UP, rounds))
        with firsthand.open(folder / loaded.ours.name, actor="bench", synchronous="NORMAL") as ours:
            for number, fact in enumerate(chosen):
                ours.capture(f"Somebody asked about ticket {fact.ticket}.", speaker=SPEAKER, thread="desk")
                if number < len(chosen) - rounds:
                    ours.recall(fact.query, limit=LIMIT)
                else:
                    taken.measure(lambda q=fact.query: ours.recall(q, limit=LIMIT))
    return taken


def cold_reads(loaded: Loaded, times: int, scratch: Path) -> list[Row]:
    """Open and recall once, in fresh processes that have loaded their libraries."""
    folder = scratch / f"cold-{loaded.size}"
    folder.mkdir()
    chosen = random.Random(loaded.size + 2).choices(loaded.facts, k=times + 1)
    runs = [json.loads(asked_alone(_FIRST, loaded.ours, folder, fact.query)) for fact in chosen][1:]
    taken = Samples()
    taken.wall, taken.cpu = [run[0] for run in runs], [run[1] for run in runs]
    raw = {"recall alone, ms": [run[2] for run in runs]}
    return [row_of("open and first recall of a process", taken, size=loaded.size, raw=raw)]


def durable(loaded: Loaded, rounds: int, scratch: Path) -> list[Row]:
    """One capture and one remembered fact at a time, synced, each next to a synced row of the floor."""
    capture, remember, row = Samples(), Samples(), Samples()
    facts = random.Random(loaded.size + 3).choices(loaded.facts, k=rounds)
    with _copy(loaded, scratch / f"durable-{loaded.size}") as folder:
        bare = Floor(folder / loaded.floor.name)
        with firsthand.open(folder / loaded.ours.name, actor="bench") as ours:
            for number, fact in enumerate(facts):
                text = f"Again: {fact.text} Note {number}."
                row.measure(lambda t=text: bare.bare(t))
                capture.measure(lambda t=text: ours.capture(t, speaker=SPEAKER, thread="desk"))
                row.measure(lambda t=text: bare.bare(t))
                made = {**fact.structure, "object": f"{fact.structure['object']}-{number}"}
                remember.measure(lambda t=text, m=made: ours.remember(t, **m))
        bare.close()
    return [
        row_of("durable capture", capture, size=loaded.size, ratio=capture.p50 / row.p50),
        row_of("durable remember", remember, size=loaded.size, ratio=remember.p50 / row.p50),
        row_of("floor: one synced row", row, size=loaded.size),
    ]


def bulk_and_disk(loaded: Loaded) -> list[Row]:
    """What filling the store cost, as it was told then, without the bars of the core bench, which judges that."""
    return [Row(r.what, r.value, r.unit, size=r.size, cpu=r.cpu, ratio=r.ratio, raw=r.raw) for r in loaded.rows]


def growth(of_size: dict[int, list[Row]]) -> list[Row]:
    """Each row at the larger sizes against the same at the smallest."""
    smallest, *larger = sorted(of_size)
    at_first = {row.what: row for row in of_size[smallest]}
    rows = []
    for size in larger:
        for row in of_size[size]:
            first = at_first[row.what]
            if row.unit == "ms" and first.value:
                more = {"ratio_p95": row.p95 / first.p95 if row.p95 and first.p95 else None}
                bar = GROWTH_BARS.get(row.what)
                rows.append(
                    Row(f"growth: {row.what}", row.value, "ms", size=size, ratio=row.value / first.value, bar=bar,
                        raw=more)
                )  # fmt: skip
    return rows


@contextmanager
def _copy(loaded: Loaded, folder: Path) -> Iterator[Path]:
    """A copy of a size's stores in a folder of its own, gone at the end."""
    folder.mkdir()
    copy_store(loaded.ours, folder)
    shutil.copy(loaded.floor, folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
