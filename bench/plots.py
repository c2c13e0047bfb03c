"""Pictures of the docs that come from files of results: SVG with nothing but lines and text, by day and by night."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 860, 470
LEFT, RIGHT, TOP, BOTTOM = 64, 250, 64, 56
LABEL_GAP = 17
DECADE_STEPS = (1, 2, 5)
STYLE = """
  svg { background: #ffffff; font: 13px system-ui, sans-serif; }
  text { fill: #24292f; } .quiet { fill: #57606a; font-size: 12px; } .title { font-size: 16px; font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; } .line { fill: none; stroke-width: 2.2; }
  .thin { stroke-width: 1.4; stroke-dasharray: 5 4; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; } text { fill: #e6edf3; } .quiet { fill: #9198a1; } .grid { stroke: #30363d; }
  }
"""
COLOURS = ("#0969da", "#8250df", "#1a7f37", "#bc4c00", "#cf222e")


class Line(NamedTuple):
    """One line of a plot: (size, milliseconds) from left to right."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    thin: bool = False


LATENCY = (
    ("recall, warm", "p50", "recall, p50", 0),
    ("recall, warm", "p95", "recall, p95", 0),
    ("recall at a past known_at", "p50", "recall of the past, p50", 1),
    ("durable remember", "p50", "one durable fact, p50", 2),
    ("open and first recall of a process", "p50", "open, first recall, p50", 3),
    ("floor: FTS5's ten best", "p50", "FTS5's own ten best, p50", 4),
)
"""Rows of the scale bench: which, of it what, under which name, in which colour."""


def latency(document: dict[str, Any]) -> str:
    """What a recall and a write take, from a thousand facts to as many as were measured; both axes logarithmic."""
    rows = [row for row in document["rows"] if row["size"] and not row["what"].startswith("growth")]
    lines = [
        Line(
            name, sorted((row["size"], row["value" if at == "p50" else at]) for row in rows if row["what"] == what),
            COLOURS[colour], thin=at != "p50",
        )
        for what, at, name, colour in LATENCY
    ]  # fmt: skip
    drawn = [line for line in lines if len(line.points) > 1]
    about = f"{document['machine']}; commit {document['commit'][:10]}, {document['at'][:10]}"
    return _plot("Milliseconds, by how many facts one scope holds", about, drawn)


def _plot(title: str, about: str, lines: Sequence[Line]) -> str:
    sizes = [size for line in lines for size, _ in line.points]
    times = [ms for line in lines for _, ms in line.points]
    low, high = min(times) / 1.3, max(times) * 1.3
    across, up = _scale(min(sizes), max(sizes), LEFT, WIDTH - RIGHT), _scale(low, high, HEIGHT - BOTTOM, TOP)
    body = [*_grid(across, up, (min(sizes), max(sizes)), (low, high))]
    ends = _apart([up(line.points[-1][1]) for line in lines])
    for line, end in zip(lines, ends, strict=True):
        path = " ".join(f"{across(size):.1f},{up(ms):.1f}" for size, ms in line.points)
        kind = "line thin" if line.thin else "line"
        body.append(f'<polyline class="{kind}" stroke="{line.colour}" points="{path}"/>')
        told = f"{escape(line.name)}: {_short(line.points[-1][1])}"
        body.append(f'<text x="{WIDTH - RIGHT + 12}" y="{end + 4:.1f}" style="fill:{line.colour}">{told}</text>')
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{escape(title)}">'
    )
    told = [f'<text class="title" x="20" y="28">{escape(title)}</text>',
            f'<text class="quiet" x="20" y="48">{escape(about)}</text>']  # fmt: skip
    return "\n".join([head, f"<style>{STYLE}</style>", *told, *body, "</svg>"]) + "\n"


def _scale(low: float, high: float, start: float, stop: float) -> Any:
    """A logarithmic axis between two places on the paper."""
    span = math.log(high / low)
    return lambda value: start + (stop - start) * math.log(value / low) / span


def _grid(across: Any, up: Any, sizes: tuple[float, float], times: tuple[float, float]) -> Iterator[str]:
    for size in _steps(*sizes, (1,)):
        x = across(size)
        yield f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text class="quiet" x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size:,.0f}</text>'
    for ms in _steps(*times, DECADE_STEPS):
        y = up(ms)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>'
        yield f'<text class="quiet" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_short(ms)}</text>'
    yield f'<text class="quiet" x="{LEFT}" y="{HEIGHT - 14}">facts, each with its evidence</text>'


def _steps(low: float, high: float, of_decade: Sequence[int]) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [step * 10.0**power for power in powers for step in of_decade if low <= step * 10.0**power <= high]


def _apart(places: Sequence[float]) -> list[float]:
    """Places of labels, moved down as far as they need to be read."""
    found = list(places)
    last = -math.inf
    for at in sorted(range(len(places)), key=lambda i: places[i]):
        last = found[at] = max(places[at], last + LABEL_GAP)
    return found


def _short(ms: float) -> str:
    return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.3g} ms"
