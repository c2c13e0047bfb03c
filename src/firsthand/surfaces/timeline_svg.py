"""A timeline as one SVG file that explains itself: readable in light and dark, with nothing but text and rectangles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from firsthand.surfaces.timeline import ELSEWHERE, MEANINGS, Held, Step, Timeline, moment_labels, standing_words
from firsthand.vocabulary.rendering import short_id, visible

MARGIN: Final = 28
STORY: Final = 320
"""Width of the story told beside the times."""
AXIS: Final = 118
COLUMN_LEAST, COLUMN_MOST, GRID = 176, 330, 660
LINE: Final = 17
PAD: Final = 9
BAND_LEAST: Final = 62
LINES_MOST: Final = 5
"""Lines of one text; the rest is in its tooltip."""
SMALL, BODY, TITLE = 12, 13, 20

FILLS: Final = {
    "active": ("#d9f2df", "#1a7f37", "#14361f", "#3fb950"),
    "pending_evidence": ("#dcebff", "#0969da", "#10294a", "#58a6ff"),
    "needs_review": ("#fff4bf", "#8a6300", "#3a3105", "#d29922"),
    "quarantined": ("#efe2fd", "#8250df", "#31214f", "#bc8cff"),
    "disputed": ("#ffe6cc", "#bc4c00", "#452909", "#f0883e"),
    "superseded": ("#e9ecef", "#6e7781", "#272c33", "#8b949e"),
    "retracted": ("#ffe1e4", "#cf222e", "#481b20", "#ff7b72"),
    "rejected": ("#f3c9cf", "#82071e", "#3a0d13", "#ffa198"),
    "erased": ("#d4d7db", "#24292f", "#1b1f24", "#c9d1d9"),
    "hidden": ("#f2f2f7", "#57606a", "#20242b", "#9aa4af"),
}
"""Standing: fill and edge by day, fill and edge by night."""
DASHED: Final = frozenset(("retracted", "rejected", "superseded", "hidden", "erased"))
"""Standings whose edge is broken, so that no colour carries a meaning alone."""

_UNPRINTED: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")
INTRODUCTION: Final = (
    "Across: when it is true in the world. Down: when this memory knew it. Each row says what changed and why; "
    "the boxes beside it are what was believed from then on, until a box below replaces them."
)


class Box(NamedTuple):
    """A rectangle of the grid: bands and columns, half-open, and the beliefs in it."""

    top: int
    bottom: int
    left: int
    right: int
    held: tuple[Held, ...]


class Paper:
    """Lines of SVG, placed by absolute coordinates."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def text(self, x: float, y: float, words: str, look: str, *, anchor: str = "start", tip: str = "") -> None:
        """One line of text; `tip` is shown on hovering."""
        title = f"<title>{clean(tip)}</title>" if tip else ""
        self.lines.append(
            f'<text x="{x:g}" y="{y:g}" class="{look}" text-anchor="{anchor}">{title}{clean(words)}</text>'
        )

    def paragraph(self, x: float, y: float, lines: Sequence[str], look: str, *, tip: str = "") -> float:
        """Lines below each other; where the next line would stand."""
        for line in lines:
            self.text(x, y, line, look, tip=tip)
            y += LINE
        return y

    def box(self, x: float, y: float, width: float, height: float, standing: str) -> None:
        """A rectangle in the colours of a standing."""
        self.lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" class="s-{standing}"/>'
        )

    def rule(self, x1: float, y1: float, x2: float, y2: float, look: str) -> None:
        """A straight line."""
        self.lines.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{look}"/>')


def draw(shown: Timeline) -> str:
    """The timeline as an SVG document."""
    column = min(COLUMN_MOST, max(COLUMN_LEAST, GRID // max(1, len(shown.spans))))
    grid = MARGIN + STORY + AXIS
    width = grid + column * max(1, len(shown.spans)) + MARGIN
    paper = Paper()
    y = _head(paper, shown, width)
    y = _legend(paper, shown.standings, y, width)
    y = _world_axis(paper, shown, grid, column, y + 12)
    bottom = _bands(paper, shown, grid, column, y)
    bottom = _foot(paper, shown, bottom + 26)
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom:g}" '
        f'viewBox="0 0 {width} {bottom:g}" role="img" aria-labelledby="t d">',
        f'<title id="t">{clean(shown.title)}</title>',
        f'<desc id="d">{clean(INTRODUCTION)}</desc>',
        f"<style>{_style()}</style>",
        f'<rect width="{width}" height="{bottom:g}" class="paper"/>',
        *paper.lines,
        "</svg>\n",
    ))  # fmt: skip


def _head(paper: Paper, shown: Timeline, width: float) -> float:
    y = MARGIN + TITLE
    for line in wrapped(shown.title, width - 2 * MARGIN, TITLE, 2):
        paper.text(MARGIN, y, line, "title", tip=shown.title)
        y += TITLE + 6
    paper.text(MARGIN, y, f"What was believed of record {short_id(shown.record_id)}, and when", "muted")
    y += LINE + 4
    return paper.paragraph(MARGIN, y, wrapped(INTRODUCTION, width - 2 * MARGIN, BODY, 4), "ink")


