"""What memory costs: writes, recalls, starts, memory and disk, each beside its bar and beside bare SQLite.

python bench/core.py [--sizes 1000,10000] [--rounds 200] [--json FILE] [--folder DIR] [--peers | --peer-python PYTHON]
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from peers import langgraph
from reads import lag, recalls
from report import Bar, Row, circumstances, save, say, sizes_of, table
from starts import resident, starts
from workload import facts
from writes import Loaded, audit, load, one_at_a_time

NOTES = (
    "Ratio of a write: to a row + text index + vector of plain SQLite in the same window (bulk and disk likewise); "
    "of growth: to the smallest size; of a recall in the past: to one now; against a peer: to the peer.",
    "A fact with its evidence is two records. FULL syncs every commit, NORMAL does not. cpu: milliseconds of CPU, "
    "median; for bulk, verify and rebuild the mean of one.",
)
PEER_BAR = Bar(1 / 8, "ratio")
AUDITED_AT_MOST = 10_000
PROCESSES = 7


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table and write one JSON."""
    given = _arguments(arguments)
    began = circumstances()
    with tempfile.TemporaryDirectory(prefix="firsthand-bench-", dir=given.folder) as made:
        sections = measured(given, Path(made))
    title = (
        f"firsthand, commit {str(began['commit'])[:10] or 'unknown'}, {began['machine']}, load {began['load'][0]:.1f}"
    )
    table(title, sections, NOTES)
    save(given.json, began, sections, NOTES)
    passed = [row.passed for rows in sections for row in rows if row.passed is not None]
    print(f"{passed.count(True)} bars met, {passed.count(False)} missed.")


def measured(given: argparse.Namespace, folder: Path) -> list[list[Row]]:
    """Every row, section by section."""
    source = facts()
    sizes = sorted(given.sizes)
    stores = []
    for size in sizes:
        say(f"filling stores of {size:,}")
        stores.append(load(size, source, folder / str(size)))
    say("single writes")
    (folder / "writes").mkdir()
    sections = one_at_a_time(stores, source, given.rounds, folder / "writes")
    sections += [store.rows for store in stores]
    for store in stores:
        say(f"recalls at {store.size:,}")
        sections.append(recalls(store, given.rounds))
    if given.peers or given.peer_python:
        say("the peer")
        sections.append(_peer(given, stores[-1].size, sections[-1], folder))
    unused = list(itertools.islice(source, given.rounds))
    return [*sections, _rest(stores, unused, given.rounds, folder)]


def _rest(stores: list[Loaded], unused: list, rounds: int, folder: Path) -> list[Row]:
    """Processes, memory, lag and audit, at one size each."""
    largest = stores[-1]
    audited = next((store for store in reversed(stores) if store.size <= AUDITED_AT_MOST), stores[0])
    say("fresh processes")
    rows = starts(largest, folder / "starts", min(PROCESSES, rounds))
    rows += resident(largest, folder / "resident", rounds)
    rows += lag(stores[0], unused[:20], folder / "lag")
    say("verify and rebuild")
    return rows + audit(audited, folder / "audit")


def _peer(given: argparse.Namespace, size: int, rows: list[Row], folder: Path) -> list[Row]:
    found = langgraph(size, given.rounds, folder / "peer", given.peer_python)
    ours = next(row.value for row in rows if row.what == "recall" and row.size == size)
    theirs = next(row.value for row in found if row.what.endswith("search"))
    return [*found, Row("recall against the peer's search", ours, "ms", size=size, ratio=ours / theirs, bar=PEER_BAR)]


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=sizes_of, default=[1_000, 10_000], help="facts a store, with commas between")
    parser.add_argument("--rounds", type=int, default=200, help="how often each single thing is measured")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("results") / "core.json")
    parser.add_argument(
        "--folder", type=Path, help="a folder on the disk to measure (default: the system's for temporary files)"
    )
    parser.add_argument(
        "--peers", action="store_true", help="also measure a peer, installed from PyPI for the occasion"
    )
    parser.add_argument("--peer-python", type=Path, help="an interpreter that has the peer already")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
