"""LangGraph's SqliteStore under our workload: python peer_langgraph.py STORE SIZE ROUNDS, in its own environment."""

import importlib
import itertools
import json
import random
import resource
import sqlite3
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # Some builds of Python cannot load the extension the peer needs; this wheel brings an SQLite that can.
    sys.modules["sqlite3"] = importlib.import_module("pysqlite3")

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from workload import DIMENSIONS, embedding, facts

NAMESPACE = ("bench",)
BATCH = 500
WARM_UP = 10


def main(store: Path, size: int, rounds: int) -> dict[str, object]:
    """Fill the store in bulk, write one at a time, and search."""
    source = facts()
    held = list(itertools.islice(source, size))
    index = {"dims": DIMENSIONS, "embed": lambda texts: [embedding(text) for text in texts], "fields": ["text"]}
    with SqliteStore.from_conn_string(str(store), index=index) as peer:
        peer.setup()
        began = time.perf_counter()
        for start in range(0, size, BATCH):
            batch = held[start : start + BATCH]
            peer.batch([PutOp(NAMESPACE, str(fact.ticket), {"text": fact.text}) for fact in batch])
        bulk = size / (time.perf_counter() - began)
        writes = [
            _ms(lambda f=fact: peer.put(NAMESPACE, str(f.ticket), {"text": f.text}))
            for fact in itertools.islice(source, rounds)
        ]
        searches, hits = [], 0
        for fact in random.Random(size).choices(held, k=WARM_UP + rounds):
            found: list = []
            searches.append(_ms(lambda q=fact.query, to=found: to.extend(peer.search(NAMESPACE, query=q, limit=10))))
            hits += any(item.key == str(fact.ticket) for item in found)
    searches = searches[WARM_UP:]
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / (1024 if sys.platform == "darwin" else 1)
    return {
        "version": version("langgraph-checkpoint-sqlite"), "bulk": bulk,
        "write_p50": _at(writes, 0.5), "write_p95": _at(writes, 0.95),
        "search_p50": _at(searches, 0.5), "search_p95": _at(searches, 0.95),
        "hit": hits / (WARM_UP + rounds), "resident": resident,
        "disk": store.stat().st_size / (size + rounds) / 1024,
    }  # fmt: skip


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def _at(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
