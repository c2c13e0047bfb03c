"""What becomes of a value that was deleted, in thirteen steps, and of one that was contradicted, in five shapes.

Prints the thirteen steps for a rejection and for an erasure, then the contradiction matrix twice: as structured claims
in Python, and as plain sentences that an agent tells and asks for through MCP. A cell passes (✓), fails (✗), or could
not be looked at (–), with the reason below.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from firsthand.selftest.contradictions import QUESTIONS, WAYS, Cell, row
from firsthand.selftest.shapes import MODES, SHAPES, Mode
from firsthand.selftest.steps import LENGTHS, STEPS, How, StepResult, thirteen
from firsthand.selftest.world import World
from firsthand.surfaces.through_mcp import connect
from report import circumstances

RESULTS = Path(__file__).parent / "results" / "corrections.json"
MARKS = {"pass": "[green]✓[/green]", "fail": "[red]✗[/red]", "unavailable": "[dim]–[/dim]"}
WORST = ("pass", "unavailable", "fail")


def deletions(folder: Path) -> dict[str, dict[int, list[StepResult]]]:
    """Each way to delete, each length: its steps."""
    found: dict[str, dict[int, list[StepResult]]] = {}
    for how in get_args(How):
        world = World(folder / how)
        found[how] = {length: thirteen(world, how, length) for length in LENGTHS}
        world.close()
    return found


def matrix(folder: Path) -> list[Cell]:
    """Every shape in both modes, the plain one through the server that the package has."""
    cells: list[Cell] = []
    for number, (shape, mode) in enumerate((s, m) for m in MODES for s in SHAPES):
        world = World(folder / str(number), connect)
        cells += row(world, shape, mode)
        world.close()
    return cells


def steps_table(found: dict[str, dict[int, list[StepResult]]]) -> tuple[Table, list[str]]:
    """A row for each step, a column for each way; the worst of all lengths."""
    table = Table("step", "", *found, title="Deletion in thirteen steps")
    reasons: dict[str, list[str]] = {}
    for number, what in STEPS.items():
        marks: list[str] = []
        for how, lengths in found.items():
            steps = [s for results in lengths.values() for s in results if s.number == number]
            worst = max(steps, key=lambda s: WORST.index(s.outcome))
            marks.append(MARKS[worst.outcome])
            if worst.why:
                reasons.setdefault(f"{how}: {worst.why}", []).append(str(number))
        table.add_row(str(number), what, *marks)
    return table, [f"{why} (steps {', '.join(steps)})" for why, steps in reasons.items()]


def matrix_table(cells: list[Cell], mode: Mode) -> tuple[Table, list[str]]:
    """Shapes down, questions across."""
    table = Table("shape", *QUESTIONS, title=f"Contradictions: {WAYS[mode]}")
    reasons: list[str] = []
    for shape in SHAPES:
        own = {c.question: c for c in cells if c.shape == shape.name and c.mode == mode}
        table.add_row(shape.name, *(MARKS[own[q].outcome] for q in QUESTIONS))
        reasons += [f"{shape.name} {q}: {own[q].why}" for q in QUESTIONS if own[q].outcome == "fail"]
    missing = {f"{c.question}: {c.why}" for c in cells if c.outcome == "unavailable" and c.mode == mode}
    return table, [*reasons, *sorted(missing)]


def main() -> int:
    """Run, print, write; 1 if anything failed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--json", type=Path, default=RESULTS)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps, cells = deletions(Path(folder) / "steps"), matrix(Path(folder) / "matrix")
    console = Console(width=124)
    tables = [steps_table(steps), *(matrix_table(cells, mode) for mode in MODES)]
    for table, reasons in tables:
        console.print(table)
        for reason in reasons:
            console.print(f"  {reason}", style="dim", markup=False)
    console.print("; ".join(f"{q}: {what}" for q, what in QUESTIONS.items()), markup=False)
    document = {
        **circumstances(),
        "steps": [
            {"how": how, "length": length, "step": s.number, "outcome": s.outcome, "why": s.why}
            for how, lengths in steps.items() for length, results in lengths.items() for s in results
        ],
        "matrix": [{f: getattr(c, f) for f in c.__struct_fields__} for c in cells],
    }  # fmt: skip
    options.json.parent.mkdir(exist_ok=True)
    options.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    outcomes = [s["outcome"] for s in document["steps"]] + [c.outcome for c in cells]
    console.print({o: outcomes.count(o) for o in WORST}, f"written to {options.json.name}")
    return 1 if "fail" in outcomes else 0


if __name__ == "__main__":
    raise SystemExit(main())
