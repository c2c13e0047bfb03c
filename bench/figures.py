"""The tables of README.md, and the pictures of the docs, that come from files of results.

python bench/figures.py [--check] [--readme FILE] [--docs DIR] [--results DIR]

Each table stands between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and is written anew from
RESULTS/NAME.json; so is each picture, a file of its own. With --check nothing is written, and the exit code says
whether one is not what its file says.
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import plots

HERE = Path(__file__).parent
OURS = "Firsthand"
COMMIT_DIGITS = 10
WIDTH = 120
PROBES = ("corrected", "deleted", "look_alike")


def main(arguments: Sequence[str]) -> int:
    """Write the tables, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--readme", type=Path, default=HERE.parent / "README.md")
    parser.add_argument("--docs", type=Path, default=HERE.parent / "docs")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    readme = given.readme.read_text(encoding="utf-8")
    for name, drawn in TABLES.items():
        readme = _replaced(readme, name, drawn(_measured(given.results, name)))
    made = {given.readme: readme} | {
        given.docs / picture: drawn(_measured(given.results, name)) for picture, (name, drawn) in PICTURES.items()
    }
    for file, text in made.items():
        if not given.check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{file.name} does not show what bench/results say; run bench/figures.py", file=sys.stderr)
            return 1
    return 0


def _measured(results: Path, name: str) -> dict[str, Any]:
    return json.loads((results / f"{name}.json").read_text(encoding="utf-8"))


def _replaced(text: str, name: str, table: str) -> str:
    beginning, end = f"<!-- figures: {name} -->\n", "<!-- end of figures -->"
    if text.count(beginning) != 1:
        raise SystemExit(f"README.md has no place, or several, for the figures of {name}")
    before, _, rest = text.partition(beginning)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"the figures of {name} have no end in README.md")
    return f"{before}{beginning}{table}{end}{after}"


def peers(document: dict[str, Any]) -> str:
    """Speed and correctness of other memories beside ours."""
    found = document["peers"]
    ours = next((peer for peer in found if peer["name"] == OURS and "figures" in peer), None)
    speed = [_speed(peer, ours) for peer in found if "figures" in peer]
    right = [_right(peer) for peer in found if "probes" in peer]
    missing = [
        f"{peer['name']} could not be run here: {peer['unavailable']}." for peer in found if "unavailable" in peer
    ]
    before, after = document["load"][0], document["load_after"][0]
    about = (
        f"{document['size']:,} facts each (ours with its evidence, two records), then {document['rounds']:,} single "
        f"writes and as many questions; {document['machine']}, load {before:.1f} at the beginning and {after:.1f} at "
        f"the end; commit {_commit(document['commit'])}, {document['at'][:10]}."
    )
    return "\n".join((
        "", *textwrap.wrap(" ".join((about, *missing)), WIDTH), "",
        *_table(("memory", "one durable write, ms", "syncs of it", "bulk, a second", "best 10, ms", "hit@10",
                 "resident, MB", "on disk a fact, KiB", "ours ÷ its: write, bulk, best 10"), speed), "",
        *_table(("memory", "after its own correction, the old value is",
                 "after its own deletion, its words in its files", "scopes whose names look alike"), right), "", "",
    ))  # fmt: skip


SIZED = (
    ("recall, warm", "`recall`, 10 items, ms (p95; ÷ FTS5's own best ten)"),
    ("recall at a past known_at", "… at a past `known_at`, ms (p95; ÷ now)"),
    ("recall after a capture", "… right after a write, ms (p95)"),
    ("open and first recall of a process", "open and first recall of a process, ms (p95)"),
    ("durable capture", "one durable `capture`, ms (p95; ÷ one synced row)"),
    ("durable remember", "one durable `remember` with its evidence, ms (p95; ÷ one synced row)"),
    ("bulk capture", "bulk `capture`, a second (÷ row, text index and vector)"),
    ("bulk remember and its evidence", "bulk `remember` with its evidence, a second (÷ the same)"),
    ("disk, a capture", "on disk: a capture, KiB"),
    ("disk, a fact with its evidence", "on disk: a fact with its evidence, KiB"),
    ("resident after recalls", "resident after 200 recalls, MB, mapped pages of the file among them"),
)
"""Rows of the scale bench that have one value for each size, and how the README calls them."""


