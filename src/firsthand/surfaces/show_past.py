"""Timelines, self-tests and measurements, drawn for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

from firsthand.measuring import INSERT, SEARCH, Measurements
from firsthand.selftest.outcomes import SelfTestReport
from firsthand.surfaces import timeline
from firsthand.surfaces.sheets import STATUS_STYLES, columns, console, grid, shortened
from firsthand.surfaces.timeline import Held, Step, Timeline
from firsthand.vocabulary.rendering import visible

OUTCOME_STYLES: Final = {"pass": "green", "fail": "red bold", "unavailable": "yellow"}


def past(shown: Timeline) -> None:
    """A record's belief timeline."""
    out = console()
    out.print(Text(visible(shown.title), style="bold"))
    draw_timeline(out, shown)


def draw_timeline(out: Console, shown: Timeline) -> None:
    """Known times down, spans of world time across."""
    out.print(Text("What was believed: across, when it is true in the world; down, when it was known", style="bold"))
    table = columns("known since", "what changed, and why", *timeline.span_words(shown.spans))
    labels = timeline.moment_labels([step.known_at for step in shown.steps])
    before: Step | None = None
    for step in shown.steps:
        cells = [Text(visible(" ".join(labels[step.known_at]))), _story(step)]
        for i, cell in enumerate(step.cells):
            same = before is not None and bool(cell) and before.cells[i] == cell
            cells.append(Text("as above", style="dim") if same else _cell(cell))
        table.add_row(*cells)
        before = step
    out.print(table)
    for standing in shown.standings:
        style = STATUS_STYLES.get(standing, "red")
        out.print(
            Text(f"  {standing.replace('_', ' ')}", style=style).append(f": {timeline.MEANINGS[standing]}", "dim")
        )
    if shown.left_out:
        out.print(Text(f"The oldest {shown.left_out} changes are left out.", style="dim"))


def _story(step: Step) -> Text:
    told = Text(visible(step.what if step.who is None else f"{step.who} {step.what}"))
    told.append(f" ({timeline.ELSEWHERE})" if step.elsewhere else "", style="dim")
    if step.words:
        told.append(f"\n“{visible(shortened(step.words))}”")
    if step.reason:
        told.append(f"\nbecause: {visible(shortened(step.reason))}", style="italic")
    return told


def _cell(cell: Iterable[Held]) -> Text:
    told = Text()
    for held in cell:
        told.append("\n" if told else "")
        told.append(timeline.standing_words(held), style=STATUS_STYLES.get(held.standing, "red"))
        told.append("\n" + visible(shortened(held.text or "words destroyed")))
    return told


def selftest(report: SelfTestReport) -> None:
    """Every acceptance test with its outcome and what it saw, and the totals."""
    out = console()
    table = columns("outcome", "test", "what was seen, or why not")
    for result in report.results:
        outcome = Text(result.outcome, style=OUTCOME_STYLES[result.outcome])
        table.add_row(outcome, Text(result.name), Text(visible(result.proof)))
    out.print(table)
    for result in report.results:
        if result.outcome == "fail":
            out.print(Text(f"{result.name} failed", style="red bold"))
            for what in ("given", "when", "then", "control"):
                out.print(Text(f"  {what}: {getattr(result, what)}"))
    out.print(
        f"{report.passed} passed, {report.failed} failed, {report.unavailable} could not be run, in {report.seconds} s."
    )


def measurements(found: Measurements) -> None:
    """How large a memory is and how long it takes, each kind of work beside bare SQLite's."""
    out = console()
    facts = grid()
    facts.add_row("records", f"{found.records:,}")
    facts.add_row("entries", "" if found.entries is None else f"{found.entries:,}")
    facts.add_row("on disk", f"{found.bytes / 1024:,.0f} KiB, {found.bytes_a_record:,.0f} bytes a record")
    out.print(facts)
    table = columns("what", "p50 ms", "p95 ms", "against SQLite")
    for heading in table.columns[1:]:
        heading.justify = "right"
    for row in found.rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.1f} ×"
        style = "dim" if row.what in (SEARCH, INSERT) else ""
        table.add_row(row.what, f"{row.p50_ms:.2f}", f"{row.p95_ms:.2f}", ratio, style=style)
    out.print(table)
    told = f"{found.rounds} rounds on a copy, which is gone; questions from the words of {found.asked:,} records."
    out.print(Text(f"{told} {found.engine}, Python {found.python}, Firsthand {found.firsthand}.", style="dim"))
