"""What every speed bench shares: samples, rows with bars, the circumstances of a run, one table and one JSON."""

import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

import apsw
from rich.console import Console
from rich.table import Table
from rich.text import Text

T = TypeVar("T")
WIDTH = 124
PERCENTILES = (5, 25, 50, 75, 95, 99)


class Samples:
    """Wall and CPU time of one kind of work, in milliseconds."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def measure(self, work: Callable[[], T]) -> T:
        """Do the work once and keep how long it took."""
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        result = work()
        self.wall.append((time.perf_counter_ns() - wall) / 1e6)
        self.cpu.append((time.process_time_ns() - cpu) / 1e6)
        return result

    @property
    def p50(self) -> float:
        """The median of the wall times."""
        return percentile(self.wall, 50)

    @property
    def p95(self) -> float:
        """The 95th percentile of the wall times."""
        return percentile(self.wall, 95)

    def raw(self) -> dict[str, Any]:
        """Every percentile kept in the JSON."""
        return {"wall_ms": _spread(self.wall), "cpu_ms": _spread(self.cpu)}


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile of values."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]


def _spread(values: Sequence[float]) -> dict[str, float]:
    spread = {f"p{percent}": percentile(values, percent) for percent in PERCENTILES}
    return {"n": len(values), "mean": sum(values) / len(values), "least": min(values), "most": max(values), **spread}


@dataclass(frozen=True)
class Bar:
    """What good is: a limit on the value, its p95, or its ratio."""

    limit: float
    on: Literal["value", "ratio"] = "value"
    at: Literal["most", "least"] = "most"

    def met(self, measured: float) -> bool:
        """Whether the measured number is within the bar."""
        return measured <= self.limit if self.at == "most" else measured >= self.limit

    def __str__(self) -> str:
        sign = "≤" if self.at == "most" else "≥"
        return f"{sign} {self.limit:,g}{' ×' if self.on == 'ratio' else ''}"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    value: float
    unit: str
    size: int | None = None
    p95: float | None = None
    cpu: float | None = None
    ratio: float | None = None
    bar: Bar | None = None
    raw: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """Whether the bar is met; None where there is no bar."""
        if self.bar is None:
            return None
        measured = self.value if self.bar.on == "value" else self.ratio
        assert measured is not None, "a bar on a ratio needs one"
        return self.bar.met(measured)


def row_of(what: str, samples: Samples, *, size: int | None = None, **more: Any) -> Row:
    """A row of milliseconds from samples."""
    cpu = percentile(samples.cpu, 50)
    raw = samples.raw() | more.pop("raw", {})
    return Row(what, samples.p50, "ms", size=size, p95=samples.p95, cpu=cpu, raw=raw, **more)


def circumstances() -> dict[str, object]:
    """Commit, machine, versions and load; nothing that says whose machine it is."""
    here = Path(__file__).parent
    commit = _git(here, "rev-parse", "HEAD")
    return {
        "commit": commit + (" with changes" if _git(here, "status", "--porcelain", "--", "../src") else ""),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "versions": {name: version(name) for name in ("apsw", "numpy", "msgspec", "click")},
        "load": os.getloadavg(),
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _git(folder: Path, *arguments: str) -> str:
    try:
        asked = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return asked.stdout.strip()


def say(what: str) -> None:
    """Tell whoever waits what is being measured."""
    print(f"… {what}", file=sys.stderr, flush=True)


def sizes_of(text: str) -> list[int]:
    """Sizes with commas between."""
    return [int(part) for part in text.split(",")]


def table(title: str, sections: Sequence[Sequence[Row]], notes: Sequence[str] = ()) -> None:
    """Print one table, with a line between its sections."""
    drawn = Table(title=title, title_justify="left", caption="\n".join(notes), caption_justify="left")
    drawn.add_column("what")
    for name in ("size", "p50 / value", "p95", "cpu", "ratio", "bar"):
        drawn.add_column(name, justify="right")
    drawn.add_column("")
    for rows in sections:
        for row in rows:
            _draw(drawn, row)
        drawn.add_section()
    Console(width=None if os.isatty(1) else WIDTH).print(drawn)


def _draw(drawn: Table, row: Row) -> None:
    mark = {None: "", True: Text("pass", "green"), False: Text("FAIL", "bold red")}[row.passed]
    drawn.add_row(
        row.what, f"{row.size:,}" if row.size else "", f"{_figure(row.value)} {row.unit}", _figure(row.p95),
        _figure(row.cpu), "" if row.ratio is None else f"{row.ratio:.2f} ×", str(row.bar or ""), mark,
    )  # fmt: skip


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.2f}"


def save(path: Path, began: dict[str, object], sections: Sequence[Sequence[Row]], notes: Sequence[str]) -> None:
    """Write one JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    listed = [{**asdict(row), "passed": row.passed} for rows in sections for row in rows]
    document = {**began, "load_after": os.getloadavg(), "notes": list(notes), "rows": listed}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