def scale(document: dict[str, Any]) -> str:
    """What more facts cost, and what they cost a small scope."""
    rows = document["rows"]
    sizes = sorted({row["size"] for row in rows if row["what"] == SIZED[0][0]})
    found = {(row["what"], row["size"]): row for row in rows if row["size"] in sizes}
    lines = [(told, *(_cell(found[what, size]) for size in sizes)) for what, told in SIZED]
    small = [(row["what"], _cell(row)) for row in rows if "scope" in row["what"] or "spaces" in row["what"]]
    about = (
        f"{document['machine']}, load {document['load'][0]:.1f}; commit {_commit(document['commit'])}, "
        f"{document['at'][:10]}. Each fact is two records; what misses its bar is marked."
    )
    return "\n".join((
        "", *textwrap.wrap(about, WIDTH), "", *_table(("facts", *(f"{size:,}" for size in sizes)), lines), "",
        *_table(("a scope of 1,000 facts, and others: one recall", "ms (p95; ÷ the scope alone)"), small), "", "",
    ))  # fmt: skip


def _cell(row: dict[str, Any]) -> str:
    more = [_figure(row["p95"])] if row["p95"] is not None else []
    more += [f"{row['ratio']:.2f} ×"] if row["ratio"] is not None and not row["what"].startswith("disk") else []
    told = f"{_figure(row['value'])} ({'; '.join(more)})" if more else _figure(row["value"])
    return told + (" **missed**" if row["passed"] is False else "")


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {"peers": peers, "scale": scale}
PICTURES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {"latency.svg": ("scale", plots.latency)}
"""A file of the docs, the results it is made of, and how."""


def _speed(peer: dict[str, Any], ours: dict[str, Any] | None) -> tuple[str, ...]:
    figures = peer["figures"]
    is_ours = peer["name"] == OURS
    against = "" if ours is None or is_ours else ", ".join(
        f"{ours['figures'][name] / figures[name]:.2f} ×" for name in ("write_p50", "bulk", "search_p50")
    )  # fmt: skip
    hit = f"{figures['hit']:.0%}"
    if figures["hit"] != figures["hit_by_ticket"]:
        hit += f" ({figures['hit_by_ticket']:.0%} by the ticket alone)"
    return (
        _named(peer), _times(figures, "write"), "" if figures["syncs"] is None else f"{figures['syncs']:.0f}",
        _figure(figures["bulk"]), _times(figures, "search"), hit, _figure(figures["resident"]),
        _figure(figures["disk"]), against,
    )  # fmt: skip


def _right(peer: dict[str, Any]) -> tuple[str, ...]:
    corrected, deleted, look_alike = (peer["probes"][name] for name in PROBES)
    told = look_alike["outcome"]
    pairs = [pair["outcome"] for pair in look_alike["pairs"]]
    if pairs:
        told = ", ".join(f"{pairs.count(each)} {each}" for each in dict.fromkeys(sorted(pairs)))
    left = deleted["outcome"]
    if deleted["words_after"]:
        left = f"{len(deleted['words_after'])} of {len(deleted['words_before'])} words left"
    return _named(peer), f"{corrected['outcome']} ({corrected['means']})", f"{left} ({deleted['means']})", told


def _named(peer: dict[str, Any]) -> str:
    return f"**{OURS}** {peer['version']}" if peer["name"] == OURS else f"{peer['name']} {peer['version']}"


def _times(figures: dict[str, float], what: str) -> str:
    return f"{_figure(figures[f'{what}_p50'])} (p95 {_figure(figures[f'{what}_p95'])})"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _commit(told: str) -> str:
    digits, _, more = told.partition(" ")
    return f"{digits[:COMMIT_DIGITS]} {more}".strip()


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [headings, ["---"] * len(headings), *rows]
    return ["|" + "|".join(f" {cell} " if cell != "---" else cell for cell in line) + "|" for line in lines]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
