"""What every drawing stands on: the console, tables, and words cut to what a table holds."""

from __future__ import annotations

import sys
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from firsthand.vocabulary.rendering import visible

PIPE_COLUMNS: Final = 160
STATUS_STYLES: Final = {"active": "green", "disputed": "yellow", "needs_review": "yellow", "pending_evidence": "yellow"}
TABLE_CHARACTERS: Final = 300


class Paper(Console):
    """A console that leaves a reader who went away to the command line's own way out."""

    def on_broken_pipe(self) -> None:
        """Called while the error is being handled."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output as it is now; wide where it is not a terminal, so that nothing is folded away."""
    wide = None if sys.stdout.isatty() else PIPE_COLUMNS
    return Paper(file=sys.stdout, width=wide, highlight=False, markup=False, emoji=False)


def shortened(text: str) -> str:
    """A text for a table; `read` shows all of it."""
    return text if len(text) <= TABLE_CHARACTERS else text[: TABLE_CHARACTERS - 1].rstrip() + "…"


def columns(*headings: str) -> Table:
    """A table with headings."""
    table = Table(box=box.SIMPLE, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def grid() -> Table:
    """Names beside values."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    return table


def row(table: Table, *cells: str) -> None:
    """A row of words, none of which can steer the terminal."""
    table.add_row(*(Text(visible(cell)) for cell in cells))
