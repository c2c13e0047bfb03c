"""What a hook costs an agent's turn: cold, as a whole process, on a store of a project, beside what Python alone costs.

python bench/hooks.py [--size 10000] [--runs 40] [--json FILE] [--folder DIR]
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import firsthand
from report import Bar, Row, circumstances, percentile, save, table
from workload import Fact, facts

BUDGET_MS = 300
"""Design: the whole process, at most."""
NOTES = (
    "Each run is a new process with compiled files in place. The hook's own clock is set to a minute, so that nothing "
    "is cut off and the time is all of it; over_budget counts runs that would have been cut off.",
)
PROJECT = "boat"
_OPENER = "import firsthand; firsthand.open"
"""What opens a memory is loaded when it is first asked for."""
_ENTRY = "from firsthand.surfaces.entry import main; main()"


def main(arguments: Sequence[str]) -> None:
    """Measure, print one table and write one JSON."""
    given = _arguments(arguments)
    began = circumstances()
    with tempfile.TemporaryDirectory(prefix="firsthand-bench-", dir=given.folder) as made:
        rows = measured(Path(made), given.size, given.runs)
    title = f"hooks, commit {str(began['commit'])[:10]}, {began['machine']}, load {began['load'][0]:.1f}"
    table(title, [rows], NOTES)
    save(given.json, began, [rows], NOTES)


def measured(folder: Path, size: int, runs: int) -> list[Row]:
    """Every event of a turn, in turn, and two floors."""
    known = list(itertools.islice(facts(), size))
    database = _filled(folder, known)
    events = {
        "UserPromptSubmit": lambda n: {"prompt": known[n * 7 % size].query},
        "SessionStart": lambda n: {"source": "startup"},
        "PostToolUse": lambda n: {"tool_name": "Bash", "tool_input": {"command": f"make {n}"}, "tool_response": "made"},
        "Stop": lambda n: {"transcript_path": str(_transcript(folder, n)), "last_assistant_message": f"Reply {n}."},
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in (*events, "import firsthand", "python alone")}
    for n in range(-1, runs):
        for name, fields in events.items():
            event = {"hook_event_name": name, "session_id": f"s{n}", "cwd": str(folder / PROJECT), **fields(n)}
            _take(taken[name], n, ["-c", _ENTRY, "hook", "claude-code", "--db", str(database)], folder, event)
        _take(taken["import firsthand"], n, ["-c", _OPENER], folder, None)
        _take(taken["python alone"], n, ["-c", "pass"], folder, None)
    return [_row(name, times, size, is_hook=name in events) for name, times in taken.items()]


def _filled(folder: Path, known: Sequence[Fact]) -> Path:
    (folder / PROJECT / ".git").mkdir(parents=True)
    database = folder / "memory.db"
    with firsthand.open(database, scope=f"project:{PROJECT}", actor="bench", synchronous="OFF") as memory:
        memory.remember_many({"statement": fact.text, **fact.structure} for fact in known)
    return database


def _transcript(folder: Path, n: int) -> Path:
    """A transcript longer than what a hook reads of one."""
    path = folder / f"{n}.jsonl"
    said = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": f"Reply {n}."}]}}
    asked = {"type": "user", "message": {"role": "user", "content": f"Ask {n}. " + "words " * 200}}
    path.write_text("".join(json.dumps(line) + "\n" for line in [asked, said] * 300), encoding="utf-8")
    return path


def _take(times: list[tuple[float, float]], n: int, arguments: list[str], folder: Path, event: object) -> None:
    """One run; the first of all only warms the caches of the file system."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FIRSTHAND_") and k != "PYTHONDONTWRITEBYTECODE"}
    kept |= {"PYTHONPATH": str(Path(firsthand.__file__).parents[1]), "FIRSTHAND_HOOK_BUDGET_MS": "60000"}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=kept, input=json.dumps(event), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if n >= 0:
        times.append((wall * 1e3, busy * 1e3))


def _row(name: str, times: Sequence[tuple[float, float]], size: int, *, is_hook: bool) -> Row:
    wall, cpu = ([run[at] for run in times] for at in range(2))
    raw = {"all": wall, "cpu": cpu, "over_budget": sum(ms > BUDGET_MS for ms in wall)}
    return Row(
        f"hook {name}, whole process" if is_hook else name, percentile(wall, 50), "ms", size if is_hook else None,
        p95=percentile(wall, 95), cpu=percentile(cpu, 50), bar=Bar(BUDGET_MS) if is_hook else None, raw=raw,
    )  # fmt: skip


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000, help="facts in the store")
    parser.add_argument("--runs", type=int, default=40, help="how often each event is measured")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("results") / "hooks.json")
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
