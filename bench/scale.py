"""What more of everything costs: the same work at 1k, 10k, 100k and 1M facts, in many scopes and spaces, beside SQLite.

python bench/scale.py --folder DIR [--sizes 1000,10000,100000] [--million] [--rounds 200] [--json FILE]

DIR keeps the stores: what is there already is not filled again. Filling a million takes ten minutes or more, and 6 GB.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from report import Row, circumstances, save, say, sizes_of, table
from scale_parts import scopes, spaces
from scale_sizes import Reads, bulk_and_disk, cold_reads, durable, growth, reads
from scale_stores import sized
from starts import resident

NOTES = (
    "Ratio: of a recall in the past to one now; of a write, of bulk and of a warm recall to plain SQLite's; of a small "
    "scope to the same scope alone; of a growth row to the smallest size. cpu: milliseconds of CPU, median.",
    "Floor: FTS5's own ten best by bm25(), and one synced insert of a row. Writes sync every commit (FULL). warm: "
    "after 300 others. first: of a process that has loaded its libraries; the system's file cache is warm.",
    "A fact with its evidence is two records; one in fifty is corrected. All facts share about eighty words, so that "
    "one word is in up to a tenth of all: commoner than words of real text.",
)
MILLION = 1_000_000
PROCESSES = 7


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table and write one JSON."""
    given = _arguments(arguments)
    began = circumstances()
    given.folder.mkdir(parents=True, exist_ok=True)
    sizes = sorted({*given.sizes, *([MILLION] if given.million else [])})
    with tempfile.TemporaryDirectory(prefix="writes-", dir=given.folder) as made:
        sections = measured(given, sizes, Path(made))
    title = f"scale, commit {str(began['commit'])[:10] or 'unknown'}, {began['machine']}, load {began['load'][0]:.1f}"
    table(title, sections, NOTES)
    save(given.json, began, sections, NOTES)
    passed = [row.passed for rows in sections for row in rows if row.passed is not None]
    print(f"{passed.count(True)} bars met, {passed.count(False)} missed.")


def measured(given: argparse.Namespace, sizes: Sequence[int], scratch: Path) -> list[list[Row]]:
    """Every row: size by size, then how each grew, then scopes and spaces."""
    sections: list[list[Row]] = []
    of_size: dict[int, list[Row]] = {}
    largest = None
    for size in sizes:
        say(f"a store of {size:,}")
        loaded = sized(given.folder, size)
        say(f"recalls and writes at {size:,}")
        rows = [*reads(loaded, Reads.of(size, given.rounds), scratch)]
        rows += cold_reads(loaded, min(PROCESSES, given.rounds), scratch)
        rows += durable(loaded, given.rounds, scratch)
        rows += resident(loaded, scratch / f"resident-{size}", min(given.rounds, size))
        rows += bulk_and_disk(loaded)
        of_size[size] = rows
        sections.append(rows)
        if largest is None or size <= given.beside:
            largest = loaded
    sections.append(growth(of_size))
    if largest is not None:
        say("a small scope: alone, beside a large one, among many")
        sections.append(scopes(given.folder, largest, given.scopes, given.rounds))
        say("many spaces")
        sections.append(spaces(given.folder, given.spaces, given.rounds))
    return sections


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the stores are kept, on the disk to measure")
    parser.add_argument("--sizes", type=sizes_of, default=[1_000, 10_000, 100_000], help="facts a store, with commas")
    parser.add_argument("--million", action="store_true", help="a store of a million facts as well")
    parser.add_argument("--beside", type=int, default=100_000, help="the small scope lies beside a store of so many")
    parser.add_argument("--scopes", type=int, default=1_000, help="scopes in one file")
    parser.add_argument("--spaces", type=int, default=1_000, help="spaces in one file")
    parser.add_argument("--rounds", type=int, default=200, help="how often each single thing is measured")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("results") / "scale.json")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
