"""What a recall costs: now, at past instants, beside the floor's own search; and how soon a write can be recalled."""

import multiprocessing
import random
import time
from multiprocessing.connection import Connection
from pathlib import Path

import firsthand
from floor import Floor
from report import Bar, Row, Samples, row_of
from workload import Fact
from writes import Loaded, copy_store

LIMIT = 10
WARM_UP = 30
DAY_US = 86_400_000_000
RECALL_BARS = ((1_000, 2.0), (10_000, 3.0), (100_000, 4.0))
PAST_BAR = Bar(1.3, "ratio")


def recalls(loaded: Loaded, rounds: int) -> list[Row]:
    """Recall, gate and receipts on, in a warm process; each question also at a past instant and to the floor."""
    chosen = random.Random(loaded.size).choices(loaded.facts[: max(1, loaded.size // 2)], k=WARM_UP + rounds)
    kinds = ("recall", "recall at a past known_at", "recall at a past valid_at", "floor: top 10 by bm25()")
    samples = {kind: Samples() for kind in kinds}
    hits = dict.fromkeys(kinds, 0)
    floor = Floor(loaded.floor)
    floor.prepare_search()
    with firsthand.open(loaded.ours, actor="bench") as ours:
        yesterday = time.time_ns() // 1_000 - DAY_US
        for number, fact in enumerate(chosen):
            kept = samples if number >= WARM_UP else {kind: Samples() for kind in kinds}
            found = {
                kinds[0]: kept[kinds[0]].measure(lambda q=fact.query: ours.recall(q, limit=LIMIT)),
                kinds[1]: kept[kinds[1]].measure(
                    lambda q=fact.query: ours.recall(q, limit=LIMIT, known_at=loaded.middle)
                ),
                kinds[2]: kept[kinds[2]].measure(lambda q=fact.query: ours.recall(q, limit=LIMIT, valid_at=yesterday)),
            }
            texts = {kind: [item.text for item in packet.items] for kind, packet in found.items()}
            texts[kinds[3]] = kept[kinds[3]].measure(lambda q=fact.query: floor.search(q, LIMIT))
            for kind in kinds:
                hits[kind] += number >= WARM_UP and _hit(fact, texts[kind])
    floor.close()
    return _recall_rows(loaded.size, samples, {kind: count / rounds for kind, count in hits.items()})


def _hit(fact: Fact, texts: list[str]) -> bool:
    return any(str(fact.ticket) in text for text in texts)


def _recall_rows(size: int, samples: dict[str, Samples], hits: dict[str, float]) -> list[Row]:
    now = samples["recall"]
    bar = next((Bar(limit) for most, limit in RECALL_BARS if size <= most), None)
    rows = []
    for kind, taken in samples.items():
        raw = {"hit@10": hits[kind]}
        past = kind.startswith("recall at")
        rows.append(
            row_of(
                kind, taken, size=size, ratio=taken.p50 / now.p50 if past else None,
                bar=PAST_BAR if past else bar if kind == "recall" else None, raw=raw,
            )
        )  # fmt: skip
        wanted = Bar(1.0, at="least") if kind == "recall" else None
        rows.append(Row(f"hit@10, {kind}", hits[kind], "", size=size, bar=wanted))
    return rows


def lag(loaded: Loaded, facts: list[Fact], folder: Path) -> list[Row]:
    """Ask another process for a fact right after its receipt: how often it was not there yet."""
    folder.mkdir()
    store = copy_store(loaded.ours, folder)
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    reader = context.Process(target=_answer, args=(str(store), there))
    reader.start()
    there.close()
    taken, missed = Samples(), 0
    with firsthand.open(store, actor="bench") as ours:
        here.send(facts[0].query)
        here.recv()
        for fact in facts:
            ours.capture(fact.text)
            here.send(fact.query)
            missed += not any(str(fact.ticket) in text for text in taken.measure(here.recv))
    here.send(None)
    reader.join()
    raw = {"writes": len(facts), "other process's answer": taken.raw()}
    return [Row("written but not yet recallable elsewhere", missed, "writes", size=loaded.size, bar=Bar(0), raw=raw)]


def _answer(store: str, questions: Connection) -> None:
    """The other process: one recall a question until told to stop."""
    with firsthand.open(store, actor="reader") as ours:
        while (question := questions.recv()) is not None:
            questions.send([item.text for item in ours.recall(question, limit=LIMIT).items])
