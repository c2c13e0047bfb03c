"""How the demo looks: a packet as people would like to read it, colour on a terminal and plain text in a pipe."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from firsthand.surfaces.demo_story import Fact, Question
from firsthand.vocabulary.instants import to_date
from firsthand.vocabulary.packets import Citation, Packet, Receipt


def progress_bar(console: Console) -> Progress:
    """A bar where somebody is looking."""
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def show(console: Console, question: Question, packet: Packet) -> None:
    """A packet as people would like to see it: answer, standing, and the words behind it."""
    table = Table(box=None, show_header=False, padding=(0, 1), expand=True)
    table.add_column(ratio=5)
    table.add_column(ratio=6)
    for rank, item in enumerate(packet.items):
        answer = Text.assemble(
            (item.text, "bold" if rank == 0 else "dim"),
            "\n",
            (f"{_plain(item.tier)} · {item.qualifier.text}", "green dim"),
        )
        quotes = [_quoted(citation) for citation in item.citations] or [_signed(item.speaker, item.occurred_at)]
        table.add_row(answer, Text("\n").join(quotes))
    if not packet.items:
        table.add_row(Text(f"nothing ({packet.why_empty})"), "")
    inside = Group(Text(f" {question.note}", style="dim"), table) if question.note else table
    title = Text(question.ask, style="bold yellow")
    console.print(Panel(inside, title=title, title_align="left", box=box.ROUNDED, border_style="dim"))


def show_notes(console: Console, notes: list[tuple[Fact, Receipt]]) -> None:
    """What was written down, the words it rests on, and how far it is believed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("fact", "because", "standing"):
        table.add_column(heading)
    for fact, receipt in notes:
        standing = receipt.standing
        believed = f"{_plain(standing.tier)}, {_plain(standing.status)}" if standing else receipt.outcome
        table.add_row(Text(fact.statement), Text(f"“{fact.quote}”", style="italic"), believed)
    console.print(table)


def _quoted(citation: Citation) -> Text:
    return Text.assemble((f"“{citation.quote}”\n", "italic"), _signed(citation.speaker, citation.occurred_at))


def _signed(speaker: str | None, at: int | None) -> Text:
    return Text(f"{speaker or 'somebody'}, {to_date(at)}" if at is not None else speaker or "somebody", style="cyan")


def _plain(word: str) -> str:
    return word.replace("_", " ")
