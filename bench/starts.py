"""What a fresh process costs: the import, the command, and what stays resident after a store has been asked."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import firsthand
from report import Bar, Row, percentile
from writes import Loaded

_RESIDENT = """
import resource, sys
def resident_mb():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1024 if sys.platform != "darwin" else 1024 * 1024)
"""
_IMPORT = """
import time
wall, cpu = time.perf_counter(), time.process_time()
import firsthand
firsthand.open  # what opens a memory is loaded when it is first asked for
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
""" + _RESIDENT + """
print(wall * 1e3, cpu * 1e3, resident_mb())
"""  # fmt: skip
_ASKED = (
    _RESIDENT
    + """
import firsthand, json
ours = firsthand.open(sys.argv[1], actor="bench")
for query in json.load(sys.stdin):
    ours.recall(query, limit=10)
print(resident_mb())
ours.close()
"""
)
_COMMAND = "from firsthand.surfaces.cli import main; main()"


def starts(loaded: Loaded, folder: Path, times: int) -> list[Row]:
    """The import and the command, each in `times` fresh processes with compiled files in place."""
    folder.mkdir()
    imports = [_imported(folder) for _ in range(times + 1)][1:]
    wall, cpu, resident = ([run[at] for run in imports] for at in range(3))
    recall = ["-c", _COMMAND, "--db", str(loaded.ours), "recall", loaded.facts[0].query]
    commands = [_timed(recall, folder) for _ in range(times + 1)][1:]
    bare = [_timed(["-c", "pass"], folder) for _ in range(times)]
    size = loaded.size
    return [
        _row("import firsthand", wall, "ms", cpu, Bar(150)),
        _row("resident after import firsthand", resident, "MB", None, Bar(40)),
        _row("python alone, whole process", [ms for ms, _ in bare], "ms", [cpu for _, cpu in bare], None),
        _row(
            "firsthand recall …, whole process", [ms for ms, _ in commands], "ms", [cpu for _, cpu in commands],
            Bar(350), size,
        ),
    ]  # fmt: skip


def resident(loaded: Loaded, folder: Path, questions: int) -> list[Row]:
    """Resident memory of a process that has asked a store many questions."""
    folder.mkdir()
    asked = json.dumps([fact.query for fact in loaded.facts[:questions]])
    done = _run(["-c", _ASKED, str(loaded.ours)], folder, asked)
    return [Row("resident after recalls", float(done), "MB", size=loaded.size, bar=Bar(250))]


def asked_alone(program: str, store: Path, folder: Path, given: str) -> str:
    """What a program prints that a fresh process runs on a store."""
    return _run(["-c", program, str(store)], folder, given)


def _row(
    what: str, values: list[float], unit: str, cpu: list[float] | None, bar: Bar | None, size: int | None = None
) -> Row:
    busy = None if cpu is None else percentile(cpu, 50)
    raw = {"all": values, "cpu": cpu}
    return Row(what, percentile(values, 50), unit, size=size, p95=percentile(values, 95), cpu=busy, bar=bar, raw=raw)


def _imported(folder: Path) -> tuple[float, ...]:
    return tuple(float(word) for word in _run(["-c", _IMPORT], folder).split())


def _timed(arguments: list[str], folder: Path) -> tuple[float, float]:
    """Milliseconds from spawn to exit, and milliseconds of CPU."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _run(arguments, folder)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1e3, busy * 1e3


def _run(arguments: list[str], folder: Path, given: str = "") -> str:
    """Run this interpreter in an empty folder, where no settings of the caller apply."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("FIRSTHAND_") and name != "PYTHONDONTWRITEBYTECODE"
    }
    source = str(Path(firsthand.__file__).parents[1])
    kept["PYTHONPATH"] = os.pathsep.join([source, *filter(None, [kept.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=kept, input=given, capture_output=True, text=True, check=True
    )
    return done.stdout
