"""The tables of README.md that come from files of results.

python bench/figures.py [--check] [--readme FILE] [--results DIR]

Each stands between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and is written anew from DIR/NAME.json. With
--check nothing is written, and the exit code says whether a table is not what its file says.
"""

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    before = given.readme.read_text(encoding="utf-8")
    after = before
    for name, drawn in TABLES.items():
        document = json.loads((given.results / f"{name}.json").read_text(encoding="utf-8"))
        after = _replaced(after, name, drawn(document))
    if not given.check:
        given.readme.write_text(after, encoding="utf-8")
    elif after != before:
        print("README.md does not show what bench/results say; run bench/figures.py", file=sys.stderr)
        return 1
    return 0


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


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {"peers": peers}


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