def _legend(paper: Paper, standings: Sequence[str], y: float, width: float) -> float:
    x: float = MARGIN
    y += 4
    for standing in standings:
        words = f"{standing.replace('_', ' ')}: {MEANINGS[standing]}"
        length = 24 + measure(words, SMALL) + 22
        if x > MARGIN and x + length > width - MARGIN:
            x, y = MARGIN, y + LINE + 4
        paper.box(x, y - 11, 16, 13, standing)
        paper.text(x + 24, y, words, "small")
        x += length
    return y + LINE


def _world_axis(paper: Paper, shown: Timeline, grid: float, column: float, y: float) -> float:
    """Headings and the ends of the world spans; where the grid begins."""
    right = grid + column * len(shown.spans)
    paper.text(MARGIN, y, "What changed, and why", "strong")
    paper.text(grid - 14, y, "Known since ↓", "strong", anchor="end")
    paper.text(grid, y, "True in the world →", "strong")
    y += LINE + 6
    edges = [s.valid_from for s in shown.spans] + [s.valid_to for s in shown.spans[-1:]]
    labels = moment_labels([e for e in edges if e is not None])
    for i, edge in enumerate(edges):
        x = grid + i * column
        anchor = "start" if i == 0 else "end" if i == len(edges) - 1 else "middle"
        open_end = "no known start" if i == 0 else "no known end"
        day, time = labels[edge] if edge is not None else (open_end, "")
        paper.text(x, y, day, "muted", anchor=anchor)
        if time:
            paper.text(x, y + 14, time, "muted", anchor=anchor)
    y += 14 + 8
    paper.rule(grid, y, right, y, "axis")
    for i in range(len(edges)):
        paper.rule(grid + i * column, y - 5, grid + i * column, y, "axis")
    _now(paper, shown, grid, column, y)
    return y


def _now(paper: Paper, shown: Timeline, grid: float, column: float, y: float) -> None:
    """Where the present stands on the world's axis."""
    for i, span in enumerate(shown.spans):
        start, end = span.valid_from, span.valid_to
        if (start is not None and shown.now < start) or (end is not None and shown.now >= end):
            continue
        share = 0.5 if start is None or end is None else (shown.now - start) / (end - start)
        x = grid + (i + min(0.88, max(0.12, share))) * column
        paper.lines.append(f'<path d="M{x - 5:g} {y - 9:g}h10l-5 8z" class="now"/>')
        paper.text(x + 9, y - 2, "now", "small")
        return


def _bands(paper: Paper, shown: Timeline, grid: float, column: float, y: float) -> float:
    """Every known time with its story and its boxes; where the grid ends."""
    boxes = _boxes(shown)
    stories = [_story(step) for step in shown.steps]
    heights = [max(BAND_LEAST, 2 * PAD + LINE * sum(len(lines) for lines, _, _ in story)) for story in stories]
    for box in boxes:
        need = sum(_box_height(h, column * (box.right - box.left)) for h in box.held)
        heights[box.bottom - 1] += max(0, need - sum(heights[box.top : box.bottom]))
    tops = [y + sum(heights[:i]) for i in range(len(heights) + 1)]
    labels = moment_labels([s.known_at for s in shown.steps])
    right = grid + column * len(shown.spans)
    for step, story, top in zip(shown.steps, stories, tops, strict=False):
        paper.rule(MARGIN, top, right, top, "grid")
        day, time = labels[step.known_at]
        paper.text(grid - 18, top + PAD + 12, day, "ink", anchor="end")
        paper.text(grid - 18, top + PAD + 12 + 15, time, "muted", anchor="end")
        paper.lines.append(f'<circle cx="{grid - 8}" cy="{top + PAD + 8:g}" r="3.5" class="dot"/>')
        line = top + PAD + 12
        for lines, look, tip in story:
            line = paper.paragraph(MARGIN, line, lines, look, tip=tip)
    for box in boxes:
        _box(paper, box, grid, column, tops)
    bottom = tops[-1]
    paper.rule(grid - 8, y, grid - 8, bottom + 4, "axis")
    paper.lines.append(f'<path d="M{grid - 12} {bottom + 3:g}h8l-4 8z" class="tip"/>')
    return bottom


def _story(step: Step) -> list[tuple[list[str], str, str]]:
    """What changed, in whose words, and why: lines with their look and their whole text."""
    room = STORY - 12
    who = step.what if step.who is None else f"{step.who} {step.what}"
    told = [(wrapped(who, room, BODY, 2), "strong", who)]
    if step.elsewhere:
        told.append((wrapped(ELSEWHERE, room, BODY, 2), "muted", ""))
    if step.words:
        told.append((wrapped(f"“{step.words}”", room, BODY, LINES_MOST), "ink", step.words))
    if step.reason:
        told.append((wrapped(f"because: {step.reason}", room, BODY, LINES_MOST), "why", step.reason))
    if step.also:
        times = "once" if step.also == 1 else f"{step.also} times"
        told.append((wrapped(f"said again or not {times} since: same standing", room, BODY, 2), "muted", ""))
    return told


