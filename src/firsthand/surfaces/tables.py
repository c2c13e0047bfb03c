"""Tables as every drawing has them."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from firsthand.vocabulary.rendering import visible


def table(*headings: str) -> Table:
    """A table with these columns."""
    made = Table(box=box.SIMPLE, pad_edge=False, header_style="bold")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    return made


def row(into: Table, *cells: str) -> None:
    """One row of texts; what they hold is shown and never obeyed."""
    into.add_row(*(Text(visible(cell)) for cell in cells))