def _boxes(shown: Timeline) -> list[Box]:
    """Equal neighbours as one box: first across, then down."""
    found: list[Box] = []
    for band, step in enumerate(shown.steps):
        left = 0
        while left < len(step.cells):
            right = left + 1
            while right < len(step.cells) and _same(step.cells[left], step.cells[right]):
                right += 1
            above = next((b for b in found if (b.bottom, b.left, b.right) == (band, left, right)), None)
            if above is not None and _same(above.held, step.cells[left]):
                found[found.index(above)] = above._replace(bottom=band + 1, held=step.cells[left])
            elif step.cells[left]:
                found.append(Box(band, band + 1, left, right, step.cells[left]))
            left = right
    return found


def _same(one: Sequence[Held], other: Sequence[Held]) -> bool:
    return [(h.standing, h.tier, h.revision_id) for h in one] == [(h.standing, h.tier, h.revision_id) for h in other]


def _box_lines(held: Held, width: float) -> tuple[list[str], list[str]]:
    room = width - 2 * PAD - 6
    words = "words destroyed" if held.text is None else held.text
    return wrapped(standing_words(held), room, BODY, 2), wrapped(words, room, BODY, LINES_MOST)


def _box_height(held: Held, width: float) -> int:
    standing, words = _box_lines(held, width)
    return LINE * (len(standing) + len(words)) + 2 * PAD + 4


def _box(paper: Paper, box: Box, grid: float, column: float, tops: Sequence[float]) -> None:
    width = column * (box.right - box.left)
    x, y = grid + box.left * column + 3, tops[box.top] + 3
    height = (tops[box.bottom] - tops[box.top] - 3) / len(box.held) - 3
    for held in box.held:
        standing, words = _box_lines(held, width)
        paper.box(x, y, width - 6, height, held.standing)
        line = paper.paragraph(x + PAD, y + PAD + 11, standing, "strong")
        paper.paragraph(x + PAD, line, words, "ink", tip=held.text or "")
        y += height + 3


def _foot(paper: Paper, shown: Timeline, y: float) -> float:
    note = (
        "Times are UTC; distances on the axes are not to scale. An empty place means that nothing was believed there."
    )
    if shown.left_out:
        note = f"The oldest {shown.left_out} changes are left out. {note}"
    paper.text(MARGIN, y, note, "small")
    return y + MARGIN - 6


def clean(text: str) -> str:
    """`text` as XML: one line, no control characters, nothing that could close an element."""
    return escape(_UNPRINTED.sub("\ufffd", visible(text)), {'"': "&quot;"})


def measure(text: str, size: float) -> float:
    """About how wide a text is, in pixels; a little more rather than less."""
    return sum(_width(c) for c in text) * size


def _width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "ijlIt.,:;|'!()[] ":
        return 0.38
    return 0.86 if character in "mwMW@%—" else 0.72 if character.isupper() else 0.6


def wrapped(text: str, room: float, size: float, most: int) -> list[str]:
    """`text` in at most `most` lines of `room` pixels; what does not fit ends in an ellipsis."""
    lines = list(_lines(visible(text), room, size))
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and measure(last + "…", size) > room:
        last = last[:-1]
    return [*lines[: most - 1], last.rstrip() + "…"]


def _lines(text: str, room: float, size: float) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        while measure(word, size) > room:  # a word longer than a line is broken where it must be
            if line:
                yield line
                line = ""
            cut = len(word)
            while cut > 1 and measure(word[:cut], size) > room:
                cut -= 1
            yield word[:cut]
            word = word[cut:]
        joined = f"{line} {word}" if line else word
        if measure(joined, size) > room:
            yield line
            line = word
        else:
            line = joined
    if line:
        yield line


def _style() -> str:
    day = [
        "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px;fill:#1f2328}",
        f".title{{font-size:{TITLE}px;font-weight:600}}.strong{{font-weight:600}}.small{{font-size:{SMALL}px}}",
        ".muted,.small{fill:#57606a}.muted{font-size:12px}.why{font-style:italic}",
        ".paper{fill:#ffffff}.grid{stroke:#d8dee4}.axis{stroke:#57606a;stroke-width:1.5}.dot,.tip,.now{fill:#57606a}",
    ]
    night = [
        "text{fill:#e6edf3}.muted,.small{fill:#9da7b1}.paper{fill:#0d1117}.grid{stroke:#30363d}",
        ".axis{stroke:#9da7b1}.dot,.tip,.now{fill:#9da7b1}",
    ]
    for standing, (fill, edge, dark_fill, dark_edge) in FILLS.items():
        dashes = ";stroke-dasharray:5 3" if standing in DASHED else ""
        day.append(f".s-{standing}{{fill:{fill};stroke:{edge}{dashes}}}")
        night.append(f".s-{standing}{{fill:{dark_fill};stroke:{dark_edge}}}")
    return "".join(day) + "@media (prefers-color-scheme:dark){" + "".join(night) + "}"
